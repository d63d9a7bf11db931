/**
 * The authorization code flow with PKCE (OpenID Connect Core 1.0 section 3.1, RFC 7636): by it this server learns from the
 * identity provider which person a browser is. Cookies and pages are the caller's.
 */
import { createHash } from 'node:crypto'
import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import { withDeadline } from '../deadline.ts'
import type { Clock, Fetch } from '../ports.ts'
import { Problem } from '../problems/problem.ts'
import { unauthenticated, type Principal, type VerifyToken } from './authenticate.ts'
import type { AsymmetricAlgorithm } from './claims.ts'
import type { IssuerMetadata } from './discovery.ts'
import { constantTimeEqual } from './hmac.ts'
import { oidcVerifier } from './oidc.ts'

export interface CodeFlowOptions {
  readonly issuer: string
  readonly clientId: string
  /** Empty: the client is public. */
  readonly clientSecret: string
  /** With `openid`, and spaces between. */
  readonly scope: string
  readonly algorithms?: readonly AsymmetricAlgorithm[]
  /** Rejects while the provider does not answer. */
  readonly metadata: () => Promise<IssuerMetadata>
  /** Takes access tokens of this server's own audience. */
  readonly verifyAccessToken: VerifyToken
  readonly clock: Clock
  readonly fetch: Fetch
}

/** One sign-in. Whoever began it alone knows `verifier`; all but `redirectUri` are of at least 43 letters and digits. */
export interface SignInAttempt {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  readonly redirectUri: string
}

export interface CodeFlow {
  readonly issuer: string
  /** Where the browser goes. @throws Problem `identity-unavailable` */
  authorizationUrl(attempt: SignInAttempt): Promise<string>
  /**
   * Who signed in: by the access token where it is one for this server, so that a person may here what the same token allows
   * elsewhere, else by the id token. @throws Problem `unauthenticated` or `identity-unavailable`
   */
  redeem(code: string, attempt: SignInAttempt): Promise<Principal>
  /**
   * Where the browser goes to end its session at the provider, which leads it back to `returnTo`, a registered address (OpenID
   * Connect RP-Initiated Logout 1.0, section 2). Nothing, where the provider has no such place or does not answer.
   */
  signOutUrl(returnTo: string): Promise<string | undefined>
}

export function codeFlow(options: CodeFlowOptions): CodeFlow {
  const { issuer, clientId, scope, algorithms, clock, fetch } = options
  const given = algorithms === undefined ? {} : { algorithms }
  const verifyIdToken = oidcVerifier({ issuer, audience: clientId, clock, fetch, ...given })
  const metadata = (): Promise<IssuerMetadata> => options.metadata().catch(unavailable)
  return {
    issuer,
    async authorizationUrl({ state, nonce, verifier, redirectUri }) {
      const { authorization_endpoint: endpoint } = await metadata()
      if (endpoint === undefined) return unavailable(new Error('the provider names no authorization endpoint'))
      const url = new URL(endpoint)
      const query = {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        scope,
        state,
        nonce,
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
      }
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
      return url.href
    },
    async redeem(code, attempt) {
      const { id_token, access_token } = await exchange(options, await metadata(), code, attempt)
      const person = await verifyIdToken(id_token)
      checkIdToken(person, clientId, attempt.nonce)
      return (await ofAccessToken(access_token, person, options)) ?? person
    },
    async signOutUrl(returnTo) {
      const known = await options.metadata().catch(() => undefined)
      const endpoint = known?.end_session_endpoint
      if (typeof endpoint !== 'string' || !/^https?:/.test(endpoint) || !URL.canParse(endpoint)) return undefined
      const url = new URL(endpoint)
      // No `id_token_hint`: it would hand a token to the browser, and where one client serves both, a token for our API.
      url.searchParams.set('client_id', clientId)
      url.searchParams.set('post_logout_redirect_uri', returnTo)
      return url.href
    },
  }
}

function unavailable(cause: unknown): never {
  throw new Problem('identity-unavailable', '', { headers: { 'retry-after': '2' }, cause })
}

const Tokens = Type.Object({
  id_token: Type.String({ minLength: 1 }),
  access_token: Type.Optional(Type.String({ minLength: 1 })),
})
/** RFC 6749 section 5.2. */
const Refused = Type.Object({ error: Type.String({ pattern: '^[a-z_]{1,64}$' }) })
/** A person waits for it, so it may take longer than the keys of a token. */
const exchangeMs = 10_000

async function exchange(
  { clientId, clientSecret, clock, fetch }: CodeFlowOptions,
  { token_endpoint: url, token_endpoint_auth_methods_supported: methods = [] }: IssuerMetadata,
  code: string,
  { verifier, redirectUri }: SignInAttempt,
): Promise<Static<typeof Tokens>> {
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  })
  const headers = new Headers({ accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' })
  // Basic is what every provider with client secrets takes unless it says otherwise (RFC 6749 section 2.3.1).
  const isBasic = methods.length === 0 || methods.includes('client_secret_basic')
  if (clientSecret === '' || !isBasic) form.set('client_id', clientId)
  if (clientSecret !== '' && !isBasic) form.set('client_secret', clientSecret)
  if (clientSecret !== '' && isBasic) headers.set('authorization', basic(clientId, clientSecret))
  const [status, answer] = await withDeadline(clock, exchangeMs, async (signal) => {
    const got = await fetch(url, { method: 'POST', headers, body: form.toString(), redirect: 'error', signal })
    return [got.status, (await got.json()) as unknown] as const
  }).catch(unavailable)
  if (status === 200 && Value.Check(Tokens, answer)) return answer
  if (status >= 500) return unavailable(new Error(`the token endpoint answered ${status}`))
  const why = Value.Check(Refused, answer) ? answer.error : `its answer with status ${status} has no id token`
  throw unauthenticated(`the identity provider refused the code: ${why}`, true)
}

function basic(clientId: string, secret: string): string {
  return `Basic ${Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(secret)}`).toString('base64')}`
}

/** What is left of section 3.1.3.7 once signature, issuer, audience and times hold. */
function checkIdToken({ claims }: Principal, clientId: string, nonce: string): void {
  if (typeof claims['nonce'] !== 'string' || !constantTimeEqual(claims['nonce'], nonce))
    throw unauthenticated('the id token is not of this sign-in: its nonce is another', true)
  const [audiences, party] = [[claims['aud']].flat(), claims['azp']]
  if (party === undefined ? audiences.length > 1 : party !== clientId)
    throw unauthenticated('the id token was given to another client', true)
}

async function ofAccessToken(
  token: string | undefined,
  person: Principal,
  { verifyAccessToken }: CodeFlowOptions,
): Promise<Principal | undefined> {
  if (token === undefined) return undefined
  try {
    const principal = await verifyAccessToken(token)
    return principal.subject === person.subject ? principal : undefined
  } catch (error) {
    // Not a JWT, or one for another server: that is the provider's way, and no failure.
    if (error instanceof Problem && error.code === 'unauthenticated') return undefined
    throw error
  }
}
