import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { mkdtemp, readFile, rm, mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Octokit } from '@octokit/rest'
import { startForge, type Forge, type ForgeOptions } from '../forge.ts'
import { memoryGit } from '../git/memory/memory-git.ts'
import type { UserSpec } from '../store/world.ts'
import { memoryClones } from './memory-clones.ts'

/** A forge for one test, with three people: `acme` owns, `maintainer` is admin, `bot` may write, `reader` only reads, `stranger` is nobody. */
export interface ForgeFixture {
  readonly dir: string
  readonly forge: Forge
  readonly path: string
  octokit(login: string): Octokit
  /** A clone with the token of that user, its folder. Its objects come from the forge's disk, by no request. */
  clone(login: string, name?: string): Promise<string>
  /** The same by requests, for tests of what the forge answers. */
  cloneOverHttp(login: string): Promise<string>
  /** Writes the files, commits and pushes them to the branch. Returns the sha. */
  push(folder: string, branch: string, files: Readonly<Record<string, string>>, message?: string): Promise<string>
}

export const PEOPLE = ['acme', 'maintainer', 'bot', 'reader', 'stranger'] as const
export const SECRET = 'a secret of the hook'

const LIBRARY: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify(
    { name: 'library', version: '1.0.0', type: 'module', scripts: { test: 'node --test' } },
    null,
    2,
  ),
  'src/add.js': `${Array.from({ length: 30 }, (_, line) => `// line ${line + 1}`).join('\n')}\nexport function add(a, b) {\n  return a + b\n}\n`,
  'add.test.js':
    "import { test } from 'node:test'\nimport assert from 'node:assert'\nimport { add } from './src/add.js'\ntest('adds', () => assert.equal(add(1, 2), 3))\n",
}

export const USERS: readonly UserSpec[] = PEOPLE.map((login) => ({
  login,
  token: `token-of-${login}`,
  type: login === 'bot' ? 'Bot' : 'User',
}))

export type FixtureOptions = Omit<ForgeOptions, 'dir' | 'seed' | 'git'> & {
  /** `memory` is for tests that are not about git: no process is started, and a clone's folder is only a name. */
  readonly git?: 'memory' | 'process'
  readonly repository?: Partial<Parameters<Forge['createRepository']>[0]>
}

export async function withForge(options: FixtureOptions, use: (fixture: ForgeFixture) => Promise<void>): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'forge-test-'))
  const { repository, git, ...rest } = options
  const isInMemory = git === 'memory'
  const store = isInMemory ? { git: memoryGit(Date.now, seedOf) } : {}
  const forge = await startForge({ dir: join(dir, 'forge'), ...rest, ...store, seed: { users: USERS } })
  try {
    const created = await forge.createRepository({
      owner: 'acme',
      name: 'library',
      fromPath: isInMemory ? IN_MEMORY : await library(),
      permissions: { maintainer: 'admin', bot: 'write', reader: 'read' },
      ci: { enabled: false },
      ...repository,
    })
    const clones = isInMemory ? memoryClones(forge, join(dir, 'forge', 'repositories'), created) : {}
    await use({ dir, forge, path: created.path, ...tools(dir, forge, created), ...clones })
  } finally {
    await forge.close()
    await rm(dir, { recursive: true, force: true })
  }
}

function tools(
  dir: string,
  forge: Forge,
  { path, gitUrl }: { readonly path: string; readonly gitUrl: string },
): Pick<ForgeFixture, 'octokit' | 'clone' | 'cloneOverHttp' | 'push'> {
  return {
    octokit: (login) => octokitOf(forge, login),
    async clone(login, name) {
      const header = basic(`token-of-${login}`)
      if (name === undefined) return cloneFromDisk(dir, path, gitUrl, header)
      const other = join(dir, 'forge', 'repositories', 'acme', `${name}.git`)
      return cloneFromDisk(dir, other, forge.gitUrl('acme', name), header)
    },
    async cloneOverHttp(login) {
      const folder = await mkdtemp(join(dir, 'clone-'))
      await run(folder, ['clone', '--quiet', ...headerOf(basic(`token-of-${login}`)), gitUrl, '.'])
      return folder
    },
    async push(folder, branch, files, message = 'Change') {
      await commit(folder, files, message)
      await run(folder, ['push', '--quiet', 'origin', `HEAD:refs/heads/${branch}`])
      return run(folder, ['rev-parse', 'HEAD'])
    },
  }
}

export function headerOf(header: string): readonly string[] {
  return ['--config', `http.extraHeader=${header}`]
}

