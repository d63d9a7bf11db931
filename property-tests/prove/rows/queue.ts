/** The rows of a queue (QUEUE, docs/rules.md). */
import { newQueue, type Incident, type QueueContext, type WaitingEntry } from '../../../machines/queue/context.ts'
import type { FiredAlert, QueueEvent } from '../../../machines/queue/events.ts'
import { Asking, type Mutable, type Rows } from './draft.ts'

const classStep = 20
const agesPer = 2 * 3_600_000

/** One class up for each two hours, and never above what comes first of all. */
function urgency({ priority, enqueuedAt }: WaitingEntry, at: number): number {
  const aged = priority - classStep * Math.floor(Math.max(0, at - enqueuedAt) / agesPer)
  return Math.max(aged, Math.min(0, priority))
}

function mayEnter(q: QueueContext, entry: WaitingEntry): boolean {
  const isAlert = entry.class === 'alert'
  if (q.closedReason !== null || q.pausedBy !== null || q.maxConcurrentAgents === 0 || q.budget === 'allHeld')
    return false
  if (q.budget === 'normalHeld' && !isAlert) return false
  if (q.hold !== null && q.probe !== entry.entry) return false
  const used = q.entries.filter((one) => one.class === entry.class && one.admittedAt !== null).length
  return used < (isAlert ? q.alertCapacity : Math.min(q.capacity, q.maxConcurrentAgents))
}

function drop(q: Mutable<QueueContext>, reason: string, isMeant: (entry: WaitingEntry) => boolean): void {
  const gone = q.entries.filter(isMeant)
  const finished = gone.map(({ entry, admittedAt }) => ({
    entry,
    state: admittedAt === null ? ('Dropped' as const) : ('Done' as const),
    reason,
  }))
  q.entries = q.entries.filter((entry) => !isMeant(entry))
  if (gone.length > 0) q.finished = [...q.finished, ...finished].slice(-500)
  if (gone.some(({ entry }) => entry === q.probe)) q.probe = ''
}

/** ADMISSION-8: everybody who would wait for it is told, and who is minted already is closed. */
function end({ sort, seed, task, admittedAt }: WaitingEntry, asking: Asking): void {
  if (sort === 'spawn' || seed === undefined) return
  if (seed.origin.kind !== 'human')
    for (const { issue } of seed.issues) asking.tell(`issue:${issue}`, 'issue.projectDeleted', {})
  if (admittedAt !== null)
    return asking.tell(`task:${task}`, 'task.close', { by: 'the platform', reason: 'the Project was deleted' })
  for (const { mergeRequest } of seed.mergeRequests)
    asking.tell(`merge-request:${mergeRequest}`, 'mr.released', { task, reason: 'project-deleted' })
}

/** ALERTS-6: the newest of each fingerprint. */
function keep(q: Mutable<QueueContext>, incident: Incident): void {
  q.incidents = [...(q.incidents ?? []).filter((one) => one.fingerprint !== incident.fingerprint), incident].slice(
    -1000,
  )
}

function commentOn(q: QueueContext, issue: NonNullable<Incident['issue']>, asking: Asking): void {
  asking.ask('postComment', { project: q.id, ...issue, on: 'issue', body: 'words' })
}

/** Whether the firing joins an incident. The first that does is noted: at the issue, at the Task, or behind its mint. */
function fires(q: Mutable<QueueContext>, alert: FiredAlert, asking: Asking): boolean {
  const { fingerprint, ended, over } = alert
  const one = q.incidents?.find((incident) => incident.fingerprint === fingerprint)
  if (one === undefined) return false
  const placeOf = (issue: Incident['issue']): string => JSON.stringify([issue?.repository, issue?.number])
  if (over && over.task === one.task && placeOf(over.issue) === placeOf(one.issue)) return false
  const isFirst = one.isNoted !== true && (one.issue !== undefined || ended !== true)
  const now: Incident = { ...one, firings: one.firings + 1, ...(isFirst ? { isNoted: true } : {}) }
  asking.answer(202, { task: one.task, firings: now.firings })
  keep(q, now)
  if (!isFirst) return true
  const waits = (entry: WaitingEntry): boolean => entry.sort === 'mint' && entry.admittedAt === null
  if (one.issue) commentOn(q, one.issue, asking)
  else if (q.entries.some((entry) => entry.task === one.task && waits(entry)))
    q.entries = q.entries.map((entry) => (entry.task === one.task ? { ...entry, firesAgain: true as const } : entry))
  else asking.tell(`task:${one.task}`, 'alert.joined')
  return true
}

