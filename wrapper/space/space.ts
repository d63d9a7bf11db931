import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process'

/** `root`: a superuser's namespaces; `user`: such as any user may make; `none`: the machine grants neither. */
export type Seclusion = 'root' | 'user' | 'none'

interface InsideRun {
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
  readonly kind: Seclusion
  /** The command that runs `command` inside, to be given to spawn. Extra descriptors of `stdio` are passed through. */
  wrap(command: readonly string[], network: boolean, cwd?: string): readonly string[]
  /** In a process group of its own. */
  spawn(command: readonly string[], run: InsideRun): ChildProcess
  close(): Promise<void>
}

/** No walls: for machines that grant no namespaces. */
export function openPlainSpace(): CommandSpace {
  return createSpace({ kind: 'none', wrap: (command) => command, close: async () => undefined })
}

export function createSpace({ kind, wrap, close }: Pick<CommandSpace, 'kind' | 'wrap' | 'close'>): CommandSpace {
  return {
    kind,
    wrap,
    close,
    spawn: (command, { cwd, env, stdio, network, timeoutMs }) => {
      const [file = '', ...args] = wrap(command, network, cwd)
      const at = kind === 'none' ? cwd : '/'
      return spawn(file, args, {
        cwd: at,
        env: { ...env },
        stdio,
        detached: true,
        timeout: timeoutMs,
        killSignal: 'SIGKILL',
      })
    },
  }
}
