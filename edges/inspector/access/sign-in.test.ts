import { request } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { WebSocket } from 'ws'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { bearer, type Principal } from '../../../http/auth/authenticate.ts'
import { Problem } from '../../../http/problems/problem.ts'
import { createServer, type HttpServer } from '../../../http/server.ts'
import { captureLog, testClock, type LogCapture, type TestClock } from '../../../http/testing/fixture.ts'
import { authenticateViewer } from './access.ts'
import { createAttempts } from './attempts.ts'
import type { InspectorDeps } from '../deps.ts'
import { registerInspector } from '../register.ts'
import { createSessions } from './sessions.ts'
import { providerUrl, scriptedFlow, signOutUrl, type ScriptedFlow } from '../testing/scripted-flow.ts'
import { createTickets, type Tickets } from './tickets.ts'

const hour = 3_600_000
let clock: TestClock
let log: LogCapture
let flow: ScriptedFlow
let tickets: Tickets
let deps: InspectorDeps
let server: HttpServer
let url: string

interface Options {
  readonly secure?: boolean
  readonly withoutSignIn?: boolean
  readonly loginClaim?: string
  /** What is shown is of another time than today. */
  readonly shownAfter?: number
}

/** The inspector of a runtime without actors. */
async function open(more: Options = {}): Promise<void> {
  ;[clock, log, flow] = [testClock(), captureLog(), scriptedFlow()]
  let count = 0
  const ports = { clock, logger: log.logger, ids: { next: () => `id-${++count}` } }
  server = await createServer({ ...ports, name: 'test', version: '0', openapi: { title: 'Test', description: '' } })
  tickets = createTickets(ports)
  const key = 'key of sessions'
  deps = {
    ...ports,
    clock: { ...clock, now: () => clock.now() + (more.shownAfter ?? 0) },
    runtime: { subscribe: () => () => undefined } as never,
    definitions: [],
    hindranceOf: async () => undefined,
    lastTurnOf: async () => undefined,
    whyOf: async () => undefined,
    board: () => Promise.reject(new Error('nobody asks for it')),
    authenticate: bearer(() => Promise.reject(new Error('nobody brings a token here'))),
    allowFeed: ({ rights, claims }: Principal) => {
      if (rights?.roles.has('viewer') !== true && !(claims['roles'] as readonly string[]).includes('viewer'))
        throw new Problem('forbidden', 'this needs the role viewer')
    },
    tickets,
    sessions: createSessions({ clock, key, lifetimeMs: hour }),
    ...(more.withoutSignIn === true
      ? {}
      : {
          signIn: {
            flow,
            attempts: createAttempts({ ...ports, key }),
            publicUrl: () => url,
            loginClaim: more.loginClaim ?? '',
          },
        }),
    ...(more.secure === true ? { secure: true } : {}),
  }
  await registerInspector(server.app, deps)
  url = (await server.listen({ host: '127.0.0.1', port: 0 })).url
}

beforeEach(() => open())
afterEach(() => server.close({ graceMs: 0 }))

interface Answer {
  readonly status: number
  readonly text: string
  readonly location: string | null
  /** By name, with their attributes. */
  readonly cookies: ReadonlyMap<string, string>
}

async function ask(path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET'): Promise<Answer> {
  const answer = await fetch(new URL(path, url), { method, headers, redirect: 'manual' })
  const cookies = answer.headers.getSetCookie().map((cookie): [string, string] => {
    const [name = '', ...value] = cookie.split('=')
    return [name, value.join('=')]
  })
  const { status } = answer
  return { status, text: await answer.text(), location: answer.headers.get('location'), cookies: new Map(cookies) }
}

interface Begun {
  readonly state: string
  /** As a browser sends it. */
  readonly cookie: string
}

async function begin(): Promise<Begun> {
  const { location, cookies } = await ask('/inspector/login')
  const [[name, value] = ['', '']] = cookies
  return { state: new URL(location ?? '').searchParams.get('state') ?? '', cookie: `${name}=${value.split(';')[0]}` }
}

function comeBack({ state, cookie }: Begun, code = 'ada viewer'): Promise<Answer> {
  return ask(`/inspector/callback?${new URLSearchParams({ code, state })}`, cookie === '' ? {} : { cookie })
}

/** Of the port, as a browser keeps cookies by host and name alone. */
const sessionName = (): string => `statewright_inspector_${new URL(url).port}`

