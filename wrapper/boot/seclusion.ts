/**
 * Agent and wrapper are one user, and a user may read the memory and the environment of whatever runs as him. So the
 * agent gets a process namespace of its own, in which the wrapper and its git do not exist, and a mount namespace in which
 * the wrapper's state is covered (decisions/0016). It keeps its user id: the files of the workspace stay one user's.
 */
import { execFile } from 'node:child_process'
import { relative } from 'node:path'
import type { Config } from './config.ts'
import { childrenOf } from './orphan.ts'

/** `root`: a superuser's namespaces; `user`: such as any user may make; `none`: this machine grants neither. */
export type Seclusion = 'root' | 'user' | 'none'

/**
 * The right to mount is given up before the agent starts. A shell stays as the first process: it takes in what the agent
 * leaves behind, which the CLI would not.
 */
const enter = `set -e
mount -n --make-rprivate /
mount -n -t tmpfs -o mode=0700 tmpfs "$1"
caps="$2"
shift 2
exec setpriv --bounding-set="$caps" --inh-caps=-all --ambient-caps=-all --no-new-privs -- /bin/sh -c '"$@"; exit $?' agent "$@"`

/** What would lead a superuser out of its namespaces; the rest is his, to install what a Task needs. */
const waysOut = ['sys_admin', 'sys_ptrace', 'sys_module', 'sys_rawio', 'dac_read_search', 'mknod', 'bpf', 'perfmon']
const flags = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc']
const probeLimitMs = 20_000

export function secluded(how: Seclusion, stateDir: string, command: readonly string[]): readonly string[] {
  if (how === 'none') return command
  const user = how === 'user' ? ['--user', '--map-current-user', '--keep-caps'] : []
  const caps = how === 'user' ? '-all' : waysOut.map((name) => `-${name}`).join(',')
  return ['unshare', ...user, ...flags, '--', '/bin/sh', '-c', enter, 'agent', stateDir, caps, ...command]
}

/** Asked with the very command that will run the agent; `witness` is a file below the state folder. */
export async function detectSeclusion(
  { seclusion, stateDir, workspaceDir, home, path }: Config,
  isRoot: boolean,
  witness: string,
): Promise<Seclusion> {
  // The cover would take the agent's own folders away.
  if (seclusion === 'none' || [workspaceDir, home].some((dir) => isWithin(stateDir, dir))) return 'none'
  const look = ['/bin/sh', '-c', 'test ! -e "$1"', 'look', witness]
  for (const how of isRoot ? (['root', 'user'] as const) : (['user'] as const))
    if (await succeeds(secluded(how, stateDir, look), path)) return how
  return 'none'
}

/** Whom a signal is for: the processes around the CLI take none. */
export function agentWithin(how: Seclusion, pid: number): number | undefined {
  return how === 'none' ? pid : childrenOf(pid).flatMap(childrenOf)[0]
}

function succeeds([file, ...args]: readonly string[], path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { env: { PATH: path }, timeout: probeLimitMs, killSignal: 'SIGKILL' } as const
    execFile(file!, args, options, (error) => resolve(error === null))
  })
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way === '' || !way.startsWith('..')
}
