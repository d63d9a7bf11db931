/** Every command against servers, files and programs whose every text would steer a terminal, or forge a line of ours. */
import { once } from 'node:events'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import { topicMarker, withMarkers } from '../edges/forge/marker.ts'
import { planComment } from '../machines/issue/plan.ts'
import { tokenStore } from '../memory/client/token-store.ts'
import { protectedResourcePath } from '../orchestrator/wiring/protected-resource.ts'
import { bundleFormat } from '../runtime/journal/bundle/schema.ts'
import { said, type Said } from './commands/testing/fixture.ts'
import { credentialsFile } from './knowledge-service.ts'
import { run } from './main.ts'
import { contextsFile, writeContexts } from './server/contexts.ts'

const steers =
  '\u001b[2J\u001b]0;title\u0007\u001b]52;c;eA==\u001b\\\r\b\u007f\u009b2J\u009d0;t\u009c\u0085\u2028\u202e\u2066\u200f\u061c'
const evil = `evil${steers}\nFORGED`

const bundle = {
  ...{ address: evil, kind: evil, seq: 1, version: 1, machineHash: evil, status: evil, path: evil, fault: evil },
  ...{ replay: { ok: false, why: evil }, baselines: [], snapshot: null, events: [], effects: [], timers: [] },
}
const view = {
  kind: evil,
  metadata: { name: evil, namespace: evil },
  spec: { kind: evil },
  status: { stage: evil, stageReason: evil, agentKind: evil },
}
const card = {
  ...{
    task: evil,
    project: evil,
    title: evil,
    stage: evil,
    since: 1,
    reason: evil,
    owner: evil,
    why: evil,
    next: evil,
  },
  ...{
    detail: evil,
    people: [evil],
    by: [evil],
    repositories: [evil],
    thread: { name: evil, url: evil },
    queue: { position: 1, reason: evil },
  },
  ...{ turns: 1, tokens: 1, usd: 1 },
}
const effect = {
  ...{ key: evil, actor: evil, type: evil, state: 'dead', attempts: 1, decidedAt: 0, notBefore: 0, lastError: evil },
  params: { [evil]: evil },
}
const letter = { id: evil, actor: evil, key: evil, reason: evil, at: 0, event: { type: evil, [evil]: evil } }
const resting = { reason: `${evil}/x`, says: evil, owner: evil, unblocks: evil }
const entry = { type: 'Error', message: evil, stack: `${evil}\n  at ${evil}` }
const job = {
  id: 'j',
  total: 1,
  done: 0,
  failed: 1,
  skipped: 0,
  purged: 0,
  status: 'failed',
  errors: [{ idempotency_key: evil, message: evil }],
}

const dated = '2026-01-01T00:00:00Z'
const plan = `sha256:${'a'.repeat(64)}`
const saidOnForge = {
  ...{ id: 1, user: { id: 2, login: evil, type: 'Bot' }, html_url: evil, issue_url: 'https://forge/issues/1' },
  ...{ body: withMarkers(planComment(plan, evil), topicMarker('plan')), created_at: dated, updated_at: dated },
}

