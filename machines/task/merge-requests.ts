/** The Task's record of its merge requests, one at a time and in order of none < open < closed < merged (STAGE-13). */
import { tellMergeRequest } from '../emit.ts'
import type { EventOf } from '../decide.ts'
import { sequence, type Change } from './chart.ts'
import type { TaskEvent } from './events.ts'
import { withChanges, type TaskContext, type TaskMergeRequest } from './context.ts'
import { append, tell } from './pending.ts'

interface Named {
  readonly repository: string
  readonly number: number
}

export function findMergeRequest(context: TaskContext, { repository, number }: Named): TaskMergeRequest | undefined {
  return context.forge.mergeRequests.find((mr) => mr.repository === repository && mr.number === number)
}

function patched(
  context: TaskContext,
  named: Named,
  patch: Partial<TaskMergeRequest>,
): { readonly forge: Pick<TaskContext['forge'], 'mergeRequests'> } {
  const known = findMergeRequest(context, named)
  return {
    forge: { mergeRequests: context.forge.mergeRequests.map((mr) => (mr === known ? { ...mr, ...patch } : mr)) },
  }
}

/** A merged or closed one stays so: the answer to an old opening may come late. */
export function withReady(context: TaskContext, event: EventOf<TaskEvent, 'mr.ready'>): TaskContext {
  const { type: _type, at: _at, attempt, ...owned } = event
  const known = findMergeRequest(context, event)
  const mergeRequests = known
    ? context.forge.mergeRequests.map((mr) => (mr === known && mr.state === 'open' ? { ...mr, ...owned } : mr))
    : [...context.forge.mergeRequests, { ...owned, state: 'open', mergeCommit: null } as const]
  const isAnswer = attempt === context.forge.openAttempt
  const awaitingOpen = isAnswer
    ? context.forge.awaitingOpen.filter((repository) => repository !== event.repository)
    : context.forge.awaitingOpen
  return withChanges(context, { forge: { mergeRequests, awaitingOpen } })
}

/** Ownership is told once per merge request; exactly one owner (LAW-7, LAW-23). */
export function recordReady(context: TaskContext, event: EventOf<TaskEvent, 'mr.ready'>): Change {
  const { mergeRequests, awaitingOpen } = withReady(context, event).forge
  const isNew = findMergeRequest(context, event) === undefined
  const effects = isNew ? [tellMergeRequest(event.mergeRequest, { type: 'mr.owned', task: context.id })] : []
  return { context: { forge: { mergeRequests, awaitingOpen } }, effects }
}

export function withMerged(context: TaskContext, event: EventOf<TaskEvent, 'mr.merged'>): TaskContext {
  const awaitingOpen = context.forge.awaitingOpen.filter(
    (repository) => repository !== event.repository || !findMergeRequest(context, event),
  )
  return withChanges(context, patched(context, event, { state: 'merged', mergeCommit: event.mergeCommit }), {
    forge: { awaitingOpen },
  })
}

export function recordMerged(context: TaskContext, event: EventOf<TaskEvent, 'mr.merged'>): Change {
  const { mergeRequests, awaitingOpen } = withMerged(context, event).forge
  return { context: { forge: { mergeRequests, awaitingOpen } } }
}

export function withClosed(context: TaskContext, event: EventOf<TaskEvent, 'mr.closed'>): TaskContext {
  return findMergeRequest(context, event)?.state === 'merged'
    ? context
    : withChanges(context, patched(context, event, { state: 'closed' }))
}

/** No event for the agent: the bundle's element shows the state (EVENTS-7). */
export function recordClosed(context: TaskContext, event: EventOf<TaskEvent, 'mr.closed'>): Change {
  const { mergeRequests } = withClosed(context, event).forge
  return { context: { forge: { mergeRequests } } }
}

export function recordReopened(context: TaskContext, event: EventOf<TaskEvent, 'mr.reopened'>): Change {
  const known = findMergeRequest(context, event)
  if (!known || known.state === 'merged') return {}
  return sequence<typeof event>(
    (now) => ({ context: patched(now, event, { state: 'open' }) }),
    (now) => standAt(now, event, event),
  )(context, event)
}

interface Standing {
  readonly sha: string
  readonly base?: string | undefined
}

/** Another base than the Task knew: what was read so far was read against the old one (HEAD-1). */
export function isNewBase(known: TaskMergeRequest | undefined, { base }: Pick<Standing, 'base'>): boolean {
  return base !== undefined && known?.baseBranch !== undefined && known.baseBranch !== base
}

/** Head and base as the forge has them; of a new base the next turn is told, whoever gave it. */
export function standAt(context: TaskContext, named: Named, { sha, base }: Standing): Change {
  const known = findMergeRequest(context, named)
  const place = { headSha: sha, ...(base === undefined ? {} : { baseBranch: base }) }
  if (!isNewBase(known, { base })) return { context: patched(context, named, place) }
  const notice = tell(context, 'push', `it is to be merged into ${base} now`, named)
  const baseUntold = notice.context?.journal?.eventSequence ?? 0
  return { context: withChanges(patched(context, named, { ...place, baseUntold }), notice.context) }
}

type HeadMoved = EventOf<TaskEvent, 'mr.headMoved'>

/** The Task's own pod knows what it pushed; strangers behind the intake gate are not quoted to the agent (PEOPLE-4). */
export function recordMovedHead(context: TaskContext, event: HeadMoved): Change {
  const known = findMergeRequest(context, event)
  if (!known) return {}
  const { repository, number, author, sha, byOwnPod, gated } = event
  const isQuoted = known.headSha !== sha && !byOwnPod && gated
  return sequence<HeadMoved>(
    (now) => standAt(now, event, event),
    (now) => (isQuoted ? append(now, { kind: 'push', repository, number, author, text: `new head ${sha}` }) : {}),
  )(context, event)
}

/** Somebody else moved a head that this Task knows of, or gave it another base: no pod does that. */
export function isForeignHead(context: TaskContext, event: HeadMoved): boolean {
  const known = findMergeRequest(context, event)
  if (known?.state !== 'open') return false
  return isNewBase(known, event) || (known.headSha !== event.sha && !event.byOwnPod && event.gated)
}

/** The verdict does not name this head against this base [HEAD-1, HEAD-2]; an echo of the approved head moves nothing. */
export function isUnjudgedHead(context: TaskContext, event: HeadMoved): boolean {
  const judged = context.forge.verdict?.find(
    (head) => head.repository === event.repository && head.number === event.number,
  )
  const isJudged = judged?.sha === event.sha && (event.base === undefined || judged.base === event.base)
  return findMergeRequest(context, event)?.state === 'open' && !isJudged
}
