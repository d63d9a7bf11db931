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

const renamed = (tail: string): Response =>
  new Response(null, { status: 301, headers: { location: `http://forge.test/api/repositories/7${tail}` } })

let accounts = 0

/** Answers by path; what it does not know is not there. */
async function readFrom(answers: Record<string, () => Response>, url: string): Promise<Response> {
  const clock = simulatedClock(0)
  const fetch = createTransport({
    fetch: async (asked) => (answers[String(asked)] ?? (() => new Response('{}', { status: 404 })))(),
    clock,
    budget: createBudget({ sql, clock, account: `redirects ${accounts++}`, burst: 9, perSecond: 9 }),
  })()
  return fetch(url, { headers: { authorization: 'token t' } })
}

const issueAt = 'http://forge.test/api/repos/acme/old/issues/5'

test('a renamed repository is followed by its id (MIRROR-4)', async () => {
  const answers = {
    [issueAt]: () => renamed('/issues/5'),
    'http://forge.test/api/repos/acme/old': () => renamed(''),
    'http://forge.test/api/repositories/7/issues/5': () => Response.json({ number: 5 }),
  }
  expect(await (await readFrom(answers, issueAt)).json()).toEqual({ number: 5 })
})

test.each([
  ['another repository', '/issues/5', () => Response.json({ id: 8 })],
  ['another number', '/issues/6', () => Response.json({ id: 7 })],
])('an issue that was transferred to %s is not there (MIRROR-4)', async (_name, tail, repository) => {
  const answers = {
    [issueAt]: () => renamed(tail),
    'http://forge.test/api/repos/acme/old': repository,
    'http://forge.test/api/repositories/7/issues/5': () => Response.json({ number: 5 }),
    'http://forge.test/api/repositories/7/issues/6': () => Response.json({ number: 6 }),
  }
  const answer = await readFrom(answers, issueAt)
  expect([answer.status, await answer.json()]).toEqual([404, { message: 'moved to repository 7' }])
})

test.each([
  ['another host', 'http://evil.test/api/repositories/7/issues/5'],
  ['another part of the forge', 'http://forge.test/login?next=/api/repositories/7/issues/5'],
  ['no address', 'http://'],
])('a redirect to %s is followed by nobody, and the token stays here', async (_name, location) => {
  const asked: string[] = []
  const answers = new Proxy<Record<string, () => Response>>(
    {},
    {
      get: (_target, url) => {
        asked.push(String(url))
        return () => new Response(null, { status: 301, headers: { location } })
      },
    },
  )
  await expect(readFrom(answers, issueAt)).rejects.toMatchObject({ name: 'ForgeUnavailableError' })
  expect(asked).toEqual([issueAt])
})

test('a forge that sends in a circle is asked three times at most', async () => {
  let asked = 0
  const answers = new Proxy<Record<string, () => Response>>({}, { get: () => (asked++, () => renamed('/issues/5')) })
  await expect(readFrom(answers, issueAt)).rejects.toMatchObject({ name: 'ForgeUnavailableError' })
  expect(asked).toBeLessThanOrEqual(3)
})
