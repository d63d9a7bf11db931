/** Who may look (INSPECTOR-RULE-2): a session's cookie or a bearer token, under a name of ours, from a page of ours. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { unauthenticated, type AuthenticateByHeaders, type Principal } from '../../../http/auth/authenticate.ts'
import { rightsWith } from '../../../http/auth/roles.ts'
import { Problem } from '../../../http/problems/problem.ts'
import type { InspectorDeps } from '../deps.ts'
import type { Session } from './sessions.ts'

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

export function authenticateViewer(deps: InspectorDeps): AuthenticateByHeaders {
  return async (request) => {
    checkOrigin(request.headers, deps.hosts)
    if (request.headers.authorization !== undefined) return deps.authenticate(request)
    const session = sessionOf(request.headers, deps)
    if (session === undefined) {
      const orSignIn = deps.signIn === undefined ? '' : 'sign in at /inspector, '
      throw unauthenticated(
        `${orSignIn}open the link that \`statewright inspector\` prints, or send a bearer token`,
        false,
      )
    }
    const { subject, issuer } = session
    return { subject, issuer, claims: {}, rights: rightsWith(['viewer']) }
  }
}

/** A socket carries cookies from any page, so with one it has to name its page; programs bring a bearer token. */
export async function authenticateSocket(request: IncomingMessage, deps: InspectorDeps): Promise<Principal> {
  const { authorization, origin } = request.headers
  if (authorization === undefined && origin === undefined)
    throw new Problem('forbidden', 'the request has no Origin header')
  const principal = await authenticateViewer(deps)(request)
  deps.allowFeed(principal)
  return principal
}

export function sessionOf(
  headers: IncomingHttpHeaders,
  { sessions }: Pick<InspectorDeps, 'sessions'>,
): Session | undefined {
  const text = cookieOf(headers, cookieName(headers))
  return text === undefined ? undefined : sessions.read(text)
}

export function cookieOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const cookies = (headers.cookie ?? '').split(';').map((pair) => pair.trim())
  return cookies.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1)
}

export function sessionCookie(session: string, headers: IncomingHttpHeaders, isSecure = false): string {
  return `${cookieName(headers)}=${session}; Path=/inspector; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
}

export function endedCookie(headers: IncomingHttpHeaders): string {
  return `${cookieName(headers)}=; Path=/inspector; Max-Age=0; HttpOnly; SameSite=Strict`
}

/** A browser keeps cookies by host and name, whatever the port: by a name of its own each server of a machine leaves the others' sessions. */
function cookieName({ host = '' }: IncomingHttpHeaders): string {
  return ['statewright_inspector', ...(/(?<=:)\d+$/.exec(host) ?? [])].join('_')
}

function nameOf(host: string): string {
  return host.replace(/:\d+$/, '').toLowerCase()
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined
}
