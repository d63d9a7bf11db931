import { expect, test } from 'vitest'
import { DeadlineError, withDeadline } from './deadline.ts'
import { testClock } from './testing/fixture.ts'

test('work that ends in time gives its value and leaves no timer', async () => {
  const clock = testClock()
  let aborted = false
  const value = await withDeadline(clock, 100, async (signal) => {
    signal.addEventListener('abort', () => (aborted = true))
    return 7
  })
  clock.advance(1_000)
  expect([value, aborted]).toEqual([7, false])
})

test('work that is late is rejected and aborted, even when it ignores the signal', async () => {
  const clock = testClock()
  let seen: AbortSignal | undefined
  const late = withDeadline(clock, 100, (signal) => {
    seen = signal
    return new Promise<never>(() => {})
  })
  clock.advance(99)
  expect(seen?.aborted).toBe(false)
  clock.advance(1)
  await expect(late).rejects.toThrow(DeadlineError)
  expect(seen?.aborted).toBe(true)
})

test('a failure of the work is passed on as it is', async () => {
  const failure = new Error('no')
  await expect(withDeadline(testClock(), 100, () => Promise.reject(failure))).rejects.toBe(failure)
})
