import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { HttpServer } from '../../edges/http/server.ts'
import { createInternalServer } from '../internal-server.ts'
import { createWrapperMetrics } from '../metrics.ts'
import { ModelMeter } from '../model-proxy/meter.ts'
import { freePort } from '../testing/gateway.ts'
import { makeOrigin, realClock, runGit } from '../testing/pod.ts'
import { rememberingLogger } from '../testing/quiet-log.ts'
import { Workspace } from '../workspace/outside/workspace.ts'
import { openWorkspace } from '../testing/workspace.ts'
import { fixedToken } from './forward.ts'

const identity = { task: 'default/t-1', project: 'demo', profile: 'implement', pod: 1 }

interface Heard {
  readonly call: string
  readonly body: string
  readonly headers: IncomingHttpHeaders
}

describe('a call through the broker', () => {
  let dir: string
  let clone: string
  let port: number
  let broker: HttpServer
  let base: string
  let operator: Server | undefined
  const heard: Heard[] = []
  let refusedCalls: (() => void) | undefined

  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'broker-'))
    clone = join(dir, 'ws', 'lib')
    runGit(dir, 'clone', '--quiet', makeOrigin(dir), clone)
    port = await freePort()
    heard.length = 0
    refusedCalls = undefined
  })
  afterEach(async () => {
    await broker.close({ graceMs: 0 })
    operator?.closeAllConnections()
    await new Promise((resolve) => (operator ? operator.close(resolve) : resolve(undefined)))
    operator = undefined
    rmSync(dir, { recursive: true, force: true })
  })

  const echo: RequestListener = (request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
    request.on('end', () => {
      heard.push({ call: `${request.method} ${request.url}`, body, headers: request.headers })
      response.writeHead(201, { 'content-type': 'application/json' }).end(body)
    })
  }
  async function open(listener: RequestListener = echo): Promise<void> {
    operator = createServer(listener)
    await new Promise<void>((resolve) => operator!.listen(port, '127.0.0.1', resolve))
  }
  async function start(patienceMs: number): Promise<void> {
    const repository = { name: 'lib', dir: clone, url: '', base: 'main', branch: 'main', sha: '' }
    const scene = openWorkspace({ dir, url: '', branch: 'main' })
    const bares = [{ repository, dir: join(dir, 'bare', 'lib.git') }]
    const workspace = new Workspace({ ...scene, patient: () => scene.git, bares })
    let ids = 0
    broker = await createInternalServer({
      logger: rememberingLogger().logger,
      clock: realClock,
      ids: { next: () => `id-${(ids += 1)}` },
      agentKey: 'key',
      gitKey: 'git',
      caller: identity,
      forward: {
        clock: realClock,
        upstreams: { operator: { baseUrl: `http://127.0.0.1:${port}`, token: fixedToken('pod-token'), patienceMs } },
        fetch: (...call) =>
          globalThis.fetch(...call).catch((error: unknown) => {
            refusedCalls?.()
            throw error
          }),
      },
      model: {
        baseUrl: '',
        credential: { kind: 'api-key', value: '' },
        fetch: globalThis.fetch,
        meter: new ModelMeter(),
        onOutput: () => undefined,
        onFailure: () => undefined,
      },
      metrics: createWrapperMetrics(identity as never, 'lib'),
      onHook: () => undefined,
      onAccountUsage: () => undefined,
      credential: () => undefined,
      push: async () => ({ pushed: [], failed: [] }),
      workspaceState: () => workspace.state(),
    })
    base = `${(await broker.listen({ host: '127.0.0.1', port: 0 })).url}/k/key/internal/call/operator`
  }
  const post = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${base}/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })

  test('waits for an orchestrator that is not up yet, and is heard once with its whole body', async () => {
    await start(30_000)
    let opening: Promise<void> | undefined
    refusedCalls = () => (opening ??= open())
    const answer = await post('tasks/t-1/notes', { kind: 'plan', body: 'b'.repeat(1000) })
    expect(answer.status).toBe(201)
    expect(opening).toBeDefined()
    expect(heard).toMatchObject([
      { call: 'POST /tasks/t-1/notes', body: JSON.stringify({ kind: 'plan', body: 'b'.repeat(1000) }) },
    ])
  })

  test('is a 502 when nobody came up in time', async () => {
    await start(600)
    let refusals = 0
    refusedCalls = () => (refusals += 1)
    const answer = await post('tasks/t-1/notes', {})
    expect([answer.status, await answer.json()]).toEqual([502, expect.objectContaining({ code: 'upstream-failed' })])
    expect(refusals).toBeGreaterThanOrEqual(3)
  })

  test('is not repeated when it may have been heard', async () => {
    await start(30_000)
    let calls = 0
    await open((request) => {
      calls += 1
      request.socket.resetAndDestroy()
    })
    expect((await post('tasks/t-1/notes', {})).status).toBe(502)
    expect(calls).toBe(1)
  })

  const hidden = (): void => void runGit(clone, 'config', 'status.showUntrackedFiles', 'no')
  const ignored = (): void => writeFileSync(join(clone, '.git', 'info', 'exclude'), 'new.txt\n')
  const broken = (): void => rmSync(join(clone, '.git'), { recursive: true })
  const workspaces: readonly [state: string, what: string, file: string, prepare?: () => void][] = [
    ['clean', 'nothing changed', ''],
    ['clean', 'an ignored file', 'new.txt', ignored],
    ['dirty', 'an untracked file', 'new.txt'],
    ['dirty', 'an untracked file that git was told to hide', 'new.txt', hidden],
    ['dirty', 'a changed file', 'README.md'],
    ['dirty', 'a folder that is no repository any more', '', broken],
  ]
  test.each(workspaces)('an outcome says %s with %s', async (state, _what, file, prepare) => {
    // A repository around the workspace must not be taken for the one that is asked.
    runGit(dir, 'init', '--quiet')
    writeFileSync(join(dir, '.git', 'info', 'exclude'), '*\n')
    prepare?.()
    if (file) writeFileSync(join(clone, file), 'other\n')
    await start(0)
    await open()
    await post('tasks/default%2Ft-1/outcome', {}, { 'x-platform-workspace': state === 'clean' ? 'dirty' : 'clean' })
    await post('tasks/t-1/outcome?x=1', {})
    expect(heard.map(({ headers }) => headers['x-platform-workspace'])).toEqual([state, state])
  })

  test('no other call says anything of the workspace, whatever the agent gives', async () => {
    await start(0)
    await open()
    await post('tasks/t-1/notes', {}, { 'x-platform-workspace': 'clean' })
    expect(heard).toHaveLength(1)
    expect(heard[0]?.headers).not.toHaveProperty('x-platform-workspace')
    expect(heard[0]?.headers.authorization).toBe('Bearer pod-token')
  })
})
