import { expect, test } from 'vitest'
import { silentLogger } from '../../../../runtime/logger.ts'
import { simulatedClock } from '../../../../runtime/simulated-clock.ts'
import { createForgetting } from './forgetting.ts'

const minute = 60_000

test('MIRROR-8: a sweep comes soon after the start, soon again while there is more or it failed, and else every six hours', async () => {
  const clock = simulatedClock(0)
  const answers: (boolean | Error)[] = [false, new Error('the store is away'), true, true]
  const at: number[] = []
  const forgetting = createForgetting({
    clock,
    random: () => 0.5,
    logger: silentLogger,
    async sweep() {
      at.push(clock.now() / minute)
      const answer = answers.shift()
      if (answer instanceof Error) throw answer
      return answer ?? true
    },
  })
  forgetting.start()
  for (let passed = 0; passed < 800; passed += 10) {
    clock.advance(10 * minute)
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(at).toEqual([10, 20, 25, 390, 750])
  await forgetting.stop()
  clock.advance(10_000 * minute)
  expect(at).toHaveLength(5)
})
