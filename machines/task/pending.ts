/** What happened on the forge while the agent was not looking: kept until a turn that carried it is accepted [TURN-17]. */
import type { EventOf } from '../decide.ts'
import type { Change } from './chart.ts'
import type { TaskContext } from './context.ts'
import type { EventKind, PendingEvent, TaskEvent } from './events.ts'

/** EVENTS-4: when full, the oldest is dropped before the write. */
const maxPending = 20

/** Author of what the platform itself has to tell. */
export const platformAuthor = 'statewright'

export function append(context: TaskContext, news: Omit<PendingEvent, 'n' | 'at'>): Change {
  const n = context.journal.eventSequence + 1
  const pending = [...context.journal.pending, { ...news, n, at: context.at }].slice(-maxPending)
  return { context: { journal: { pending, eventSequence: n } } }
}

export function clearUpTo(context: TaskContext, n: number): Change {
  const { journal, forge } = context
  const mergeRequests = forge.mergeRequests.map(({ baseUntold, ...mr }) =>
    baseUntold !== undefined && baseUntold > n ? { ...mr, baseUntold } : mr,
  )
  return {
    context: { journal: { pending: journal.pending.filter((event) => event.n > n) }, forge: { mergeRequests } },
  }
}

/** Of a repository: its issue, else nothing to point at. */
function issueNumber(context: TaskContext, repository: string): number {
  return context.forge.issues.find((issue) => issue.repository === repository)?.number ?? 0
}

export function tell(
  context: TaskContext,
  kind: EventKind,
  text: string,
  at?: { repository: string; number?: number },
): Change {
  const repository = at?.repository ?? context.forge.issues[0]?.repository ?? context.repositories[0] ?? ''
  return append(context, {
    kind,
    repository,
    number: at?.number ?? issueNumber(context, repository),
    author: platformAuthor,
    text,
  })
}

/** A go-ahead stands in words of a maintainer, and the agent reads them as it reads a comment (OUTCOME-IMPLEMENT-20). */
export function appendGoAhead(
  context: TaskContext,
  { by, shas, kind = 'mr_comment', text }: EventOf<TaskEvent, 'mr.goAhead'>,
): Change {
  const [head] = shas
  if (head === undefined || text === undefined) return {}
  return append(context, { kind, repository: head.repository, number: head.number, author: by, text })
}

type FromForge = EventOf<TaskEvent, 'human.commented' | 'forge.event'>

export function appendForgeEvent(context: TaskContext, event: FromForge): Change {
  const { kind, repository, number, author, text } = event
  return append(context, { kind, repository, number, author, ...(text === undefined ? {} : { text }) })
}
