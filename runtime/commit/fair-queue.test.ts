import { describe, expect, it } from 'vitest'
import type { ActorAddress } from '../../machines/definition.ts'
import { FairQueue } from './fair-queue.ts'
import type { Taken } from './fair-queue.ts'
import { nobodyWaits } from '../work.ts'
import type { EventWork, SettleOutcome, SettleWork, Work } from '../work.ts'

function event(to: ActorAddress, key: string, body = '{}'): EventWork {
  return { kind: 'event', to, key, event: { type: 'noted', at: 0 }, body, shard: 0, done: nobodyWaits }
}

function settle(outcome: SettleOutcome = { kind: 'performed', deliveries: [] }): SettleWork {
  return { kind: 'settle', effect: {} as SettleWork['effect'], shard: 0, outcome, mayRest: false, done: nobodyWaits }
}

function filled(...works: readonly Work[]): FairQueue {
  const queue = new FairQueue()
  works.forEach((work, index) => queue.push(work, index))
  return queue
}

function many(count: number, make: (index: number) => Work): Work[] {
  return Array.from({ length: count }, (_, index) => make(index))
}

function names({ works }: Pick<Taken, 'works'>): readonly string[] {
  return works.map((work) => (work.kind === 'event' ? work.key : work.kind))
}

const all = { items: 1000, bytes: 1_000_000 }

describe('work that waits for its commit', () => {
  it('is taken in the order in which it came to each actor', () => {
    const queue = filled(event('task:a', 'a1'), event('task:b', 'b1'), event('task:a', 'a2'), event('task:a', 'a3'))
    expect(names(queue.take({ items: 2, bytes: 1000 }))).toEqual(['a1', 'b1'])
    expect(names(queue.take(all))).toEqual(['a2', 'a3'])
    expect(queue.size).toBe(0)
  })

  it('leaves when its shard is lost, and what is left keeps its order and its age', () => {
    const elsewhere = { ...event('task:b', 'b1', '{"n":1}'), shard: 1 }
    const queue = filled(
      event('task:a', 'a1'),
      elsewhere,
      { ...settle(), shard: 1 },
      event('task:a', 'a2'),
      event('task:c', 'c1'),
    )
    expect(names({ works: [...queue.remove((work) => work.shard === 1)] })).toEqual(['settle', 'b1'])
    expect([queue.size, queue.bytes]).toEqual([3, 6])
    queue.push(event('task:b', 'b2'), 9)
    const taken = queue.take(all)
    expect(names(taken)).toEqual(['a1', 'a2', 'c1', 'b2'])
    expect(taken.since).toBe(0)
    expect(queue.remove(() => true)).toEqual([])
  })

  it('of a busy actor leaves the next batch room for every other', () => {
    const queue = filled(...many(10_000, (index) => event('task:busy', `busy${index}`)))
    for (const work of many(20, (index) => event(`task:${index}`, `single${index}`))) queue.push(work, 0)
    const batch = names(queue.take({ items: 100, bytes: 1_000_000 }))
    expect(batch).toHaveLength(100)
    expect(batch.filter((name) => name.startsWith('single'))).toHaveLength(20)
  })

  it('of a busy actor fills the batch when nobody else waits, and goes on where it stopped', () => {
    const queue = filled(...many(250, (index) => event('task:busy', `${index}`)))
    const taken = [100, 100, 100].flatMap((items) => names(queue.take({ items, bytes: 1_000_000 })))
    expect(taken).toEqual(names({ works: many(250, (index) => event('task:busy', `${index}`)) }))
  })

  it('of a busy actor fills two thirds of the queue, and another finds room until the last of it is gone', () => {
    const queue = new FairQueue()
    const most = { size: 30, bytes: 1000 }
    const offer = (to: ActorAddress): boolean => {
      const isTaken = queue.mayTake(to, 2, most)
      if (isTaken) queue.push(event(to, 'k'), 0)
      return isTaken
    }
    const taken = (to: ActorAddress): number => Array.from({ length: 40 }, () => offer(to)).filter(Boolean).length
    expect(taken('task:a')).toBe(20)
    expect(taken('task:b')).toBe(7)
    expect(taken('task:c')).toBe(2)
    expect([offer('task:a'), offer('task:b'), offer('task:d'), offer('task:e')]).toEqual([false, false, true, false])
    expect([...queue.crowding({ size: 34, bytes: 1000 })]).toEqual(['task:a'])
    expect([...queue.crowding({ size: 1000, bytes: 67 })]).toEqual(['task:a', 'task:b'])
    expect([...queue.crowding({ size: 100, bytes: 1000 })]).toEqual([])
  })

  it('of a busy actor is counted in bytes too', () => {
    const most = { size: 1000, bytes: 300 }
    const queue = filled(...many(4, () => event('task:a', 'k', 'x'.repeat(50))))
    expect(queue.mayTake('task:a', 2, most)).toBe(false)
    expect(queue.mayTake('task:b', 100, most)).toBe(true)
    expect(queue.mayTake('task:b', 101, most)).toBe(false)
    queue.take({ items: 1, bytes: 1000 })
    expect(queue.mayTake('task:a', 2, most)).toBe(true)
  })

  it('has no more bytes in a batch than it may, and at least one event however large', () => {
    const queue = filled(
      ...['x'.repeat(80), 'y'.repeat(30), 'z'.repeat(30)].map((body, index) => event('task:a', `${index}`, body)),
    )
    expect(queue.bytes).toBe(140)
    expect(names(queue.take({ items: 10, bytes: 50 }))).toEqual(['0'])
    expect(names(queue.take({ items: 10, bytes: 50 }))).toEqual(['1'])
    expect(names(queue.take({ items: 10, bytes: 60 }))).toEqual(['2'])
    expect(queue.bytes).toBe(0)
  })

  it('gives settlements half of a batch beside events, and all of it alone', () => {
    const queue = filled(...many(30, () => settle()), ...many(30, (index) => event(`task:${index}`, 'e')))
    const first = names(queue.take({ items: 20, bytes: 1000 }))
    expect(first.filter((name) => name === 'settle')).toHaveLength(10)
    expect(first.filter((name) => name === 'e')).toHaveLength(10)
    const alone = filled(...many(30, () => settle()))
    expect(names(alone.take({ items: 20, bytes: 1000 }))).toHaveLength(20)
  })

  it('says since when the oldest of a batch waited', () => {
    const queue = new FairQueue()
    queue.push(event('task:a', '1'), 5)
    queue.push(event('task:a', '2'), 3)
    queue.push(event('task:b', '3'), 4)
    expect(queue.take({ items: 2, bytes: 1000 }).since).toBe(4)
    expect(queue.take(all).since).toBe(3)
  })

  it('is counted by what it is for', () => {
    const queue = filled(event('task:a', '1'), event('task:a', '2'), event('task:b', '3'), settle())
    expect(queue.count((work) => work.kind === 'event' && work.to === 'task:a')).toBe(2)
    expect(queue.count(() => true)).toBe(4)
  })
})
