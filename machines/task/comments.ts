/** What the platform says to people, and when: one comment, once, after the end of the pod that caused it (FORGE-WRITES-2). */
import { effect, tellMergeRequest, type EffectAction } from '../emit.ts'
import type { Change } from './chart.ts'
import type { TaskContext, TaskMergeRequest } from './context.ts'
import { hasOpenMergeRequest, openMergeRequests } from './queries.ts'

interface Subject {
  readonly repository: string
  readonly number: number
}

function commentOnIssue(context: TaskContext, { repository, number }: Subject, body: string): EffectAction {
  return effect('postComment', { project: context.config.project, repository, number, on: 'issue', body })
}

export function commentOnMergeRequest(
  context: TaskContext,
  { repository, number }: Subject,
  body: string,
): EffectAction {
  return effect('postComment', { project: context.config.project, repository, number, on: 'mr', body })
}

/** On every open merge request, for that is where people look then; without one on every issue. */
export function comments(context: TaskContext, body: string): readonly EffectAction[] {
  if (hasOpenMergeRequest(context))
    return openMergeRequests(context).map((mr) => commentOnMergeRequest(context, mr, body))
  return issueComments(context, body)
}

export function issueComments(context: TaskContext, body: string): readonly EffectAction[] {
  return context.forge.issues.map((issue) => commentOnIssue(context, issue, body))
}

/** At once when no pod lives, else when the living one is gone. */
export function afterPod(context: TaskContext, effects: readonly EffectAction[]): Change {
  return context.pod.alive
    ? { context: { pod: { deferred: [...context.pod.deferred, ...effects] } } }
    : { effects: effects.flatMap((one) => stillWanted(context, one)) }
}

export function flushDeferred(context: TaskContext): Change {
  if (context.pod.deferred.length === 0) return {}
  return {
    context: { pod: { deferred: [] } },
    effects: context.pod.deferred.flatMap((one) => stillWanted(context, one)),
  }
}

/** Guards are checked again (FORGE-WRITES-2): a review of a head that is gone, or of a merge request that is no longer open, says nothing. */
function stillWanted(context: TaskContext, one: EffectAction): readonly EffectAction[] {
  if (one.type !== 'postReview') return [one]
  const { repository, number, sha, verdict } = one.params
  const mr = openMergeRequests(context).find((open) => open.repository === repository && open.number === number)
  if (!mr || (verdict === 'approve' && mr.headSha !== sha)) return []
  return [one, tellMergeRequest(mr.mergeRequest, { type: 'verdict.posted', task: context.id, sha, verdict })]
}

export function staysOpen(context: TaskContext, mr: TaskMergeRequest, why: string): EffectAction {
  return commentOnMergeRequest(
    context,
    mr,
    `The Task \`${context.id}\` ended (${why}). This merge request stays open without a Task; the next sweep offers it again.`,
  )
}
