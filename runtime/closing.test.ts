import { expect, test } from 'vitest'
import { simulatedClock } from './simulated-clock.ts'
import { closingOnFailure } from './closing.ts'

test('of a start that fails, what was opened is closed, the last one first, and the failure is thrown', async () => {
  const closed: string[] = []
  const start = closingOnFailure(simulatedClock(0), async (opened) => {
    opened(() => closed.push('forge'))
    opened(async () => {
      closed.push('model')
      throw new Error('it does not close')
    })
    throw new Error('no port')
  })
  await expect(start).rejects.toThrow('no port')
  expect(closed).toEqual(['model', 'forge'])
})

test('a part that never closes is left after its limit, and the others are closed', async () => {
  const clock = simulatedClock(0)
  const closed: string[] = []
  const start = closingOnFailure(clock, async (opened) => {
    opened(() => closed.push('forge'))
    opened(() => new Promise(() => closed.push('begun')))
    throw new Error('no port')
  })
  const failed = expect(start).rejects.toThrow('no port')
  await expect.poll(() => clock.waiting()).toBe(1)
  expect(closed).toEqual(['begun'])
  clock.advance(15_000)
  await failed
  expect(closed).toEqual(['begun', 'forge'])
  expect(clock.waiting()).toBe(0)
})

test('a start that succeeds closes nothing', async () => {
  const closed: string[] = []
  const started = await closingOnFailure(simulatedClock(0), async (opened) => {
    opened(() => closed.push('forge'))
    return 'started'
  })
  expect([started, closed]).toEqual(['started', []])
})