async function signIn(): Promise<string> {
  const { cookies } = await comeBack(await begin())
  return `${sessionName()}=${cookies.get(sessionName())?.split(';')[0]}`
}

const sessionIn = ({ cookies }: Answer): string | undefined => cookies.get(sessionName())

describe('a browser without a session', () => {
  test('is led to the provider, with a cookie for its way back alone (INSPECTOR-2)', async () => {
    const first = await ask('/inspector')
    expect([first.status, first.location]).toEqual([302, `${url}/inspector/login`])
    const { status, location, cookies } = await ask('/inspector/login')
    expect([status, location?.split('?')[0]]).toEqual([302, providerUrl])
    expect(new URL(location!).searchParams.get('redirect_uri')).toBe(`${url}/inspector/callback`)
    const [[name, value] = ['', '']] = cookies
    expect(name).toMatch(/^statewright_sign_in_[0-9a-f]{16}$/)
    expect(value).toMatch(/; Path=\/inspector\/callback; Max-Age=600; HttpOnly; SameSite=Lax$/)
  })

  test('gets a session for the page, strict as ever, by its code (INSPECTOR-2, INSPECTOR-3, INSPECTOR-RULE-2)', async () => {
    const begun = await begin()
    const back = await comeBack(begun)
    expect([back.status, back.location]).toEqual([200, null])
    expect(back.text).toContain('<body data-sign-in>')
    expect(sessionIn(back)).toMatch(/; Path=\/inspector; HttpOnly; SameSite=Strict$/)
    expect(back.cookies.get(begun.cookie.split('=')[0]!)).toContain('Max-Age=0')
    const cookie = `${sessionName()}=${sessionIn(back)?.split(';')[0]}`
    expect((await ask('/inspector/api/kinds', { cookie })).status).toBe(200)
    expect((await ask('/inspector', { cookie })).status).toBe(200)
    expect(log.lines()).toContainEqual(expect.objectContaining({ subject: 'ada', issuer: 'https://id.example' }))
  })

  test('signs in in two tabs at once', async () => {
    const [one, other] = [await begin(), await begin()]
    const cookie = `${one.cookie}; ${other.cookie}`
    expect((await comeBack({ ...one, cookie })).status).toBe(200)
    expect((await comeBack({ ...other, cookie })).status).toBe(200)
  })

  test('still opens a link, and with a used one is led nowhere', async () => {
    const link = `/inspector?ticket=${tickets.mint()}`
    expect((await ask(link)).status).toBe(200)
    const again = await ask(link)
    expect([again.status, again.location]).toEqual([401, null])
    expect(again.text).toContain('href="/inspector/login"')
    expect(again.text).toContain('This link was used already, or is too old.')
  })
})

describe('who a person is on the board (INSPECTOR-9)', () => {
  const bodyIn = ({ text }: Answer): string | undefined => /<body[^>]*>/.exec(text)?.[0]

  async function signedIn(code: string): Promise<readonly [page: Answer, cookie: string]> {
    const page = await comeBack(await begin(), code)
    return [page, `${sessionName()}=${sessionIn(page)?.split(';')[0]}`]
  }

  async function openWith(loginClaim: string): Promise<void> {
    await server.close({ graceMs: 0 })
    await open({ loginClaim })
  }

  test('the claim of the token says it, for as long as the session, and nothing that the person sends', async () => {
    await openWith('login')
    const [page, cookie] = await signedIn('ada viewer')
    expect(bodyIn(page)).toBe('<body data-sign-in data-me="ada">')
    const again = await ask('/inspector?me=eve', { cookie: `${cookie}; me=eve`, 'x-login': 'eve' })
    expect(bodyIn(again)).toBe('<body data-sign-in data-me="ada">')
    expect(bodyIn(await ask(`/inspector?ticket=${tickets.mint('ada')}`, { cookie }))).toBe('<body data-sign-in>')
  })

  test('the page gets it as a text, whatever a provider calls a person', async () => {
    await openWith('login')
    const [page] = await signedIn('"><script> viewer')
    expect(bodyIn(page)).toBe('<body data-sign-in data-me="&quot;&gt;&lt;script&gt;">')
  })

  test.each(['', 'email', 'roles'])('a claim %j that names no login says nothing', async (loginClaim) => {
    await openWith(loginClaim)
    const [page, cookie] = await signedIn('ada viewer')
    expect(bodyIn(page)).toBe('<body data-sign-in>')
    expect(bodyIn(await ask('/inspector', { cookie }))).toBe('<body data-sign-in>')
  })

  test('a login that no forge has is none', async () => {
    await openWith('login')
    for (const subject of ['a'.repeat(256), 'a\u202eb', 'a\nb'])
      expect(bodyIn((await signedIn(`${subject} viewer`))[0])).toBe('<body data-sign-in>')
  })
})

