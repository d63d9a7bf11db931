import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { startIdentity } from '../../standins/identity/identity.ts'
import { clientCredentials } from '../../http/token-source.ts'
import { contractVersion } from '../../machines/turn/contract-version.ts'
import { secretFileName, variableTexts, type PodSecrets } from '../../machines/turn/pod-environment.ts'
import type { TurnComplete, TurnResult } from '../../machines/turn/schema.ts'
import type { Clock } from '../clock.ts'
import type { Transcript } from '../../machines/turn/transcript.ts'
import { startTestModel, type ModelRequest, type Move, type TestModel } from '../selftest/model.ts'

export const realClock: Clock = {
  now: () => Date.now(),
  setTimer: (milliseconds, run) => {
    const timer = setTimeout(run, milliseconds)
    return { cancel: () => clearTimeout(timer) }
  },
}

const root = join(import.meta.dirname, '..', '..')
export const realCli = join(root, 'node_modules', '.bin', 'claude')
/** Of the suite (`bin/test.mjs`): each wrapper that starts compiles what changed. */
const compileCache = process.env['NODE_COMPILE_CACHE']
const audience = 'urn:statewright:wrapper'

/** Everything around one pod: origin repository, identity provider, model, callback receiver, folders of its own. */
export interface PodWorld {
  readonly dir: string
  readonly origin: string
  readonly model: TestModel
  readonly callbacks: readonly TurnComplete[]
  /** As the wrapper handed them over at its stops. */
  readonly transcripts: readonly Transcript[]
  readonly signatures: readonly (string | undefined)[]
  /** The receiver of callbacks answers 503 this many times; `callbacks` holds what it took. */
  refuseCallbacks(times: number): void
  readonly workspace: string
  readonly stateDir: string
  readonly home: string
  /** What hooks and commands wrote into a file of their HOME, which is another one at each start. */
  inCommandHome(name: string): string
  /** What a start gives to the wrapper. Its secrets are files, which it reads once. */
  environment(extra?: Readonly<Record<string, string>>): Record<string, string>
  /** Calls a wrapper of this world that serves there. */
  callerOf(url: string): Call
  /** Starts the wrapper as a process and waits until it serves. */
  start(extra?: Readonly<Record<string, string>>): Promise<Pod>
  close(): Promise<void>
}

/** The members of the wrapper's answers that tests look at. */
export interface PodAnswer {
  readonly turnId: string
  readonly code?: string
  readonly lastProbe?: object
}

export type Call = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<{ status: number; body: PodAnswer; text: string }>

export interface Pod {
  readonly url: string
  readonly process: ChildProcess
  readonly log: () => string
  readonly exit: Promise<number>
  readonly call: Call
  /** The body of a GET as it comes. */
  stream(path: string): Promise<AsyncIterable<Uint8Array>>
  /** Submits and waits for the recorded result. */
  turn(text: string, headers?: Readonly<Record<string, string>>): Promise<TurnResult>
  result(turnId: string): Promise<TurnResult>
}

export interface WorldOptions {
  readonly decide: (request: ModelRequest, index: number) => Move
  readonly env?: Readonly<Record<string, string>>
  readonly cli?: readonly string[]
  /** The wrapper's command; its sources unless told. */
  readonly program?: readonly string[]
  /** The user that the wrapper runs as and whose the world's folder is. */
  readonly uid?: number
  /** Name of the agent's HOME below the world's folder. */
  readonly homeName?: string
  /** False: the model forgets its requests. */
  readonly keepsRequests?: boolean
}

export const callbackSecret = 'a-secret-of-the-callbacks'
export const modelKey = 'sk-real-key-of-the-model-canary-77'

