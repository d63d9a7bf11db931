import { expect, test, vi } from 'vitest'
import { EffectNotHeldError } from '../../../runtime/errors.ts'
import { simulatedClock } from '../../../runtime/simulated-clock.ts'
import { githubWire } from '../github/wire.ts'
import { createBudget } from './rate-limit.ts'
import { withSql } from '../testing/fixture.ts'
import { createTransport } from './transport.ts'

const sql = await withSql(async (opened) => opened)

test('R5: a write passes its fence last, after the wait for its turn, and a read passes none (FORGE-WRITES-3)', async () => {
  const clock = simulatedClock(0)
  const order: string[] = []
  const transport = createTransport({
    wire: githubWire,
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
    wire: githubWire,
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

interface Sent {
  readonly method: string
  readonly url: string
  readonly body: unknown
  readonly token: string | null
}

/** A write, and all that was sent for it. */
async function write(
  method: string,
  url: string,
  answers: Record<string, () => Response>,
): Promise<{ readonly answer: Promise<Response>; readonly sent: readonly Sent[]; readonly fences: () => number }> {
  const clock = simulatedClock(0)
  const sent: Sent[] = []
  let fences = 0
  const fetch = createTransport({
    wire: githubWire,
    fetch: async (asked, init) => {
      const one = { method: init?.method ?? 'GET', url: String(asked), body: init?.body }
      sent.push({ ...one, token: new Headers(init?.headers).get('authorization') })
      expect(init?.redirect).toBe('manual')
      return (answers[`${one.method} ${one.url}`] ?? (() => new Response('{}', { status: 404 })))()
    },
    clock,
    budget: createBudget({ sql, clock, account: `writes ${accounts++}`, burst: 9, perSecond: 9 }),
  })(() => void fences++)
  const headers = { authorization: 'token t', 'content-type': 'application/json' }
  const answer = fetch(url, { method, headers, body: '{"body":"Hello"}' })
  await answer.catch(() => undefined)
  return { answer, sent, fences: () => fences }
}

/** Answers by path; what it does not know is not there. */
async function readFrom(answers: Record<string, () => Response>, url: string): Promise<Response> {
  const clock = simulatedClock(0)
  const fetch = createTransport({
    wire: githubWire,
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

const commentsAt = 'http://forge.test/api/repos/acme/old/issues/5/comments'
const oldAt = 'http://forge.test/api/repos/acme/old'
const newAt = 'http://forge.test/api/repositories/7/issues/5/comments'

const sendsTo = (status: number, location: string) => (): Response =>
  new Response(null, { status, headers: { location } })

test.each([
  [301, 'POST'],
  [307, 'PATCH'],
  [308, 'PUT'],
  [307, 'DELETE'],
])(
  'a write that a renamed repository answers with %i is sent again by the id, once, as it was: %s (FORGE-WRITES-5)',
  async (status, method) => {
    const { answer, sent, fences } = await write(method, commentsAt, {
      [`${method} ${commentsAt}`]: sendsTo(status, newAt),
      [`GET ${oldAt}`]: sendsTo(301, 'http://forge.test/api/repositories/7'),
      [`${method} ${newAt}`]: () => Response.json({ id: 1 }, { status: 201 }),
    })
    expect(await (await answer).json()).toEqual({ id: 1 })
    const asked = { method, url: commentsAt, body: '{"body":"Hello"}', token: 'token t' }
    expect(sent).toEqual([
      asked,
      { method: 'GET', url: oldAt, body: undefined, token: 'token t' },
      { ...asked, url: newAt },
    ])
    // R5: before each request that writes.
    expect(fences()).toBe(2)
  },
)

test.each([
  ['another repository', '/issues/5/comments', () => Response.json({ id: 8 })],
  ['another number', '/issues/6/comments', () => Response.json({ id: 7 })],
  ['another part of the repository', '/pulls/5/merge', () => Response.json({ id: 7 })],
])('a write to a subject that was moved to %s is not sent there (FORGE-WRITES-5)', async (_where, tail, repository) => {
  const { answer, sent } = await write('POST', commentsAt, {
    [`POST ${commentsAt}`]: sendsTo(307, `http://forge.test/api/repositories/7${tail}`),
    [`GET ${oldAt}`]: repository,
  })
  expect((await answer).status).toBe(404)
  expect(sent.filter(({ method }) => method === 'POST')).toHaveLength(1)
})

test.each([
  ['another host', 307, 'http://evil.test/api/repositories/7/issues/5/comments'],
  ['another port', 308, 'http://forge.test:81/api/repositories/7/issues/5/comments'],
  ['another scheme', 301, 'https://forge.test/api/repositories/7/issues/5/comments'],
  ['a name of the same host', 307, 'http://forge.test/api/repos/acme/new/issues/5/comments'],
  ['another part of the forge', 307, 'http://forge.test/login?next=/api/repositories/7'],
  ['a page that is read', 302, newAt],
  ['a page that is only read', 303, newAt],
])(
  'a write that is sent to %s is refused, and the token and the words stay here (FORGE-WRITES-5)',
  async (_where, status, location) => {
    const { answer, sent } = await write('POST', commentsAt, {
      [`POST ${commentsAt}`]: sendsTo(status, location),
      [`GET ${oldAt}`]: sendsTo(301, 'http://forge.test/api/repositories/7'),
    })
    await expect(answer).rejects.toMatchObject({ name: 'ForgeUnavailableError' })
    expect(sent.map(({ url }) => url)).toEqual([commentsAt])
  },
)

test('a write that is sent on and on is sent twice, and no further (FORGE-WRITES-5)', async () => {
  const { answer, sent } = await write('POST', commentsAt, {
    [`POST ${commentsAt}`]: sendsTo(307, newAt),
    [`GET ${oldAt}`]: () => Response.json({ id: 7 }),
    [`POST ${newAt}`]: sendsTo(307, commentsAt),
  })
  await expect(answer).rejects.toMatchObject({ name: 'ForgeUnavailableError' })
  expect(sent.map(({ method }) => method)).toEqual(['POST', 'GET', 'POST'])
})
