/**
 * Sign-ins that a browser began and has not ended. The browser keeps a signed id; state, nonce and verifier are computed from
 * it, so that any replica ends what another began, and visitors fill no memory. Each is taken once: where another replica
 * took it, the provider refuses the code, and the browser has lost its cookie.
 */
import type { SignInAttempt } from '../../../http/auth/code-flow.ts'
import { constantTimeEqual, signHmac, verifyHmac } from '../../../http/auth/hmac.ts'
import type { Clock, Ids } from '../../../http/ports.ts'
import { Expiring } from './expiring.ts'

/** In which a person types a password and finds the second factor. */
export const ATTEMPT_LIFETIME_MS = 10 * 60_000

export interface Attempts {
  /** `text` is for the browser alone. */
  begin(): { readonly text: string; readonly attempt: Attempt }
  /** The attempt of that text, where `state` is its own, it is not too old, and nobody took it before. */
  take(text: string, state: string): Attempt | undefined
}

export type Attempt = Omit<SignInAttempt, 'redirectUri'>

interface AttemptsOptions {
  readonly clock: Pick<Clock, 'now'>
  readonly ids: Ids
  /** Of sessions. */
  readonly key: string
}

export function createAttempts({ clock, ids, key }: AttemptsOptions): Attempts {
  const taken = new Expiring(clock, ATTEMPT_LIFETIME_MS)
  /** 64 hexadecimal digits. */
  const derived = (what: string, id: string): string => signHmac(key, `${what} ${id}`).slice('sha256='.length)
  const attemptOf = (id: string): Attempt => ({
    state: derived('state', id),
    nonce: derived('nonce', id),
    verifier: derived('verifier', id),
  })
  return {
    begin() {
      const id = `${ids.next()}${ids.next()}`
      const content = `${id}:${clock.now() + ATTEMPT_LIFETIME_MS}`
      return { text: `${content}:${signHmac(key, `attempt ${content}`)}`, attempt: attemptOf(id) }
    },
    take(text, state) {
      const [id = '', endsAt = '', signature] = text.split(':')
      if (!verifyHmac(key, `attempt ${id}:${endsAt}`, signature) || Number(endsAt) <= clock.now()) return undefined
      const attempt = attemptOf(id)
      if (!constantTimeEqual(attempt.state, state) || taken.has(id)) return undefined
      taken.add(id)
      return attempt
    },
  }
}