/** By path, and by method where there are two. */
const answers: Readonly<Record<string, unknown>> = {
  '/resources': { kind: evil, name: evil, change: evil, warnings: [{ path: evil, message: evil }] },
  '/resources/tasks': { items: [view] },
  '/resources/tasks/default/a': {
    ...view,
    spec: { ...view.spec, projectRef: 'p' },
    status: {
      ...{ ...view.status, stageClass: evil, planHash: plan, mergeRequests: [] },
      issues: [{ repository: 'lib', number: 1, state: 'open', granted: false }],
    },
  },
  '/resources/issues/default/lib-1': { ...view, status: { ownerTask: 'default/a' } },
  '/resources/repositories/default/lib': view,
  '/user': { id: 1, login: `${evil}2`, type: 'User' },
  '/repos/acme/lib/issues/1/comments': [saidOnForge],
  '/operations/why': {
    ...{ task: evil, stage: evil, resting, detail: evil, below: [resting], reviewRounds: 1 },
    queue: { entry: evil, position: 1, reason: evil },
    nextTimer: { name: evil, dueAt: 0 },
    spending: [{ name: evil, limit: 2, spent: 1, reserved: 1 }],
    cost: { turns: 1, tokens: 1, usd: 1 },
    path: [{ by: evil, does: evil, stage: evil }],
    refusedCalls: [{ turn: 1, pod: 1, calls: [{ tool: evil, reason: 'no-turn', count: 1 }] }],
    merged: [{ name: evil, url: evil, commit: evil }],
    memory: [{ repository: evil, trouble: evil, commit: evil, due: 1 }],
  },
  '/operations/logs': {
    ...{ task: evil, pod: 1, isLive: false, truncated: true, cursor: '', waits: evil },
    lines: [evil, JSON.stringify({ time: evil, level: 50, msg: evil, [evil]: evil, err: entry })],
  },
  '/operations/board': {
    now: 1,
    ...Object.fromEntries(['waiting', 'working', 'queued', 'ended'].map((name) => [name, { cards: [card], more: 1 }])),
    projects: [{ project: evil, fault: { reason: evil, message: evil }, hold: evil, slots: 1, used: 1, budgets: [] }],
    withheld: { cause: evil, message: evil, until: 1 },
  },
  '/operations/transcript': { task: evil, pod: 1, at: evil, truncated: true, lines: [evil] },
  ...Object.fromEntries(
    ['retry', 'cancel', 'hold'].map((verb) => [`/operations/${verb}`, { stage: evil, stageReason: evil }]),
  ),
  ...Object.fromEntries(
    ['pause', 'resume'].map((verb) => [
      `/operations/${verb}`,
      ...[
        { project: evil, pausedBy: { by: evil, reason: evil, at: 0 }, maxConcurrentAgents: 1, waiting: 0, running: 0 },
      ],
    ]),
  ),
  '/operations/inspector-link': { link: evil },
  '/operations/actors': {
    items: [
      { address: evil, status: 'done', path: evil, seq: 1, version: 1, machineHash: '', fault: evil, updatedAt: 0 },
    ],
  },
  '/operations/history': {
    items: [false, true].map((handled) => ({
      ...{
        seq: 1,
        at: 0,
        key: evil,
        event: { type: evil },
        effects: [{ type: evil, params: {} }],
        path: evil,
        handled,
      },
      fault: handled ? null : evil,
    })),
  },
  '/operations/replay': { address: evil, steps: 1, equal: false, firstDifference: evil },
  '/operations/export': bundle,
  '/operations/effects': { items: [effect] },
  '/operations/effect': effect,
  '/operations/dead-letters': { items: [letter] },
  '/operations/dead-letter': letter,
  '/operations/retention': {
    policy: { days: 1, events: 1, finalDays: 1 },
    last: { endedAt: 0, actors: 1, compacted: 1, events: 1, characters: 1, refused: [{ address: evil, reason: evil }] },
  },
  '/queries': { results: [{ content: evil, score: 1, kind: evil, metadata: { repo: evil, file: 'x' } }] },
  '/queries:describe': { summary: `evil${steers}` },
  '/ingest-jobs': { items: [] },
  '/ingest-record': { commit: null, items: [] },
  '/memories:bulk': job,
  '/ingest-jobs/j': job,
  '/code-graph:bulk': {},
  '/device': {
    ...{ device_code: 'd', user_code: evil, verification_uri: `https://${evil}`, expires_in: 60, interval: 0 },
  },
}

const problem = { code: evil, title: evil, detail: evil, message: evil, errors: [{ path: evil, message: evil }] }
const folder = mkdtempSync(join(tmpdir(), 'hostile-'))
let url = ''
let refuses = false

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '', 'http://server')
  const open: Readonly<Record<string, unknown>> = {
    [protectedResourcePath]: {
      ...{ resource: url, resource_name: evil, authorization_servers: [url], bearer_methods_supported: [evil] },
      ...{ statewright_version: evil, statewright_audience: evil, statewright_client_id: evil },
    },
    '/resources/projects/default/p': {
      spec: { scm: { provider: 'forge_a', owner: 'acme', botLogin: evil, apiURL: url, webURL: url } },
    },
    '/.well-known/openid-configuration': {
      ...{ issuer: url, token_endpoint: `${url}/token`, device_authorization_endpoint: `${url}/device` },
    },
  }
  const spoken = request.method === 'POST' && pathname.startsWith('/repos/') ? saidOnForge : undefined
  const found = spoken ?? open[pathname] ?? (refuses ? undefined : answers[pathname])
  const isAnswered = found !== undefined || pathname === '/text'
  const status = isAnswered ? 200 : pathname === '/token' ? 400 : pathname.startsWith('/apis') ? 403 : 404
  response.writeHead(status, { 'content-type': 'application/json' })
  request.resume().on('end', () => {
    const refused = pathname === '/token' ? { error: 'invalid_grant', error_description: evil } : problem
    response.end(pathname === '/text' ? evil : JSON.stringify(found ?? refused))
  })
})

