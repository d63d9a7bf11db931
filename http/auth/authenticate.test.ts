import { expect, test } from 'vitest'
import { Problem } from '../problems/problem.ts'
import { withServer } from '../testing/fixture.ts'
import { bearer, principalOf, protect, unauthenticated, type Principal, type VerifyToken } from './authenticate.ts'

/** Tokens of this test are names. */
const verify: VerifyToken = async (token): Promise<Principal> => {
  if (token === 'down') throw new Problem('identity-unavailable', '', { headers: { 'retry-after': '2' } })
  if (token === 'bad') throw unauthenticated('the token is not valid for this server', true)
  return { subject: token, issuer: 'test', claims: {} }
}

const asBearer = (token: string): RequestInit => ({ headers: { authorization: `Bearer ${token}` } })

test('a guarded server answers 401 with a challenge to a caller without a token, before it reads the body (MEMORY-AUTH-2, HTTP-5)', async () => {
  await withServer(
    (app) => app.post('/things', async (request) => ({ by: principalOf(request).subject })),
    async ({ url }) => {
      const answer = await fetch(`${url}/things`, {
        method: 'POST',
        body: '{broken',
        headers: { 'content-type': 'application/json' },
      })
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
      expect(await answer.json()).toMatchObject({ code: 'unauthenticated', requestId: 'id-1' })
      const wrong = await fetch(`${url}/things`, { method: 'POST', ...asBearer('bad') })
      expect([wrong.status, wrong.headers.get('www-authenticate')]).toEqual([401, 'Bearer error="invalid_token"'])
    },
    { authenticate: bearer(verify) },
  )
})

test('a proven caller reaches the route, and the route knows who it is', async () => {
  await withServer(
    (app) => app.get('/me', async (request) => ({ by: principalOf(request).subject })),
    async ({ url }) => {
      expect(await (await fetch(`${url}/me`, asBearer('alice'))).json()).toEqual({ by: 'alice' })
    },
    { authenticate: bearer(verify) },
  )
})

test.each(['Basic YTpi', 'Bearer', 'Bearer a b', 'Token x', 'Bearer ä'])(
  '%j is no bearer token',
  async (authorization) => {
    const request = { headers: { authorization } } as never
    await expect(bearer(verify)(request)).rejects.toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Bearer' },
    })
  },
)

test('a token in the query or a cookie counts for nothing (BEARER-9)', async () => {
  await withServer(
    (app) => app.get('/me', async () => ({})),
    async ({ url }) => {
      const answer = await fetch(`${url}/me?access_token=alice`, { headers: { cookie: 'access_token=alice' } })
      expect(answer.status).toBe(401)
    },
    { authenticate: bearer(verify) },
  )
})

test('while the provider is down the answer is 503 with Retry-After', async () => {
  await withServer(
    (app) => app.get('/me', async () => ({})),
    async ({ url }) => {
      const answer = await fetch(`${url}/me`, asBearer('down'))
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2'])
    },
    { authenticate: bearer(verify) },
  )
})

test('a route may be open, or proven in its own way, on a guarded server', async () => {
  const own = async (): Promise<Principal> => ({ subject: 'hook', issuer: 'own', claims: {} })
  await withServer(
    (app) => {
      app.get('/open', { config: { auth: false } }, async (request) => ({ by: request.principal?.subject ?? 'anyone' }))
      app.get('/own', { config: { auth: own } }, async (request) => ({ by: principalOf(request).subject }))
    },
    async ({ url }) => {
      expect(await (await fetch(`${url}/open`)).json()).toEqual({ by: 'anyone' })
      expect(await (await fetch(`${url}/own`)).json()).toEqual({ by: 'hook' })
    },
    { authenticate: bearer(verify) },
  )
})

test('a scope of routes may prove its callers on a server that does not, and the document says so', async () => {
  await withServer(
    (app) =>
      void app.register(async (scope) => {
        protect(scope, bearer(verify))
        scope.get('/inner', async (request) => ({ by: principalOf(request).subject }))
      }),
    async ({ url }) => {
      expect((await fetch(`${url}/inner`)).status).toBe(401)
      expect((await fetch(`${url}/inner`, asBearer('bob'))).status).toBe(200)
      const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as {
        paths: Record<string, { get: { security?: object[] } }>
      }
      expect(paths['/inner']!.get.security).toEqual([{ bearer: [] }])
      expect(paths['/healthz']!.get.security).toBeUndefined()
    },
  )
})

test('probes need no token; documents do where the server says so, and not where it does not (MEMORY-HEALTH-7, MEMORY-AUTH-21, HTTP-11, WRAPPER-API-2)', async () => {
  const status = async (url: string): Promise<number> => (await fetch(url)).status
  for (const auth of [true, false]) {
    await withServer(
      () => {},
      async ({ url }) => {
        expect(await Promise.all(['/healthz', '/readyz', '/metrics'].map((path) => status(url + path)))).toEqual([
          200, 200, 200,
        ])
        expect(await Promise.all(['/openapi.json', '/docs'].map((path) => status(url + path)))).toEqual(
          auth ? [401, 401] : [200, 200],
        )
      },
      { authenticate: bearer(verify), operational: { auth } },
    )
  }
})
