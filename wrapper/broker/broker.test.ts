import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { testClock } from '../../http/testing/fixture.ts'
import { freePort } from '../testing/gateway.ts'
import { makeOrigin, realClock, runGit } from '../testing/pod.ts'
import { rememberingLogger } from '../testing/quiet-log.ts'
import { openWorkspace } from '../testing/workspace.ts'
import { Workspace } from '../workspace/outside/workspace.ts'
import { createBroker, fixedToken, type Broker } from './broker.ts'

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
  let broker: Broker
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
    const { git, inside, wire } = openWorkspace({ dir, url: '', branch: 'main' })
    const repository = { name: 'lib', dir: clone, url: '', base: 'main', branch: 'main', sha: '' }
    const bares = [{ repository, dir: join(dir, 'bare', 'lib.git') }]
    const workspace = new Workspace({ git, inside, wire, patient: () => git, bares })
    broker = createBroker({
      caller: identity,
      clock: realClock,
      random: () => 1,
      logger: rememberingLogger().logger,
      upstreams: { operator: { baseUrl: `http://127.0.0.1:${port}`, token: fixedToken('pod-token'), patienceMs } },
      fetch: (...call) =>
        globalThis.fetch(...call).catch((error: unknown) => {
          refusedCalls?.()
          throw error
        }),
      workspaceState: () => workspace.state(),
    })
  }
  const never = new AbortController().signal
  const post = (path: string, body: unknown, signal = never): Promise<Response> =>
    broker.call('operator', path, { method: 'POST', body: JSON.stringify(body), signal })

  test('takes an hour without an orchestrator for few tries of each call and fewer lines, then one that it is over', async () => {
    const clock = testClock()
    const { logger, lines } = rememberingLogger()
    let isAway = true
    let tries = 0
    const patient = createBroker({
      caller: identity,
      clock,
      random: () => 0.5,
      logger,
      upstreams: { operator: { baseUrl: 'http://operator', token: fixedToken('pod-token'), patienceMs: 60_000 } },
      fetch: async () => {
        tries += 1
        if (!isAway) return new Response('{}')
        throw new TypeError('fetch failed', { cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }) })
      },
      workspaceState: async () => 'clean',
    })
    const call = (): Promise<Response> =>
      patient.call('operator', 'tasks/t-1/notes', { method: 'POST', body: '{}', signal: never })
    for (let minute = 0; minute < 60; minute++) {
      const answer = call()
      for (let passed = 0; passed < 62; passed++) {
        await new Promise((resolve) => setImmediate(resolve))
        clock.advance(1_000)
      }
      expect((await answer).status).toBe(502)
    }
    // Two seconds on average between two of them, once the first pauses are over.
    expect(tries).toBeLessThan(60 * 36)
    expect(lines.length).toBeLessThanOrEqual(11)
    const failing = lines.length
    isAway = false
    expect((await call()).status).toBe(200)
    expect(lines.slice(failing)).toEqual([expect.stringContaining('answers tools again')])
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

  test('passes the request id of a call on, so that its repeat is known as one (OUTCOME-20)', async () => {
    await start(0)
    await open()
    const asked = { method: 'POST', body: '{}', signal: never }
    await broker.call('operator', 'tasks/t-1/outcome', { ...asked, requestId: 'call-1' })
    await broker.call('operator', 'tasks/t-1/outcome', asked)
    expect(heard.map(({ headers }) => headers['x-request-id'])).toEqual(['call-1', undefined])
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
  test.each(workspaces)('an outcome says %s with %s (OUTCOME-REVIEW-5)', async (state, _what, file, prepare) => {
    // A repository around the workspace must not be taken for the one that is asked.
    runGit(dir, 'init', '--quiet')
    writeFileSync(join(dir, '.git', 'info', 'exclude'), '*\n')
    prepare?.()
    if (file) writeFileSync(join(clone, file), 'other\n')
    await start(0)
    await open()
    await post('tasks/default%2Ft-1/outcome', {})
    await post('tasks/t-1/outcome?x=1', {})
    expect(heard.map(({ headers }) => headers['x-platform-workspace'])).toEqual([state, state])
  })

  test('no other call says anything of the workspace', async () => {
    await start(0)
    await open()
    await post('tasks/t-1/notes', {})
    expect(heard).toHaveLength(1)
    expect(heard[0]?.headers).not.toHaveProperty('x-platform-workspace')
    expect(heard[0]?.headers.authorization).toBe('Bearer pod-token')
  })

  test.each<[string, 'operator' | 'memory', string, number, string]>([
    ['of another Task', 'operator', 'tasks/another/outcome', 403, 'tool-denied'],
    ['that no tool of the profile makes', 'operator', 'tasks/t-1', 403, 'tool-denied'],
    ['of a service that the pod has not', 'memory', 'queries', 404, 'not-found'],
  ])('a call %s is refused and goes nowhere (TOOLS-12, GATING-4)', async (_what, service, path, status, code) => {
    await start(0)
    await open()
    const answer = await broker.call(service, path, { method: 'POST', body: '{}', signal: never })
    expect([answer.status, await answer.json()]).toEqual([status, expect.objectContaining({ code })])
    expect(heard).toEqual([])
  })

  test('a call that is given up asks no more', async () => {
    await start(30_000)
    const given = new AbortController()
    let refusals = 0
    refusedCalls = () => {
      refusals += 1
      given.abort()
    }
    expect((await post('tasks/t-1/notes', {}, given.signal)).status).toBe(502)
    expect(refusals).toBe(1)
  })
})
