/** The program's own door, before an issuer that signs whatever a test wants. */
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, SignJWT, type JWTPayload } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { clientCredentials } from '../../http/token-source.ts'
import { systemClock } from '../../runtime/clock.ts'
import { memoryAudience, memoryHost, type MemoryHost, type MemoryProcess } from './testing/host.ts'

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
let issuer: string
let provider: Server
let host: MemoryHost
let memory: MemoryProcess

beforeAll(async () => {
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'EdDSA', use: 'sig' }
  const answers: Readonly<Record<string, (form: URLSearchParams) => unknown>> = {
    '/keys': () => ({ keys: [jwk] }),
    '/token': tokenOfScope,
  }
  const metadata = (): object => ({ issuer, jwks_uri: `${issuer}/keys`, token_endpoint: `${issuer}/token` })
  provider = createServer(async (request, response) => {
    const form = new URLSearchParams((await request.toArray()).join(''))
    const answer = await (answers[request.url ?? ''] ?? metadata)(form)
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
  }).listen(0, '127.0.0.1')
  await once(provider, 'listening')
  issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
  host = await memoryHost('')
  memory = await host.start({ OIDC_ISSUER: issuer })
}, 120_000)
afterAll(async () => {
  await host?.close()
  provider?.close()
})

/** As a provider with an audience mapper: the scope brings the audience, `resource` and `audience` bring nothing. */
async function tokenOfScope(form: URLSearchParams): Promise<object> {
  const scopes = (form.get('scope') ?? '').split(' ')
  const aud = ['account', ...(scopes.includes('knowledge') ? [memoryAudience] : [])]
  return { access_token: await token({ aud, sub: 'service' }), expires_in: 600, token_type: 'Bearer' }
}

async function token(changes: JWTPayload = {}, header: object = {}): Promise<string> {
  const claims = { iss: issuer, aud: memoryAudience, sub: 'ada', exp: Math.floor(Date.now() / 1000) + 600, ...changes }
  return new SignJWT(claims).setProtectedHeader({ alg: 'EdDSA', kid: 'k1', typ: 'at+jwt', ...header }).sign(privateKey)
}

async function ask(bearer: string, method: string, path: string, body?: object): Promise<Response> {
  return fetch(`${memory.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${bearer}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

test('only an access token that names its key and its subject is believed (MEMORY-AUTH-7, MEMORY-AUTH-9, MEMORY-AUTH-15)', async () => {
  const status = async (changes: JWTPayload, header: object = {}): Promise<number> =>
    (await ask(await token(changes, header), 'GET', '/ingest-jobs')).status
  expect(await status({})).toBe(200)
  for (const typ of ['JWT', 'logout+jwt', 'dpop+jwt', undefined])
    expect([typ, await status({}, { typ })]).toEqual([typ, 401])
  for (const kid of [undefined, '', 'k2']) expect([kid, await status({}, { kid })]).toEqual([kid, 401])
  for (const sub of [undefined, '']) expect([sub, await status({ sub })]).toEqual([sub, 401])
})

test('a scope of the provider that brings the audience opens the service, and without it the token is 401 (MEMORY-AUTH-6, MEMORY-AUTH-19)', async () => {
  const client = { clientId: 'service', secret: 's', audience: memoryAudience, clock: systemClock, fetch }
  const of = async (scope: string): Promise<number> => {
    const source = clientCredentials({ ...client, tokenUrl: `${issuer}/token`, scope })
    return (await ask(await source.token(), 'GET', '/ingest-jobs')).status
  }
  expect([await of('openid knowledge'), await of('openid')]).toEqual([200, 401])
})

test('every subject of the audience reads, changes and deletes what another one stored (MEMORY-AUTH-20)', async () => {
  const [ada, bob] = [await token(), await token({ sub: 'bob', scope: '', roles: [] })]
  const stored = await ask(ada, 'POST', '/memories', { text: 'The lighthouse is red.', metadata: { by: 'ada' } })
  expect(stored.status).toBe(201)
  const { id } = (await stored.json()) as { readonly id: string }
  expect(await (await ask(bob, 'GET', `/memories/${id}`)).json()).toMatchObject({ content: 'The lighthouse is red.' })
  const found = await ask(bob, 'POST', '/queries', { mode: 'naive', text: 'lighthouse' })
  expect(await found.json()).toMatchObject({ results: [{ id }] })
  const graph = { mode: 'snapshot', entities: [{ id: 'a', type: 'function', name: 'a' }] }
  expect((await ask(ada, 'POST', '/code-graph:bulk?repo=lib', graph)).status).toBe(200)
  expect(await (await ask(bob, 'GET', '/code/entity?repo=lib&id=a')).json()).toMatchObject({ id: 'a' })
  expect((await ask(bob, 'DELETE', `/memories/${id}`)).status).toBe(204)
  expect((await ask(ada, 'GET', `/memories/${id}`)).status).toBe(404)
})

test('two hundred requests in a row are all answered: there is no rate limit (MEMORY-LIMITS-9)', async () => {
  const bearer = await token()
  const statuses = await Promise.all(
    Array.from({ length: 200 }, async () => (await ask(bearer, 'GET', '/ingest-jobs?limit=1')).status),
  )
  expect(new Set(statuses)).toEqual(new Set([200]))
})
