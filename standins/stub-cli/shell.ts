/** Runs a command to its end: for hooks, the status line and the Bash tool. */
import { spawn } from 'node:child_process'

export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly cwd: string
  readonly input?: string
  readonly timeoutMs: number
  readonly signal?: AbortSignal
  /** Whatever the CLI calls its shell; hooks and the status line have the machine's. */
  readonly shell?: string
}

/** The command's whole process group ends with it: an interrupted test run leaves nothing behind. */
export function run(command: string, options: RunOptions): Promise<Ran> {
  return new Promise((resolve) => {
    const child = spawn(options.shell ?? '/bin/bash', ['-c', command], {
      cwd: options.cwd,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    const output = { stdout: '', stderr: '' }
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text))
    const end = (): void => endGroup(child.pid)
    const timer = setTimeout(end, options.timeoutMs)
    options.signal?.addEventListener('abort', end, { once: true })
    const done = (code: number): void => {
      clearTimeout(timer)
      options.signal?.removeEventListener('abort', end)
      resolve({ code, ...output })
    }
    child.on('error', (error) => {
      output.stderr += String(error)
      done(127)
    })
    child.on('close', (code) => done(code ?? 143))
    child.stdin.on('error', () => undefined)
    child.stdin.end(options.input ?? '')
  })
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    return
  }
}
