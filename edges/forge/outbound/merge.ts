/**
 * The merge, pinned to the reviewed head and base. Right before it every thread of the Task is read at the forge once more, and the
 * grants in the Issues' own rows (LAW-18, LAW-24). What happened is told by the forge: after every call the mirror reads it back,
 * so nobody has to wait for the webhook.
 */
import type { EffectParams } from '../../../machines/effect.ts'
import { isTaskBranch } from '../../../machines/rules/names.ts'
import type { Delivery, EffectContext, EffectHandler } from '../../../runtime/runtime.ts'
import { TerminalError } from '../../../runtime/errors.ts'
import { ForbiddenError, HeadMovedError, NotMergeableError } from '../errors.ts'
import type { ForgeMergeRequest, MergeMethod } from '../port.ts'
import { reopenBystanders } from './bystanders.ts'
import { fenceOf, targetOf, type OutboundDeps, type Target } from './deps.ts'
import { obstacleOf, type Obstacle } from './merge-readiness.ts'
import { compareResult, resultNow } from './merge-result.ts'
import type { ThreadRef } from '../task-threads.ts'
import { threadsNow, withheld } from './withheld.ts'

type Params = EffectParams<'mergeMergeRequest'>

export function mergeMergeRequest(deps: OutboundDeps): EffectHandler<Params> {
  return {
    ordered: true,
    async perform(params, context) {
      const target = await targetOf(deps, params, fenceOf(context))
      const found = await target.forge.mergeRequest(target.path, params.number)
      const obstacle = found.state === 'open' ? await tryMerge(deps, target, { params, context, found }) : undefined
      if (found.state === 'merged' || (found.state === 'open' && obstacle === undefined)) {
        // First: when the mirror has told the merge, nothing repeats this effect.
        await reopenBystanders(deps, target, params, found, context)
        await deleteTaskBranch(target, found)
      }
      await deps.mirror.refresh(params.project, params.repository, 'mr', params.number)
      return obstacle === undefined ? [] : [answer(params, context, obstacle)]
    },
  }
}

interface Merging {
  readonly params: Params
  readonly context: EffectContext
  readonly found: ForgeMergeRequest
}

async function tryMerge(deps: OutboundDeps, target: Target, merging: Merging): Promise<Obstacle | undefined> {
  const { params, context, found } = merging
  // Both are told by their own actors, and the Task leaves `merging`; asking again keeps it alive until then.
  const moved = otherThanJudged(found, params)
  if (moved !== undefined) return moved
  const obstacle = await obstacleOf(deps, target, found, params.despite)
  if (obstacle !== undefined) return obstacle
  const { threads, ungranted, unlisted } = await threadsNow(deps, params, context.actor)
  if (ungranted.length > 0) return { type: 'mr.notMergeableYet', reason: 'approval-revoked' }
  const word = await withheld(deps, params.project, threads)
  if (word !== undefined) return word
  if (unlisted.length > 0)
    return {
      type: 'mr.notMergeableYet',
      reason: `the forge does not list ${unlisted[0]}, by which a maintainer let this go on`,
    }
  return mergeByMethod(deps, target, merging, threads)
}

/** A verdict is on one head against one base (HEAD-1); an ask of before 2026-11-28 names no base, and is made anew. */
function otherThanJudged(
  { headSha, baseBranch }: ForgeMergeRequest,
  { sha, base }: Pick<Params, 'sha' | 'base'>,
): Obstacle | undefined {
  if (headSha !== sha) return { type: 'mr.notMergeableYet', reason: 'head-moved' }
  return baseBranch === base ? undefined : { type: 'mr.notMergeableYet', reason: 'base-moved' }
}

async function mergeByMethod(
  deps: OutboundDeps,
  target: Target,
  { params, context, found }: Merging,
  threads: readonly ThreadRef[],
): Promise<Obstacle | undefined> {
  const { mergeMethods } = await target.forge.repository(target.path)
  let refusal = 'the repository allows no merge method'
  for (const method of mergeMethods) {
    const result = await resultNow(deps, target, { actor: context.actor, found, method })
    if (result.obstacle !== undefined) return result.obstacle
    // The call pins the head alone, and what came before it took its time.
    const moved = otherThanJudged(await target.forge.mergeRequest(target.path, params.number), params)
    if (moved !== undefined) return moved
    const word = await withheld(deps, params.project, threads)
    if (word !== undefined) return word
    // The state that asked was left while we looked: its effect was withdrawn [FORGE-WRITES-1].
    if (context.signal.aborted) return { type: 'mr.notMergeableYet', reason: 'withdrawn' }
    const refused = await mergeOnce(target, params, method)
    if (refused === undefined) return void (await compareResult(deps, target, found, result, context))
    if (typeof refused !== 'string') return refused
    refusal = refused
  }
  return refusedFor(target, params, refusal)
}

/** undefined: merged. Text: refused, in the forge's words. */
async function mergeOnce(
  { forge, path }: Target,
  { number, sha }: Params,
  method: MergeMethod,
): Promise<Obstacle | string | undefined> {
  try {
    await forge.mergeMergeRequest(path, number, { sha, method })
    return undefined
  } catch (error) {
    if (error instanceof HeadMovedError) return { type: 'mr.notMergeableYet', reason: 'head-moved' }
    if (error instanceof NotMergeableError) return error.detail
    if (error instanceof ForbiddenError)
      return { type: 'mr.mergeRefused', reason: `${error.message}: give the bot account the right to merge` }
    throw error
  }
}

/** The forge says only that it won't; a fresh look tells what a person has to change (MERGE-6). */
async function refusedFor({ forge, path }: Target, params: Params, refusal: string): Promise<Obstacle> {
  const now = await forge.mergeRequest(path, params.number)
  const moved = otherThanJudged(now, params)
  if (moved !== undefined) return moved
  if (now.mergeable === false) return { type: 'mr.conflict', reason: `it conflicts with ${now.baseBranch}` }
  if (now.mergeable === null || /base branch was modified|try the merge again|try again/i.test(refusal))
    return { type: 'mr.notMergeableYet', reason: refusal }
  if (isAboutLateChecks(refusal)) return { type: 'mr.ciPending', reason: refusal }
  return {
    type: 'mr.mergeRefused',
    reason: `the forge refuses the merge (${refusal}): change the branch protection or the allowed merge methods, or merge it yourself`,
  }
}

/** The forge waits for a check, whatever was read: GitHub's `Required status check "x" is expected.`, GitLab's `ci_must_pass`. */
function isAboutLateChecks(refusal: string): boolean {
  return /required status checks?\b[^]*\b(?:expected|pending|in progress|queued|waiting)\b|\bci_must_pass\b/i.test(
    refusal,
  )
}

/** The pods' own branches have no further use; others belong to people (MERGE-9). */
async function deleteTaskBranch(
  { forge, path }: Target,
  { headBranch, headRepository }: ForgeMergeRequest,
): Promise<void> {
  if (!isTaskBranch(headBranch) || headRepository?.toLowerCase() !== path.toLowerCase()) return
  try {
    await forge.deleteBranch(path, headBranch)
  } catch (error) {
    // A branch that stays is untidy; the merge is done, whatever the forge says.
    if (!(error instanceof TerminalError)) throw error
  }
}

function answer(
  { repository, number, sha, attempt }: Params,
  { actor, key, at }: EffectContext,
  { type, ...words }: Obstacle,
): Delivery {
  return { to: actor, key: `${key}/answer`, event: { type, at, repository, number, sha, attempt, ...words } }
}
