import { expect, test } from 'vitest'
import type { Clock } from '../../../runtime/clock.ts'
import { simulatedClock } from '../../../runtime/simulated-clock.ts'
import { githubWire } from '../github/wire.ts'
import { limitOf } from './transport.ts'
import { createBudget, type Budget, type BudgetOptions } from './rate-limit.ts'
import { withSql } from '../testing/fixture.ts'
import { testInside } from '../../../testing/inside.ts'

/** As each process has it. */
type Process = (clock: Clock, more?: Partial<BudgetOptions>) => Budget

async function withProcesses(use: (process: Process) => Promise<void>): Promise<void> {
  await withSql((sql) =>
    use((clock, more = {}) => createBudget({ sql, clock, account: 'a', ...githubWire.rate, ...more })),
  )
}

const it = testInside(withProcesses)

it('a burst goes out at once, what is beyond it waits its turn, and too long a wait is refused', async (process) => {
  const clock = simulatedClock(0)
  const budget = process(clock, { burst: 2, perSecond: 1, longestWaitMs: 1500 })
  const done: number[] = []
  await budget.take('a')
  await budget.take('b')
  const third = budget.take('c').then(() => done.push(clock.now()))
  await expect(budget.take('d')).rejects.toMatchObject({ limitType: 'bucket', retryAfterMs: 2000 })
  clock.advance(1000)
  await third
  expect(done).toEqual([1000])
})

it('two processes take from one bucket, and it fills once for both, whatever their clocks say (FORGE-BUDGET-1)', async (process) => {
  const clock = simulatedClock(1_000_000)
  const more = { burst: 3, perSecond: 2, longestWaitMs: 0 }
  const both = [process(clock, more), process({ ...clock, now: () => clock.now() + 500 }, more)]
  const taken = async (): Promise<number> => {
    let found = 0
    for (let round = 0; round < 6; round++)
      for (const budget of both)
        await budget.take('x').then(
          () => (found += 1),
          () => undefined,
        )
    return found
  }
  // The half second by which one clock is ahead counts once.
  expect(await taken()).toBe(4)
  clock.advance(1000)
  expect(await taken()).toBe(2)
})

it('what the forge closed for one process is closed for the other, and for no other token (FORGE-BUDGET-1)', async (process) => {
  const clock = simulatedClock(1_000_000)
  await process(clock).take('x')
  await process(clock).close('x', 'primary', 5000)
  await process(clock).close('x', 'secondary', 2000)
  await expect(process(clock).take('x')).rejects.toMatchObject({ limitType: 'secondary', retryAfterMs: 5000 })
  await process(clock, { account: 'b' }).take('x')
  clock.advance(5000)
  await process(clock).take('x')
})

it('what the forge closed stays closed until it said, and is counted (FORGE-BUDGET-5)', async (process) => {
  const clock = simulatedClock(0)
  const limited: string[] = []
  const budget = process(clock, { onLimited: (path, type) => limited.push(`${path} ${type}`) })
  expect((await budget.close('x', 'secondary', 5000)).retryAfterMs).toBe(5000)
  await expect(budget.take('y')).rejects.toMatchObject({ limitType: 'secondary', retryAfterMs: 5000 })
  clock.advance(5000)
  await budget.take('y')
  expect(limited).toEqual(['x secondary', 'y secondary'])
})

it('a time of day that is set back neither takes requests away nor makes a wait longer', async (process) => {
  const clock = simulatedClock(1_000_000)
  let setBackMs = 0
  const moved = { ...clock, now: () => clock.now() - setBackMs }
  const budget = process(moved, { burst: 2, perSecond: 1 })
  await budget.take('a')
  setBackMs = 600_000
  await budget.take('b')
  clock.advance(2000)
  await budget.take('filled by the time that is')
  await budget.close('x', 'secondary', 5000)
  setBackMs = 1_200_000
  clock.advance(4999)
  await expect(budget.take('c')).rejects.toMatchObject({ limitType: 'secondary', retryAfterMs: 1 })
  await process(moved).take('by a process that knows the time of day alone')
  clock.advance(2000)
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
    expect(limitOf(githubWire.limits, new Response(null, { status, headers }), 10_000, '')).toEqual(expected)
  },
)

test.each([
  [403, 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.', true],
  [403, 'You have triggered an abuse detection mechanism.', true],
  [403, 'Resource not accessible by integration', false],
  [404, 'You have exceeded a secondary rate limit.', false],
])('%i that says "%s" is a limit: %s (FORGE-BUDGET-3)', (status, message, isLimit) => {
  const headers = { 'x-ratelimit-remaining': '4000' }
  const found = limitOf(githubWire.limits, new Response(null, { status, headers }), 10_000, JSON.stringify({ message }))
  expect(found).toEqual(isLimit ? { type: 'secondary', waitMs: 60_000 } : undefined)
})
