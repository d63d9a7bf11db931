import { expect, test } from 'vitest'
import { simulatedClock } from '../../runtime/simulated-clock.ts'
import { limitOf } from './github/transport.ts'
import { createBudget } from './rate-limit.ts'

test('a burst goes out at once, what is beyond it waits its turn, and too long a wait is refused', async () => {
  const clock = simulatedClock(0)
  const budget = createBudget({ clock, burst: 2, perSecond: 1, longestWaitMs: 1500 })
  const done: number[] = []
  await budget.take('a')
  await budget.take('b')
  const third = budget.take('c').then(() => done.push(clock.now()))
  await expect(budget.take('d')).rejects.toMatchObject({ limitType: 'bucket', retryAfterMs: 2000 })
  clock.advance(1000)
  await third
  expect(done).toEqual([1000])
})

test('what the forge closed stays closed until it said, and is counted (FORGE-BUDGET-5)', async () => {
  const clock = simulatedClock(0)
  const limited: string[] = []
  const budget = createBudget({ clock, onLimited: (path, type) => limited.push(`${path} ${type}`) })
  expect(budget.close('x', 'secondary', 5000).retryAfterMs).toBe(5000)
  await expect(budget.take('y')).rejects.toMatchObject({ limitType: 'secondary', retryAfterMs: 5000 })
  clock.advance(5000)
  await budget.take('y')
  expect(limited).toEqual(['x secondary', 'y secondary'])
})

test('a time of day that is set back neither takes requests away nor makes a wait longer', async () => {
  const clock = simulatedClock(1_000_000)
  let setBackMs = 0
  const budget = createBudget({ clock: { ...clock, now: () => clock.now() - setBackMs }, burst: 2, perSecond: 1 })
  await budget.take('a')
  setBackMs = 600_000
  await budget.take('b')
  setBackMs = 0
  budget.close('x', 'secondary', 5000)
  setBackMs = 600_000
  clock.advance(4999)
  await expect(budget.take('c')).rejects.toMatchObject({ limitType: 'secondary', retryAfterMs: 1 })
  clock.advance(1)
  await budget.take('c')
})

test.each([
  [429, { 'retry-after': '7' }, { type: 'secondary', waitMs: 7000 }],
  [403, { 'retry-after': '7' }, { type: 'secondary', waitMs: 7000 }],
  [403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '100' }, { type: 'primary', waitMs: 90_000 }],
  [429, {}, { type: 'secondary', waitMs: 60_000 }],
  [403, {}, undefined],
  [403, { 'x-ratelimit-remaining': '4000' }, undefined],
  [404, { 'retry-after': '7' }, undefined],
] as [number, Record<string, string>, unknown][])(
  '%i with %j is read as %j (FORGE-BUDGET-2)',
  (status, headers, expected) => {
    expect(limitOf(new Response(null, { status, headers }), 10_000, '')).toEqual(expected)
  },
)

test.each([
  [403, 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.', true],
  [403, 'You have triggered an abuse detection mechanism.', true],
  [403, 'Resource not accessible by integration', false],
  [404, 'You have exceeded a secondary rate limit.', false],
])('%i that says "%s" is a limit: %s (FORGE-BUDGET-3)', (status, message, isLimit) => {
  const headers = { 'x-ratelimit-remaining': '4000' }
  const found = limitOf(new Response(null, { status, headers }), 10_000, JSON.stringify({ message }))
  expect(found).toEqual(isLimit ? { type: 'secondary', waitMs: 60_000 } : undefined)
})
