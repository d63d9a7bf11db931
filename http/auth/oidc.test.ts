import { setImmediate } from 'node:timers/promises'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { exportJWK, SignJWT, type JWK, type JWTPayload } from 'jose'
import { expect, test } from 'vitest'
import { testClock, type TestClock } from '../testing/fixture.ts'
import type { Principal } from './authenticate.ts'
import { oidcVerifier, type OidcOptions } from './oidc.ts'

const issuer = 'https://id.example/tenant'
const audience = 'urn:statewright:operator'

interface ProviderKey {
  readonly kid: string | undefined
  readonly alg: string
  readonly privateKey: KeyObject
  readonly jwk: JWK
}

/** A provider that is only its answers: what it publishes, how it behaves, how often it was asked. */
class Provider {
  readonly clock: TestClock = testClock()
  keys: ProviderKey[] = []
  mode: 'up' | 'down' | 'hanging' | 'nonsense' = 'up'
  claimedIssuer = issuer
  readonly asked: string[] = []

  readonly fetch = async (url: unknown, init?: RequestInit): Promise<Response> => {
    this.asked.push(String(url))
    if (this.mode === 'hanging')
      return new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(new Error('aborted'))))
    if (this.mode === 'down') throw new TypeError('fetch failed')
    if (this.mode === 'nonsense') return Response.json({ hello: 'world' })
    if (String(url).endsWith('openid-configuration')) {
      return Response.json({
        issuer: this.claimedIssuer,
        jwks_uri: `${issuer}/keys`,
        token_endpoint: `${issuer}/token`,
      })
    }
    return Response.json({ keys: this.keys.map(({ jwk }) => jwk) })
  }

  verifier(options: Partial<OidcOptions> = {}): (token: string) => Promise<Principal> {
    const fetch = this.fetch as typeof globalThis.fetch
    return oidcVerifier({ issuer, audience, clock: this.clock, fetch, jwksUri: `${issuer}/keys`, ...options })
  }

  async token(key: ProviderKey, changes: JWTPayload = {}, header: object = {}): Promise<string> {
    const now = Math.floor(this.clock.now() / 1000)
    const payload = { iss: issuer, aud: audience, sub: 'svc', iat: now, exp: now + 3600, ...changes }
    return new SignJWT(payload).setProtectedHeader({ alg: key.alg, kid: key.kid, ...header }).sign(key.privateKey)
  }
}

const makers: Readonly<Record<string, () => { privateKey: KeyObject; publicKey: KeyObject }>> = {
  RS: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  PS: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  ES384: () => generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  EdDSA: () => generateKeyPairSync('ed25519'),
}

async function aKey(kid: string | undefined, alg = 'EdDSA'): Promise<ProviderKey> {
  const pair = (makers[alg] ?? makers[alg.slice(0, 2)])!()
  const named = kid === undefined ? {} : { kid }
  return {
    kid,
    alg,
    privateKey: pair.privateKey,
    jwk: { ...(await exportJWK(pair.publicKey)), ...named, alg, use: 'sig' },
  }
}

async function aProvider(alg?: string): Promise<{ provider: Provider; key: ProviderKey }> {
  const provider = new Provider()
  const key = await aKey('k1', alg)
  provider.keys = [key]
  return { provider, key }
}

const refused = { code: 'unauthenticated', status: 401 }
const unavailable = { code: 'identity-unavailable', status: 503 }

test.each(['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA'])(
  '%s is taken unless told otherwise (MEMORY-AUTH-11, BEARER-2, HTTP-RULE-3)',
  async (alg) => {
    const { provider, key } = await aProvider(alg)
    expect(await provider.verifier()(await provider.token(key))).toMatchObject({ subject: 'svc', issuer })
  },
)

test('an algorithm off the list is refused before anyone is asked, and taken once it is on it (BEARER-2, BEARER-4, HTTP-RULE-3)', async () => {
  const { provider, key } = await aProvider('RS512')
  const token = await provider.token(key)
  await expect(provider.verifier()(token)).rejects.toMatchObject(refused)
  expect(provider.asked).toEqual([])
  await expect(provider.verifier({ algorithms: ['RS512'] })(token)).resolves.toMatchObject({ subject: 'svc' })
})

test('a token signed with the public key as a shared secret, or not at all, is refused (MEMORY-AUTH-10, BEARER-3)', async () => {
  const { provider, key } = await aProvider('RS256')
  const secret = new TextEncoder().encode(JSON.stringify(key.jwk))
  const claims = { iss: issuer, aud: audience, sub: 'svc', exp: 9e9 }
  const shared = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'k1' }).sign(secret)
  const bare = [{ alg: 'none' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  for (const token of [shared, `${bare}.`]) await expect(provider.verifier()(token)).rejects.toMatchObject(refused)
  expect(provider.asked).toEqual([])
})

