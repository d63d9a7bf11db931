import { setImmediate as settled } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { captureLog, testClock, type LogCapture } from '../../http/testing/fixture.ts'
import { parkedBy } from '../../machines/testing/a-task.ts'
import type { ActorView, JournalRow } from '../../runtime/runtime.ts'
import { Feed } from './feed.ts'
import type { StepMessage } from './messages.ts'

interface Fixture {
  readonly feed: Feed
  readonly heard: StepMessage[][]
  readonly listeners: Set<(row: JournalRow) => void>
  readonly lines: LogCapture['lines']
  /** What was due is heard then. */
  advance(milliseconds: number): Promise<void>
  step(seq: number, address?: `task:${string}`): void
}

function fixture(read: (address: string) => Promise<ActorView | undefined> = async () => undefined): Fixture {
  const listeners = new Set<(row: JournalRow) => void>()
  const subscribe = (listener: (row: JournalRow) => void): (() => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  const clock = testClock()
  const { logger, lines } = captureLog()
  const feed = new Feed({ runtime: { subscribe, read: read as never }, ids: { next: () => 'one' }, clock, logger })
  const heard: StepMessage[][] = []
  feed.listen((bundle) => heard.push(JSON.parse(bundle.toString()) as StepMessage[]))
  const step = (seq: number, address?: `task:${string}`): void =>
    listeners.forEach((listen) => listen(rowOf(seq, address)))
  const advance = async (milliseconds: number): Promise<void> => {
    clock.advance(milliseconds)
    await settled()
  }
  return { feed, heard, listeners, lines, advance, step }
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

test('a committed step is told in few words, without what the event carries', async () => {
  const { heard, step, advance } = fixture()
  step(3)
  await advance(0)
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

const parked = { path: 'stage.live.parked.awaiting-human pod.settled', status: 'active', seq: 1, updatedAt: 7 } as const
const view = {
  ...parked,
  address: 'task:a',
  kind: 'task',
  id: 'a',
  context: { ...parkedBy('needs-maintainer').context },
}

test('a row says what its context says of its rest as soon as it is heard, to who missed it too, and what its path says where nobody can read it', async () => {
  const { heard, feed, step, advance } = fixture(async (address) => {
    if (address === 'task:b') throw new Error('the store is away')
    return view as unknown as ActorView
  })
  step(1)
  step(2, 'task:b')
  await advance(0)
  const said = heard.flat().map(({ standing, title }) => [standing.word, title])
  expect(said).toEqual([
    ['waits for approval', 'make it so'],
    ['parked', undefined],
  ])
  const missed: string[] = []
  feed.listen((bundle) => missed.push(bundle.toString()), feed.since('one.0').messages)
  step(3)
  await advance(1000)
  const words = missed.map((bundle) =>
    (JSON.parse(bundle) as StepMessage[]).map(({ n, standing }) => [n, standing.word]),
  )
  expect(words).toEqual([
    [
      [1, 'waits for approval'],
      [2, 'parked'],
    ],
    [[3, 'waits for approval']],
  ])
})

test('a live row shows the marks that turn a title around, as the list does', async () => {
  const context = { ...view.context, goal: 'pay \u202egnp.exe' }
  const { heard, step, advance } = fixture(async () => ({ ...view, context }) as unknown as ActorView)
  step(1)
  await advance(0)
  expect(heard.flat().map(({ title }) => title)).toEqual(['pay \\u202egnp.exe'])
})

test('ten pages that come back read each missed actor once, a few at a time', async () => {
  const reads = { all: 0, now: 0, most: 0 }
  const { feed, heard, step, advance } = fixture(async () => {
    reads.all += 1
    reads.most = Math.max(reads.most, (reads.now += 1))
    await settled()
    reads.now -= 1
    return view as unknown as ActorView
  })
  for (let seq = 1; seq <= 2000; seq++) step(seq, `task:${seq}`)
  const { messages } = feed.since('one.0')
  const missed: number[] = []
  for (let page = 0; page < 10; page++)
    feed.listen((bundle) => missed.push((JSON.parse(bundle.toString()) as StepMessage[]).length), messages)
  await expect.poll(() => missed, { timeout: 20_000, interval: 5 }).toEqual(Array.from({ length: 10 }, () => 2000))
  expect({ ...reads, heard: heard.length }).toEqual({ all: 2000, now: 0, most: 50, heard: 1 })
  step(2001, 'task:1')
  await advance(1000)
  await settled()
  expect(reads.all).toBe(2001)
})

test('a page whose line fails takes nothing from the others, of that bundle or of a later one, and the server logs it', async () => {
  const { feed, lines, step, advance } = fixture()
  const leave = feed.listen(() => {
    throw new Error('the line is cut')
  })
  const heard: Buffer[] = []
  feed.listen((bundle) => heard.push(bundle))
  step(1)
  await advance(0)
  leave()
  step(2)
  await advance(1000)
  expect(heard).toHaveLength(2)
  const err = expect.objectContaining({ message: 'the line is cut' })
  expect(lines()).toEqual([expect.objectContaining({ level: 50, err })])
})

test('of many steps within a moment a page hears one bundle, in order, with the last of each actor', async () => {
  const { heard, step, advance } = fixture()
  step(1)
  await advance(0)
  for (const seq of [2, 3]) step(seq)
  step(1, 'task:b')
  step(4)
  await advance(199)
  expect(heard).toHaveLength(1)
  await advance(1)
  expect(heard[1]?.map(({ n, address, seq }) => [n, address, seq])).toEqual([
    [4, 'task:b', 1],
    [5, 'task:a', 4],
  ])
  await advance(10_000)
  expect(heard).toHaveLength(2)
})

test('with 300 pages each hears of steps every one and a half seconds', async () => {
  const { feed, heard, step, advance } = fixture()
  for (let page = 1; page < 300; page++) feed.listen(() => undefined)
  step(1)
  await advance(0)
  step(2)
  await advance(1499)
  expect(heard).toHaveLength(1)
  await advance(1)
  expect(heard).toHaveLength(2)
})

test('who begins to listen is told nothing of before, and who listened then misses nothing by it', async () => {
  const { feed, heard, step, advance } = fixture()
  const later: Buffer[] = []
  step(1)
  feed.listen((bundle) => later.push(bundle))
  await settled()
  expect(heard).toHaveLength(1)
  await advance(1000)
  expect(later).toEqual([])
  step(2)
  await advance(0)
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

test('a closed feed hears nothing more of the runtime and tells nobody', async () => {
  const { feed, heard, listeners, step } = fixture()
  feed.close()
  step(1)
  expect(listeners.size).toBe(0)
  expect(heard).toEqual([])
})
