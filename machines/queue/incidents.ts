/**
 * Which incident a firing alert belongs to (ALERTS-6). The queue knows the newest incident of each fingerprint, because a
 * Task takes no event once it has ended, and the issue that it filed outlives it. Only a firing that begins an incident asks
 * for a Task; every other one is counted, and the first of those is noted where people look.
 */
import type { EventOf } from '../decide.ts'
import { effect, tellTask, type Decision, type EffectAction } from '../emit.ts'
import type { Incident, QueueContext } from './context.ts'
import type { FiredAlert, QueueEvent } from './events.ts'

type Does = Decision<QueueContext>
type Filed = EventOf<QueueEvent, 'queue.filed'>

/** Above what waits by default and what a team leaves open at once; the one that fired least recently is forgotten first. */
const mostIncidents = 1000

function known({ incidents = [] }: QueueContext): readonly Incident[] {
  return incidents
}

/** Newest last. */
function withIncident(context: QueueContext, incident: Incident): Pick<QueueContext, 'incidents'> {
  const others = known(context).filter(({ fingerprint }) => fingerprint !== incident.fingerprint)
  return { incidents: [...others, incident].slice(-mostIncidents) }
}

/** A word about another incident, or from before its issue was filed, ends nothing. */
function isOver({ task, issue }: Incident, { over }: FiredAlert): boolean {
  return over?.task === task && over.issue?.repository === issue?.repository && over.issue?.number === issue?.number
}

function answered({ task, firings }: Incident): EffectAction {
  return effect('answer', { status: 202, body: { task, firings } })
}

/** Undefined: the firing begins an incident. */
export function join(context: QueueContext, alert: FiredAlert): Does | undefined {
  const open = known(context).find(({ fingerprint }) => fingerprint === alert.fingerprint)
  if (open === undefined || isOver(open, alert)) return undefined
  const counted = { ...open, firings: open.firings + 1 }
  const { incident, entries = context.entries, effects } = noted(context, counted, alert.ended)
  return { context: { entries, ...withIncident(context, incident) }, effects: [answered(incident), ...effects] }
}

export function begin(context: QueueContext, { fingerprint }: FiredAlert, task: string): Does {
  const incident = { fingerprint, task, firings: 1 }
  return { context: withIncident(context, incident), effects: [answered(incident)] }
}

const firedAgain =
  'The alert of this incident fired again. While this issue is open, the platform only counts the firings.'

interface Noted {
  readonly incident: Incident
  readonly entries?: QueueContext['entries']
  readonly effects: readonly EffectAction[]
}

/** At its issue once there is one, else at its Task: of a Task that is not minted yet the note comes right behind the mint. */
function noted(context: QueueContext, incident: Incident, ended = false): Noted {
  const { task, issue, isNoted = false } = incident
  const done = { ...incident, isNoted: true }
  if (isNoted) return { incident, effects: [] }
  if (issue !== undefined) {
    return {
      incident: done,
      effects: [effect('postComment', { project: context.id, ...issue, on: 'issue', body: firedAgain })],
    }
  }
  // Its issue is being filed: the note follows with it.
  if (ended) return { incident, effects: [] }
  const isWaiting = context.entries.some((one) => one.task === task && one.admittedAt === null && one.sort === 'mint')
  if (!isWaiting) return { incident: done, effects: [tellTask(task, { type: 'alert.joined' })] }
  const entries = context.entries.map((one) => (one.task === task ? { ...one, firesAgain: true as const } : one))
  return { incident: done, entries, effects: [] }
}

/** The Task has ended, and this is what it left: while it is open, so is the incident. */
export function filed(context: QueueContext, { task, repository, number }: Filed): Does {
  const incident = known(context).find((one) => one.task === task)
  if (incident === undefined) return {}
  const withIssue = { ...incident, issue: { repository, number } }
  const after = incident.firings === 1 ? { incident: withIssue, effects: [] } : noted(context, withIssue)
  const incidents = known(context).map((one) => (one === incident ? after.incident : one))
  return { context: { incidents }, effects: after.effects }
}
