/** The token of a login, renewed when its time comes; what the renewal gives is kept at once, because the old one is used up. */
import type { Clock, Fetch } from '../../http/ports.ts'
import type { TokenSource } from '../../http/token-source.ts'
import { askForToken, expiryOf } from './token-answer.ts'
import type { SavedLogin, TokenStore } from './token-store.ts'

export interface SavedTokens {
  readonly store: TokenStore
  readonly url: string
  /** The command by which a person signs in there again. */
  readonly loginCommand: string
  readonly clock: Clock
  readonly fetch: Fetch
}

/** A request that is sent with it has this long to arrive. */
const marginMs = 20_000

/** Undefined: nobody signed in there. */
export function savedTokens({ store, url, loginCommand, clock, fetch }: SavedTokens): TokenSource | undefined {
  if (store.read(url) === undefined) return undefined
  let refused = false

  async function token(): Promise<string> {
    // Read again each time: another call of the program may have renewed it.
    const login = store.read(url)
    if (login === undefined) throw signInAgain()
    if (!refused && clock.now() < login.expiresAt - marginMs) return login.accessToken
    refused = false
    return renew(login)
  }

  async function renew(login: SavedLogin): Promise<string> {
    const { refreshToken, clientId, audience, tokenUrl } = login
    if (refreshToken === undefined) throw signInAgain()
    const askedAt = clock.now()
    const form = { grant_type: 'refresh_token', refresh_token: refreshToken, client_id: clientId, resource: audience }
    const answer = await askForToken(tokenUrl, form, { fetch, clock })
    if ('refused' in answer) {
      // Renewed by another call in between: its result is as good.
      const other = store.read(url)
      if (other !== undefined && other.accessToken !== login.accessToken) return other.accessToken
      throw signInAgain()
    }
    const { access_token: accessToken, refresh_token: next = refreshToken } = answer.granted
    store.write(url, { ...login, accessToken, expiresAt: expiryOf(answer.granted, askedAt), refreshToken: next })
    return accessToken
  }

  function signInAgain(): Error {
    return new Error(`the sign-in at ${url} has expired: run ${loginCommand}`)
  }

  return {
    token,
    forget: () => {
      refused = true
    },
  }
}
