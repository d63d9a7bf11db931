import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { simulatedClock } from '../runtime/simulated-clock.ts'
import { collectAtRest } from './collect-at-rest.ts'

function watched(heapBytes = 50 * 2 ** 20): {
  pass(seconds: number, share: number): void
  collections(): number
  stop(): void
} {
  const clock = simulatedClock(0)
  let [work, collections] = [0, 0]
  const watch = collectAtRest({
    clock,
    workMs: () => work,
    heapBytes: () => heapBytes,
    collect() {
      collections += 1
      work += 200
    },
  })
  return {
    pass(seconds, share) {
      for (let second = 0; second < seconds; second += 1) {
        work += 1_000 * share
        clock.advance(1_000)
      }
    },
    collections: () => collections,
    stop: () => watch.stop(),
  }
}

test('a server that has worked collects once it rests, and once only', () => {
  const server = watched()
  server.pass(20, 0.5)
  expect(server.collections()).toBe(0)
  server.pass(10, 0.01)
  expect(server.collections()).toBe(1)
  server.pass(120, 0.01)
  expect(server.collections()).toBe(1)
  server.pass(20, 0.5)
  server.pass(10, 0.01)
  expect(server.collections()).toBe(2)
})

test('one that goes on working does not', () => {
  const server = watched()
  server.pass(120, 0.2)
  expect(server.collections()).toBe(0)
})

test('nor does one whose collection would stop it for long, or that was stopped', () => {
  const large = watched(300 * 2 ** 20)
  large.pass(20, 0.5)
  large.pass(20, 0.01)
  expect(large.collections()).toBe(0)
  const ended = watched()
  ended.pass(20, 0.5)
  ended.stop()
  ended.pass(20, 0.01)
  expect(ended.collections()).toBe(0)
})

test('the collector of this process takes what nothing holds', async () => {
  const gone = new WeakRef({ text: 'x'.repeat(1_000) })
  let work = 0
  const clock = simulatedClock(0)
  const watch = collectAtRest({ clock, workMs: () => work })
  await wait(1)
  work = 10_000
  clock.advance(5_000)
  clock.advance(5_000)
  watch.stop()
  await wait(1)
  expect(gone.deref()).toBeUndefined()
})
