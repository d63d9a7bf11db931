/** Tokens of pods without keys: a real signature takes a thread, and its time is nobody's seed. */
import type { PodClaims, PodTokens } from '../../edges/agents/pod-tokens.ts'
import { unauthenticated } from '../../http/auth/authenticate.ts'
import type { Clock } from '../../http/ports.ts'

interface Payload {
  readonly iss: string
  readonly until: number
  readonly claims: PodClaims
}

export function podTokens(clock: Clock): PodTokens {
  return {
    mint: async (claims, seconds) => tokenOf(claims, clock.now() + seconds * 1000),
    verify: async (token) => {
      const payload = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Payload
      if (clock.now() > payload.until) throw unauthenticated('the token has expired', true)
      return payload.claims
    },
  }
}

export function tokenOf(claims: PodClaims, until: number): string {
  const payload: Payload = { iss: 'statewright-orchestrator', until, claims }
  return `simulated.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.token`
}
