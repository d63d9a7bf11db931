/** Scenes for the tests of this folder: folders of their own, real children, nothing left behind. */
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { IsolatedPaths } from '../isolation.ts'
import { removeFolder } from '../pod-folder.ts'
import { familyOf, identify, signal, type ProcessIdentity } from '../processes.ts'

export async function withFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'statewright-local-')))
  try {
    await use(folder)
  } finally {
    removeFolder(folder)
  }
}

export interface Child {
  readonly process: ChildProcess
  readonly identity: ProcessIdentity
  /** Resolves once it has ended and was reaped. */
  readonly ended: Promise<void>
}

export interface ChildOptions {
  readonly env?: Readonly<Record<string, string>>
}

/** A real child, ended with all its descendants whatever the test did. */
export async function withChild(
  command: readonly string[],
  use: (child: Child) => Promise<void>,
  { env = {} }: ChildOptions = {},
): Promise<void> {
  const [file = '', ...args] = command
  const child = spawn(file, args, { env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', ...env }, stdio: 'ignore' })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject))
  const identity = identify(child.pid ?? 0)
  if (identity === undefined) throw new Error(`${file} ended at once`)
  try {
    await use({ process: child, identity, ended })
  } finally {
    for (const member of familyOf(identity)) signal(member, 'SIGKILL')
    await ended
  }
}

/** The folders of one machine with something in each that a pod may or may not see. */
export function machineFolders(root: string): IsolatedPaths {
  const state = join(root, 'state')
  const paths = {
    pod: join(state, 'pods', 'default_task_1'),
    workspace: join(state, 'workspaces', 'default_task'),
    program: join(root, 'program'),
    state,
    home: join(root, 'home'),
  }
  for (const folder of Object.values(paths)) mkdirSync(folder, { recursive: true })
  return paths
}
