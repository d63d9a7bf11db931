/** A provider that is only its answers: who signs in stands in the code, `<subject> <role>...`. */
import { unauthenticated, type Principal } from '../../../http/auth/authenticate.ts'
import type { CodeFlow, SignInAttempt } from '../../../http/auth/code-flow.ts'
import { Problem } from '../../../http/problems/problem.ts'

export interface ScriptedFlow extends CodeFlow {
  readonly redeemed: readonly string[]
  mode: 'up' | 'down' | 'withoutSignOut'
}

export const signOutUrl = 'https://id.example/logout'
export const providerUrl = 'https://id.example/authorize'

export function scriptedFlow(): ScriptedFlow {
  const redeemed: string[] = []
  const down = (): never => {
    throw new Problem('identity-unavailable', '', { cause: new Error('connection refused') })
  }
  const flow: ScriptedFlow = {
    issuer: 'https://id.example',
    mode: 'up',
    redeemed,
    async authorizationUrl({ state, redirectUri }: SignInAttempt) {
      if (flow.mode === 'down') return down()
      return `${providerUrl}?${new URLSearchParams({ state, redirect_uri: redirectUri })}`
    },
    async redeem(code: string): Promise<Principal> {
      if (flow.mode === 'down') return down()
      redeemed.push(code)
      const [subject = '', ...roles] = code.split(' ')
      if (subject === 'nobody') throw unauthenticated('the identity provider refused the code: invalid_grant', true)
      return { subject, issuer: flow.issuer, claims: { roles, login: subject } }
    },
    async signOutUrl(returnTo: string) {
      return flow.mode === 'up'
        ? `${signOutUrl}?${new URLSearchParams({ post_logout_redirect_uri: returnTo })}`
        : undefined
    },
  }
  return flow
}
