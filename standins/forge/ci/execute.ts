import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { git, gitEnvironment } from '../git/run.ts'

export interface CiOutcome {
  readonly conclusion: 'success' | 'failure' | 'timed_out' | 'cancelled'
  readonly summary: string
  /** The last of what the command said. */
  readonly log: string
}

/** A check's text may hold 65,535 characters. */
const LOG_LIMIT = 60_000

/** Runs the command in a fresh clone of exactly that commit, in a folder of its own that is gone afterwards. */
export async function executeCi(
  repository: string,
  sha: string,
  command: string,
  timeoutMs: number,
  stop: AbortSignal,
  hear: (text: string) => void = () => undefined,
): Promise<CiOutcome> {
  const room = await mkdtemp(join(tmpdir(), 'forge-ci-'))
  try {
    const work = join(room, 'work')
    await mkdir(join(room, 'home'))
    await git(room, ['init', '--quiet', work])
    await git(work, ['fetch', '--quiet', '--no-auto-maintenance', repository, sha])
    await git(work, ['-c', 'advice.detachedHead=false', 'checkout', '--quiet', 'FETCH_HEAD'])
    return await run(command, work, join(room, 'home'), timeoutMs, stop, hear)
  } finally {
    await rm(room, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** By which Node, npm, OpenSSL, pip and git reach a registry from behind a proxy that reads along. */
const certificates = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'REQUESTS_CA_BUNDLE', 'GIT_SSL_CAINFO']
const proxies = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'].flatMap((name) => [name, name.toLowerCase()])

/** A proxy with a name and a password in its address stays out. */
function registryAccess(): Record<string, string> {
  const named = [...certificates, ...proxies].map((name): [string, string] => [name, process.env[name] ?? ''])
  return Object.fromEntries(named.filter(([, value]) => value !== '' && !value.includes('@')))
}

/** Repository code runs here: it gets a path, a home of its own, the way to registries, and nothing else of this process's environment. */
function ciEnvironment(home: string): Record<string, string> {
  const path = [dirname(process.execPath), gitEnvironment().PATH].join(delimiter)
  return {
    ...registryAccess(),
    PATH: path,
    HOME: home,
    TMPDIR: home,
    LANG: 'C.UTF-8',
    CI: 'true',
    FORCE_COLOR: '0',
    NO_COLOR: '1',
    npm_config_update_notifier: 'false',
  }
}

function run(
  command: string,
  cwd: string,
  home: string,
  timeoutMs: number,
  stop: AbortSignal,
  hear: (text: string) => void,
): Promise<CiOutcome> {
  return new Promise((resolve) => {
    // Its own process group, so that the end takes the children of the test runner along.
    const child = spawn('/bin/sh', ['-c', command], {
      cwd,
      env: ciEnvironment(home),
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let log = ''
    let ended: CiOutcome['conclusion'] | undefined
    const keep = (chunk: Buffer): void => {
      log = (log + chunk.toString()).slice(-LOG_LIMIT)
      hear(chunk.toString())
    }
    const end = (why: CiOutcome['conclusion']): void => {
      ended ??= why
      endGroup(child.pid)
    }
    const timer = setTimeout(() => end('timed_out'), timeoutMs)
    const cancel = (): void => end('cancelled')
    stop.addEventListener('abort', cancel)
    if (stop.aborted) cancel()
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    child.on('error', (error) => keep(Buffer.from(error.message)))
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      stop.removeEventListener('abort', cancel)
      endGroup(child.pid)
      const conclusion = ended ?? (code === 0 ? 'success' : 'failure')
      resolve({
        conclusion,
        log,
        summary: `\`${command}\` ended with ${code === null ? `signal ${signal ?? 'unknown'}` : `exit code ${code}`} (${conclusion.replace('_', ' ')}).`,
      })
    })
  })
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The group has ended by itself.
  }
}