test.each<[string, JWTPayload]>([
  ['another issuer', { iss: 'https://else.example' }],
  ['an issuer that differs in the last slash', { iss: `${issuer}/` }],
  ['another audience', { aud: 'urn:statewright:memory' }],
  ['no audience', { aud: undefined }],
  ['no subject', { sub: undefined }],
  ['an empty subject', { sub: '' }],
  ['no expiry', { exp: undefined }],
  ['an expiry more than 60 s ago', { exp: 1_750_000_000 - 61 }],
  ['a start more than 60 s ahead', { nbf: 1_750_000_000 + 61 }],
])(
  'a token with %s is refused (MEMORY-AUTH-4, MEMORY-AUTH-5, MEMORY-AUTH-6, MEMORY-AUTH-15, MEMORY-LOG-3, BEARER-1, BEARER-5, WRAPPER-API-1)',
  async (_what, changes) => {
    const { provider, key } = await aProvider()
    await expect(provider.verifier()(await provider.token(key, changes))).rejects.toMatchObject(refused)
  },
)

test('a clock that is 59 s off, and one audience of several, are fine (MEMORY-AUTH-5, BEARER-5, HTTP-RULE-4)', async () => {
  const { provider, key } = await aProvider()
  const token = await provider.token(key, { exp: 1_750_000_000 - 59, aud: ['urn:other', audience] })
  await expect(provider.verifier()(token)).resolves.toMatchObject({ subject: 'svc' })
})

test('with types demanded, a token of another type is refused before anyone is asked (MEMORY-AUTH-7)', async () => {
  const { provider, key } = await aProvider()
  const verify = provider.verifier({ types: ['at+jwt'] })
  for (const typ of ['JWT', 'logout+jwt', 'dpop+jwt', 'at', '', undefined, 7, null])
    await expect(verify(await provider.token(key, {}, { typ }))).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining('`typ`'),
    })
  expect(provider.asked).toEqual([])
  for (const typ of ['at+jwt', 'AT+JWT', 'application/at+jwt'])
    await expect(verify(await provider.token(key, {}, { typ }))).resolves.toMatchObject({ subject: 'svc' })
  const lenient = provider.verifier({ types: ['JWT', 'none'] })
  for (const typ of ['jwt', undefined])
    await expect(lenient(await provider.token(key, {}, { typ }))).resolves.toMatchObject({ subject: 'svc' })
  await expect(lenient(await provider.token(key, {}, { typ: 'at+jwt' }))).rejects.toMatchObject(refused)
})

test('with a key id demanded, a token without one is refused before anyone is asked (MEMORY-AUTH-8, MEMORY-AUTH-9)', async () => {
  const { provider, key } = await aProvider()
  const verify = provider.verifier({ needsKeyId: true })
  for (const kid of [undefined, ''])
    await expect(verify(await provider.token(key, {}, { kid }))).rejects.toMatchObject(refused)
  expect(provider.asked).toEqual([])
  await expect(verify(await provider.token(key))).resolves.toMatchObject({ subject: 'svc' })
})

test.each(['', 'x', 'a.b.c', '..', 'eyJhbGciOiJFZERTQSJ9.e30.x'])('%j is no token: 401, not 500', async (token) => {
  const { provider } = await aProvider()
  await expect(provider.verifier()(token)).rejects.toMatchObject(refused)
})

test('many requests at once ask for the keys once (MEMORY-AUTH-12, BEARER-6)', async () => {
  const { provider, key } = await aProvider()
  const verify = provider.verifier()
  const token = await provider.token(key)
  await Promise.all(Array.from({ length: 50 }, () => verify(token)))
  expect(provider.asked).toHaveLength(1)
})

test('a thousand unknown key ids make us ask at most once per 30 s (MEMORY-AUTH-10, MEMORY-AUTH-12, BEARER-6)', async () => {
  const { provider, key } = await aProvider()
  const verify = provider.verifier()
  await verify(await provider.token(key))
  for (let index = 0; index < 1000; index++) {
    await expect(verify(await provider.token(key, {}, { kid: `random-${index}` }))).rejects.toMatchObject(refused)
  }
  expect(provider.asked).toHaveLength(1)
  provider.clock.advance(30_000)
  await Promise.allSettled(
    Array.from({ length: 20 }, async (_, index) => verify(await provider.token(key, {}, { kid: `random-${index}` }))),
  )
  expect(provider.asked).toHaveLength(2)
})

