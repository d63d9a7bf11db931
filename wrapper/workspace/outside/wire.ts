/**
 * Law B1: only git's wire protocol crosses between the agent's clone and the wrapper's bare repository. Both ends get pipes,
 * never an address that git opens by itself; the outer end has no credential, no network, and limits on what it takes.
 */
import type { ChildProcess } from 'node:child_process'
import { Readable, Writable } from 'node:stream'
import type { CommandSpace } from '../../space/space.ts'
import {
  collect,
  plainEnvironment,
  spawnGit,
  type GitIdentity,
  type GitResult,
  type GitRun,
  type GitSide,
} from '../git.ts'
import { PackLimits, type WireLimits } from './pack-limits.ts'
import { openQuarantine } from './quarantine.ts'

interface Crossing {
  /** `take`: the bare repository fetches from the clone. `serve`: the clone fetches from the bare repository. */
  readonly direction: 'take' | 'serve'
  readonly bare: string
  /** Root of the clone, as the command space sees it. */
  readonly clone: string
  readonly refspecs: readonly string[]
}

/** Answers how the fetching git ended. */
export type Wire = (crossing: Crossing) => Promise<GitResult>

export interface WireOptions {
  readonly space: CommandSpace
  /** Without a credential. */
  readonly outside: GitSide
  readonly path: string
  readonly identity: GitIdentity
  readonly limits?: Partial<WireLimits>
  readonly timeoutMs?: number
}

/** The bare repository's own words are limited where they were taken in. */
const own: WireLimits = { refs: Infinity, objects: Infinity, bytes: Infinity }
/** A history of years fits; what doesn't stays in the volume. */
const defaultLimits: WireLimits = { refs: 20_000, objects: 5_000_000, bytes: 2 * 1024 ** 3 }
const defaultTimeoutMs = 600_000
/** Of address space, for the git that reads what an agent sent. */
const memoryKiB = 4 * 1024 * 1024

/** Packs of any size are read through small windows, so that the limit of memory is one of work, not of history. */
const frugal = [
  'core.packedGitWindowSize=32m',
  'core.packedGitLimit=256m',
  'pack.threads=1',
  'core.bigFileThreshold=64m',
]

/** Faults of old tools that real histories hold, and that mislead no git. */
const forgiven = ['zeroPaddedFilemode', 'missingSpaceBeforeDate', 'badTimezone', 'missingNameBeforeEmail']

const overPipes = ['protocol.allow=never', 'protocol.fd.allow=always', 'protocol.version=0']
const checked = [
  'transfer.fsckObjects=true',
  ...forgiven.map((fault) => `fetch.fsck.${fault}=ignore`),
  // One pack, whatever its size: as loose objects a small pack could fill a volume.
  'fetch.unpackLimit=1',
]

const fetch = [
  'fetch',
  '--quiet',
  '--no-tags',
  '--no-recurse-submodules',
  '--no-write-fetch-head',
  '--no-auto-maintenance',
  '--update-head-ok',
  'fd::3,4',
]

export function createWire(options: WireOptions): Wire {
  const timeoutMs = options.timeoutMs ?? defaultTimeoutMs
  return async ({ direction, bare, clone, refspecs }) => {
    const upload = ['upload-pack', '--strict', `--timeout=${Math.ceil(timeoutMs / 1000)}`]
    const client = [...fetch, ...refspecs]
    if (direction === 'take') {
      const taking = [...configured([...overPipes, ...checked]), ...client]
      const quarantine = await openQuarantine(bare)
      try {
        // Connected in the same turn of the event loop: Node drops the end of a server that nobody listens to.
        const server = inner(options, clone, [...upload, `${clone}/.git`], serverPipes, timeoutMs)
        const git = outer(options, { cwd: bare, env: quarantine.env }, taking, clientPipes, timeoutMs)
        const { ownCode, ...result } = await connect(git, server, { ...defaultLimits, ...options.limits })
        if (ownCode === 0) await quarantine.admit()
        return result
      } finally {
        await quarantine.close()
      }
    }
    const server = outer(options, { cwd: bare }, [...upload, bare], serverPipes, timeoutMs)
    return connect(inner(options, clone, [...configured(overPipes), ...client], clientPipes, timeoutMs), server, own)
  }
}

function configured(settings: readonly string[]): readonly string[] {
  return settings.flatMap((setting) => ['-c', setting])
}

const clientPipes = ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'] as const
const serverPipes = ['pipe', 'pipe', 'ignore'] as const
type Pipes = readonly ('ignore' | 'pipe')[]

function inner(
  { space, path, identity }: WireOptions,
  cwd: string,
  args: readonly string[],
  stdio: Pipes,
  timeoutMs: number,
): ChildProcess {
  const env = plainEnvironment(path, '/dev/null', identity, { cwd })
  return space.spawn(['git', '-c', 'safe.directory=*', '-c', 'core.hooksPath=/dev/null', ...args], {
    cwd,
    env,
    stdio: [...stdio],
    network: false,
    timeoutMs,
  })
}

function outer(
  { space, outside }: WireOptions,
  run: GitRun,
  args: readonly string[],
  stdio: Pipes,
  timeoutMs: number,
): ChildProcess {
  return spawnGit({ ...outside, timeoutMs }, [...offline[space.kind], ...limited], [...configured(frugal), ...args], {
    ...run,
    stdio: [...stdio],
  })
}

const limited = ['/bin/sh', '-c', `ulimit -v ${memoryKiB} 2>/dev/null; exec "$@"`, 'git']

/** No network, where the machine grants namespaces. */
const offline: Readonly<Record<CommandSpace['kind'], readonly string[]>> = {
  root: ['unshare', '--net', '--'],
  user: ['unshare', '--user', '--map-current-user', '--net', '--'],
  none: [],
}

interface Connected extends GitResult {
  /** How the client ended, whatever was wrong with what the server sent: 0 says that it has checked all of it. */
  readonly ownCode: number
}

/** Pumps between the two, and ends both when one ends or sends what it may not. */
function connect(client: ChildProcess, server: ChildProcess, most: WireLimits): Promise<Connected> {
  const limits = new PackLimits(most)
  const [, , complaints, toClient, fromClient] = client.stdio
  const { stdin, stdout } = server
  if (!(complaints && stdin && stdout && toClient instanceof Writable && fromClient instanceof Readable))
    throw new Error('git was started without its pipes')
  const stderr = collect(complaints)
  let complaint: string | undefined
  const end = (): void => {
    for (const stream of [toClient, fromClient, stdin, stdout]) stream.destroy()
    for (const child of [client, server]) child.kill('SIGKILL')
  }
  for (const stream of [toClient, fromClient, stdin, stdout]) stream.on('error', () => undefined)
  stdout.on('data', (chunk: Buffer) => {
    complaint ??= limits.take(chunk)
    if (complaint !== undefined) return end()
    if (!toClient.write(chunk)) stdout.pause()
  })
  toClient.on('drain', () => stdout.resume())
  stdout.on('end', () => toClient.end())
  fromClient.pipe(stdin)
  return new Promise((resolve, reject) => {
    for (const child of [client, server]) child.on('error', (error) => (end(), reject(error)))
    // Its helper lives on, and with it the pipes, until they are closed here.
    client.on('exit', end)
    client.on('close', (code) => {
      end()
      const complaintText = complaint === undefined ? stderr() : `the clone sent ${complaint}`
      const ownCode = code ?? 128
      resolve({ code: complaint === undefined ? ownCode : 128, ownCode, stdout: '', stderr: complaintText })
    })
  })
}
