import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Problem } from '../problems/problem.ts'
import type { Rights } from './roles.ts'

/** Who calls, as proven by a token that was verified. */
export interface Principal {
  readonly subject: string
  readonly issuer: string
  readonly claims: Readonly<Record<string, unknown>>
  /** What it may do, where whoever proved it knows; absent: as its claims say. */
  readonly rights?: Rights
}

/** Proves who calls, or throws a `Problem` (401, 403, 503). Runs before the body is read. */
export type Authenticate = (request: FastifyRequest) => Promise<Principal>

/** The same by the headers alone, which a socket has too. */
export type AuthenticateByHeaders = (request: { readonly headers: IncomingHttpHeaders }) => Promise<Principal>

/** Verifies one bearer token, or throws a `Problem`. */
export type VerifyToken = (token: string) => Promise<Principal>

/** RFC 6750: the scheme alone when nothing was sent, `invalid_token` when what was sent is no good. */
export function unauthenticated(detail: string, sent: boolean, cause?: unknown): Problem {
  const challenge = sent ? 'Bearer error="invalid_token"' : 'Bearer'
  return new Problem('unauthenticated', detail, { headers: { 'www-authenticate': challenge }, cause })
}

/** Takes `Authorization: Bearer <token>` and nothing else: no query parameter, no cookie. */
export function bearer(verify: VerifyToken): AuthenticateByHeaders {
  return async (request) => {
    const token = /^bearer +([A-Za-z0-9._~+/=-]+)$/i.exec(request.headers.authorization ?? '')?.[1]
    if (token === undefined) throw unauthenticated('an Authorization header with a bearer token is required', false)
    return verify(token)
  }
}

/** Every route that is added to this scope from now on proves its caller in this way, and the OpenAPI document says so. */
export function protect(scope: Pick<FastifyInstance, 'addHook'>, authenticate: Authenticate): void {
  scope.addHook('onRoute', (route) => {
    route.config = { auth: authenticate, ...route.config }
  })
}

/** What a server runs before the routes that have to prove their caller. */
export function guard(authenticate: Authenticate): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    request.principal = await authenticate(request)
  }
}

/** The proven caller of a route that requires one. */
export function principalOf(request: FastifyRequest): Principal {
  if (request.principal === undefined) throw unauthenticated('a bearer token is required', false)
  return request.principal
}
