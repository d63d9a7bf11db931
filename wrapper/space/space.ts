import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process'

export interface InsideRun {
  readonly cwd: string
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>
  readonly stdio: StdioOptions
  /** False: an empty network namespace. */
  readonly network: boolean
  readonly timeoutMs?: number
}

/** Where the agent's programs run, and whatever touches a file that an agent can write. */
export interface CommandSpace {
  readonly kind: 'root' | 'user' | 'none'
  /** The command that runs `command` inside, to be given to spawn. Extra descriptors of `stdio` are passed through. */
  wrap(command: readonly string[], network: boolean): readonly string[]
  /** In a process group of its own. */
  spawn(command: readonly string[], run: InsideRun): ChildProcess
  close(): Promise<void>
}

/** No walls: for machines that grant no namespaces. */
export function openPlainSpace(): CommandSpace {
  return {
    kind: 'none',
    wrap: (command) => command,
    spawn: ([file, ...args], { cwd, env, stdio, timeoutMs }) =>
      spawn(file!, args, { cwd, env, stdio, detached: true, timeout: timeoutMs, killSignal: 'SIGKILL' }),
    close: async () => undefined,
  }
}
