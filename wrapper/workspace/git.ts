import { spawn } from 'node:child_process'
import { dirname } from 'node:path'

/** How a git child reaches the gateway: a helper program that asks the wrapper's memory over the loopback. */
export interface CredentialHelper {
  /** Executable given as GIT_ASKPASS. */
  readonly program: string
  /** Loopback URL with the secret that only the wrapper's own git children know. */
  readonly url: string
}

export interface GitIdentity {
  readonly login: string
  readonly email: string
}

export interface GitOptions {
  readonly path: string
  /** An empty folder: the agent's own ~/.gitconfig must not steer the wrapper's git. */
  readonly home: string
  readonly identity: GitIdentity
  readonly credential?: CredentialHelper
  readonly timeoutMs?: number
}

export interface GitResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface GitRun {
  readonly cwd: string
  /** Lets this one child ask for the pod's token: only fetch, clone and push need it. */
  readonly remote?: boolean
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
}

export type Git = (args: readonly string[], run: GitRun) => Promise<GitResult>

class GitError extends Error {
  readonly result: GitResult

  constructor(args: readonly string[], result: GitResult) {
    super(`git ${args[0]}: ${lastLines(result.stderr || result.stdout)}`)
    this.name = 'GitError'
    this.result = result
  }
}

/**
 * The agent may write `.git/config` and `.git/hooks`, and these settings would run its programs inside the wrapper's
 * git, beside the credential; what is given on the command line wins over both.
 */
const guards = [
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'core.fsmonitor=false',
  '-c',
  'core.sshCommand=false',
  '-c',
  'core.askPass=',
  '-c',
  'credential.helper=',
  '-c',
  'http.proxy=',
  '-c',
  'protocol.ext.allow=never',
  '-c',
  'commit.gpgSign=false',
  '-c',
  'gc.auto=0',
  '-c',
  'safe.directory=*',
  '-c',
  'advice.detachedHead=false',
] as const

const defaultTimeoutMs = 120_000
const maxOutput = 4 * 1024 * 1024

/** Runs git with a clean environment, never a prompt, always a time limit; exit codes are answers, not exceptions. */
export function createGit(options: GitOptions): Git {
  return (args, run) =>
    new Promise((resolve, reject) => {
      const child = spawn('git', [...guards, ...args], {
        cwd: run.cwd,
        env: gitEnvironment(options, run),
        stdio: [run.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
        timeout: options.timeoutMs ?? defaultTimeoutMs,
        killSignal: 'SIGKILL',
      })
      const stdout = collect(child.stdout!)
      const stderr = collect(child.stderr!)
      // A git that ends before it has read everything says why by its exit code.
      child.stdin?.on('error', () => undefined)
      child.stdin?.end(run.input)
      child.on('error', reject)
      child.on('close', (code, signal) => {
        const late = signal === null ? '' : `\nended by ${signal} (limit ${options.timeoutMs ?? defaultTimeoutMs} ms)`
        resolve({ code: code ?? 128, stdout: stdout(), stderr: stderr() + late })
      })
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

function gitEnvironment(options: GitOptions, run: GitRun): Record<string, string> {
  const { identity, credential } = options
  return {
    PATH: options.path,
    HOME: options.home,
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    // A clone whose .git is gone must fail, not pass for the repository that lies around the workspace.
    GIT_CEILING_DIRECTORIES: dirname(run.cwd),
    GIT_EDITOR: 'true',
    GIT_MERGE_AUTOEDIT: 'no',
    GIT_AUTHOR_NAME: identity.login,
    GIT_AUTHOR_EMAIL: identity.email,
    GIT_COMMITTER_NAME: identity.login,
    GIT_COMMITTER_EMAIL: identity.email,
    ...(run.remote && credential
      ? { GIT_ASKPASS: credential.program, STATEWRIGHT_CREDENTIAL_URL: credential.url }
      : {}),
    ...run.env,
  }
}

function collect(stream: NodeJS.ReadableStream): () => string {
  const chunks: Buffer[] = []
  let size = 0
  stream.on('data', (chunk: Buffer) => {
    if (size < maxOutput) chunks.push(chunk)
    size += chunk.length
  })
  return () => Buffer.concat(chunks).toString('utf8')
}
