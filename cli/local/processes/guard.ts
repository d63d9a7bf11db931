/** Servers that a program started do not outlive it, however it ends: a process beside it stops what it could not stop itself. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { programDir } from '../../program.ts'

/** One line of what the guard reads. With a command: run it at the end, unless a later line has the number alone. */
export interface GuardLine {
  readonly id: number
  readonly command?: readonly string[]
}

export interface Guard {
  /** The command runs once this process has ended, the last one first. Resolves with what takes it back. */
  add(command: readonly string[]): Promise<() => Promise<void>>
  /** Nothing is guarded any more: what was not taken back runs now. */
  close(): Promise<void>
}

/** `logFile`: what the commands print. */
export async function startGuard(logFile: string): Promise<Guard> {
  const program = join(programDir, 'cli', 'local', 'processes', 'guard-program.ts')
  // A session of its own: Ctrl-C and a closed terminal are for us, and the guard sees how we end.
  const guard = spawn(process.execPath, [program, logFile], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  const ended = once(guard, 'close')
  await once(guard, 'spawn')
  guard.unref()
  const { stdin } = guard
  // A guard that is gone guards nothing, and ends nobody else.
  stdin.on('error', () => undefined)
  ;(stdin as unknown as { unref(): void }).unref()
  const write = (line: GuardLine): Promise<void> =>
    new Promise((resolve) => void stdin.write(`${JSON.stringify(line)}\n`, () => resolve()))
  let last = 0
  return {
    async add(command) {
      const id = ++last
      await write({ id, command })
      return () => write({ id })
    },
    async close() {
      guard.ref()
      stdin.end()
      await ended
    },
  }
}
