/** Who may use which route, with the orchestrator composed as it is started; nothing of it runs but its listener. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WebSocket } from 'ws'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { podTokens } from '../../edges/agents/pod-tokens.ts'
import { localResources } from '../../edges/local/resources.ts'
import { unauthenticated, type VerifyToken } from '../../http/auth/authenticate.ts'
import { everyTokenIsAdmin, type RoleSettings } from '../../http/auth/roles.ts'
import { generateSigningKeyPem, importSigningKey } from '../../http/auth/tokens.ts'
import { createLogger } from '../../http/operational/logging.ts'
import { effectSchemas } from '../../machines/effect.ts'
import { systemClock } from '../../runtime/clock.ts'
import { TerminalError } from '../../runtime/errors.ts'
import { openSharedSql } from '../../runtime/store/testing/shared-store.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import { composeOrchestrator, type ComposedOrchestrator } from './compose.ts'
import { feedRoute, routeRules, type RouteRules } from './route-roles.ts'
import { orchestratorMigrations } from './store.ts'
import { partsForTests } from '../testing/parts.ts'
import { portsForTests } from '../testing/ports.ts'
import { settingsForTests } from '../testing/settings.ts'

const roles: RoleSettings = {
  claim: 'groups',
  values: { viewer: ['viewer'], operator: ['operator'], author: ['author'], admin: ['admin'] },
  owners: { 'default/mine': ['owner'] },
}

/** Tokens of this test are the groups of who brings them, with dashes between. */
const verifyOidc: VerifyToken = async (token) => {
  if (token === 'bad') throw unauthenticated('the token is not valid here', true)
  return { subject: token, issuer: 'test', claims: { groups: token.split('-') } }
}

const dir = mkdtempSync(join(tmpdir(), 'route-access-'))
const written: string[] = []
let sql: Sql
let last = 0
const ids = { next: () => `id-${(last += 1)}` }

async function compose(more: { roles?: RoleSettings; routeRules?: RouteRules } = {}): Promise<ComposedOrchestrator> {
  const logger = createLogger({ name: 'test', level: 'silent' })
  const ports = portsForTests({ logger, programDir: '/', random: () => 0.5, ids })
  const composed = await composeOrchestrator(
    settingsForTests(dir, { roles: more.roles ?? roles }),
    ports,
    partsForTests(ports, {
      sql,
      verifyOidc,
      secrets: { read: async () => undefined, write: async (_namespace, name) => void written.push(name) },
      pods: () => ({}) as never,
      podTokens: podTokens(await importSigningKey(generateSigningKeyPem()), systemClock, ids),
      ...(more.routeRules === undefined ? {} : { routeRules: more.routeRules }),
    }),
  )
  await composed.outside.app.ready()
  return composed
}

let composed: ComposedOrchestrator
beforeAll(async () => {
  sql = await openSharedSql(orchestratorMigrations)
  const resources = localResources(sql, systemClock, ids)
  const secretOf = (scmSecretRef: string) => ({ scmSecretRef, scm: { provider: 'forge_a', owner: 'o', botLogin: 'b' } })
  const add = (kind: string, name: string, spec: object): Promise<unknown> =>
    resources.apply({ kind, namespace: 'default', name, spec: spec as Record<string, unknown> })
  await add('Project', 'mine', { ...secretOf('own'), alerting: { secretRef: 'both' } })
  await add('Project', 'other', secretOf('both'))
  for (const projectRef of ['mine', 'other'])
    await add('Task', `task-of-${projectRef}`, { projectRef, kind: 'implement', goal: 'g', repositories: [] })
  composed = await compose()
})
afterAll(async () => {
  await sql.close()
  rmSync(dir, { recursive: true, force: true })
})

