/** R8: a timer fires at or soon after its due time, once; one that was cancelled or set anew does not. */
import type { JournalRow } from '../../../../runtime/runtime.ts'
import { laterTimer, waitMs, waitTimer } from '../../../../runtime/contract/toy-machine.ts'
import { jumpsOf } from '../plan.ts'
import { startAt } from '../world.ts'
import { name } from './facts.ts'
import type { Facts, Law } from './facts.ts'

export const timerLaws: readonly Law[] = [timersFireAsArmed, timersAreNotLate]

interface Armed {
  readonly id: string
  readonly by: JournalRow
  readonly dueAt: number
  /** The row that cancelled it or set it anew. */
  endedBy?: JournalRow
}

function timersFireAsArmed({ journals, plan }: Facts): string[] {
  const setBackMs = jumpsOf(plan).reduce((sum, jump) => sum + Math.max(0, -jump.byMs), 0)
  return [...journals.values()].flatMap((rows) => {
    const armed = armedIn(rows)
    return [...armed.flatMap((timer) => faultsOf(timer, rows, setBackMs)), ...unarmed(rows, armed)]
  })
}

function faultsOf(timer: Armed, rows: readonly JournalRow[], setBackMs: number): string[] {
  const key = keyOf(timer)
  const fired = rows.filter((row) => firedKey(row) === key)
  const [first] = fired
  const armedAs = `the timer ${timer.id} that ${name(timer.by)} armed`
  if (!first) return timer.endedBy ? [] : [`R8: ${armedAs} never fired`]
  if (fired.length > 1) return [`R8: ${armedAs} fired twice`]
  if (timer.endedBy && timer.endedBy.seq < first.seq)
    return [`R8: ${armedAs} fired although ${name(timer.endedBy)} ended it`]
  const earlyMs = timer.dueAt - first.at
  return earlyMs > setBackMs ? [`R8: ${armedAs} fired ${earlyMs} ms early`] : []
}

function unarmed(rows: readonly JournalRow[], armed: readonly Armed[]): string[] {
  const keys = new Set(armed.map(keyOf))
  return rows
    .filter((row) => row.key.startsWith('timer:') && !keys.has(firedKey(row)))
    .map((row) => `R8: ${name(row)} is of the timer ${row.key}, which nothing armed`)
}

function keyOf({ id, by }: Armed): string {
  return `timer:${id}:${by.seq}`
}

/** Whatever else it says: two keys that name one timer and where it was armed are two firings of it. */
function firedKey({ key }: JournalRow): string {
  return /^timer:[^:]+:\d+/.exec(key)?.[0] ?? key
}

/** The clocks are looked at each second; the rest is for reading, handing over and the queue, at the slowest store. */
const mostLateMs = 1500

/** Judged where nothing else goes wrong: an outage delays without a bound, and so does a lease that has to end first. */
function timersAreNotLate(facts: Facts): string[] {
  const { journals, plan, evidence } = facts
  if (!plan.faults.every((fault) => fault.kind === 'jump')) return []
  const heardAt = new Map(evidence.told.map(({ row, at }) => [name(row), at]))
  return [...journals.values()].flatMap((rows) =>
    armedIn(rows).flatMap((timer) => {
      const fired = rows.find(({ key }) => key === keyOf(timer))
      const firedAt = fired && heardAt.get(name(fired))
      if (firedAt === undefined) return []
      const since = Math.max(heardAt.get(name(timer.by)) ?? 0, dueSince(timer, firedAt, facts))
      const lateMs = firedAt - since
      return lateMs > mostLateMs
        ? [`R8: the timer ${timer.id} that ${name(timer.by)} armed fired ${Math.round(lateMs)} ms late`]
        : []
    }),
  )
}

/** Since when it has been due by the time of day of all processes; their clocks may have passed its time more than once. */
function dueSince({ dueAt }: Armed, firedAt: number, { plan, evidence }: Facts): number {
  return Math.max(
    ...plan.processes.map(({ slot }) => {
      const settings = evidence.clocksSet.filter((one) => one.slot === slot && one.at <= firedAt)
      let skewMs = 0
      let since = dueAt - startAt
      for (const { at, byMs } of settings) {
        skewMs += byMs
        const passes = dueAt - startAt - skewMs
        since = passes <= at ? Math.min(since, at) : passes
      }
      return since
    }),
  )
}

/** Read off the journal alone, by what the events of `toy-machine.ts` mean. */
function armedIn(rows: readonly JournalRow[]): readonly Armed[] {
  const armed: Armed[] = []
  const running = new Map<string, Armed>()
  const end = (id: string, row: JournalRow): void => {
    const timer = running.get(id)
    if (timer) timer.endedBy = row
    running.delete(id)
  }
  const arm = (id: string, row: JournalRow, delayMs: number): void => {
    end(id, row)
    const timer: Armed = { id, by: row, dueAt: row.at + delayMs }
    armed.push(timer)
    running.set(id, timer)
  }
  rows.forEach((row, index) => {
    for (const [id, timer] of running) if (row.key === keyOf(timer)) running.delete(id)
    if (row.fault !== undefined || !row.handled) return
    const wasWaiting = isWaiting(rows[index - 1])
    if (row.event.type === 'later') arm(laterTimer, row, Number(row.event['ms']))
    else if (row.event.type === 'recalled') end(laterTimer, row)
    if (isWaiting(row) && (!wasWaiting || row.event.type === 'armed')) arm(waitTimer, row, waitMs)
    else if (wasWaiting && !isWaiting(row)) end(waitTimer, row)
  })
  return armed
}

function isWaiting(row: JournalRow | undefined): boolean {
  return row?.path === 'waiting'
}