describe('a session by a link', () => {
  const contentOf = (answer: Answer): Record<string, unknown> =>
    JSON.parse(Buffer.from(sessionIn(answer)!.split('.')[0]!, 'base64url').toString()) as Record<string, unknown>

  test('is named after whoever asked for the link, in the log too, and the ticket is not there', async () => {
    const ticket = tickets.mint('ada')
    const opened = await ask(`/inspector?ticket=${ticket}`, { 'x-subject': 'eve' })
    expect(contentOf(opened)).toMatchObject({ subject: 'ada', issuer: 'ticket' })
    const { subject } = contentOf(await ask(`/inspector?ticket=${tickets.mint()}`))
    expect(subject).toBe('inspector')
    const opening = log.lines().filter(({ msg }) => msg === 'a link opened a session of the inspector')
    expect(opening.map((line) => line['subject'])).toEqual(['ada', 'inspector'])
    expect(JSON.stringify(log.lines())).not.toContain(ticket)
  })

  test('may look and no more, whoever asked', async () => {
    const opened = await ask(`/inspector?ticket=${tickets.mint('admin')}`)
    const cookie = `${sessionName()}=${sessionIn(opened)?.split(';')[0]}`
    const request = { headers: { cookie, host: new URL(url).host } } as FastifyRequest
    const { subject, rights } = await authenticateViewer(deps)(request)
    expect([subject, [...(rights?.roles ?? [])], [...(rights?.owned ?? [])]]).toEqual(['admin', ['viewer'], []])
  })
})

describe('nobody is signed in', () => {
  async function refused(answer: Promise<Answer>, status: number, text: string): Promise<void> {
    const got = await answer
    expect([got.status, sessionIn(got), got.location]).toEqual([status, undefined, null])
    expect(got.text).toContain(text)
    expect(got.text).toContain('href="/inspector/login"')
  }

  test('by the callback of another browser', async () => {
    const [mine, theirs] = [await begin(), await begin()]
    await refused(comeBack({ state: theirs.state, cookie: '' }), 400, 'not begun in this browser')
    await refused(comeBack({ state: theirs.state, cookie: mine.cookie }), 400, 'not begun in this browser')
    const renamed = mine.cookie.replace(/^[^=]*/, theirs.cookie.split('=')[0]!)
    await refused(comeBack({ state: theirs.state, cookie: renamed }), 400, 'not begun in this browser')
    await refused(ask('/inspector/callback?code=x', { cookie: mine.cookie }), 400, 'not begun in this browser')
    await refused(comeBack({ state: '../', cookie: mine.cookie }), 400, 'not begun in this browser')
    expect(flow.redeemed).toEqual([])
  })

  test('by a callback that came before, however fast', async () => {
    const begun = await begin()
    const answers = await Promise.all([comeBack(begun), comeBack(begun), comeBack(begun)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400])
    await refused(comeBack(begun, 'eve viewer'), 400, 'ended already')
    expect(flow.redeemed).toEqual(['ada viewer'])
  })

  test('after ten minutes', async () => {
    const begun = await begin()
    clock.advance(10 * 60_000)
    await refused(comeBack(begun), 400, 'longer than ten minutes')
  })

  test('by a code that the provider refuses', async () => {
    await refused(comeBack(await begin(), 'nobody'), 401, 'invalid_grant')
  })

  test('by the answer of another provider', async () => {
    const { state, cookie } = await begin()
    const query = new URLSearchParams({ state, code: 'ada viewer', iss: 'https://evil.example' })
    await refused(ask(`/inspector/callback?${query}`, { cookie }), 400, 'another identity provider')
    expect(flow.redeemed).toEqual([])
  })

  test.each([
    ['access_denied', 403, 'refused at the identity provider'],
    ['temporarily_unavailable', 502, '<code>temporarily_unavailable</code>'],
    ['<script>alert(1)</script>', 502, 'did not sign anybody in.'],
  ])('by the error %s', async (error, status, text) => {
    const { state, cookie } = await begin()
    const query = new URLSearchParams({ state, error, error_description: '<script>', code: 'ada viewer' })
    const answer = ask(`/inspector/callback?${query}`, { cookie })
    await refused(answer, status, text)
    expect((await answer).text).not.toContain('<script')
    expect(flow.redeemed).toEqual([])
  })

  test('while the provider is down, at the first step and at the last', async () => {
    const begun = await begin()
    flow.mode = 'down'
    await refused(ask('/inspector/login'), 503, 'does not answer')
    await refused(comeBack(begun), 503, 'does not answer')
    expect(log.lines()).toContainEqual(expect.objectContaining({ status: 503, cause: 'connection refused' }))
  })

  test('without the role, and the page names what lacks', async () => {
    await refused(comeBack(await begin(), '<b>eve</b> author'), 403, 'this needs the role viewer')
    const { text } = await comeBack(await begin(), '<b>eve</b> author')
    expect(text).toContain('&lt;b&gt;eve&lt;/b&gt;')
    expect(text).not.toContain('<b>')
    // The provider would sign the same person in again.
    expect(text).toContain('<h1>No access</h1>')
    expect(text).toContain(
      `href="${signOutUrl}?post_logout_redirect_uri=${encodeURIComponent(`${url}/inspector/callback`)}"`,
    )
    flow.mode = 'withoutSignOut'
    expect((await comeBack(await begin(), 'eve author')).text).not.toContain(signOutUrl)
  })
})

