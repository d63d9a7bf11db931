import { expect, test, vi } from 'vitest'
import { EffectNotHeldError } from '../../../runtime/errors.ts'
import { simulatedClock } from '../../../runtime/simulated-clock.ts'
import { createBudget } from '../rate-limit.ts'
import { withSql } from '../testing.ts'
import { createTransport } from './transport.ts'

const sql = await withSql(async (opened) => opened)

test('R5: a write passes its fence last, after the wait for its turn, and a read passes none (FORGE-WRITES-3)', async () => {
  const clock = simulatedClock(0)
  const order: string[] = []
  const transport = createTransport({
    fetch: async (_, init) => (order.push(`sent ${init?.method ?? 'GET'}`), new Response('{}')),
    clock,
    budget: createBudget({ sql, clock, account: 'a', burst: 1, perSecond: 1 }),
  })
  let isHeld = true
  const fenced = transport(() => {
    order.push('fence')
    if (!isHeld) throw new EffectNotHeldError('task:a/1/0')
  })
  await fenced('http://forge.test/read')
  const write = fenced('http://forge.test/write', { method: 'POST' })
  await vi.waitFor(() => expect(clock.waiting()).toBe(1))
  expect(order).toEqual(['sent GET'])
  clock.advance(1000)
  await write
  expect(order).toEqual(['sent GET', 'fence', 'sent POST'])

  const late = fenced('http://forge.test/write', { method: 'PUT' })
  isHeld = false
  await vi.waitFor(() => expect(clock.waiting()).toBe(1))
  clock.advance(1000)
  await expect(late).rejects.toBeInstanceOf(EffectNotHeldError)
  expect(order.at(-1)).toBe('fence')
})

test('a 403 that names a secondary limit closes the budget, and one that misses a right keeps its words (FORGE-BUDGET-3)', async () => {
  const clock = simulatedClock(0)
  const answers = ['Resource not accessible by integration', 'You have exceeded a secondary rate limit.']
  const fetch = createTransport({
    fetch: async () => Response.json({ message: answers.shift() }, { status: 403 }),
    clock,
    budget: createBudget({ sql, clock, account: 'b', burst: 9, perSecond: 9 }),
  })()
  expect(await (await fetch('http://forge.test/a')).json()).toEqual({
    message: 'Resource not accessible by integration',
  })
  await expect(fetch('http://forge.test/b')).rejects.toMatchObject({ name: 'RateLimitedError', retryAfterMs: 60_000 })
  await expect(fetch('http://forge.test/c')).rejects.toMatchObject({ name: 'RateLimitedError' })
})
