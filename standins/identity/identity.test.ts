import { mkdtempSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { oidcVerifier } from '../../http/auth/oidc.ts'
import { clientCredentials, type TokenSource } from '../../http/token-source.ts'
import { testClock } from '../../http/testing/fixture.ts'
import { startIdentity, type Identity, type IdentityOptions } from './identity.ts'

const operator = 'urn:statewright:operator'
const memory = 'urn:statewright:memory'
const clients = [{ clientId: 'wrapper', secret: 'a:secret/with=signs', audiences: [operator] }]

async function withIdentity(
  use: (identity: Identity) => Promise<void>,
  options: Partial<IdentityOptions> = {},
): Promise<void> {
  const identity = await startIdentity({ clients, ...options })
  try {
    await use(identity)
  } finally {
    await identity.close()
  }
}

function source(identity: Identity, audience = operator, secret = clients[0]!.secret): TokenSource {
  const clock = testClock(Date.now())
  return clientCredentials({ tokenUrl: identity.tokenUrl, clientId: 'wrapper', secret, audience, clock, fetch })
}

function verifier(identity: Identity, audience = operator): (token: string) => Promise<{ subject: string }> {
  return oidcVerifier({ issuer: identity.issuer, audience, clock: testClock(Date.now()), fetch, types: ['at+jwt'] })
}

test('a token for an audience that the client may reach verifies there, keys found by discovery', async () => {
  await withIdentity(async (identity) => {
    expect(await verifier(identity)(await source(identity).token())).toMatchObject({
      subject: 'wrapper',
      issuer: identity.issuer,
    })
  })
})

test('a token for one audience is refused by a server of another', async () => {
  await withIdentity(async (identity) => {
    const token = await source(identity).token()
    await expect(verifier(identity, memory)(token)).rejects.toMatchObject({ code: 'unauthenticated' })
  })
})

test('a client gets no token for an audience that is not its own, nor with a wrong secret', async () => {
  await withIdentity(async (identity) => {
    await expect(source(identity, memory).token()).rejects.toThrow('answered 400')
    await expect(source(identity, operator, 'guess').token()).rejects.toThrow('answered 401')
  })
})

test('with a key file, kept from other users, tokens of before a restart still verify', async () => {
  const keyFile = join(mkdtempSync(join(tmpdir(), 'identity-')), 'key.json')
  const before = await startIdentity({ clients, keyFile })
  const token = await source(before).token()
  await before.close()
  expect(statSync(keyFile).mode & 0o777).toBe(0o600)
  const port = Number(new URL(before.issuer).port)
  await withIdentity(
    async (identity) => expect(await verifier(identity)(token)).toMatchObject({ subject: 'wrapper' }),
    { keyFile, port },
  )
})

test('others know it by the host that it is given, and it listens where it is told', async () => {
  const address = '127.0.0.2'
  await withIdentity(
    async (identity) => {
      const url = new URL(identity.issuer)
      expect(url.hostname).toBe(address)
      const configuration = await fetch(new URL('/.well-known/openid-configuration', url))
      expect(await configuration.json()).toMatchObject({ issuer: identity.issuer, token_endpoint: identity.tokenUrl })
      await expect(fetch(`http://127.0.0.1:${url.port}/jwks`)).rejects.toThrow('fetch failed')
    },
    { listen: address, host: address },
  )
})
