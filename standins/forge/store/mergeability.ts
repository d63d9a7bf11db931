import { lackingReview, requiredChecksState, rulesetsOf } from './gates.ts'
import type { Mergeability, Pull, Repository } from './records.ts'

export type MergeState = 'unknown' | 'dirty' | 'draft' | 'behind' | 'blocked' | 'unstable' | 'clean'

export interface MergeView {
  readonly mergeable: boolean | null
  readonly state: MergeState
}

/**
 * As at GitHub: the first read after either branch moved answers null and starts the look, a later read has the answer.
 * `stale` is the fault: the answer for the old head is given once more.
 */
export async function viewMergeability(repository: Repository, pull: Pull, stale: boolean): Promise<MergeView> {
  if (pull.state === 'closed') return { mergeable: null, state: 'unknown' }
  if (stale && pull.mergeability) return { mergeable: pull.mergeability.clean, state: 'unknown' }
  const baseSha = await repository.git.branchTip(pull.base)
  if (baseSha === undefined) return { mergeable: null, state: 'unknown' }
  const known = pull.mergeability
  if (!known || known.headSha !== pull.headSha || known.baseSha !== baseSha) {
    pull.mergeability = startLook(repository, pull.headSha, baseSha)
    return { mergeable: null, state: 'unknown' }
  }
  if (known.clean === null) return { mergeable: null, state: 'unknown' }
  return { mergeable: known.clean, state: await mergeState(repository, pull, known) }
}

function startLook(repository: Repository, headSha: string, baseSha: string): Mergeability {
  const look: Mergeability = { headSha, baseSha, clean: null }
  repository.git.mergeTrees(baseSha, headSha).then(
    (tree) => (look.clean = tree !== undefined),
    () => (look.clean = false),
  )
  return look
}

async function mergeState(repository: Repository, pull: Pull, known: Mergeability): Promise<MergeState> {
  if (!known.clean) return 'dirty'
  if (pull.draft) return 'draft'
  const protection = repository.protection.get(pull.base)
  if (protection?.strict && !(await repository.git.isAncestor(known.baseSha, pull.headSha))) return 'behind'
  if (lackingReview(repository, pull)) return 'blocked'
  const ofRulesets = rulesetsOf(repository, pull.base).flatMap(({ requiredChecks }) => requiredChecks)
  const required = [...(protection?.requiredChecks ?? []), ...ofRulesets]
  const checks = requiredChecksState(repository, pull.headSha, required)
  return checks.missing.length > 0 ? 'blocked' : checks.allGreen ? 'clean' : 'unstable'
}