test('a new key is taken at its first token once 30 s have passed, and a withdrawn one is refused after 10 minutes (MEMORY-AUTH-3)', async () => {
  const { provider, key } = await aProvider()
  const verify = provider.verifier()
  await verify(await provider.token(key))
  const next = await aKey('k2')
  provider.keys = [next]
  provider.clock.advance(30_000)
  await expect(verify(await provider.token(next))).resolves.toMatchObject({ subject: 'svc' })
  await expect(verify(await provider.token(key))).rejects.toMatchObject(refused)
})

test.each(['k1', undefined])(
  'a new key under the old id %s is taken at its first token once 30 s have passed; bad signatures make us ask no oftener (MEMORY-AUTH-12, BEARER-6)',
  async (kid) => {
    const [old, next] = [await aKey(kid), await aKey(kid)]
    const provider = new Provider()
    provider.keys = [old]
    const verify = provider.verifier()
    await verify(await provider.token(old))
    provider.keys = [next]
    provider.clock.advance(29_999)
    await expect(verify(await provider.token(next))).rejects.toMatchObject(refused)
    expect(provider.asked).toHaveLength(1)
    provider.clock.advance(1)
    await expect(verify(await provider.token(next))).resolves.toMatchObject({ subject: 'svc' })
    for (let index = 0; index < 20; index++)
      await expect(verify(await provider.token(old))).rejects.toMatchObject(refused)
    expect(provider.asked).toHaveLength(2)
  },
)

test('a withdrawn key is refused after 10 minutes even if no other was seen (MEMORY-AUTH-14, BEARER-7)', async () => {
  const { provider, key } = await aProvider()
  const verify = provider.verifier()
  await verify(await provider.token(key))
  provider.keys = [await aKey('k2')]
  provider.clock.advance(600_000)
  await expect(verify(await provider.token(key))).rejects.toMatchObject(refused)
})

test('a provider that is down before the first key is 503, and the next second is tried again (BEARER-8)', async () => {
  const { provider, key } = await aProvider()
  provider.mode = 'down'
  const verify = provider.verifier()
  const token = await provider.token(key)
  await expect(verify(token)).rejects.toMatchObject(unavailable)
  provider.mode = 'up'
  await expect(verify(token)).rejects.toMatchObject({ ...unavailable, headers: { 'retry-after': '2' } })
  provider.clock.advance(1_000)
  await expect(verify(token)).resolves.toMatchObject({ subject: 'svc' })
})

test('a provider that answers nonsense is 503, not 401', async () => {
  const { provider, key } = await aProvider()
  provider.mode = 'nonsense'
  await expect(provider.verifier()(await provider.token(key))).rejects.toMatchObject(unavailable)
})

test('a provider that hangs costs 2 s and then 503 (MEMORY-AUTH-13, HTTP-RULE-5)', async () => {
  const { provider, key } = await aProvider()
  provider.mode = 'hanging'
  const waiting = provider.verifier()(await provider.token(key))
  await expect.poll(() => provider.asked.length).toBe(1)
  provider.clock.advance(1_999)
  expect(await Promise.race([waiting.catch(() => 'ended'), setImmediate('waits')])).toBe('waits')
  provider.clock.advance(1)
  await expect(waiting).rejects.toMatchObject(unavailable)
})

test('warm keys serve while the provider is down, for a day (MEMORY-AUTH-13)', async () => {
  const { provider, key } = await aProvider()
  const verify = provider.verifier()
  const token = await provider.token(key, { exp: 9e9 })
  await verify(token)
  provider.mode = 'down'
  provider.clock.advance(20 * 3_600_000)
  await expect(verify(token)).resolves.toMatchObject({ subject: 'svc' })
  const asked = provider.asked.length
  await verify(token)
  expect(provider.asked).toHaveLength(asked)
  provider.clock.advance(5 * 3_600_000)
  await expect(verify(token)).rejects.toMatchObject(unavailable)
})

test('without a key address the keys are found by discovery (MEMORY-AUTH-3)', async () => {
  const { provider, key } = await aProvider()
  await provider.verifier({ jwksUri: undefined as never })(await provider.token(key))
  expect(provider.asked).toEqual([`${issuer}/.well-known/openid-configuration`, `${issuer}/keys`])
})

test('a configuration that speaks for another issuer is not believed', async () => {
  const { provider, key } = await aProvider()
  provider.claimedIssuer = 'https://else.example'
  await expect(provider.verifier({ jwksUri: undefined as never })(await provider.token(key))).rejects.toMatchObject(
    unavailable,
  )
})
