/** git as a child process: an own clean configuration, credentials by environment, never on a command line or in a file. */
import { spawn } from 'node:child_process'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Clock } from '../../../http/ports.ts'
import { endGroup } from '../../../runtime/process-group.ts'

interface GitCall {
  readonly args: readonly string[]
  readonly dir: string
  readonly env?: Readonly<Record<string, string>>
  readonly input?: AsyncIterable<Buffer>
  /** Takes its output, which is kept nowhere then, and ends it by `true`. */
  readonly until?: (text: string) => boolean
}

export interface GitResult {
  readonly code: number
  readonly out: string
  readonly err: string
}

export type RunGit = (call: GitCall) => Promise<GitResult>

class GitError extends Error {
  override readonly name = 'GitError'
}

/** Unless the operator says otherwise: a slow forge sends a large repository in it. */
export const longestRunMs = 10 * 60_000
const MOST_OUTPUT = 16 * 1024 * 1024

const clean = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: '/bin/false',
  HOME: '/nonexistent',
  LC_ALL: 'C',
}

interface RunGitOptions {
  /** Where the git program is looked for. */
  readonly path: string
  readonly clock: Clock
  readonly longestMs?: number
}

export function createRunGit({ path, clock, longestMs = longestRunMs }: RunGitOptions): RunGit {
  return ({ args, dir, env = {}, input, until }) =>
    new Promise((resolve, reject) => {
      const child = spawn('git', [...args], {
        cwd: dir,
        env: { ...clean, PATH: path, ...env },
        stdio: ['pipe', 'pipe', 'pipe'],
        detached: true,
      })
      const end = (): void => endGroup(child.pid)
      const timer = clock.setTimer(longestMs, end)
      const output = { out: '', err: '', size: 0 }
      for (const [name, stream] of [
        ['out', child.stdout],
        ['err', child.stderr],
      ] as const) {
        stream.setEncoding('utf8').on('data', (text: string) => {
          if (name === 'out' && until !== undefined) return void (until(text) && end())
          output.size += text.length
          if (output.size > MOST_OUTPUT) end()
          else output[name] += text
        })
      }
      // git may end before it has read everything; its exit code says what is wrong then.
      const fed = pipeline(
        input === undefined ? Readable.from([]) : Readable.from(input, { objectMode: false }),
        child.stdin,
      ).then(
        () => undefined,
        (error: NodeJS.ErrnoException) =>
          error.code === 'EPIPE' || error.code === 'ERR_STREAM_PREMATURE_CLOSE' ? undefined : error,
      )
      child.on('error', (error) => {
        timer.cancel()
        reject(new GitError('git cannot be started', { cause: error }))
      })
      child.on('close', (code) => {
        timer.cancel()
        void fed.then((error) =>
          error === undefined ? resolve({ code: code ?? 128, out: output.out, err: output.err }) : reject(error),
        )
      })
    })
}

export async function gitOrThrow(run: RunGit, call: GitCall): Promise<string> {
  const { code, out, err } = await run(call)
  if (code !== 0)
    throw new GitError(`git ${call.args.find((arg) => !arg.startsWith('-')) ?? ''} failed: ${lastLines(err)}`)
  return out
}

function lastLines(text: string): string {
  return text.trim().split('\n').slice(-3).join(' ')
}

/** The token for one origin only, so that no redirect carries it away. */
export function credentials(url: string, token: string): Record<string, string> {
  const { origin } = new URL(url)
  return {
    GIT_CONFIG_COUNT: '3',
    GIT_CONFIG_KEY_0: `http.${origin}/.extraHeader`,
    GIT_CONFIG_VALUE_0: authorization(token),
    GIT_CONFIG_KEY_1: 'http.followRedirects',
    GIT_CONFIG_VALUE_1: 'false',
    GIT_CONFIG_KEY_2: 'credential.helper',
    GIT_CONFIG_VALUE_2: '',
  }
}

function authorization(token: string): string {
  return `Authorization: ${basicToken(token)}`
}

/** Both forges take any user name beside a token. */
export function basicToken(token: string): string {
  return `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`
}