function file(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  vi.stubEnv('XDG_CONFIG_HOME', join(folder, 'config'))
  vi.stubEnv('GH_HOST', url)
  vi.stubEnv('GH_ENTERPRISE_TOKEN', 't')
  vi.stubEnv('XDG_CACHE_HOME', join(folder, 'cache'))
  const login = { issuer: url, tokenUrl: `${url}/token`, clientId: 'c', audience: 'a' }
  // Far in the future: it is not renewed.
  tokenStore(credentialsFile(process.env)).write(url, { ...login, accessToken: 't', expiresAt: 9e12 })
  writeContexts(contextsFile(process.env), { contexts: { [evil]: { server: evil } } })
  mkdirSync(join(folder, 'lib'))
  // Git holds any name; who reads repositories refuses some, and lets others through.
  for (const name of [evil, 'evil\u009b2J\u202e\u2028']) {
    writeFileSync(join(folder, 'lib', `${name}.md`), '`scm_read(kind=nothing)`\n')
    writeFileSync(join(folder, 'lib', `${name}.yaml`), 'skillsRef: main\n')
    writeFileSync(join(folder, 'lib', `${name}.ts`), 'export const a = 1\n')
    writeFileSync(join(folder, 'lib', `${name}.bin`), '\0')
  }
  execFileSync('git', ['init', '--quiet', join(folder, 'lib')])
  execFileSync('git', ['add', '.'], { cwd: join(folder, 'lib') })
  const cluster = {
    clusters: [{ name: 'c', cluster: { server: url, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'u', user: { token: 't' } }],
  }
  const context = { contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }], 'current-context': 'x' }
  file('kubeconfig', JSON.stringify({ apiVersion: 'v1', kind: 'Config', ...cluster, ...context }))
  file('bundle.json', JSON.stringify({ format: bundleFormat, program: evil, exportedAt: 0, actors: [bundle] }))
  const task = { ...bundle, kind: 'task', replay: { ok: true } }
  file('task.json', JSON.stringify({ format: bundleFormat, program: evil, exportedAt: 0, actors: [task] }))
  file(
    'secret.yaml',
    JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' }, stringData: { k: 'v' } }),
  )
  file('bad.yaml', JSON.stringify({ apiVersion: evil, kind: evil, metadata: { name: evil }, [evil]: evil }))
  file('cut.yaml', `evil: "${steers}`)
  file('cli', `#!/bin/sh\nprintf '%s' '${evil}'\n`)
  chmodSync(join(folder, 'cli'), 0o755)
})

afterAll(() => {
  server.close()
  vi.unstubAllEnvs()
})

/** Of each command its calls: what it answers, as text and in its forms for programs. `DIR` is the folder, `URL` the server. */
const calls: Readonly<Record<string, readonly string[]>> = {
  apply: ['-f DIR/secret.yaml', '-f DIR/bad.yaml', '-f DIR/cut.yaml'],
  get: ['tasks', 'tasks a', 'tasks -o wide', 'tasks -o name', 'tasks -o json', 'tasks -o yaml'],
  describe: ['task a'],
  delete: ['task nobody'],
  why: ['a', 'a --json'],
  approve: ['a --yes', 'lib#1 --yes'],
  comment: ['a x', 'lib#1 x'],
  logs: ['a', 'a --json'],
  transcript: ['a', 'a --json'],
  waiting: ['', '--json'],
  retry: ['a', 'a --json'],
  cancel: ['a', 'a --json'],
  hold: ['a --reason x', 'a --reason x --json'],
  pause: ['a --reason x', 'a --reason x --json'],
  resume: ['a --reason x', 'a --reason x --json'],
  inspector: [''],
  actors: ['', '--json'],
  history: ['a', 'a --json'],
  replay: ['a', 'a --json', '--all'],
  export: ['a'],
  prove: ['--against DIR/task.json', '--against DIR/task.json --json'],
  import: ['DIR/bundle.json', 'DIR/bundle.json --json'],
  inspect: ['DIR/bundle.json'],
  effects: ['', '--json', 'show k', 'redeliver k'],
  'dead-letters': ['', '--json', 'show k', 'redeliver k'],
  retention: ['', '--json', 'sweep'],
  skills: ['check DIR/lib', 'check DIR/lib --json', 'check DIR/lib --manifest URL/text'],
  'code-graph': ['push DIR/lib --no-cache --repo evil', 'extract DIR/lib --no-cache'],
  ingest: ['DIR/lib', 'DIR/lib --json', 'DIR/lib --dry-run'],
  query: ['x', 'x --json', 'x --describe'],
  login: ['', '--issuer URL --audience a'],
  context: ['', 'use nobody'],
  release: ['--force', ''],
  doctor: ['--cluster --image x --timeout 1'],
  'check-pins': ['DIR/lib'],
  wrapper: ['selftest --cli DIR/cli --only submit.one-byte'],
}

