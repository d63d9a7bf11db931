/** The only module of the wrapper that starts git (law B1): `inside/` runs it in the command space, `outside/` beside the wrapper. */
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process'
import { dirname } from 'node:path'
import { endGroup } from '../../runtime/process-group.ts'

export interface GitIdentity {
  readonly login: string
  readonly email: string
}

export interface GitResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface GitRun {
  readonly cwd: string
  /** The address that this one child speaks with, with the pod's token: only `outside/` has any. */
  readonly remote?: string
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  /** Takes its output too, and ends it by `true`. */
  readonly until?: (text: string) => boolean
}

export type Git = (args: readonly string[], run: GitRun) => Promise<GitResult>

/** How a side starts its git: everything before the arguments, and the whole environment. */
export interface GitSide {
  readonly settings: (run: GitRun) => readonly string[]
  readonly env: (run: GitRun) => Readonly<Record<string, string>>
  readonly timeoutMs?: number
}

class GitError extends Error {
  readonly result: GitResult

  constructor(args: readonly string[], result: GitResult) {
    super(`git ${args[0]}: ${lastLines(result.stderr || result.stdout)}`)
    this.name = 'GitError'
    this.result = result
  }
}

const defaultTimeoutMs = 120_000
const maxOutput = 4 * 1024 * 1024

/** Runs git with a clean environment, never a prompt, always a time limit; exit codes are answers, not exceptions. */
export function createGit(side: GitSide): Git {
  const timeout = side.timeoutMs ?? defaultTimeoutMs
  return (args, run) =>
    new Promise((resolve, reject) => {
      const child = spawn('git', [...side.settings(run), ...args], {
        cwd: run.cwd,
        env: { ...side.env(run), ...run.env },
        stdio: [run.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
        detached: true,
        timeout,
        killSignal: 'SIGKILL',
      })
      child.on('error', reject)
      if (child.stdout === null || child.stderr === null) return reject(new Error('git was started without its pipes'))
      const stdout = collect(child.stdout)
      const stderr = collect(child.stderr)
      child.stdout.on('data', (chunk: Buffer) => run.until?.(chunk.toString('latin1')) && endGroup(child.pid))
      // A git that ends before it has read everything says why by its exit code.
      child.stdin?.on('error', () => undefined)
      child.stdin?.end(run.input)
      // Its helper would hold the pipes open until its server answers.
      child.on('exit', (_code, signal) => signal !== null && endGroup(child.pid))
      child.on('close', (code, signal) => {
        const late = signal === null ? '' : `\nended by ${signal} (limit ${timeout} ms)`
        resolve({ code: code ?? 128, stdout: stdout(), stderr: stderr() + late })
      })
    })
}

/** One end of the wire, with `before` in front of git: what limits it. */
export function spawnGit(
  side: GitSide,
  before: readonly string[],
  args: readonly string[],
  run: GitRun & { readonly stdio: StdioOptions },
): ChildProcess {
  const [file = '', ...rest] = [...before, 'git', ...side.settings(run), ...args]
  return spawn(file, rest, {
    cwd: run.cwd,
    env: { ...side.env(run), ...run.env },
    stdio: run.stdio,
    timeout: side.timeoutMs ?? defaultTimeoutMs,
    killSignal: 'SIGKILL',
  })
}

/** For calls that must succeed: answers the trimmed stdout or throws `GitError`. */
export async function gitText(git: Git, args: readonly string[], run: GitRun): Promise<string> {
  const result = await git(args, run)
  if (result.code !== 0) throw new GitError(args, result)
  return result.stdout.trim()
}

export async function gitSucceeds(git: Git, args: readonly string[], run: GitRun): Promise<boolean> {
  return (await git(args, run)).code === 0
}

export function lastLines(text: string): string {
  return text.trim().split('\n').slice(-6).join('\n').slice(-1000)
}

/** What both sides give: no configuration but the repository's own, no prompt, one identity. */
export function plainEnvironment(
  path: string,
  home: string,
  { login, email }: GitIdentity,
  { cwd }: GitRun,
): Readonly<Record<string, string>> {
  return {
    PATH: path,
    HOME: home,
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    // A commit is what its name says, not what `refs/replace/` puts in its place.
    GIT_NO_REPLACE_OBJECTS: '1',
    // A clone whose .git is gone must fail, not pass for the repository that lies around the workspace.
    GIT_CEILING_DIRECTORIES: dirname(cwd),
    GIT_EDITOR: 'true',
    GIT_MERGE_AUTOEDIT: 'no',
    GIT_AUTHOR_NAME: login,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: login,
    GIT_COMMITTER_EMAIL: email,
  }
}

export function collect(stream: NodeJS.ReadableStream): () => string {
  const chunks: Buffer[] = []
  let size = 0
  stream.on('data', (chunk: Buffer) => {
    if (size < maxOutput) chunks.push(chunk)
    size += chunk.length
  })
  return () => Buffer.concat(chunks).toString('utf8')
}
