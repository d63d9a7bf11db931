import { createHash, generateKeyPairSync } from 'node:crypto'
import { exportJWK, SignJWT, type JWTPayload } from 'jose'
import { beforeEach, expect, test } from 'vitest'
import { testClock } from '../testing/fixture.ts'
import { codeFlow, type CodeFlow, type CodeFlowOptions } from './code-flow.ts'
import { oidcVerifier } from './oidc.ts'

const issuer = 'https://id.example/tenant'
const audience = 'urn:statewright:operator'
const attempt = {
  state: 's'.repeat(43),
  nonce: 'n'.repeat(43),
  verifier: 'v'.repeat(43),
  redirectUri: 'https://sw.example/inspector/callback',
}
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
const clock = testClock()
const metadata = {
  issuer,
  jwks_uri: `${issuer}/keys`,
  token_endpoint: `${issuer}/token`,
  authorization_endpoint: `${issuer}/authorize?tenant=1`,
}

/** What the token endpoint answers, and what it was asked. */
let answer: () => Promise<Response>
let asked: { readonly headers: Headers; readonly form: URLSearchParams } | undefined
beforeEach(() => {
  asked = undefined
  answer = async () => Response.json({ id_token: await token() })
})

async function token(changes: JWTPayload = {}, key = privateKey): Promise<string> {
  const now = Math.floor(clock.now() / 1000)
  const claims = { iss: issuer, aud: 'inspector', sub: 'ada', nonce: attempt.nonce, iat: now, exp: now + 300 }
  return new SignJWT({ ...claims, ...changes }).setProtectedHeader({ alg: 'ES256', kid: 'k' }).sign(key)
}

