import { expect, test } from 'vitest'
import type { JournalRow } from '../../runtime/runtime.ts'
import { Feed } from './feed.ts'
import type { StepMessage } from './messages.ts'

interface Fixture {
  readonly feed: Feed
  readonly heard: StepMessage[]
  readonly listeners: Set<(row: JournalRow) => void>
  step(seq: number): void
}

function fixture(id = 'one'): Fixture {
  const listeners = new Set<(row: JournalRow) => void>()
  const subscribe = (listener: (row: JournalRow) => void): (() => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  const feed = new Feed({ subscribe }, { next: () => id })
  const heard: StepMessage[] = []
  feed.listen((message) => heard.push(message))
  return { feed, heard, listeners, step: (seq) => listeners.forEach((listen) => listen(rowOf(seq))) }
}

function rowOf(seq: number): JournalRow {
  const event = { type: 'task.minted', at: 5, token: 'hunter2' }
  return {
    address: 'task:a',
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
  const { heard, step } = fixture()
  step(3)
  expect(heard).toEqual([
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
  ])
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
