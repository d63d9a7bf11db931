import { spawn } from '@lydell/node-pty'
import type { Clock } from '../clock.ts'

export interface TerminalExit {
  readonly code: number
  readonly signal: number
  readonly at: number
}

/** The agent's terminal: bytes in, the last of the bytes out. Output is kept for dialogs and diagnosis, never parsed for results (WRAPPER-TURN-5). */
export interface Terminal {
  readonly pid: number
  write(bytes: string): void
  kill(signal: 'SIGTERM' | 'SIGKILL'): void
  /** Raw tail of the output, at most `tailBytes` characters. */
  tail(): string
  lastOutputAt(): number
  exited(): TerminalExit | undefined
  onExit(listener: (exit: TerminalExit) => void): void
}

interface TerminalOptions {
  readonly command: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly clock: Clock
}

export type OpenTerminal = (options: TerminalOptions) => Terminal

const tailBytes = 65_536
const size = { cols: 120, rows: 40 } as const

export function openTerminal(options: TerminalOptions): Terminal {
  const [file = '', ...args] = options.command
  const pty = spawn(file, args, { name: 'xterm-256color', ...size, cwd: options.cwd, env: { ...options.env } })
  let tail = ''
  let lastOutputAt = options.clock.now()
  let exit: TerminalExit | undefined
  const listeners: ((exit: TerminalExit) => void)[] = []
  pty.onData((data) => {
    tail = (tail + data).slice(-tailBytes)
    lastOutputAt = options.clock.now()
  })
  pty.onExit(({ exitCode, signal }) => {
    exit = { code: exitCode, signal: signal ?? 0, at: options.clock.now() }
    for (const listener of listeners) listener(exit)
  })
  return {
    pid: pty.pid,
    write: (bytes) => (exit ? undefined : pty.write(bytes)),
    kill: (signal) => (exit ? undefined : pty.kill(signal)),
    tail: () => tail,
    lastOutputAt: () => lastOutputAt,
    exited: () => exit,
    onExit: (listener) => void (exit ? listener(exit) : listeners.push(listener)),
  }
}