/** As a clone of `url` is, without the ten processes of both ends: a test clones to push, and seldom to see a clone. */
export async function cloneFromDisk(dir: string, path: string, url: string, header: string): Promise<string> {
  const folder = await mkdtemp(join(dir, 'clone-'))
  await run(folder, ['clone', '--quiet', ...headerOf(header), path, '.'])
  const config = join(folder, '.git', 'config')
  const text = await readFile(config, 'utf8')
  if (!text.includes(`url = ${path}\n`)) throw new Error(`a clone of ${path} has another origin`)
  await writeFile(config, text.replace(`url = ${path}\n`, `url = ${url}\n`))
  return folder
}

export function octokitOf(forge: Forge, login: string): Octokit {
  return new Octokit({
    baseUrl: forge.apiUrl,
    auth: `token-of-${login}`,
    log: { debug() {}, info() {}, warn() {}, error() {} },
  })
}

export function basic(token: string): string {
  return `Authorization: Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`
}

/** Where the library would lie on disk. */
const IN_MEMORY = '/in/memory'

function seedOf({ fromPath }: { readonly fromPath?: string }): ReadonlyMap<string, string> | undefined {
  if (fromPath === undefined) return undefined
  if (fromPath !== IN_MEMORY) throw new Error(`git in memory reads no ${fromPath}`)
  return new Map(Object.entries(LIBRARY))
}

let made: Promise<string> | undefined

/** Made once in a process: three starts of git for each test add up. */
function library(): Promise<string> {
  return (made ??= makeLibrary())
}

async function makeLibrary(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'forge-library-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  await run(folder, ['init', '--quiet', '--initial-branch=main'])
  await commit(folder, LIBRARY, 'Start')
  return folder
}

export async function commit(folder: string, files: Readonly<Record<string, string>>, message: string): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  await run(folder, ['add', '-A'])
  await run(folder, ['commit', '--quiet', '-m', message])
}

/** Each commit, fetch and push would start one more process to ask whether there is garbage. */
const noGarbage = {
  GIT_CONFIG_COUNT: '2',
  GIT_CONFIG_KEY_0: 'gc.auto',
  GIT_CONFIG_VALUE_0: '0',
  GIT_CONFIG_KEY_1: 'maintenance.auto',
  GIT_CONFIG_VALUE_1: 'false',
}

/** Git as a person runs it, not in this thread: a synchronous git would wait for the server it keeps from answering. */
export function run(cwd: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const identity = {
      GIT_AUTHOR_NAME: 'Ann',
      GIT_AUTHOR_EMAIL: 'ann@example.org',
      GIT_COMMITTER_NAME: 'Ann',
      GIT_COMMITTER_EMAIL: 'ann@example.org',
    }
    const settings = { GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0', ...noGarbage }
    const env = { PATH: process.env.PATH, HOME: cwd, ...settings, ...identity }
    const child = spawn('git', args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let out = ''
    let err = ''
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()))
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0 ? resolve(out.trim()) : reject(new Error(`git ${args.join(' ')}: ${err.trim()}`)),
    )
  })
}

export interface Received {
  readonly event: string
  readonly action: string | undefined
  readonly delivery: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly raw: string
  readonly payload: Readonly<Record<string, unknown>>
}

export interface Receiver {
  readonly url: string
  readonly received: Received[]
  /** What the receiver answers from now on. */
  answer: number
}

/** A listener for webhooks, that keeps what it gets in the order in which it came. */
export async function withReceiver(use: (receiver: Receiver) => Promise<void>): Promise<void> {
  const received: Received[] = []
  const server = createServer((request, response) => {
    let raw = ''
    request.on('data', (chunk: Buffer) => (raw += chunk.toString()))
    request.on('end', () => {
      const payload = JSON.parse(raw) as Record<string, unknown>
      const header = (name: string): string => request.headers[name]?.toString() ?? ''
      received.push({
        event: header('x-github-event') || header('x-gitlab-event'),
        action: payload.action as string | undefined,
        delivery: header('x-github-delivery') || header('idempotency-key'),
        headers: request.headers,
        raw,
        payload,
      })
      response.writeHead(receiver.answer).end('noted')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const receiver: Receiver = {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/hook`,
    received,
    answer: 202,
  }
  try {
    await use(receiver)
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

/** The status of a request that must fail, and what the answer said. */
export async function failure(
  request: Promise<unknown>,
): Promise<{ status: number; message: string; errors: unknown; headers: Record<string, unknown> }> {
  try {
    await request
  } catch (error) {
    const { status, response } = error as {
      status: number
      response?: { data: { message: string; errors?: unknown }; headers: Record<string, unknown> }
    }
    if (!response) throw error
    return { status, message: response.data.message, errors: response.data.errors, headers: response.headers }
  }
  throw new Error('the request was expected to fail')
}