export async function openWorld(options: WorldOptions): Promise<PodWorld> {
  const dir = mkdtempSync(join(tmpdir(), 'pod-'))
  const origin = makeOrigin(dir)
  const model = await startTestModel(options.decide, options.keepsRequests)
  const identity = await startIdentity({
    clients: [{ clientId: 'operator', secret: 'operator-secret', audiences: [audience] }],
    // A test's clock may leap over hours.
    tokenSeconds: 86_400,
  })
  const receiver = await startReceiver()
  const token = clientCredentials({
    tokenUrl: identity.tokenUrl,
    clientId: 'operator',
    secret: 'operator-secret',
    audience,
    clock: realClock,
    fetch: globalThis.fetch,
  })
  const pods: Pod[] = []
  const [workspace, stateDir, home] = ['workspace', 'state', options.homeName ?? 'home'].map((name) =>
    join(dir, name),
  ) as [string, string, string]
  const environment: PodWorld['environment'] = (extra = {}) => ({
    PATH: `${join(root, 'node_modules', 'node', 'bin')}:/usr/local/bin:/usr/bin:/bin`,
    HOME: home,
    ...(compileCache === undefined ? {} : { NODE_COMPILE_CACHE: compileCache }),
    WORKSPACE_DIR: workspace,
    STATE_DIR: stateDir,
    HTTP_ADDR: '127.0.0.1:0',
    INTERNAL_ADDR: '127.0.0.1:0',
    ...variableTexts({
      OIDC_ISSUER: identity.issuer,
      OIDC_AUDIENCE: audience,
      PLATFORM_TASK: 'implement-lib-1-x7k2p',
      PLATFORM_PROJECT: 'demo',
      PLATFORM_TOOL_PROFILE: 'implement',
      PLATFORM_POD: 1,
      PLATFORM_CONTRACT_VERSION: contractVersion,
      MODEL: 'claude-sonnet-4-5',
      MODEL_BASE_URL: model.url,
      CALLBACK_URL: receiver.url,
      AGENT_CLI: [...(options.cli ?? [realCli])],
      REPOS: [{ name: 'lib', url: origin, base: 'main' }],
      BOT_LOGIN: 'statewright-bot',
      // A machine that refuses namespaces still tests the rest.
      AGENT_SECLUSION: 'auto',
    }),
    ...secretFiles(dir, { MODEL_PROVIDER_API_KEY_FILE: modelKey, CALLBACK_HMAC_SECRET_FILE: callbackSecret }),
    ...options.env,
    ...extra,
  })
  return {
    dir,
    origin,
    model,
    workspace,
    stateDir,
    home,
    callbacks: receiver.bodies,
    transcripts: receiver.transcripts,
    signatures: receiver.signatures,
    refuseCallbacks: receiver.refuse,
    inCommandHome: (name) =>
      commandHomes(stateDir, home)
        .map((dir) => textOf(join(dir, name)))
        .join(''),
    environment,
    callerOf: (url) => callerOf(url, () => token.token()),
    start: async (extra) => {
      const all = environment(extra)
      if (options.uid !== undefined) give(dir, options.uid)
      const pod = await startPod(all, stateDir, () => token.token(), options)
      pods.push(pod)
      return pod
    },
    close: async () => {
      for (const pod of pods)
        if (pod.process.exitCode === null && pod.process.signalCode === null) pod.process.kill('SIGTERM')
      await Promise.all(pods.map((pod) => pod.exit))
      await Promise.all([model.close(), identity.close(), receiver.close()])
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** Of each start, oldest first; without namespaces it is the HOME of the CLI. */
function commandHomes(stateDir: string, home: string): readonly string[] {
  const space = join(stateDir, 'space')
  if (!existsSync(space)) return [home]
  return readdirSync(space)
    .toSorted()
    .map((boot) => join(space, boot, 'home'))
}

function textOf(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

/** The folder of a wrapper's sockets: where it listens by the kernel's own list. */
export function socketFolderOf({ process: { pid } }: { readonly process: { readonly pid?: number } }): string {
  const open = new Set(readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`)))
  const listed = readFileSync('/proc/net/unix', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
  const own = listed.find(([, , , , , , inode, path]) => open.has(`socket:[${inode}]`) && path?.endsWith('/tools.sock'))
  if (own === undefined) throw new Error('the wrapper listens on no socket of tools')
  return dirname(own[7]!)
}

export function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

const ownSources = [process.execPath, join(import.meta.dirname, 'run-wrapper.ts')]

async function startPod(
  env: Record<string, string>,
  stateDir: string,
  token: () => Promise<string>,
  { uid, program = ownSources }: WorldOptions,
): Promise<Pod> {
  rmSync(join(stateDir, 'endpoint.json'), { force: true })
  const child = spawn(program[0]!, program.slice(1), {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  })
  let log = ''
  child.stdout.on('data', (chunk: Buffer) => (log += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()))
  const exit = new Promise<number>((resolve) =>
    child.on('exit', (code, signal) => resolve(code ?? (signal ? 128 : -1))),
  )
  await waitFor(
    () => existsSync(join(stateDir, 'endpoint.json')) || child.exitCode !== null,
    60_000,
    () => `the wrapper did not come up:\n${log}`,
  )
  if (child.exitCode !== null) throw new Error(`the wrapper ended with ${child.exitCode}:\n${log}`)
  const { url } = JSON.parse(readFileSync(join(stateDir, 'endpoint.json'), 'utf8')) as { url: string }
  const call = callerOf(url, token)
  const result = async (turnId: string): Promise<TurnResult> => {
    let last: TurnResult | undefined
    await waitFor(
      async () => (last = (await call('GET', `/v1/messages/${turnId}`)).body as TurnResult).state !== 'running',
      40_000,
      () => `turn ${turnId} did not end:\n${log}`,
    )
    return last!
  }
  return {
    url,
    process: child,
    exit,
    call,
    result,
    stream: async (path) => {
      const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${await token()}` } })
      return response.body as AsyncIterable<Uint8Array>
    },
    log: () =>
      log
        .split('\n')
        .filter((line) => !line.includes('request answered'))
        .join('\n'),
    turn: async (text, headers) => {
      const accepted = await call('POST', '/v1/messages', { text }, headers)
      if (accepted.status !== 202) throw new Error(`not accepted: ${accepted.status} ${accepted.text}`)
      return result((accepted.body as { turnId: string }).turnId)
    },
  }
}

