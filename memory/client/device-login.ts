/** Device authorization (RFC 8628): the person signs in in a browser anywhere, this program waits for it. */
import { Type } from 'typebox'
import { fetchJson } from '../../http/fetch-json.ts'
import type { Clock, Fetch } from '../../http/ports.ts'
import { askForToken, type Granted } from './token-answer.ts'

const DeviceAnswer = Type.Object({
  device_code: Type.String({ minLength: 1 }),
  user_code: Type.String({ minLength: 1 }),
  verification_uri: Type.String({ pattern: '^https?://' }),
  verification_uri_complete: Type.Optional(Type.String({ pattern: '^https?://' })),
  expires_in: Type.Number({ exclusiveMinimum: 0 }),
  interval: Type.Optional(Type.Number({ minimum: 0 })),
})

export interface DeviceLogin {
  readonly deviceUrl: string
  readonly tokenUrl: string
  readonly clientId: string
  readonly audience: string
  readonly clock: Clock
  readonly fetch: Fetch
  readonly wait: (ms: number) => Promise<void>
  /** Shows where to go and what to type there. */
  readonly show: (address: string, userCode: string, complete?: string) => void
}

const grantType = 'urn:ietf:params:oauth:grant-type:device_code'
/** RFC 8628 3.2 and 3.5: what holds when none is said, and by how much each `slow_down` makes it longer. */
const defaultIntervalSeconds = 5
const slowDownSeconds = 5

export async function deviceLogin(login: DeviceLogin): Promise<Granted> {
  const { deviceUrl, tokenUrl, clientId, audience, clock, fetch } = login
  const scope = 'openid offline_access'
  const form = new URLSearchParams({ client_id: clientId, scope, resource: audience, audience })
  const askedAt = clock.now()
  const device = await fetchJson({
    url: deviceUrl,
    init: { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: form.toString() },
    schema: DeviceAnswer,
    clock,
    fetch,
  })
  login.show(device.verification_uri, device.user_code, device.verification_uri_complete)
  let interval = (device.interval ?? defaultIntervalSeconds) * 1000
  while (clock.now() < askedAt + device.expires_in * 1000) {
    await login.wait(interval)
    const answer = await poll()
    if (answer === 'slower') interval += slowDownSeconds * 1000
    else if (answer === 'unreachable') interval *= 2
    else if (answer !== 'pending') return answer
  }
  throw new Error('nobody confirmed the code in time: call statewright login again')

  async function poll(): Promise<Granted | 'pending' | 'slower' | 'unreachable'> {
    const request = { grant_type: grantType, device_code: device.device_code, client_id: clientId, resource: audience }
    let answer
    try {
      answer = await askForToken(tokenUrl, request, { fetch, clock })
    } catch {
      // RFC 8628 3.5: a connection that fails is no answer; ask less often.
      return 'unreachable'
    }
    if ('granted' in answer) return answer.granted
    if (answer.refused === 'authorization_pending') return 'pending'
    if (answer.refused === 'slow_down') return 'slower'
    if (answer.refused === 'access_denied') throw new Error('the sign-in was refused')
    if (answer.refused === 'expired_token') throw new Error('the code has expired: call statewright login again')
    throw new Error(`the identity provider refused: ${answer.why}`)
  }
}
