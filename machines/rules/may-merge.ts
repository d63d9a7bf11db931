import { isListed, sameLogin } from './logins.ts'

interface MergePolicy {
  readonly botLogin: string
  readonly maintainerLogins: readonly string[]
  readonly adoptBranchPrefix: string
  readonly upgradeEngineLogins: readonly string[]
}

interface MergeCandidate {
  readonly author: string
  readonly headBranch: string
}

/**
 * Adopted: the branch carries the engine's prefix and the author is the bot or an engine (PROJECT-UPGRADE-13).
 * Both are needed; a human on a branch with that prefix is never adopted.
 */
export function isAdopted({ author, headBranch }: MergeCandidate, policy: MergePolicy): boolean {
  const prefix = policy.adoptBranchPrefix.replace(/\/*$/, '/')
  if (policy.adoptBranchPrefix === '' || !headBranch.startsWith(prefix)) return false
  return sameLogin(author, policy.botLogin) || isListed(author, policy.upgradeEngineLogins)
}

/**
 * Whose merge requests an accepted `approve` may merge without a maintainer's go-ahead (REVIEW-3): the bot's, a
 * maintainer's, an engine's that was adopted.
 */
export function mayMerge(candidate: MergeCandidate, policy: MergePolicy): boolean {
  const { author } = candidate
  return sameLogin(author, policy.botLogin) || isListed(author, policy.maintainerLogins) || isAdopted(candidate, policy)
}
