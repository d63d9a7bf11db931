/**
 * Sign-in at the identity provider (INSPECTOR-2): `login` leads a browser there, `callback` is where it comes back, `logout`
 * takes its session and leads to where the provider ends its own. No address that a request names is ever led to.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import type { HttpApp } from '../../../http/app.ts'
import type { Principal } from '../../../http/auth/authenticate.ts'
import { claimOf } from '../../../http/auth/roles.ts'
import { Problem } from '../../../http/problems/problem.ts'
import { checkOrigin, cookieOf, endedCookie, sessionCookie, sessionOf } from '../access/access.ts'
import { ATTEMPT_LIFETIME_MS, type Attempt } from '../access/attempts.ts'
import type { InspectorDeps, SignIn } from '../deps.ts'
import { byTicket } from '../access/sessions.ts'
import { action, escaped, html, noticePage, sendPage } from './send-page.ts'
import { messageOf } from '../../../runtime/errors.ts'

export const loginPath = '/inspector/login'
const callbackPath = '/inspector/callback'

/** Providers add more than these. */
const CallbackQuery = Type.Object({
  state: Type.Optional(Type.String({ maxLength: 200 })),
  code: Type.Optional(Type.String({ maxLength: 4096 })),
  error: Type.Optional(Type.String({ maxLength: 200 })),
  iss: Type.Optional(Type.String({ maxLength: 1000 })),
})

/** @param page what a browser with a session gets; `me`: the login of whoever it is of. */
export function signInRoutes(app: HttpApp, deps: InspectorDeps, page: (me?: string) => string): void {
  const { signIn } = deps
  app.get(loginPath, { schema: { hide: true }, config: { auth: false } }, async (request, reply) => {
    checkOrigin(request.headers, deps.hosts)
    if (signIn === undefined) return sendPage(reply.code(404), html, withoutSignIn)
    const { text, attempt } = signIn.attempts.begin()
    try {
      const address = await signIn.flow.authorizationUrl({ ...attempt, redirectUri: redirectUri(signIn) })
      return reply
        .header('set-cookie', attemptCookie(attempt.state, text, deps))
        .header('cache-control', 'no-store')
        .header('referrer-policy', 'no-referrer')
        .redirect(address, 302)
    } catch (error) {
      return refuse(reply, error, deps)
    }
  })

  app.get(
    callbackPath,
    { schema: { hide: true, querystring: CallbackQuery }, config: { auth: false } },
    async (request, reply) => {
      checkOrigin(request.headers, deps.hosts)
      if (signIn === undefined) return sendPage(reply.code(404), html, withoutSignIn)
      if (isSignedOut(request.query)) return sendPage(reply, html, signedOut)
      try {
        const person = await personOf(request.query, takeAttempt(request, reply, deps), signIn)
        const me = loginIn(person, signIn)
        const session = await openSession(person, me, deps)
        // No redirect, as after a ticket: the strict cookie would not come with it. The page tidies its address.
        return await sendPage(
          reply.header('set-cookie', sessionCookie(session, request.headers, deps.secure)),
          html,
          page(me),
        )
      } catch (error) {
        return refuse(reply, error, deps)
      }
    },
  )

  app.post('/inspector/logout', { schema: { hide: true }, config: { auth: false } }, async (request, reply) => {
    checkOrigin(request.headers, deps.hosts)
    // Browsers name the page of every POST, so that another page signs nobody out.
    if (request.headers.origin === undefined) throw new Problem('forbidden', 'the request has no Origin header')
    const goTo = await providerSignOut(request, deps)
    void reply.header('set-cookie', endedCookie(request.headers)).header('cache-control', 'no-store')
    return goTo === undefined ? reply.code(204).send() : reply.send({ goTo })
  })
}

/**
 * Where the browser goes next. Nothing for a session by a link, which the provider knows nothing of. The provider leads back to
 * `callback`: it knows that address already, and takes no other.
 */
async function providerSignOut({ headers }: FastifyRequest, deps: InspectorDeps): Promise<string | undefined> {
  const { signIn } = deps
  if (signIn === undefined || sessionOf(headers, deps)?.issuer === byTicket) return undefined
  return signIn.flow.signOutUrl(redirectUri(signIn))
}

/** An answer to a sign-in has a state, and a code or an error. */
function isSignedOut({ state, code, error }: Static<typeof CallbackQuery>): boolean {
  return [state, code, error].every((member) => member === undefined)
}

/** What the page says of one sign-in; nothing of the request is in it. */
class SignInError extends Error {
  readonly status: number
  readonly paragraphs: readonly string[]

  constructor(status: number, ...paragraphs: readonly string[]) {
    super(paragraphs[0])
    this.status = status
    this.paragraphs = paragraphs
  }
}

/** Somebody is known at the provider, and may not look. */
class NoAccessError extends SignInError {}

