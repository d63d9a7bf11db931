import { expect, test } from 'vitest'
import { silentLogger } from './logger.ts'
import { createLoop } from './loop.ts'
import { simulatedClock } from './simulated-clock.ts'

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

function looping(turn: () => Promise<number | void>) {
  const clock = simulatedClock(0)
  const at: number[] = []
  const loop = createLoop({
    ...{
      clock,
      random: () => 1,
      logger: silentLogger,
      name: 'test',
      everyMs: 60_000,
      failing: 'it fails',
      over: 'it is over',
    },
    turn: async () => {
      at.push(clock.now())
      return turn()
    },
  })
  const passes = async (milliseconds: number): Promise<void> => {
    for (let passed = 0; passed < milliseconds; passed += 250) {
      clock.advance(250)
      await settled()
    }
  }
  return { loop, at, passes, waiting: () => clock.waiting() }
}

test('a turn that fails is followed by the next one after the backoff, and one that ends well after its pause (L1)', async () => {
  const outcomes = [new Error('away'), new Error('away'), undefined, 5_000, undefined]
  const { loop, at, passes } = looping(async () => {
    const outcome = outcomes.shift()
    if (outcome instanceof Error) throw outcome
    return outcome
  })
  loop.start(1_000)
  await passes(100_000)
  expect(at).toEqual([1_000, 1_500, 2_500, 62_500, 67_500])
  await loop.stop()
})

test('a turn that throws before it has begun to wait stops nothing (L1)', async () => {
  let turns = 0
  const { loop, passes } = looping(() => {
    turns += 1
    throw new Error('EMFILE')
  })
  loop.start()
  await passes(10_000)
  expect(turns).toBeGreaterThan(3)
  await loop.stop()
})

test('who is woken while a turn is under way takes one more at once; nothing wakes before the start or after the stop (L2)', async () => {
  const gates: PromiseWithResolvers<void>[] = []
  const { loop, at, waiting } = looping(() => {
    const gate = Promise.withResolvers<void>()
    gates.push(gate)
    return gate.promise
  })
  loop.wake()
  expect(at).toHaveLength(0)
  loop.start()
  loop.wake()
  loop.wake()
  expect(at).toHaveLength(1)
  gates[0]?.resolve()
  await settled()
  expect(at).toHaveLength(2)
  const stopped = loop.stop()
  loop.wake()
  gates[1]?.resolve()
  await stopped
  expect([at.length, waiting()]).toEqual([2, 0])
  loop.start()
  expect(at).toHaveLength(3)
  gates[2]?.resolve()
  await loop.stop()
})

test('a start of one that runs sets its next turn anew, and leaves no second timer (L2)', async () => {
  const { loop, at, passes, waiting } = looping(async () => undefined)
  loop.start(1_000)
  loop.start(2_000)
  expect(waiting()).toBe(1)
  await passes(3_000)
  expect(at).toEqual([2_000])
  await loop.stop()
})
