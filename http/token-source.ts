import { Type } from 'typebox'
import { fetchJson } from './fetch-json.ts'
import type { Clock, Fetch } from './ports.ts'

interface ClientCredentials {
  /** A function where it is found out when it is first needed. */
  readonly tokenUrl: string | (() => Promise<string>)
  readonly clientId: string
  readonly secret: string
  readonly audience: string
  readonly clock: Clock
  readonly fetch: Fetch
  readonly scope?: string
}

/** Gives a bearer token that is good for a while yet. Rejects when the provider gives none. */
export interface TokenSource {
  token(): Promise<string>
  /** After a 401: the next call asks the provider again. */
  forget(): void
}

interface Held {
  readonly token: string
  readonly renewAt: number
}

const TokenAnswer = Type.Object({
  access_token: Type.String({ minLength: 1 }),
  expires_in: Type.Optional(Type.Number({ minimum: 0 })),
})

/** A provider that doesn't say how long a token lives (RFC 6749 only recommends it). */
const ASSUMED_LIFE_SECONDS = 60
/** Renewed after this part of its life, so that a request under way doesn't outlive its token. */
const USED_LIFE = 0.8

/** The OAuth 2.0 client credentials grant, with the audience as RFC 8707 `resource` and as `audience`, which others want. */
export function clientCredentials(options: ClientCredentials): TokenSource {
  let held: Held | undefined
  let asking: Promise<Held> | undefined

  async function renew(): Promise<Held> {
    asking ??= ask(options).finally(() => {
      asking = undefined
    })
    return asking
  }

  return {
    token: async () => {
      if (held === undefined || options.clock.now() >= held.renewAt) held = await renew()
      return held.token
    },
    forget: () => {
      held = undefined
    },
  }
}

async function ask({ tokenUrl, clientId, secret, audience, scope, clock, fetch }: ClientCredentials): Promise<Held> {
  const form = new URLSearchParams({ grant_type: 'client_credentials', resource: audience, audience })
  if (scope !== undefined) form.set('scope', scope)
  const authorization = `Basic ${Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(secret)}`).toString('base64')}`
  const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' }
  const askedAt = clock.now()
  const init = { method: 'POST', headers, body: form.toString() }
  const url = typeof tokenUrl === 'string' ? tokenUrl : await tokenUrl()
  const answer = await fetchJson({ url, init, schema: TokenAnswer, clock, fetch })
  const { access_token, expires_in = ASSUMED_LIFE_SECONDS } = answer
  return { token: access_token, renewAt: askedAt + expires_in * 1000 * USED_LIFE }
}
