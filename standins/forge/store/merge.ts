import type { Identity } from '../git/merge.ts'
import { refOf, ZERO_SHA } from '../git/refs.ts'
import { lackingReview, requiredChecksState, rulesetsOf } from './gates.ts'
import { demand, may } from './permissions.ts'
import { refLock } from './pulls.ts'
import { applyRefUpdate, settleMerge } from './push.ts'
import type { Actor, MergeMethod, Pull, Repository, User } from './records.ts'
import { Refusal } from './refusal.ts'
import type { World } from './world.ts'

export interface MergeInput {
  readonly sha?: string
  readonly method?: MergeMethod
  readonly title?: string
  readonly message?: string
}

/** Merges for real, without a work tree: the tree by merge-tree, the ref moved only from the tip that the tree was made for. */
export function mergePull(
  world: World,
  repository: Repository,
  actor: Actor,
  pull: Pull,
  input: MergeInput,
): Promise<string> {
  const askedAt = new Date(world.now()).toISOString()
  return world.locks.run(refLock(repository), async () => {
    demand(repository, actor, 'write')
    const method = input.method ?? 'merge'
    if (pull.state === 'closed') throw new Refusal('not-mergeable')
    if (input.sha !== undefined && input.sha !== pull.headSha) throw new Refusal('head-moved')
    // A push may be on disk and not yet noted: what is merged must be what the branch holds.
    if ((await repository.git.branchTip(pull.head)) !== pull.headSha) throw new Refusal('head-moved')
    if (pull.draft) throw new Refusal('draft')
    if (!repository.mergeMethods.has(method)) throw new Refusal('method-off', { detail: method })
    const baseSha = await repository.git.branchTip(pull.base)
    if (!baseSha) throw new Refusal('not-mergeable')
    checkRulesets(repository, actor, pull)
    await checkProtection(repository, actor, pull, baseSha)
    const { sha, ...squashed } = await writeMerge(repository, actor.user, pull, baseSha, method, input)
    const update = { ref: refOf(pull.base), before: baseSha, after: sha }
    if (!(await repository.git.moveRef(update))) throw new Refusal('base-moved')
    settleMerge(world, repository, actor.user, pull, sha, { method, askedAt, ...squashed })
    await applyRefUpdate(world, repository, actor.user, update)
    if (repository.deleteBranchOnMerge) await dropBranch(world, repository, actor.user, pull.head)
    return sha
  })
}

function checkRulesets(repository: Repository, { user }: Actor, pull: Pull): void {
  const binding = rulesetsOf(repository, pull.base).filter(({ bypass = [] }) => !bypass.includes(user.login))
  const required = binding.flatMap(({ requiredChecks }) => requiredChecks)
  const [missing] = requiredChecksState(repository, pull.headSha, required).missing
  if (missing) throw new Refusal('rule-violated', { field: missing.name, detail: missing.why })
}

async function checkProtection(repository: Repository, actor: Actor, pull: Pull, baseSha: string): Promise<void> {
  const protection = repository.protection.get(pull.base)
  if (!protection || (!protection.enforceAdmins && may(repository, actor, 'admin'))) return
  const [missing] = requiredChecksState(repository, pull.headSha, protection.requiredChecks).missing
  if (missing) throw new Refusal('check-missing', { field: missing.name, detail: missing.why })
  if (lackingReview(repository, pull))
    throw new Refusal('approvals-missing', { detail: String(protection.requiredApprovals) })
  if (protection.strict && !(await repository.git.isAncestor(baseSha, pull.headSha))) throw new Refusal('behind')
}

async function writeMerge(
  repository: Repository,
  user: User,
  pull: Pull,
  baseSha: string,
  method: MergeMethod,
  input: MergeInput,
): Promise<{ readonly sha: string; readonly squash?: string }> {
  const committer: Identity = { name: user.name, email: user.email }
  if (method === 'rebase' && repository.dialect === 'gitlab')
    return { sha: await fastForward(repository, pull, baseSha) }
  if (method === 'rebase') {
    const tip = await repository.git.rebaseCommits(baseSha, pull.headSha, committer)
    if (!tip) throw new Refusal('not-rebaseable')
    return { sha: tip }
  }
  const tree = await repository.git.mergeTrees(baseSha, pull.headSha)
  if (!tree) throw new Refusal('not-mergeable')
  const isSquash = method === 'squash'
  const author = isSquash ? { name: pull.author.name, email: pull.author.email } : committer
  const commit = { committer, author, message: messageOf(repository, pull, isSquash, input) }
  if (isSquash && repository.dialect === 'gitlab' && repository.mergeMethods.has('merge'))
    return takeInSquash(repository, pull, baseSha, { ...commit, tree })
  const parents = isSquash ? [baseSha] : [baseSha, pull.headSha]
  return { sha: await repository.git.writeCommit({ ...commit, tree, parents }) }
}

/** GitLab makes one commit of all where the branch began, and merges that. */
async function takeInSquash(
  repository: Repository,
  pull: Pull,
  baseSha: string,
  commit: { readonly committer: Identity; readonly author: Identity; readonly message: string; readonly tree: string },
): Promise<{ readonly sha: string; readonly squash: string }> {
  const { git } = repository
  const own = await git.mergeTrees(pull.diffBase, pull.headSha)
  if (!own) throw new Refusal('not-mergeable')
  const squash = await git.writeCommit({ ...commit, tree: own, parents: [pull.diffBase] })
  const message = `Merge branch '${pull.head}' into '${pull.base}'\n\n${pull.title}`
  const { committer } = commit
  return { sha: await git.writeCommit({ ...commit, author: committer, message, parents: [baseSha, squash] }), squash }
}

/** GitLab moves no commit by itself: who is behind has to rebase first. */
async function fastForward(repository: Repository, pull: Pull, baseSha: string): Promise<string> {
  if (!(await repository.git.isAncestor(baseSha, pull.headSha))) throw new Refusal('behind')
  return pull.headSha
}

function messageOf(repository: Repository, pull: Pull, squash: boolean, input: MergeInput): string {
  const title =
    input.title ??
    (squash
      ? `${pull.title} (#${pull.number})`
      : `Merge pull request #${pull.number} from ${repository.owner.login}/${pull.head}`)
  const body = input.message ?? (squash ? (pull.body ?? '') : pull.title)
  return body ? `${title}\n\n${body}` : title
}

/** Deletes a branch by request. Default and protected branches stay. */
export function deleteBranch(world: World, repository: Repository, actor: Actor, branch: string): Promise<void> {
  return world.locks.run(refLock(repository), async () => {
    demand(repository, actor, 'write')
    if (branch === repository.defaultBranch || repository.protection.has(branch))
      throw new Refusal('ref-protected', { detail: branch })
    if (!(await dropBranch(world, repository, actor.user, branch))) throw new Refusal('ref-absent')
  })
}

async function dropBranch(world: World, repository: Repository, actor: User, branch: string): Promise<boolean> {
  const before = await repository.git.branchTip(branch)
  const update = { ref: refOf(branch), before: before ?? ZERO_SHA, after: ZERO_SHA }
  if (before === undefined || branch === repository.defaultBranch || !(await repository.git.moveRef(update)))
    return false
  await applyRefUpdate(world, repository, actor, update)
  return true
}