/** They show nothing that a server answers, or what they show goes to `print` line by line (the architecture test). */
const others = ['watch', 'completion', 'up', 'open', 'demo', 'try', 'secret', 'orchestrator', 'rbac', 'memory']

const ofServer = [
  'apply',
  'get',
  'describe',
  'delete',
  'why',
  'approve',
  'comment',
  'logs',
  'transcript',
  'waiting',
  'retry',
  'cancel',
  'hold',
  'pause',
  'resume',
  'inspector',
  'actors',
]
const alsoOfServer = ['history', 'replay', 'export', 'effects', 'dead-letters', 'retention', 'login']
const ofService = ['query', 'ingest', 'code-graph']
const ofCluster = ['release', 'doctor']

async function printed(name: string, call: string): Promise<Said> {
  const target = [...ofServer, ...alsoOfServer].includes(name)
    ? ['--server', url]
    : ofService.includes(name)
      ? ['--url', url]
      : ofCluster.includes(name)
        ? ['--kubeconfig', join(folder, 'kubeconfig')]
        : []
  const given = call.split(' ').filter((word) => word !== '')
  const args = given.map((word) => word.replace('DIR', folder).replace('URL', url))
  const written: string[] = []
  const stream = vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0)
  try {
    const { out, err } = await said(() => run([name, ...args, ...(given.includes('extract') ? [] : target)]))
    return { out: `${out}${written.join('')}`, err }
  } finally {
    stream.mockRestore()
  }
}

/** What no line of a command has in it, but for the ends of its own lines. */
const steering = /(?![\n\t])[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u

function expectHarmless({ out, err }: Said): void {
  expect(`${out}\n${err}`).toContain('evil')
  for (const text of [out, err]) {
    expect(steering.exec(text)?.[0]).toBeUndefined()
    expect(text.split('\n').filter((line) => line.startsWith('FORGED'))).toEqual([])
  }
}

test('every command has its calls here', async () => {
  const { out } = await said(() => run(['--help']))
  const names = [...out.matchAll(/^ {2}(\S+) {2,}\S/gm)].map(([, name = '']) => name)
  expect([...Object.keys(calls), ...others].toSorted()).toEqual(names.toSorted())
})

describe.each(Object.entries(calls).flatMap(([name, each]) => each.map((call) => [name, call] as const)))(
  'statewright %s %s',
  (name, call) => {
    test('steers no terminal with what it shows', async () => {
      const shown = await printed(name, call)
      expectHarmless(shown)
      const values = valuesOf(call, shown.out)
      if (values !== undefined) expect(JSON.stringify(values)).toContain(JSON.stringify(evil).slice(1, -1))
    })
  },
)

/** What a program reads of it, where it is for programs. */
function valuesOf(call: string, out: string): readonly unknown[] | undefined {
  if (call.includes('-o yaml')) return [parse(out)]
  if (!/-(-|o )json$/.test(call)) return undefined
  const lines = out.startsWith('{\n') ? [out] : out.split('\n')
  return lines.filter((line) => line.startsWith('{')).map((line): unknown => JSON.parse(line))
}

describe.each([...ofServer, ...alsoOfServer, ...ofService, ...ofCluster])('a refusal of statewright %s', (name) => {
  test('steers no terminal', async () => {
    refuses = true
    try {
      expectHarmless(await printed(name, calls[name]?.[0] ?? ''))
    } finally {
      refuses = false
    }
  })
})
