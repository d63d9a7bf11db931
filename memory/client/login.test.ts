import { mkdtempSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { oidcVerifier } from '../../http/auth/oidc.ts'
import { testClock } from '../../http/testing/fixture.ts'
import { systemClock } from '../../runtime/clock.ts'
import { startIdentity } from '../../standins/identity/identity.ts'
import { confirm } from '../../standins/identity/testing/browser.ts'
import { deviceLogin } from './device-login.ts'
import { discover } from './discovery.ts'
import { savedTokens } from './saved-tokens.ts'
import { expiryOf } from './token-answer.ts'
import { tokenStore } from './token-store.ts'

const audience = 'urn:statewright:memory'
const service = 'http://memory.test'
const loginCommand = `statewright login --url ${service}`
const signInCode = 'printed on the terminal of its operator'

function freshStore() {
  return tokenStore(join(mkdtempSync(join(tmpdir(), 'login-')), 'statewright', 'credentials.json'))
}

test('a person signs in by device at a real provider; the token is believed, kept for its owner alone, and renewed (KNOWLEDGE-13, MEMORY-AUTH-16, MEMORY-AUTH-17)', async () => {
  const identity = await startIdentity({
    clients: [],
    people: { devices: [{ clientId: 'statewright-cli', audiences: [audience] }], signInCode },
  })
  try {
    const { tokenUrl, deviceUrl } = await discover(identity.issuer, { fetch, clock: systemClock })
    let confirmed: Promise<void> | undefined
    const granted = await deviceLogin({
      deviceUrl: deviceUrl ?? '',
      tokenUrl,
      clientId: 'statewright-cli',
      audience,
      clock: systemClock,
      fetch,
      wait: async () => confirmed,
      show: (_address, _code, complete) => {
        confirmed = confirm(complete ?? '', signInCode)
      },
    })
    const verify = oidcVerifier({ issuer: identity.issuer, audience, clock: systemClock, fetch, types: ['at+jwt'] })
    expect(await verify(granted.access_token)).toMatchObject({ subject: 'ada' })

    const store = freshStore()
    const askedAt = systemClock.now()
    store.write(service, {
      issuer: identity.issuer,
      tokenUrl,
      clientId: 'statewright-cli',
      audience,
      accessToken: granted.access_token,
      expiresAt: expiryOf(granted, askedAt),
      refreshToken: granted.refresh_token ?? '',
    })
    expect(statSync(store.path).mode & 0o777).toBe(0o600)
    const tokens = savedTokens({ store, url: service, loginCommand, clock: systemClock, fetch })
    expect(await tokens?.token()).toBe(granted.access_token)
    tokens?.forget()
    const renewed = (await tokens?.token()) ?? ''
    expect(renewed).not.toBe(granted.access_token)
    expect(await verify(renewed)).toMatchObject({ subject: 'ada' })
    expect(store.read(service)?.accessToken).toBe(renewed)
  } finally {
    await identity.close()
  }
})

test.each([
  ['no code', ''],
  ['a guess', 'ada'],
  ['the code that the device shows', undefined],
])(
  'nobody on the loopback gets a token by the device flow with %s: the machine’s own code is asked for',
  async (_what, guess) => {
    const identity = await startIdentity({
      clients: [],
      people: { devices: [{ clientId: 'statewright-cli', audiences: [audience] }], signInCode },
    })
    try {
      const { tokenUrl, deviceUrl } = await discover(identity.issuer, { fetch, clock: systemClock })
      const asked = await fetch(deviceUrl ?? '', {
        method: 'POST',
        body: new URLSearchParams({ client_id: 'statewright-cli', scope: 'openid', resource: audience }),
      })
      const device = (await asked.json()) as Readonly<Record<string, string>>
      const { verification_uri_complete: page = '', user_code: shown = '' } = device
      await expect(confirm(page, guess ?? shown)).rejects.toThrow('goes in circles')
      const form = { client_id: 'statewright-cli', device_code: device['device_code'] ?? '', resource: audience }
      const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'
      const answer = await fetch(tokenUrl, { method: 'POST', body: new URLSearchParams({ ...form, grant_type }) })
      expect([answer.status, await answer.json()]).toEqual([
        400,
        expect.objectContaining({ error: 'authorization_pending' }),
      ])
    } finally {
      await identity.close()
    }
  },
)

function scripted(answers: readonly (readonly [status: number, body: unknown] | 'unreachable')[]): typeof fetch {
  const left = [...answers]
  return async () => {
    const next = left.shift()
    if (next === undefined || next === 'unreachable') throw new TypeError('fetch failed')
    return new Response(JSON.stringify(next[1]), { status: next[0] })
  }
}

const device = {
  device_code: 'd',
  user_code: 'AB-CD',
  verification_uri: 'http://id.test/device',
  expires_in: 600,
  interval: 5,
}

async function waits(answers: Parameters<typeof scripted>[0]): Promise<number[]> {
  const waited: number[] = []
  await deviceLogin({
    deviceUrl: 'http://id.test/device/auth',
    tokenUrl: 'http://id.test/token',
    clientId: 'c',
    audience,
    clock: testClock(),
    fetch: scripted([[200, device], ...answers]),
    wait: async (ms) => void waited.push(ms),
    show: () => undefined,
  })
  return waited
}

test('each slow_down makes the wait five seconds longer, for good; a lost connection doubles it (MEMORY-AUTH-16)', async () => {
  const pending = [400, { error: 'authorization_pending' }] as const
  const slower = [400, { error: 'slow_down' }] as const
  const granted = [200, { access_token: 't', expires_in: 60 }] as const
  expect(await waits([pending, slower, pending, slower, granted])).toEqual([5000, 5000, 10_000, 10_000, 15_000])
  expect(await waits(['unreachable', granted])).toEqual([5000, 10_000])
})

test('a refused or expired code ends the waiting with words', async () => {
  await expect(waits([[400, { error: 'access_denied' }]])).rejects.toThrow('refused')
  await expect(waits([[400, { error: 'expired_token' }]])).rejects.toThrow('expired')
})

test('a login whose renewal is refused asks for another sign-in; nobody signed in is told apart', async () => {
  const store = freshStore()
  expect(savedTokens({ store, url: service, loginCommand, clock: testClock(), fetch })).toBeUndefined()
  const login = {
    issuer: 'i',
    tokenUrl: 'http://id.test/token',
    clientId: 'c',
    audience,
    accessToken: 'old',
    expiresAt: 0,
  }
  store.write(service, { ...login, refreshToken: 'r' })
  const refusing = scripted([[400, { error: 'invalid_grant' }]])
  const tokens = savedTokens({ store, url: service, loginCommand, clock: testClock(1_000_000), fetch: refusing })
  await expect(tokens?.token()).rejects.toThrow('statewright login')
})
