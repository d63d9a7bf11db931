/** Every command that asks an orchestrator, against servers that cannot serve it: each sentence names what to do. */
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { tokenStore } from '../../memory/client/token-store.ts'
import { protectedResourcePath } from '../../orchestrator/wiring/protected-resource.ts'
import { actors } from '../commands/journal/actors.ts'
import { apply } from '../commands/resources/apply.ts'
import { exportActors } from '../commands/journal/export.ts'
import { get } from '../commands/resources/get.ts'
import { history } from '../commands/journal/history.ts'
import { inspector } from '../commands/journal/inspector.ts'
import { logs } from '../commands/work/logs.ts'
import { deadLetters, effects } from '../commands/journal/outbox.ts'
import { pause, resume } from '../commands/work/project-verbs.ts'
import { prove } from '../commands/journal/prove.ts'
import { replay } from '../commands/journal/replay.ts'
import { retention } from '../commands/journal/retention.ts'
import { cancel, hold, retry } from '../commands/work/task-verbs.ts'
import { why } from '../commands/work/why.ts'
import { credentialsFile } from '../knowledge-service.ts'
import { version } from '../program.ts'
import { freePort } from '../../testing/free-port.ts'

const manifest = join(mkdtempSync(join(tmpdir(), 'statewright-apply-')), 'secret.json')
writeFileSync(manifest, '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"},"stringData":{"k":"v"}}')

const commands: Readonly<Record<string, (args: readonly string[]) => Promise<unknown>>> = {
  'get tasks': (args) => get(['tasks', ...args]),
  'get task NAME': (args) => get(['tasks', 'a', ...args]),
  why: (args) => why(['a', ...args]),
  logs: (args) => logs(['a', ...args]),
  'logs --follow': (args) => logs(['a', '--follow', ...args]),
  retry: (args) => retry(['a', ...args]),
  cancel: (args) => cancel(['a', ...args]),
  hold: (args) => hold(['a', '--reason', 'x', ...args]),
  pause: (args) => pause(['a', '--reason', 'x', ...args]),
  resume: (args) => resume(['a', '--reason', 'x', ...args]),
  inspector,
  actors,
  history: (args) => history(['task:default/a', ...args]),
  replay: (args) => replay(['task:default/a', ...args]),
  export: (args) => exportActors(['task:default/a', ...args]),
  'prove --all': (args) => prove(['--all', ...args]),
  'effects list': effects,
  'effects show': (args) => effects(['show', 'k', ...args]),
  'effects redeliver': (args) => effects(['redeliver', 'k', ...args]),
  'dead-letters list': deadLetters,
  'dead-letters redeliver': (args) => deadLetters(['redeliver', 'k', ...args]),
  retention,
  'retention sweep': (args) => retention(['sweep', ...args]),
  apply: (args) => apply(['-f', manifest, ...args]),
}
const changing = [
  'retry',
  'cancel',
  'hold',
  'pause',
  'resume',
  'effects redeliver',
  'dead-letters redeliver',
  'retention sweep',
  'apply',
]

interface Answer {
  readonly status: number
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

interface Server {
  readonly url: string
  readonly asked: string[]
}

/** A server that answers each call so, where somebody is signed in. */
async function signedInAt(answer: Answer, itsVersion = version()): Promise<Server> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const isOpen = request.url === protectedResourcePath
    if (!isOpen) asked.push(`${request.method} ${request.headers.authorization}`)
    const { status, body, headers } =
      isOpen && itsVersion !== '' ? ({ status: 200, body: metadata(itsVersion) } as Answer) : answer
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  signIn(url)
  return { url, asked }
}

function signIn(url: string): void {
  vi.stubEnv('XDG_CONFIG_HOME', mkdtempSync(join(tmpdir(), 'statewright-home-')))
  onTestFinished(() => void vi.unstubAllEnvs())
  const login = { issuer: 'http://127.0.0.1:1', tokenUrl: 'http://127.0.0.1:1/token', clientId: 'c', audience: 'a' }
  // Far in the future: it is not renewed.
  tokenStore(credentialsFile(process.env)).write(url, { ...login, accessToken: 'token-of-ada', expiresAt: 9e12 })
}

