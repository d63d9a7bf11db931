/** What the wrapper merges into the work so that a push may follow: the base, and the work branch as another pushed it. */
import type { BranchTips } from '../repository.ts'
import { isPartOf, refreshBranch, serveRemote, takeWork, tips, type Bare } from './bare.ts'
import type { Crossings } from './crossings.ts'

/** What a merge mends: of the work branch as another pushed it, or of the base (GIT-7). */
export type Behind = 'branch' | 'base'

/** The work branch as the clone has it now. */
export async function takeTips({ git, wire }: Crossings, bare: Bare): Promise<BranchTips> {
  const failure = await takeWork(wire, bare)
  if (failure !== undefined) throw new Error(failure)
  return tips(git, bare)
}

/**
 * Before a push (WORK-PUSH-9): merges the base, if it has moved. A review is never merged (REVIEW-2), and neither are files
 * that are not committed: `isSettled`. What does not merge is pushed as it is, and the gateway judges it; the clone then has
 * the base for whoever is told to merge it.
 */
export async function mergeBase(
  crossings: Crossings,
  bare: Bare,
  now: BranchTips,
  isSettled: boolean,
): Promise<BranchTips> {
  const { git } = crossings
  const { base, sha } = bare.repository
  if (sha !== '' || now.head === undefined) return now
  // A remote that gives no base says why at the push.
  if ((await refreshBranch(git, bare, base)) !== undefined) return now
  const { base: tip } = await tips(git, bare)
  if (tip === undefined || (await isPartOf(git, bare, tip, now.head))) return now
  if ((await serveRemote(crossings.wire, bare, base)) !== undefined || !isSettled) return now
  return (await mergeInside(crossings, bare, tip)) ? takeTips(crossings, bare) : now
}

/** After a refusal. On a conflict the clone has what is to be merged, so that the agent can do it. */
export async function mergeRemote(crossings: Crossings, bare: Bare, what: Behind): Promise<string | undefined> {
  const { branch, base } = bare.repository
  const from = what === 'base' ? base : branch
  const failure = (await refreshBranch(crossings.git, bare, from)) ?? (await serveRemote(crossings.wire, bare, from))
  if (failure !== undefined) return failure
  const known = await tips(crossings.git, bare)
  const sha = what === 'base' ? known.base : known.remote
  if (sha !== undefined && (await mergeInside(crossings, bare, sha))) return undefined
  return what === 'base'
    ? `merge ${base} first (git merge origin/${base}): it conflicts with the work here; resolve the conflict and commit`
    : `${branch} at the remote has commits that conflict with the work here`
}

async function mergeInside({ inside }: Crossings, { repository }: Bare, sha: string): Promise<boolean> {
  return (await inside.ask('merge', { name: repository.name, sha })).isMerged
}
