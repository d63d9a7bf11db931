/** Who may look (INSPECTOR-RULE-2): a session's cookie or a bearer token, under a name of ours, from a page of ours. */
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { unauthenticated, type Authenticate } from '../../http/auth/authenticate.ts'
import { rightsWith } from '../../http/auth/roles.ts'
import { Problem } from '../../http/problem.ts'
import type { InspectorDeps } from './deps.ts'

const cookieName = 'statewright_inspector'
const loopback = ['127.0.0.1', 'localhost', '[::1]']

/** Refuses names that are not ours (DNS rebinding) and pages that are not ours (cross-site requests). */
export function checkOrigin(headers: IncomingHttpHeaders, hosts: readonly string[] = []): void {
  const host = headers.host ?? ''
  if (![...loopback, ...hosts].includes(nameOf(host)))
    throw new Problem('forbidden', 'the inspector does not answer under this host name')
  const { origin } = headers
  if (origin !== undefined && hostOf(origin) !== host)
    throw new Problem('forbidden', 'the inspector answers only its own pages')
}

export function authenticateViewer(deps: InspectorDeps): Authenticate {
  return async (request) => {
    checkOrigin(request.headers, deps.hosts)
    if (request.headers.authorization !== undefined) return deps.authenticate(request)
    if (!hasSession(request.headers, deps))
      throw unauthenticated('open the link that `statewright inspector` prints, or send a bearer token', false)
    return { subject: 'inspector', issuer: 'ticket', claims: {}, rights: rightsWith(['viewer']) }
  }
}

/** A socket carries cookies from any page, so with one it has to name its page; programs bring a bearer token. */
export async function authenticateSocket(request: FastifyRequest, deps: InspectorDeps): Promise<void> {
  const { authorization, origin } = request.headers
  if (authorization === undefined && origin === undefined)
    throw new Problem('forbidden', 'the request has no Origin header')
  deps.allowFeed(await authenticateViewer(deps)(request))
}

export function hasSession(headers: IncomingHttpHeaders, { tickets }: Pick<InspectorDeps, 'tickets'>): boolean {
  const cookies = (headers.cookie ?? '').split(';').map((pair) => pair.trim())
  const session = cookies.find((pair) => pair.startsWith(`${cookieName}=`))?.slice(cookieName.length + 1)
  return session !== undefined && tickets.isSession(session)
}

export function sessionCookie(session: string, isSecure: boolean): string {
  return `${cookieName}=${session}; Path=/inspector; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
}

function nameOf(host: string): string {
  return host.replace(/:\d+$/, '').toLowerCase()
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined
}
