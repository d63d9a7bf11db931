import { expect, test } from 'vitest'
import { testClock, type TestClock } from '../../http/testing/fixture.ts'
import type { JournalRow } from '../../runtime/runtime.ts'
import { Feed } from './feed.ts'
import type { StepMessage } from './messages.ts'

interface Fixture {
  readonly feed: Feed
  readonly heard: StepMessage[][]
  readonly listeners: Set<(row: JournalRow) => void>
  readonly clock: TestClock
  step(seq: number, address?: 'task:b'): void
}

function fixture(id = 'one'): Fixture {
  const listeners = new Set<(row: JournalRow) => void>()
  const subscribe = (listener: (row: JournalRow) => void): (() => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  const clock = testClock()
  const feed = new Feed({ subscribe }, { next: () => id }, clock)
  const heard: StepMessage[][] = []
  feed.listen((bundle) => heard.push(JSON.parse(bundle.toString()) as StepMessage[]))
  const step = (seq: number, address?: 'task:b'): void => listeners.forEach((listen) => listen(rowOf(seq, address)))
  return { feed, heard, listeners, clock, step }
}

function rowOf(seq: number, address: JournalRow['address'] = 'task:a'): JournalRow {
  const event = { type: 'task.minted', at: 5, token: 'hunter2' }
  return {
    address,
    seq,
    key: `k${seq}`,
    event,
    effects: [],
    path: 'stage.live.parked.awaiting-human pod.none',
    status: 'active',
    handled: true,
    machineHash: 'h',
    at: 7,
  }
}

test('a committed step is told in few words, without what the event carries', () => {
  const { heard, step, clock } = fixture()
  step(3)
  clock.advance(0)
  expect(heard).toEqual([
    [
      {
        n: 1,
        address: 'task:a',
        seq: 3,
        path: rowOf(3).path,
        status: 'active',
        type: 'task.minted',
        at: 7,
        standing: expect.objectContaining({ word: 'parked' }),
      },
    ],
  ])
})

test('of many steps within a moment a page hears one bundle, in order, with the last of each actor', () => {
  const { heard, step, clock } = fixture()
  step(1)
  clock.advance(0)
  for (const seq of [2, 3]) step(seq)
  step(1, 'task:b')
  step(4)
  clock.advance(199)
  expect(heard).toHaveLength(1)
  clock.advance(1)
  expect(heard[1]?.map(({ n, address, seq }) => [n, address, seq])).toEqual([
    [4, 'task:b', 1],
    [5, 'task:a', 4],
  ])
  clock.advance(10_000)
  expect(heard).toHaveLength(2)
})

test('with 300 pages each hears of steps every one and a half seconds', () => {
  const { feed, heard, step, clock } = fixture()
  for (let page = 1; page < 300; page++) feed.listen(() => undefined)
  step(1)
  clock.advance(0)
  step(2)
  clock.advance(1499)
  expect(heard).toHaveLength(1)
  clock.advance(1)
  expect(heard).toHaveLength(2)
})

test('who begins to listen is told nothing of before, and who listened then misses nothing by it', () => {
  const { feed, heard, step, clock } = fixture()
  const later: Buffer[] = []
  step(1)
  feed.listen((bundle) => later.push(bundle))
  expect(heard).toHaveLength(1)
  clock.advance(1000)
  expect(later).toEqual([])
  step(2)
  clock.advance(0)
  expect([heard.length, later.length]).toEqual([2, 1])
})

test('who comes back is told exactly what came since', () => {
  const { feed, step } = fixture()
  for (const seq of [1, 2, 3, 4]) step(seq)
  expect(feed.since('one.2')).toMatchObject({ missed: false, messages: [{ n: 3 }, { n: 4 }] })
  expect(feed.since('one.4')).toEqual({ missed: false, messages: [] })
  expect(feed.since('one.0').messages).toHaveLength(4)
})

test('who comes for the first time is told nothing of before', () => {
  const { feed, step } = fixture()
  step(1)
  expect(feed.since(undefined)).toEqual({ missed: false, messages: [] })
})

test.each(['other.1', 'one.9', 'one', 'one.', 'one.x', '', 'one.-1', 'one.1e1'])(
  'who comes back with %j, which this feed never said, is told to read anew',
  (after) => {
    const { feed, step } = fixture()
    step(1)
    expect(feed.since(after)).toEqual({ missed: true, messages: [] })
  },
)

test('who was away for longer than the feed remembers is told to read anew', () => {
  const { feed, step } = fixture()
  for (let seq = 1; seq <= 2005; seq++) step(seq)
  expect(feed.since('one.4')).toEqual({ missed: true, messages: [] })
  expect(feed.since('one.5').messages).toHaveLength(2000)
})

test('a closed feed hears nothing more of the runtime and tells nobody', () => {
  const { feed, heard, listeners, step } = fixture()
  feed.close()
  step(1)
  expect(listeners.size).toBe(0)
  expect(heard).toEqual([])
})
