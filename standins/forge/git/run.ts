import { spawn } from 'node:child_process'

/** A failed git command: its arguments and what it said, for the log and never for an answer. */
class GitError extends Error {
  readonly code: number

  constructor(args: readonly string[], code: number, stderr: string) {
    super(`git ${args.join(' ')} ended with ${code}: ${stderr.trim()}`)
    this.name = 'GitError'
    this.code = code
  }
}

export interface GitOptions {
  readonly input?: string
  readonly env?: Readonly<Record<string, string>>
  /** Exit codes besides 0 that are an answer, not a failure. */
  readonly answers?: readonly number[]
}

export interface GitAnswer {
  readonly code: number
  readonly stdout: Buffer
}

/** The machine's own git settings and credentials have no say in what the forge does. */
export function gitEnvironment(): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    HOME: '/nonexistent',
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
  }
}

export function askGit(path: string, args: readonly string[], options: GitOptions = {}): Promise<GitAnswer> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', ['-C', path, ...args], {
      env: { ...gitEnvironment(), ...options.env },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    const stdout: Buffer[] = []
    const stderr: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk))
    child.on('error', reject)
    child.on('close', (code) => {
      const ended = code ?? -1
      if (ended === 0 || options.answers?.includes(ended)) resolve({ code: ended, stdout: Buffer.concat(stdout) })
      else reject(new GitError(args, ended, Buffer.concat(stderr).toString()))
    })
    // A command that ends without reading its input closes the pipe first; its exit code says what there is to say.
    child.stdin.on('error', () => undefined)
    child.stdin.end(options.input ?? '')
  })
}

export async function git(path: string, args: readonly string[], options: GitOptions = {}): Promise<string> {
  return (await askGit(path, args, options)).stdout.toString().trimEnd()
}