function callerOf(url: string, token: () => Promise<string>): Call {
  return async (method, path, body, headers = {}) => {
    const authorization = `Bearer ${await token()}`
    const init =
      body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { authorization, 'content-type': 'application/json', ...headers } }
    const response = await fetch(`${url}${path}`, { method, headers: { authorization, ...headers }, ...init })
    const text = await response.text()
    return {
      status: response.status,
      text,
      body:
        (response.headers.get('content-type') ?? '').includes('json') && !path.includes('transcript')
          ? JSON.parse(text)
          : undefined,
    }
  }
}

async function startReceiver(): Promise<{
  url: string
  bodies: TurnComplete[]
  transcripts: Transcript[]
  signatures: (string | undefined)[]
  refuse(times: number): void
  close(): Promise<void>
}> {
  let refusals = 0
  const bodies: TurnComplete[] = []
  const transcripts: Transcript[] = []
  const signatures: (string | undefined)[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    request.on('end', () => {
      if (refusals > 0) {
        refusals -= 1
        return void response.writeHead(503).end()
      }
      if (request.url === '/internal/transcript') transcripts.push(JSON.parse(text) as Transcript)
      else bodies.push(JSON.parse(text) as TurnComplete)
      signatures.push(request.headers['x-platform-signature'] as string | undefined)
      response.writeHead(200).end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/internal/turn-complete`,
    bodies,
    transcripts,
    signatures,
    refuse: (times) => void (refusals = times),
    close: () => new Promise((resolve) => (server.closeAllConnections(), server.close(() => resolve()))),
  }
}

/** A bare repository with one commit on `main`. */
export function makeOrigin(dir: string): string {
  const origin = join(dir, 'lib.git')
  const seed = join(dir, 'seed')
  mkdirSync(seed, { recursive: true })
  runGit(dir, 'init', '--quiet', '--bare', '--initial-branch=main', origin)
  runGit(seed, 'init', '--quiet', '--initial-branch=main')
  writeFileSync(join(seed, 'README.md'), '# lib\n')
  writeFileSync(join(seed, 'CLAUDE.md'), 'The word of the base branch is heron.\n\n@more.md\n')
  writeFileSync(join(seed, 'more.md'), 'The word that it includes is egret.\n')
  runGit(seed, 'add', '.')
  runGit(seed, 'commit', '--quiet', '-m', 'Begin')
  runGit(seed, 'push', '--quiet', origin, 'main')
  return origin
}

export function runGit(cwd: string, ...args: string[]): string {
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: cwd,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
  }
  const identity = {
    GIT_AUTHOR_NAME: 'tester',
    GIT_AUTHOR_EMAIL: 't@example.invalid',
    GIT_COMMITTER_NAME: 'tester',
    GIT_COMMITTER_EMAIL: 't@example.invalid',
  }
  return execFileSync('git', args, { cwd, env: { ...env, ...identity }, stdio: ['ignore', 'pipe', 'pipe'] })
    .toString()
    .trim()
}

export async function waitFor(
  condition: () => boolean | Promise<boolean>,
  limitMs: number,
  complaint: () => string,
): Promise<void> {
  const deadline = Date.now() + limitMs
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(complaint())
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}

export function randomText(bytes: number): string {
  const line = (): string => randomBytes(30).toString('base64')
  let text = `${randomUUID()}`
  while (text.length < bytes) text += `${text.length % 3 === 0 ? '\n' : ' '}${line()}`
  return text.slice(0, bytes)
}

/** As the volume of such a pod is: its own. */
function give(dir: string, uid: number): void {
  chmodSync(dir, 0o755)
  for (const name of ['', ...readdirSync(dir, { recursive: true, encoding: 'utf8' })])
    chownSync(join(dir, name), uid, uid)
}

/** Of one start: the wrapper reads each once and removes it. */
function secretFiles(dir: string, secrets: PodSecrets): Record<string, string> {
  return Object.fromEntries(
    Object.entries(secrets).map(([variable, text]) => {
      const path = join(dir, `${secretFileName(variable)}-${randomUUID()}`)
      writeFileSync(path, text, { mode: 0o600 })
      return [variable, path]
    }),
  )
}
