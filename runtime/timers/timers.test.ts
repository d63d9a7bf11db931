import { expect, test } from 'vitest'
import type { ActorAddress } from '../../machines/definition.ts'
import { until } from '../contract/harness.ts'
import { silentLogger } from '../logger.ts'
import { silentObserver } from '../observer.ts'
import { simulatedClock } from '../simulated-clock.ts'
import type { SimulatedClock } from '../simulated-clock.ts'
import type { TimerRow } from '../store/rows.ts'
import type { Sql } from '../store/sql.ts'
import { Timers } from './timers.ts'

const startAt = 1_000_000

function timer(name: string, dueAt: number, seq = 1): TimerRow {
  return { actor: `task:${name}` as ActorAddress, id: 't', shard: 0, seq, dueAt, body: '{"type":"rang"}' }
}

/** Timers over an array that stands for their table: fired ones leave it, as their commit would have it. */
function world(table: TimerRow[], pageSize?: number) {
  const { clock, set } = settable(simulatedClock(startAt))
  const store = { isAway: false, tries: 0 }
  const fired: { readonly name: string; readonly at: number; readonly seq: number }[] = []
  const reads: number[] = []
  const query = async (_: string, [, from, to, limit]: [unknown, number, number, number]) => {
    store.tries += 1
    // Answered over a socket, never within the turn of the loop that asked.
    await nextTurn()
    if (store.isAway) throw new Error('connect ECONNREFUSED')
    const due = table.filter((row) => row.dueAt >= from && row.dueAt <= to).toSorted((a, b) => a.dueAt - b.dueAt)
    const rows = due.slice(0, limit)
    reads.push(rows.length)
    return { rows, rowCount: rows.length }
  }
  const timers = new Timers({
    sql: { query } as unknown as Sql,
    clock,
    random: () => 0.5,
    logger: silentLogger,
    observer: silentObserver,
    shards: () => [0],
    fire: async (row) => {
      const place = table.findIndex((other) => other.actor === row.actor && other.seq === row.seq)
      if (place < 0) return true
      table.splice(place, 1)
      fired.push({ name: row.actor.slice('task:'.length), at: clock.now(), seq: row.seq })
      return true
    },
    ...(pageSize === undefined ? {} : { pageSize }),
  })
  timers.start()
  const advanceUntil = (isMet: () => boolean, stepMs = 100): Promise<unknown> =>
    until(() => {
      if (isMet()) return true
      clock.advance(stepMs)
      return false
    })
  return { timers, clock, set, fired, reads, store, advanceUntil }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}

/** Its time of day jumps as people set it; what it waits for takes as long as ever. */
function settable(clock: SimulatedClock) {
  let skew = 0
  return { clock: { ...clock, now: () => clock.now() + skew }, set: (byMs: number) => void (skew += byMs) }
}

/** Clocks are looked at each second, here by a tenth of it. */
const mostLateMs = 1100
const minute = 60_000
const hour = 60 * minute

test('each fires once, at its time, however many share it and however little is held', async () => {
  const rows = Array.from({ length: 400 }, (_, index) =>
    timer(`a${index}`, startAt + 1000 * (1 + Math.floor(index / 50))),
  )
  const due = new Map(rows.map((row) => [row.actor.slice('task:'.length), row.dueAt]))
  const one = world([...rows], 20)
  await one.advanceUntil(() => one.fired.length === 400)
  await one.timers.stop()
  expect(new Set(one.fired.map(({ name }) => name)).size).toBe(400)
  expect(one.fired.every(({ name, at }) => at >= due.get(name)!)).toBe(true)
  expect(Math.max(...one.reads)).toBeLessThanOrEqual(120)
})

test('one that is armed anew fires at its new time alone, and a cleared one not at all', async () => {
  const table = [timer('a', startAt + 1000), timer('b', startAt + 1000)]
  const one = world(table)
  await until(() => one.reads.length > 0)
  const anew = timer('a', startAt + 90_000, 2)
  table.splice(0, 2, anew)
  one.timers.committed([anew], [{ actor: 'task:b', id: 't' }])
  await one.advanceUntil(() => one.fired.length === 1, 1000)
  await one.timers.stop()
  expect(one.fired).toEqual([{ name: 'a', at: startAt + 90_000, seq: 2 }])
})

test('those armed by a commit within the window fire without another reading', async () => {
  const table: TimerRow[] = []
  const one = world(table)
  await until(() => one.reads.length === 1)
  const fresh = timer('a', startAt + 7)
  table.push(fresh)
  one.timers.committed([fresh], [])
  one.clock.advance(7)
  await until(() => one.fired.length === 1)
  await one.timers.stop()
  expect(one.fired[0]?.at).toBe(startAt + 7)
  expect(one.reads).toHaveLength(1)
})

test.each([
  ['was held in memory', minute / 2],
  ['was still a row', 30 * minute],
])('what %s and fell due because the clock was set forward fires within a second', async (_, delayMs) => {
  const one = world([timer('a', startAt + delayMs), timer('b', startAt + 3 * hour)])
  const setAt = 500
  await one.advanceUntil(() => one.clock.elapsed() === setAt)
  one.set(hour)
  await one.advanceUntil(() => one.fired.length > 0)
  await one.timers.stop()
  expect(one.clock.elapsed() - setAt).toBeLessThanOrEqual(mostLateMs)
  expect(one.fired).toMatchObject([{ name: 'a' }])
})

test('what waits while the clock is set back fires at its time of day, and not before', async () => {
  const dueAt = startAt + minute
  const one = world([timer('a', dueAt)])
  await until(() => one.reads.length > 0)
  one.set(-hour)
  await one.advanceUntil(() => one.fired.length > 0, minute)
  await one.timers.stop()
  expect(one.fired).toMatchObject([{ name: 'a', at: dueAt }])
  expect(one.clock.elapsed()).toBe(hour + minute)
})

test('shards that went to others fire nothing here', async () => {
  const one = world([timer('a', startAt + 1000)])
  await until(() => one.reads.length === 1)
  one.timers.forget(() => true)
  one.clock.advance(5000)
  await one.timers.stop()
  expect(one.fired).toEqual([])
})

test('a store that is away for two hours is asked about four times a minute, and each timer fires once it is back', async () => {
  const one = world([timer('a', startAt + hour)])
  one.store.isAway = true
  for (let passed = 0; passed < 2 * hour; passed += 1000) {
    one.clock.advance(1000)
    await nextTurn()
    await nextTurn()
  }
  const { tries } = one.store
  one.store.isAway = false
  await one.advanceUntil(() => one.fired.length > 0)
  await one.timers.stop()
  expect(tries).toBeGreaterThan(120)
  expect(tries).toBeLessThan(300)
  expect(one.fired).toMatchObject([{ name: 'a' }])
})