test('no address that a request names is led to', async () => {
  const evil = 'https://evil.example/'
  const names = ['next', 'return_to', 'redirect_uri', 'iss', 'state', 'client_id']
  const query = new URLSearchParams(names.map((name): [string, string] => [name, evil]))
  const { location } = await ask(`/inspector/login?${query}`)
  expect(location).not.toContain('evil')
  const { state, cookie } = await begin()
  const more = new URLSearchParams({ state, code: 'ada viewer', next: evil, redirect_uri: evil, session_state: 'x' })
  const back = await ask(`/inspector/callback?${more}`, { cookie })
  expect([back.status, back.location]).toEqual([200, null])
  expect(back.text).not.toContain('evil')
  expect((await ask('/inspector//evil.example')).location).toBeNull()
})

test('an author or admin who looks has a session that may look and no more', async () => {
  const back = await comeBack(await begin(), 'ada viewer admin')
  const [content = ''] = sessionIn(back)!.split('.')
  const session = JSON.parse(Buffer.from(content, 'base64url').toString()) as object
  expect(session).toEqual({ subject: 'ada', issuer: 'https://id.example', endsAt: clock.now() + hour })
})

test('who signs out has no session, and no other page signs anybody out', async () => {
  const cookie = await signIn()
  expect((await ask('/inspector/logout', { cookie }, 'POST')).status).toBe(403)
  const foreign = await ask('/inspector/logout', { cookie, origin: 'https://evil.example' }, 'POST')
  expect([foreign.status, foreign.cookies.size]).toEqual([403, 0])
  const own = await ask('/inspector/logout', { cookie, origin: url }, 'POST')
  expect([own.status, sessionIn(own)]).toEqual([200, '; Path=/inspector; Max-Age=0; HttpOnly; SameSite=Strict'])
  expect((await ask('/inspector/logout', { cookie, origin: url })).status).toBe(405)
})

describe('who signs out', () => {
  const endedSession = '; Path=/inspector; Max-Age=0; HttpOnly; SameSite=Strict'
  const back = (): string =>
    `${signOutUrl}?${new URLSearchParams({ post_logout_redirect_uri: `${url}/inspector/callback` })}`

  test('is led to the provider, by an address that no request names (INSPECTOR-2)', async () => {
    const evil = 'https://evil.example/'
    const names = ['post_logout_redirect_uri', 'goTo', 'next', 'state', 'client_id', 'redirect_uri']
    const query = new URLSearchParams(names.map((name): [string, string] => [name, evil]))
    const headers = { cookie: await signIn(), origin: url, 'x-forwarded-host': 'evil.example', referer: evil }
    const { text } = await ask(`/inspector/logout?${query}`, headers, 'POST')
    expect(JSON.parse(text)).toEqual({ goTo: back() })
    const overdue = await ask('/inspector/logout', { origin: url }, 'POST')
    expect(JSON.parse(overdue.text)).toEqual({ goTo: back() })
  })

  test('comes back to a page that signs nobody in and names no address of the request', async () => {
    const { status, text, location, cookies } = await ask('/inspector/callback?next=https://evil.example')
    expect([status, location, cookies.size]).toEqual([200, null, 0])
    expect(text).toContain('<h1>Signed out</h1>')
    expect(text).not.toContain('evil')
    expect(flow.redeemed).toEqual([])
    expect((await ask('/inspector/callback?error=access_denied')).status).toBe(400)
  })

  test.each(['withoutSignOut', 'down'] as const)('is signed out here alone where the provider is %s', async (mode) => {
    const cookie = await signIn()
    flow.mode = mode
    const { status, text, cookies } = await ask('/inspector/logout', { cookie, origin: url }, 'POST')
    expect([status, text, cookies.get(sessionName())]).toEqual([204, '', endedSession])
  })

  test('of a session by a link is led nowhere: the provider knows nothing of it', async () => {
    const opened = await ask(`/inspector?ticket=${tickets.mint('ada')}`)
    const cookie = `${sessionName()}=${sessionIn(opened)?.split(';')[0]}`
    const { status, cookies } = await ask('/inspector/logout', { cookie, origin: url }, 'POST')
    expect([status, cookies.get(sessionName())]).toEqual([204, endedSession])
  })
})