const seedOfTask = {
  kind: 'implement',
  goal: 'g',
  repositories: ['lib'],
  issues: [],
  mergeRequests: [],
  priority: 100,
  origin: { kind: 'human', ref: 'uid' },
  config: {
    agentPodTTLSeconds: 3600,
    turnTimeoutSeconds: 1800,
    stallProbeGraceSeconds: 300,
    stallProbeMaxAttempts: 2,
    autoApproveMaxSignificance: 'off',
    model: { implement: 'claude', review: 'claude' },
    effort: { implement: 'high', review: 'high' },
    permissionMode: 'bypassPermissions',
    repositories: [{ name: 'lib', base: 'main' }],
  },
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
interface Ask {
  readonly route: string
  readonly url?: string
  readonly body?: object
}

/** Nothing of them is there, or right: who may use the route is answered 200, 400 or 404, the others 403. */
const bodies: Readonly<Record<string, object>> = {
  'POST /operations/retry': { task: 'x' },
  'POST /operations/cancel': { task: 'x' },
  'POST /operations/hold': { task: 'x', reason: 'y' },
  'POST /operations/pause': { project: 'x', reason: 'y' },
  'POST /operations/resume': { project: 'x', reason: 'y' },
  'POST /operations/redeliver': { key: 'x' },
}
const queries: Readonly<Record<string, string>> = {
  'GET /operations/why': 'task=x',
  'GET /operations/logs': 'task=x',
  'GET /operations/transcript': 'task=x',
  'GET /operations/history': 'address=task:x',
  'GET /operations/replay': 'address=task:x',
  'GET /operations/export': 'address=task:x',
  'GET /operations/effect': 'key=task:x',
  'GET /operations/dead-letter': 'id=letter',
  'GET /inspector/api/actors': 'kind=task',
  'GET /inspector/api/actor': 'address=task:x',
  'GET /inspector/api/history': 'address=task:x',
  'GET /inspector/api/story': 'address=task:x',
}

async function ask({ route, url, body }: Ask, token: string, of = composed): Promise<{ status: number; body: string }> {
  const [method, path = ''] = route.split(' ')
  const payload = body ?? bodies[route] ?? (method === 'PUT' ? {} : undefined)
  const { statusCode, body: text } = await of.outside.app.inject({
    method: method as Method,
    url: url ?? `${path.replace(':namespace', 'default').replace(/:(name|kind)/g, 'task')}?${queries[route] ?? ''}`,
    headers: { authorization: `Bearer ${token}`, host: '127.0.0.1' },
    ...(payload === undefined ? {} : { payload }),
  })
  return { status: statusCode, body: text }
}

interface Entry extends Ask {
  readonly role: string
  readonly ofOwners: boolean
  readonly title: string
}

/** Each entry of the table for people, each kind of a resource by itself. */
const entries: readonly Entry[] = Object.entries(routeRules).flatMap(([route, rule]): Entry[] => {
  if ('proof' in rule || route === feedRoute) return []
  if ('role' in rule) return [{ route, role: rule.role, ofOwners: rule.owners !== undefined, title: `\`${route}\`` }]
  return Object.entries(rule.kinds).map(([kind, { role, owners }]) => ({
    route,
    role,
    ofOwners: owners !== undefined,
    title: `\`${route}\`, ${kind}`,
    ...(rule.kindOf === 'body'
      ? { body: { kind, ...(kind === 'Secret' ? { apiVersion: 'v1' } : {}) } }
      : { url: `/resources/${kind}/default/none` }),
  }))
})
const holders: Readonly<Record<string, readonly string[]>> = {
  viewer: ['viewer', 'operator', 'author', 'admin'],
  operator: ['operator', 'admin'],
  author: ['author', 'admin'],
  admin: ['admin'],
}

describe('the table of routes and roles (ORCHESTRATOR-API-6)', () => {
  test('names only routes that are there', () => {
    const { app } = composed.outside
    const absent = Object.keys(routeRules).filter((route) => {
      const [method, url = ''] = route.split(' ')
      return route !== feedRoute && !app.hasRoute({ method: method as Method, url })
    })
    expect(absent).toEqual([])
  })

  test.each(['GET /healthz', 'PUT /resources', 'GET /tasks', 'GET /inspector/api/actors', 'POST /operations/retry'])(
    'without %s the orchestrator does not start',
    async (route) => {
      const { [route]: _, ...rest } = routeRules
      await expect(compose({ routeRules: rest })).rejects.toThrow(`the route ${route} has no entry`)
    },
  )

  test.each(entries)('$title takes $role (ORCHESTRATOR-API-3, ORCHESTRATOR-API-5)', async (entry) => {
    for (const token of ['viewer', 'operator', 'author', 'admin', 'owner', 'nobody']) {
      const { status, body } = await ask(entry, token)
      if (holders[entry.role]!.includes(token)) expect([200, 400, 404], `${token}: ${body}`).toContain(status)
      else expect([status, body], token).toEqual([403, expect.stringContaining('"this needs the role ')])
    }
    expect((await ask(entry, 'bad')).status).toBe(401)
  })

  test('is the page of whoever operates it', () => {
    const page = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8')
    const rows = entries.map(({ title, role, ofOwners }) => `| ${title} | ${role} | ${ofOwners ? 'yes' : 'no'} |`)
    rows.push(`| \`${feedRoute}\` | viewer | no |`)
    const shown = page.split('\n').filter((line) => /^\| `(GET|PUT|POST|DELETE|WS) .*(yes|no) \|$/.test(line))
    expect(shown).toEqual(rows)
  })
})

test('a token without any role is refused before its body is read', async () => {
  const send = async (token: string): Promise<number> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    return (await composed.outside.app.inject({ method: 'PUT', url: '/resources', headers, payload: '{' })).statusCode
  }
  expect([await send('nobody'), await send('viewer')]).toEqual([403, 400])
})

describe('a lowered entry lets in', () => {
  test.each([
    ['viewer', 'GET /operations/open', {}, 'nobody', { proof: 'open' }],
    ['operator', 'POST /operations/retry', {}, 'viewer', { role: 'viewer' }],
    ['author', 'PUT /resources', { kind: 'Task' }, 'operator', { role: 'operator' }],
    ['admin', 'PUT /resources', { kind: 'Project' }, 'operator', { role: 'operator' }],
  ] as const)('who is refused for want of %s', async (_role, route, body, token, rule) => {
    const asked = { route, ...(Object.keys(body).length === 0 ? {} : { body }) }
    expect((await ask(asked, token)).status).toBe(403)
    const lowered = await compose({ routeRules: { ...routeRules, [route]: rule } })
    expect((await ask(asked, token, lowered)).status).not.toBe(403)
  })
})

describe('an owner', () => {
  const secret = (name: string): object => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name },
    stringData: { a: 'b' },
  })
  const at = (route: string, url: string): Ask => ({ route, url })
  const asks = (project: string): readonly Ask[] => [
    { route: 'POST /operations/retry', body: { task: `task-of-${project}` } },
    { route: 'POST /operations/cancel', body: { task: `default/task-of-${project}` } },
    { route: 'POST /operations/hold', body: { task: `task-of-${project}`, reason: 'x' } },
    { route: 'POST /operations/pause', body: { project, reason: 'x' } },
    { route: 'POST /operations/resume', body: { project: `default/${project}`, reason: 'x' } },
    { route: 'POST /operations/redeliver', body: { key: `pod:default/task-of-${project}/0/3/1` } },
    at('GET /operations/why', `/operations/why?task=task-of-${project}`),
    at('GET /operations/logs', `/operations/logs?task=task-of-${project}`),
    at('GET /operations/transcript', `/operations/transcript?task=task-of-${project}`),
    at('GET /operations/effects', `/operations/effects?actor=queue:default/${project}`),
    at('GET /operations/history', `/operations/history?address=turn:default/task-of-${project}/0/1`),
    at('GET /operations/effect', `/operations/effect?key=task:default/task-of-${project}/1/0`),
    at('GET /resources/:kind/:namespace/:name', `/resources/task/default/task-of-${project}`),
    at('GET /resources/:kind/:namespace/:name', `/resources/projects/default/${project}`),
  ]

  test.each(asks('mine'))('may $route of the Project', async (asked) => {
    const { status, body } = await ask(asked, 'owner')
    expect([200, 404], body).toContain(status)
  })
  test.each(asks('other'))('may not $route of another', async (asked) => {
    expect((await ask(asked, 'owner')).status).toBe(403)
    expect((await ask(asked, 'admin')).status).not.toBe(403)
  })

  test('writes a Secret that only Projects of the owner name', async () => {
    for (const name of ['own', 'both', 'none']) await ask({ route: 'PUT /resources', body: secret(name) }, 'owner')
    expect(written).toEqual(['own'])
    await ask({ route: 'PUT /resources', body: secret('both') }, 'admin')
    expect(written).toEqual(['own', 'both'])
  })

  test('sees lists and the inspector only as a viewer besides', async () => {
    for (const route of ['GET /resources/:kind', 'GET /inspector/api/kinds', 'GET /operations/effects'])
      expect([(await ask({ route }, 'owner')).status, (await ask({ route }, 'owner-viewer')).status]).toEqual([
        403, 200,
      ])
  })
})

describe('what keeps an owner from another Project', () => {
  const deadKey = 'project:default/other/1/1'
  /** The same orchestrator where the table asks nobody for anything, with its runtime at work. */
  let unguarded: ComposedOrchestrator
  beforeAll(async () => {
    const open = Object.keys(routeRules).map((route) => [route, { proof: 'open' }] as const)
    unguarded = await compose({ routeRules: Object.fromEntries(open) })
    const { runtime } = unguarded
    const perform = (): Promise<never> => Promise.reject(new TerminalError('gone'))
    const dead = { onTerminal: 'dead-letter' as const, perform }
    await runtime.start(Object.fromEntries(Object.keys(effectSchemas).map((type) => [type, dead])))
    for (const project of ['mine', 'other']) {
      const limits = { maxConcurrentAgents: 1, capacity: 1, alertCapacity: 1 }
      const send = (to: `${'queue' | 'project' | 'task'}:${string}`, event: { type: string }): Promise<unknown> =>
        runtime.deliver({ to, key: `${to} ${event.type}`, event: { at: systemClock.now(), ...event } })
      await send(`project:default/${project}`, { type: 'project.applied', generation: 1, ...limits } as never)
      await send(`queue:default/${project}`, { type: 'queue.configured', ...limits } as never)
      const seed = { ...seedOfTask, config: { ...seedOfTask.config, project: `default/${project}` } }
      await send(`task:default/task-of-${project}`, { type: 'task.minted', seed } as never)
    }
    await vi.waitFor(
      async () => {
        const effects = await runtime.pendingEffects({ actor: 'project:default/other', state: 'dead' })
        expect(effects.map((effect) => effect.key)).toEqual([deadKey])
      },
      { timeout: 10_000 },
    )
  })
  afterAll(() => unguarded.runtime.stop())

  const query = (path: string, member: string, value: string): Ask => {
    const url = `/operations/${path}?${new URLSearchParams([[member, value]])}`
    return { route: `GET /operations/${path}`, url }
  }
  const inPath = (route: string, kind: string, name: string): Ask => ({
    route,
    url: `/resources/${kind}/default/${name}`,
  })
  const one = 'GET /resources/:kind/:namespace/:name'

  /** Of a name, `other` and so on, all that a route might take for it. */
  const spellings = (name: string): readonly string[] => [
    ...[` default/${name}`, `default/${name} `, ` ${name}`, `DEFAULT/${name.toUpperCase()}`, name.toUpperCase()],
    ...[`default//${name}`, `/default/${name}`, `default/${name}/`, `./${name}`, `default%2F${name}`],
    ...[`default/mine/../${name}`, `default/task-of-mine/../${name}`, `default/task-of-mine/0/../../${name}`],
  ]
  const asks = (task: string, project: string): readonly Ask[] => [
    { route: 'POST /operations/retry', body: { task } },
    { route: 'POST /operations/pause', body: { project, reason: 'x' } },
    { route: 'POST /operations/redeliver', body: { key: `project:${project}/1/1` } },
    query('why', 'task', task),
    query('export', 'address', `task:${task}`),
    query('export', 'address', `queue:${project}`),
    query('effect', 'key', `project:${project}/1/1`),
    inPath(one, 'task', encodeURIComponent(task)),
    inPath(one, 'project', encodeURIComponent(project)),
  ]

  test('is not got round by another spelling, in body, path or query, which no route takes for the name', async () => {
    const others = spellings('other')
    const odd = spellings('task-of-other').flatMap((task, index) => asks(task, others[index]!))
    for (const asked of odd) {
      expect([400, 403, 404], JSON.stringify(asked)).toContain((await ask(asked, 'owner')).status)
      expect([400, 404], JSON.stringify(asked)).toContain((await ask(asked, 'owner', unguarded)).status)
    }
  })

  test('knows a name whose letters the address encodes, and takes no second one', async () => {
    const encoded = [
      inPath(one, 'task', 'task%2Dof%2Dothe%72'),
      inPath(one, 'TASKS', 'task-of-other'),
      inPath(one, 'proj', '%6f%74%68er'),
      { route: 'GET /operations/why', url: '/operations/why?task=default%2ftask-of-othe%72' },
      { route: 'GET /operations/export', url: '/operations/export?address=%74ask%3Adefault/task-of-other' },
    ]
    for (const asked of encoded)
      expect([(await ask(asked, 'owner')).status, (await ask(asked, 'owner', unguarded)).status], asked.url).toEqual([
        403, 200,
      ])
    for (const names of ['task=task-of-mine&task=task-of-other', 'task=task-of-other&task=task-of-mine'])
      expect((await ask({ route: 'GET /operations/why', url: `/operations/why?${names}` }, 'owner')).status).toBe(400)
  })

  test('is there when a Task of another Project has the name of an ended one of theirs', async () => {
    const { runtime } = unguarded
    const [to, at] = ['task:default/reborn', systemClock.now()] as const
    const seed = { ...seedOfTask, config: { ...seedOfTask.config, project: 'default/mine' } }
    for (const event of [
      { type: 'task.minted', seed },
      { type: 'task.close', by: 'ada' },
    ])
      await runtime.deliver({ to, key: event.type, event: { at, ...event } })
    const spec = { projectRef: 'other', kind: 'implement', goal: 'g', repositories: [] }
    await localResources(sql, systemClock, ids).apply({ kind: 'Task', namespace: 'default', name: 'reborn', spec })
    const deleted = inPath('DELETE /resources/:kind/:namespace/:name', 'task', 'reborn')
    expect((await ask(deleted, 'owner')).status).toBe(403)
  })

  test('is the rule alone: without it each of the same calls succeeds (ORCHESTRATOR-API-5)', async () => {
    const key = deadKey
    const task = 'task-of-other'
    const secretOfBoth = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'both' }, stringData: { a: 'b' } }
    const calls: readonly (readonly [Ask, number])[] = [
      [query('why', 'task', task), 200],
      // It has had no pod, which is the Task's own answer.
      [query('logs', 'task', task), 404],
      [query('transcript', 'task', task), 404],
      ...['history', 'replay', 'export'].map((path) => [query(path, 'address', `task:default/${task}`), 200] as const),
      ...['effects', 'dead-letters'].map((path) => [query(path, 'actor', `task:default/${task}`), 200] as const),
      [query('effect', 'key', key), 200],
      [inPath(one, 'task', task), 200],
      [inPath(one, 'project', 'other'), 200],
      [{ route: 'PUT /resources', body: secretOfBoth }, 200],
      [{ route: 'POST /operations/redeliver', body: { key } }, 200],
      [{ route: 'POST /operations/pause', body: { project: 'other', reason: 'x' } }, 200],
      [{ route: 'POST /operations/resume', body: { project: 'other', reason: 'x' } }, 200],
      [{ route: 'POST /operations/hold', body: { task, reason: 'x' } }, 200],
      [{ route: 'POST /operations/retry', body: { task } }, 200],
      [{ route: 'POST /operations/cancel', body: { task } }, 200],
      [inPath('DELETE /resources/:kind/:namespace/:name', 'task', task), 204],
    ]
    expect(new Set(calls.map(([{ route }]) => route))).toEqual(
      new Set(entries.filter(({ ofOwners }) => ofOwners).map(({ route }) => route)),
    )
    for (const [asked, status] of calls) {
      expect((await ask(asked, 'owner')).status, JSON.stringify(asked)).toBe(403)
      const answer = await ask(asked, 'owner', unguarded)
      expect([answer.status, answer.body], JSON.stringify(asked)).toEqual([status, expect.not.stringMatching(/role/)])
      if (status === 404) expect(answer.body).toContain(`the Task ${task} has had no pod yet`)
    }
  })
})

test('without a claim every token is an admin’s (ORCHESTRATOR-API-5)', async () => {
  const open = await compose({ roles: everyTokenIsAdmin })
  for (const entry of entries) expect((await ask(entry, 'nobody', open)).status, entry.title).not.toBe(403)
})

describe('the inspector', () => {
  async function hear(of: ComposedOrchestrator, token: string): Promise<number> {
    const { url } = await of.outside.listen({ host: '127.0.0.1', port: 0 })
    const socket = new WebSocket(`${url}/inspector/live`, { headers: { authorization: `Bearer ${token}` } })
    try {
      return await new Promise((resolve, reject) => {
        socket.on('open', () => resolve(101))
        socket.on('unexpected-response', (_request, { statusCode = 0 }) => resolve(statusCode))
        socket.on('error', reject)
      })
    } finally {
      socket.terminate()
      await of.outside.close({ graceMs: 100 })
    }
  }

  test('has a feed for whom its entry of the table names, and for nobody else', async () => {
    expect(await hear(await compose(), 'viewer')).toBe(101)
    expect(await hear(await compose(), 'owner')).toBe(403)
    const admins = { ...routeRules, [feedRoute]: { role: 'admin' as const } }
    expect(await hear(await compose({ routeRules: admins }), 'viewer')).toBe(403)
  })

  test('names a session after the caller that asked for its link, who still may only look', async () => {
    const { body } = await ask({ route: 'POST /operations/inspector-link' }, 'admin')
    const link = new URL((JSON.parse(body) as { link: string }).link, 'http://127.0.0.1')
    const page = await composed.outside.app.inject({ url: link.pathname + link.search, headers: { host: '127.0.0.1' } })
    const cookie = String(page.headers['set-cookie']).split(';')[0]!
    const [content = ''] = cookie.split('=')[1]!.split('.')
    expect(JSON.parse(Buffer.from(content, 'base64url').toString())).toMatchObject({
      subject: 'admin',
      issuer: 'ticket',
    })
    const get = await composed.outside.app.inject({ url: '/operations/open', headers: { host: '127.0.0.1', cookie } })
    expect(get.statusCode).toBe(401)
  })

  test('gives a session what a viewer sees, and nothing else', async () => {
    const { app } = composed.outside
    const { body } = await ask({ route: 'POST /operations/inspector-link' }, 'admin')
    const link = new URL((JSON.parse(body) as { link: string }).link, 'http://127.0.0.1')
    const page = await app.inject({ url: link.pathname + link.search, headers: { host: '127.0.0.1' } })
    const cookie = String(page.headers['set-cookie']).split(';')[0]!
    const get = async (url: string): Promise<number> =>
      (await app.inject({ url, headers: { host: '127.0.0.1', cookie } })).statusCode
    expect([await get('/inspector/api/kinds'), await get('/operations/open')]).toEqual([200, 401])
  })

  test('what a start writes of the inspector into its log opens nothing (INSPECTOR-RULE-2)', () => {
    expect(composed.inspectorLink()).toMatch(/\/inspector$/)
  })
})