function metadata(itsVersion: string): object {
  return {
    resource: 'https://statewright.example.org',
    resource_name: 'Statewright orchestrator',
    authorization_servers: ['http://127.0.0.1:1'],
    bearer_methods_supported: ['header'],
    statewright_version: itsVersion,
    statewright_audience: 'a',
    statewright_client_id: 'c',
  }
}

const problem = (status: number, code: string, detail: string): Answer => ({ status, body: { code, detail } })

describe.each(Object.entries(commands))('statewright %s', (name, run) => {
  test('brings its token to the server that it is given', async () => {
    const { url, asked } = await signedInAt(problem(409, 'conflict', 'not now'))
    await expect(run(['--server', url])).rejects.toThrow('not now')
    expect(asked).toEqual([expect.stringMatching(/^[A-Z]+ Bearer token-of-ada$/)])
  })

  test('names a server that is down, and where to look', async () => {
    const { url } = await signedInAt({ status: 200, body: {} })
    const closed = url.replace(/\d+$/, String(await freePort()))
    signIn(closed)
    await expect(run(['--server', closed])).rejects.toThrow(
      `the orchestrator at ${closed} does not answer (ECONNREFUSED): check the address and the network`,
    )
  })

  test('asks who is not let in to sign in again, after one more try', async () => {
    const { url, asked } = await signedInAt(problem(401, 'unauthenticated', 'the token has expired'))
    await expect(run(['--server', url])).rejects.toThrow(`run statewright login --server ${url}`)
    expect(asked).toHaveLength(1)
  })

  test('names the role that lacks, and who gives it', async () => {
    const { url } = await signedInAt(problem(403, 'forbidden', 'this needs the role operator'))
    await expect(run(['--server', url])).rejects.toThrow(/this needs the role operator; .* setting ROLES/)
  })

  test('names another version that has no such route', async () => {
    const { url } = await signedInAt(problem(404, 'not-found', 'no route has the path /x'), '9.9.9')
    await expect(run(['--server', url])).rejects.toThrow(
      `the orchestrator at ${url} has version 9.9.9, this program has ${version()}: use one of the same version`,
    )
  })

  test('names an older version that does not publish itself', async () => {
    const { url } = await signedInAt(problem(404, 'not-found', 'no route has the path /x'), '')
    await expect(run(['--server', url])).rejects.toThrow('has an unknown version')
  })

  test('does not take a page of another program for an answer', async () => {
    const { url } = await signedInAt(
      { status: 200, body: '<h1>Welcome</h1>', headers: { 'content-type': 'text/html' } },
      '',
    )
    await expect(run(['--server', url])).rejects.toThrow('is no orchestrator: check the address')
  })

  test('brings its token no further than the server', async () => {
    const elsewhere = await signedInAt({ status: 200, body: {} })
    const { url } = await signedInAt({ status: 307, body: '', headers: { location: elsewhere.url } })
    await expect(run(['--server', url])).rejects.toThrow(`sends on to ${elsewhere.url}: give the address that answers`)
    expect(elsewhere.asked).toEqual([])
  })

  test('names a proxy whose orchestrator is gone', async () => {
    const { url } = await signedInAt({ status: 503, body: '<h1>no endpoints</h1>' })
    await expect(run(['--server', url])).rejects.toThrow('look at its pods')
  })

  test('names another version whose answer differs', async () => {
    const { url } = await signedInAt({ status: 200, body: { other: true } }, '9.9.9')
    const done = changing.includes(name) ? 'It took the request, but ' : ''
    await expect(run(['--server', url])).rejects.toThrow(`${done}the orchestrator at ${url} has version 9.9.9`)
  })
})

test('an orchestrator in Kubernetes takes no manifest: kubectl does', async () => {
  const { url } = await signedInAt(problem(404, 'not-found', 'no route has the path /resources'))
  await expect(apply(['-f', manifest, '--server', url])).rejects.toThrow('write them with kubectl')
})
