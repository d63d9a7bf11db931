import { expect, test } from 'vitest'
import { Alarms } from './timer-heap.ts'
import { simulatedClock } from '../simulated-clock.ts'

const startAt = 1_000_000

/** Alarms by a time of day that can be set, and what rang, with how long it took. */
function world() {
  const clock = simulatedClock(startAt)
  let skew = 0
  const alarms = new Alarms({ ...clock, now: () => clock.now() + skew }, 'now')
  const rang: (readonly [name: string, elapsed: number])[] = []
  const at = (name: string, delayMs: number) =>
    alarms.at(startAt + delayMs, () => void rang.push([name, clock.elapsed()]))
  return { clock, alarms, rang, at, set: (byMs: number) => void (skew += byMs) }
}

test('each rings once, in the order of their times and, at one time, of their setting', () => {
  const { clock, rang, at } = world()
  at('c', 700)
  at('a', 20)
  at('b', 700)
  at('past', -5)
  expect(rang).toEqual([])
  clock.advance(10_000)
  expect(rang).toEqual([
    ['past', 0],
    ['a', 20],
    ['c', 700],
    ['b', 700],
  ])
  expect(clock.waiting()).toBe(0)
})

test('an alarm that the clock was set past rings within a second', () => {
  const { clock, rang, at, set } = world()
  at('a', 3_600_000)
  clock.advance(250)
  set(3_600_000)
  clock.advance(1000)
  expect(rang).toEqual([['a', 1000]])
})

test('an alarm that the clock was set back from rings at its time of day and not before', () => {
  const { clock, rang, at, set } = world()
  at('a', 5000)
  clock.advance(4999)
  set(-60_000)
  clock.advance(60_000)
  expect(rang).toEqual([])
  clock.advance(1)
  expect(rang).toEqual([['a', 65_000]])
})

test('cancelled ones are silent, however many: the rest ring at their times', () => {
  const { clock, rang, at } = world()
  const cancelled = Array.from({ length: 1000 }, (_, index) => at(`x${index}`, 1000 - index))
  at('last', 2000)
  at('first', 1500)
  for (const alarm of cancelled) alarm.cancel()
  clock.advance(3000)
  expect(rang).toEqual([
    ['first', 1500],
    ['last', 2000],
  ])
})

test('one that throws holds up no other', () => {
  const { clock, alarms, rang, at } = world()
  alarms.at(startAt + 5, () => {
    throw new Error('this one throws')
  })
  at('a', 5)
  expect(() => clock.advance(5)).toThrow('this one throws')
  clock.advance(1)
  expect(rang).toEqual([['a', 5]])
})

test('cleared, nothing rings and nothing waits', () => {
  const { clock, alarms, rang, at } = world()
  at('a', 5)
  alarms.clear()
  clock.advance(100)
  expect(rang).toEqual([])
  expect(clock.waiting()).toBe(0)
})