function takeAttempt(
  request: FastifyRequest<{ Querystring: Static<typeof CallbackQuery> }>,
  reply: FastifyReply,
  deps: InspectorDeps,
): Attempt {
  const { state = '' } = request.query
  const text = /^[0-9a-f]{64}$/.test(state) ? cookieOf(request.headers, attemptCookieName(state)) : undefined
  const attempt = text === undefined ? undefined : deps.signIn?.attempts.take(text, state)
  if (attempt === undefined)
    throw new SignInError(
      400,
      'This sign-in was not begun in this browser, has ended already, or took longer than ten minutes.',
    )
  void reply.header('set-cookie', attemptCookie(state, '', deps))
  return attempt
}

async function personOf(
  { code, error, iss }: Static<typeof CallbackQuery>,
  attempt: Attempt,
  signIn: SignIn,
): Promise<Principal> {
  // RFC 9207: the answer of another provider.
  if (iss !== undefined && iss !== signIn.flow.issuer)
    throw new SignInError(400, 'The answer came from another identity provider than the one of this server.')
  if (error === 'access_denied') throw new SignInError(403, 'The sign-in was refused at the identity provider.')
  if (error !== undefined || code === undefined) {
    const named = /^[a-z_]{1,64}$/.test(error ?? '') ? `: <code>${error}</code>` : ''
    throw new SignInError(502, `The identity provider did not sign anybody in${named}.`)
  }
  return signIn.flow.redeem(code, { ...attempt, redirectUri: redirectUri(signIn) })
}

/** Longer than that of any forge, or with what no page shows as it is: no login. */
const Login = Type.String({ pattern: '^[\\p{L}\\p{N}\\p{P}\\p{S}]{1,255}$' })

function loginIn({ claims }: Principal, { loginClaim }: SignIn): string | undefined {
  const login = loginClaim === '' ? undefined : claimOf(claims, loginClaim)
  return Value.Check(Login, login) ? login : undefined
}

async function openSession(
  person: Principal,
  login: string | undefined,
  { allowFeed, sessions, signIn, logger }: InspectorDeps,
): Promise<string> {
  const { subject, issuer } = person
  try {
    allowFeed(person)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    // Who is known there would be signed in again as the same person.
    const leave = await signIn?.flow.signOutUrl(redirectUri(signIn))
    throw new NoAccessError(
      403,
      `The identity provider knows you as <code>${escaped(subject)}</code>, who may not look here: ${escaped(error.message)}.`,
      'Whoever runs this installation gives roles at the identity provider, by the values that the setting <code>ROLES</code> names.',
      ...(leave === undefined ? [] : [action(leave, 'Sign out there, to be somebody else')]),
    )
  }
  logger.info({ subject, issuer }, 'a person signed in to the inspector')
  return sessions.open({ subject, issuer, ...(login === undefined ? {} : { login }) })
}

const again = action(loginPath, 'Sign in again')
const signedOut = noticePage(
  'Signed out',
  'You are signed out here, and the identity provider was asked to sign you out too.',
  action(loginPath, 'Sign in'),
)
const withoutSignIn = noticePage(
  'Inspector',
  'This server has no sign-in for browsers. Open the link that <code>statewright inspector</code> prints.',
)

function refuse(reply: FastifyReply, error: unknown, { logger }: InspectorDeps): FastifyReply {
  const [status, paragraphs] = refusalOf(error)
  const title = error instanceof NoAccessError ? 'No access' : 'Not signed in'
  const cause = error instanceof Error ? error.cause : undefined
  logger.warn(
    { status, error: messageOf(error), ...(cause instanceof Error ? { cause: cause.message } : {}) },
    'nobody was signed in to the inspector',
  )
  return sendPage(reply.code(status), html, noticePage(title, ...paragraphs, again))
}

function refusalOf(error: unknown): readonly [number, readonly string[]] {
  if (error instanceof SignInError) return [error.status, error.paragraphs]
  if (!(error instanceof Problem)) throw error
  if (error.code === 'identity-unavailable')
    return [503, ['The identity provider does not answer. Try again in a minute.']]
  return [401, [`The sign-in is not valid: ${escaped(error.message)}.`]]
}

function redirectUri({ publicUrl }: SignIn): string {
  return `${publicUrl()}${callbackPath}`
}

/** One for each attempt, so that two tabs may sign in at once. It comes with the provider's redirect, so it can't be strict. */
function attemptCookie(state: string, text: string, { secure }: InspectorDeps): string {
  const age = text === '' ? 0 : ATTEMPT_LIFETIME_MS / 1000
  const attributes = `Path=${callbackPath}; Max-Age=${age}; HttpOnly; SameSite=Lax${secure === true ? '; Secure' : ''}`
  return `${attemptCookieName(state)}=${text}; ${attributes}`
}

function attemptCookieName(state: string): string {
  return `statewright_sign_in_${state.slice(0, 16)}`
}