function hear(q: Mutable<QueueContext>, event: QueueEvent, asking: Asking): void {
  switch (event.type) {
    case 'queue.configured': {
      const { maxConcurrentAgents, capacity, alertCapacity } = event
      return void Object.assign(q, { maxConcurrentAgents, capacity, alertCapacity })
    }
    case 'queue.enqueue': {
      const { type: _type, at, alert, ...entry } = event
      if (alert !== undefined && fires(q, alert, asking)) return
      if ([...q.entries, ...q.finished].some((one) => one.entry === entry.entry)) return
      q.sequence += 1
      q.entries = [...q.entries, { ...entry, sequence: q.sequence, enqueuedAt: at, admittedAt: null }]
      if (alert !== undefined) {
        keep(q, { fingerprint: alert.fingerprint, task: entry.task, firings: 1 })
        asking.answer(202, { task: entry.task, firings: 1 })
      }
      return
    }
    case 'queue.filed': {
      const { task, repository, number } = event
      const one = q.incidents?.find((incident) => incident.task === task)
      if (one === undefined) return
      const now = { ...one, issue: { repository, number } }
      const isTold = one.firings === 1 || one.isNoted === true
      q.incidents = q.incidents!.map((incident) =>
        incident === one ? (isTold ? now : { ...now, isNoted: true }) : incident,
      )
      if (!isTold) commentOn(q, now.issue, asking)
      return
    }
    // An admitted `mint` is its Task's, which gives it back itself.
    case 'queue.withdraw':
      return drop(
        q,
        'withdrawn',
        (one) => one.entry === event.entry && (one.sort === 'spawn' || one.admittedAt === null),
      )
    case 'queue.release':
      return drop(q, 'released', (one) => one.entry === event.entry)
    case 'queue.budgeted':
      return void (q.budget = event.state)
    case 'queue.opened':
      return void (q.closedReason = null)
    case 'queue.closed':
      q.closedReason = event.reason
      if (event.reason !== 'Deleted') return
      q.entries.forEach((entry) => end(entry, asking))
      drop(q, 'project deleted', (one) => one.admittedAt === null)
      if (q.key !== '') asking.tell(`model-key:${q.key}`, 'key.left', { project: q.id })
      if (q.incidents) q.incidents = []
      return void Object.assign(q, { pausedBy: null, key: '', hold: null, probe: '' })
    case 'queue.paused':
      if (q.pausedBy === null) q.pausedBy = { by: event.by, reason: event.reason, at: q.at }
      return
    case 'queue.resumed':
      return void (q.pausedBy = null)
    case 'queue.keyed':
      if (event.key !== q.key) {
        if (q.key !== '') asking.tell(`model-key:${q.key}`, 'key.left', { project: q.id })
        Object.assign(q, { key: event.key, hold: null, probe: '' })
      }
      return asking.tell(`model-key:${event.key}`, 'key.joined', { project: q.id })
    case 'queue.withheld': {
      const { cause, message, since, until } = event
      if (event.key !== q.key) return
      q.hold = { cause, message, since, until }
      if (event.again !== true) q.probe = ''
      return
    }
    case 'queue.served':
      if (event.key === q.key) Object.assign(q, { hold: null, probe: '' })
      return
    case 'queue.probe': {
      if (event.key !== q.key) return
      const first = q.hold === null ? undefined : (q.entries.find(({ entry }) => entry === q.probe) ?? firstToTry(q))
      if (first === undefined) return asking.tell(`model-key:${q.key}`, 'key.idle', { project: q.id })
      q.probe = first.entry
      return asking.tell(`model-key:${q.key}`, 'key.probing', { project: q.id, task: first.task })
    }
  }
}

function inLine(q: QueueContext): readonly WaitingEntry[] {
  return q.entries
    .filter(({ admittedAt }) => admittedAt === null)
    .toSorted((a, b) => urgency(a, q.at) - urgency(b, q.at) || a.sequence - b.sequence)
}

/** Nothing else would hold it back. */
function firstToTry(q: QueueContext): WaitingEntry | undefined {
  return inLine(q).find((entry) => mayEnter({ ...q, hold: null }, entry))
}

/** Tasks with a slot, or on their way to one, that may ask for no turn. */
function heldTasks(q: QueueContext): ReadonlyMap<string, string> {
  const there = q.entries.filter((one) => one.sort === 'spawn' || one.admittedAt !== null)
  return new Map(
    q.hold === null ? [] : there.filter((one) => one.entry !== q.probe).map((one) => [one.entry, one.task]),
  )
}

/** Of each change the Tasks and the key hear, before anybody is admitted. */
function tellOfHold(before: QueueContext, q: QueueContext, asking: Asking): void {
  const [was, is] = [heldTasks(before), heldTasks(q)]
  for (const [entry, task] of is) if (!was.has(entry)) asking.tell(`task:${task}`, 'model.withheld')
  for (const [entry, task] of was)
    if (!is.has(entry) && q.entries.some((one) => one.entry === entry)) asking.tell(`task:${task}`, 'model.served')
  const tried = before.entries.find((one) => one.entry === before.probe)
  const isOver = q.key !== before.key || !q.entries.some((one) => one.entry === tried?.entry)
  if (tried && before.key !== '' && isOver)
    asking.tell(`model-key:${before.key}`, 'key.probeEnded', { project: q.id, task: tried.task })
  const calls = (one: QueueContext): boolean => one.hold !== null && one.probe === '' && firstToTry(one) !== undefined
  if (calls(q) && !calls(before)) asking.tell(`model-key:${q.key}`, 'key.wanted', { project: q.id })
}

export const queueRows: Rows = (before, event, id) => {
  const known = before ? (before.context as QueueContext) : newQueue(id)
  const q: Mutable<QueueContext> = { ...known }
  const asking = new Asking()
  q.at = Math.max(q.at, event.at)
  hear(q, event as unknown as QueueEvent, asking)
  const grants = new Asking()
  for (const entry of inLine(q)) {
    if (!mayEnter(q, entry)) continue
    q.entries = q.entries.map((one) => (one.entry === entry.entry ? { ...one, admittedAt: q.at } : one))
    const isMint = entry.sort === 'mint' && entry.seed !== undefined
    if (isMint) grants.tell(`task:${entry.task}`, 'task.minted', { seed: entry.seed, entry: entry.entry })
    if (isMint && entry.firesAgain === true) grants.tell(`task:${entry.task}`, 'alert.joined')
    if (!isMint) grants.tell(`task:${entry.task}`, 'slot.granted', { entry: entry.entry })
  }
  tellOfHold(known, q, asking)
  const leaves = [
    `readiness.${q.closedReason === null ? 'ready' : 'notReady'}`,
    `pause.${q.maxConcurrentAgents === 0 || q.pausedBy !== null ? 'paused' : 'running'}`,
    `budget.${q.budget}`,
  ]
  return { leaves, context: q, effects: [...asking.effects, ...grants.effects], timers: [] }
}
