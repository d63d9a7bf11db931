import { expect, test } from 'vitest'
import { testClock } from './testing/fixture.ts'
import { clientCredentials, type TokenSource } from './token-source.ts'

interface Fixture {
  readonly source: TokenSource
  readonly clock: ReturnType<typeof testClock>
  readonly requests: { readonly url: string; readonly init: RequestInit }[]
  answer: () => Response
}

function fixture(): Fixture {
  const clock = testClock()
  const requests: Fixture['requests'] = []
  let count = 0
  const made: Omit<Fixture, 'source'> = {
    clock,
    requests,
    answer: () => Response.json({ access_token: `token-${++count}`, expires_in: 600, token_type: 'Bearer' }),
  }
  const fetch = (async (url: string, init: RequestInit) => {
    requests.push({ url, init })
    return made.answer()
  }) as typeof globalThis.fetch
  const options = {
    tokenUrl: 'https://id.example/token',
    clientId: 'a b',
    secret: 'p:q/ä',
    audience: 'urn:memory',
    clock,
    fetch,
  }
  return Object.assign(made, { source: clientCredentials(options) })
}

test('it asks with the client credentials grant for exactly the audience (MEMORY-AUTH-18)', async () => {
  const { source, requests } = fixture()
  await source.token()
  const { url, init } = requests[0]!
  expect(url).toBe('https://id.example/token')
  expect(Object.fromEntries(new URLSearchParams(init.body as string))).toEqual({
    grant_type: 'client_credentials',
    resource: 'urn:memory',
    audience: 'urn:memory',
  })
  const basic = (init.headers as Record<string, string>)['authorization']!.replace('Basic ', '')
  expect(Buffer.from(basic, 'base64').toString()).toBe('a%20b:p%3Aq%2F%C3%A4')
})

test('a token is kept and renewed before it expires', async () => {
  const { source, clock, requests } = fixture()
  expect(await source.token()).toBe('token-1')
  clock.advance(479_000)
  expect(await source.token()).toBe('token-1')
  clock.advance(1_000)
  expect(await source.token()).toBe('token-2')
  expect(requests).toHaveLength(2)
})

test('callers at the same time share one request', async () => {
  const { source, requests } = fixture()
  expect(await Promise.all([source.token(), source.token(), source.token()])).toEqual(['token-1', 'token-1', 'token-1'])
  expect(requests).toHaveLength(1)
})

test('a forgotten token is asked for anew', async () => {
  const { source } = fixture()
  await source.token()
  source.forget()
  expect(await source.token()).toBe('token-2')
})

test('a refusal is an error that names the status and never the secret, and is not kept', async () => {
  const made = fixture()
  const good = made.answer
  made.answer = () => Response.json({ error: 'invalid_client', hint: 'p:q/ä' }, { status: 401 })
  const failure = await made.source.token().catch((error: unknown) => error as Error & { status: number })
  expect(failure).toMatchObject({ status: 401, message: 'https://id.example answered 401' })
  made.answer = good
  expect(await made.source.token()).toBe('token-1')
})

test('an answer without a token is an error', async () => {
  const made = fixture()
  made.answer = () => Response.json({ token_type: 'Bearer' })
  await expect(made.source.token()).rejects.toThrow('/access_token is required')
})