const fetch = (async (url: unknown, init: RequestInit = {}) => {
  if (String(url) === metadata.token_endpoint) {
    asked = { headers: new Headers(init.headers), form: new URLSearchParams(String(init.body)) }
    return answer()
  }
  if (String(url) === metadata.jwks_uri)
    return Response.json({ keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256' }] })
  return Response.json(metadata)
}) as typeof globalThis.fetch

function flow(options: Partial<CodeFlowOptions> = {}): CodeFlow {
  return codeFlow({
    issuer,
    clientId: 'inspector',
    clientSecret: '',
    scope: 'openid groups',
    metadata: async () => metadata,
    verifyAccessToken: oidcVerifier({ issuer, audience, clock, fetch }),
    clock,
    fetch,
    ...options,
  })
}

test('a browser is led to the provider with the challenge of the verifier and never with the verifier (INSPECTOR-2)', async () => {
  const url = new URL(await flow().authorizationUrl(attempt))
  expect(`${url.origin}${url.pathname}`).toBe(`${issuer}/authorize`)
  expect(Object.fromEntries(url.searchParams)).toEqual({
    tenant: '1',
    response_type: 'code',
    client_id: 'inspector',
    redirect_uri: attempt.redirectUri,
    scope: 'openid groups',
    state: attempt.state,
    nonce: attempt.nonce,
    code_challenge: createHash('sha256').update(attempt.verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
})

test('a public client proves itself by the verifier, one with a secret by that too', async () => {
  await flow().redeem('the code', attempt)
  expect(asked?.headers.get('authorization')).toBeNull()
  const form = {
    grant_type: 'authorization_code',
    code: 'the code',
    redirect_uri: attempt.redirectUri,
    code_verifier: attempt.verifier,
  }
  expect(Object.fromEntries(asked!.form)).toEqual({ ...form, client_id: 'inspector' })

  await flow({ clientSecret: 'a:b' }).redeem('the code', attempt)
  expect(asked?.headers.get('authorization')).toBe(`Basic ${Buffer.from('inspector:a%3Ab').toString('base64')}`)
  expect(Object.fromEntries(asked!.form)).toEqual(form)

  const posted = { ...metadata, token_endpoint_auth_methods_supported: ['client_secret_post'] }
  await flow({ clientSecret: 'a:b', metadata: async () => posted }).redeem('the code', attempt)
  expect(asked?.headers.get('authorization')).toBeNull()
  expect(Object.fromEntries(asked!.form)).toEqual({ ...form, client_id: 'inspector', client_secret: 'a:b' })
})

test('who signed in is what the id token has, or an access token for this server', async () => {
  const of = async (access: string | undefined): Promise<unknown> => {
    answer = async () => Response.json({ id_token: await token({ groups: ['id'] }), access_token: access })
    return (await flow().redeem('c', attempt)).claims['groups']
  }
  expect(await of(undefined)).toEqual(['id'])
  expect(await of('opaque')).toEqual(['id'])
  expect(await of(await token({ groups: ['access'], aud: audience }))).toEqual(['access'])
  expect(await of(await token({ groups: ['access'], aud: 'urn:other' }))).toEqual(['id'])
  expect(await of(await token({ groups: ['access'], aud: audience, sub: 'eve' }))).toEqual(['id'])
  expect(await of(await token({ groups: ['access'], aud: audience }, stranger))).toEqual(['id'])
})

test('an access token for this server without a role is no reason to ask the id token', async () => {
  answer = async () =>
    Response.json({ id_token: await token({ groups: ['id'] }), access_token: await token({ aud: audience }) })
  expect((await flow().redeem('c', attempt)).claims['groups']).toBeUndefined()
})

test.each<[string, JWTPayload]>([
  ['of another sign-in', { nonce: 'other' }],
  ['without a nonce', { nonce: undefined }],
  ['with a nonce that is no text', { nonce: [attempt.nonce] }],
  ['for another client', { aud: 'other' }],
  ['for this server’s API', { aud: audience }],
  ['for several clients, and nobody says which asked', { aud: ['inspector', 'other'] }],
  ['for several clients, and another asked', { aud: ['inspector', 'other'], azp: 'other' }],
  ['of another issuer', { iss: 'https://evil.example' }],
  ['that is over', { exp: Math.floor(clock.now() / 1000) - 61 }],
  ['without an end', { exp: undefined }],
  ['of nobody', { sub: undefined }],
])('an id token %s signs nobody in', async (_, changes) => {
  answer = async () => Response.json({ id_token: await token(changes) })
  await expect(flow().redeem('c', attempt)).rejects.toMatchObject({ code: 'unauthenticated' })
})

test('an id token that the provider did not sign signs nobody in', async () => {
  const unsigned = `${(await token()).split('.').slice(0, 2).join('.')}.`
  for (const id_token of [await token({}, stranger), unsigned, 'opaque', '']) {
    answer = async () => Response.json({ id_token })
    await expect(flow().redeem('c', attempt)).rejects.toMatchObject({ code: 'unauthenticated' })
  }
})

test.each<[string, () => Promise<Response>, string]>([
  ['refuses the code', async () => Response.json({ error: 'invalid_grant' }, { status: 400 }), 'unauthenticated'],
  ['says it in HTML', async () => Response.json({ error: '<b>' }, { status: 400 }), 'unauthenticated'],
  ['gives no id token', async () => Response.json({ access_token: 'a' }), 'unauthenticated'],
  ['fails', async () => Response.json({ error: 'server_error' }, { status: 500 }), 'identity-unavailable'],
  ['answers no JSON', async () => new Response('<html>'), 'identity-unavailable'],
  ['is down', async () => Promise.reject(new TypeError('fetch failed')), 'identity-unavailable'],
])('a provider that %s', async (_, answered, code) => {
  answer = answered
  const refused = flow().redeem('c', attempt)
  await expect(refused).rejects.toMatchObject({ code })
  await expect(refused).rejects.not.toThrow('<')
})

test('who signs out is led to the provider with the client and one address, and with no token', async () => {
  const returnTo = attempt.redirectUri
  const of = (known: object): Promise<string | undefined> =>
    flow({ clientSecret: 'secret', metadata: async () => ({ ...metadata, ...known }) }).signOutUrl(returnTo)
  const url = new URL((await of({ end_session_endpoint: `${issuer}/logout?tenant=1` })) ?? '')
  expect(`${url.origin}${url.pathname}`).toBe(`${issuer}/logout`)
  expect(Object.fromEntries(url.searchParams)).toEqual({
    tenant: '1',
    client_id: 'inspector',
    post_logout_redirect_uri: returnTo,
  })
  for (const nothing of [undefined, null, '', 'no address', 'javascript:alert(1)', 'https:', 7])
    expect(await of({ end_session_endpoint: nothing })).toBeUndefined()
  expect(await flow({ metadata: () => Promise.reject(new Error('down')) }).signOutUrl(returnTo)).toBeUndefined()
})

test('a provider that hangs is given up', async () => {
  answer = () => new Promise(() => undefined)
  const refused = expect(flow().redeem('c', attempt)).rejects.toMatchObject({ code: 'identity-unavailable' })
  await new Promise((resolve) => void setImmediate(resolve))
  clock.advance(10_000)
  await refused
})

test('a provider whose configuration cannot be had, or that has no browsers', async () => {
  const down = flow({ metadata: () => Promise.reject(new Error('down')) })
  await expect(down.authorizationUrl(attempt)).rejects.toMatchObject({ code: 'identity-unavailable' })
  await expect(down.redeem('c', attempt)).rejects.toMatchObject({ code: 'identity-unavailable' })
  const { authorization_endpoint: _, ...without } = metadata
  const blind = flow({ metadata: async () => without })
  await expect(blind.authorizationUrl(attempt)).rejects.toMatchObject({ code: 'identity-unavailable' })
})