test('another host name is refused on the way there, back and out (INSPECTOR-4)', async () => {
  const { state, cookie } = await begin()
  const status = (path: string, method: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const headers = { cookie, host: 'evil.example', origin: 'http://evil.example' }
      request(new URL(path, url), { method, headers }, (answer) => {
        answer.resume()
        resolve(answer.statusCode)
      })
        .on('error', reject)
        .end()
    })
  expect(await status('/inspector/login', 'GET')).toBe(403)
  expect(await status(`/inspector/callback?code=ada+viewer&state=${state}`, 'GET')).toBe(403)
  expect(await status('/inspector/logout', 'POST')).toBe(403)
  expect(flow.redeemed).toEqual([])
})

test('when a session is over, the API refuses it and the feed ends (INSPECTOR-RULE-2)', async () => {
  const cookie = await signIn()
  const line = new WebSocket(`${url.replace('http', 'ws')}/inspector/live`, { headers: { cookie, origin: url } })
  await new Promise((resolve) => void line.once('message', resolve))
  const closed = new Promise<number>((resolve) => void line.once('close', resolve))
  const pinged = new Promise((resolve) => void line.once('ping', resolve))
  clock.advance(hour - 1)
  await pinged
  expect((await ask('/inspector/api/kinds', { cookie })).status).toBe(200)
  // The server has heard the answer to its ping once it answers one.
  const heard = new Promise((resolve) => void line.once('pong', resolve))
  line.ping()
  await heard
  clock.advance(25_000)
  expect((await ask('/inspector/api/kinds', { cookie })).status).toBe(401)
  expect(await closed).toBe(1008)
})

describe('as it is installed', () => {
  beforeEach(() => server.close({ graceMs: 0 }))

  test.each([-1e12, 1e12])(
    'a file of another time (%d ms) ends no feed before its session is over, and none later',
    async (ms) => {
      await open({ shownAfter: ms })
      const cookie = await signIn()
      const line = new WebSocket(`${url.replace('http', 'ws')}/inspector/live`, { headers: { cookie, origin: url } })
      await new Promise((resolve) => void line.once('message', resolve))
      const closed = new Promise<number>((resolve) => void line.once('close', resolve))
      const pinged = new Promise<string>((resolve) => {
        line.once('ping', () => resolve('pinged'))
        line.once('close', () => resolve('closed'))
      })
      clock.advance(25_000)
      expect(await pinged).toBe('pinged')
      const heard = new Promise((resolve) => void line.once('pong', resolve))
      line.ping()
      await heard
      clock.advance(hour)
      expect(await closed).toBe(1008)
    },
  )

  test('behind TLS no cookie goes without it', async () => {
    await open({ secure: true })
    const begun = await ask('/inspector/login')
    expect([...begun.cookies.values()].every((cookie) => cookie.endsWith('; Secure'))).toBe(true)
    const back = await comeBack(await begin())
    expect([...back.cookies.values()].map((cookie) => cookie.endsWith('; Secure'))).toEqual([true, true])
  })

  test('without a provider for browsers nothing leads to one', async () => {
    await open({ withoutSignIn: true })
    const page = await ask('/inspector')
    expect([page.status, page.text.includes('/inspector/login')]).toEqual([401, false])
    for (const path of ['/inspector/login', '/inspector/callback?code=x&state=y'])
      expect([(await ask(path)).status, (await ask(path)).text]).toEqual([404, expect.stringContaining('no sign-in')])
  })
})
