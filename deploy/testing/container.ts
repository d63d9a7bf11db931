/** A tree of bin/image-tree.mjs as a container: read-only root, a user who is not root, volumes for the state and for /tmp. */
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import type { Mount } from '../../standins/kubelet/mounts.ts'
import { sandboxed } from '../../standins/kubelet/sandbox.ts'

export type Environment = Readonly<Record<string, string>>

export interface Image {
  /** Folder of the tree. */
  readonly tree: string
  /** Of the container, beside those that every image has. */
  readonly env?: Environment
  /** Files and folders that it finds besides. */
  readonly mounts?: readonly Mount[]
  /** Whether it sees all of /proc, as Docker gives with `systempaths=unconfined`. */
  readonly isProcWhole?: boolean
}

interface Command {
  readonly file: string
  readonly parameters: readonly string[]
  readonly env: Environment
}

const userFlags = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']

/** Whether this machine refuses the namespaces of which a container is made. */
export const refusesContainers = spawnSync('unshare', [...userFlags, '--mount', 'true']).status !== 0

function containerOf(image: Image, command: readonly string[]): Command {
  const folder = mkdtempSync(join(tmpdir(), 'container-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  chmodSync(folder, 0o755)
  for (const name of ['root', 'state', 'tmp']) mkdirSync(join(folder, name))
  for (const name of ['state', 'tmp']) chmodSync(join(folder, name), 0o777)
  const mounts: readonly Mount[] = [
    { source: join(image.tree, 'app'), target: '/app', readOnly: true },
    { source: join(image.tree, 'usr/local/bin'), target: '/usr/local/bin', readOnly: true },
    // The base image's Node.
    { source: process.execPath, target: '/node/bin/node', readOnly: true },
    { source: join(folder, 'state'), target: '/var/lib/statewright', readOnly: false },
    { source: join(folder, 'tmp'), target: '/tmp', readOnly: false },
    ...(image.mounts ?? []),
  ]
  const [file = '', ...parameters] = sandboxed({
    ...{ root: join(folder, 'root'), mounts, programs: [], workingDir: '/app', command },
    ...{ uid: 1000, gid: 1000, isRootReadOnly: true, isProcWhole: image.isProcWhole ?? false },
  })
  const env = {
    PATH: '/node/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin',
    HOME: '/tmp',
    NODE_ENV: 'production',
    STATE_DIR: '/var/lib/statewright',
    HTTP_ADDR: '127.0.0.1:0',
    ...image.env,
  }
  return { file, parameters, env }
}

/** The last one is the sandbox's own: nobody reads here what it says there. */
const stdio = ['ignore', 'pipe', 'pipe', 'pipe'] as const

/** Runs a command to its end. */
export function inside(
  image: Image,
  command: readonly string[],
): { readonly code: number | null; readonly text: string } {
  const { file, parameters, env } = containerOf(image, command)
  const { status, stdout, stderr } = spawnSync(file, parameters, { env, stdio: [...stdio], encoding: 'utf8' })
  return { code: status, text: `${stdout}${stderr}` }
}

/** What a server logs when it is ready. */
export interface Ready {
  readonly url: string
  readonly internalUrl: string
  readonly isolation?: string
}

/** A start takes about 4 s on an idle machine: most of it makes the embedded store. */
const startMs = 80_000

/** Starts a server of the image, which ends with the test. @throws with its log where it does not become ready. */
export async function serving(image: Image, command: readonly string[]): Promise<Ready> {
  const { file, parameters, env } = containerOf(image, ['node', '/app/bin/statewright.mjs', ...command])
  const child = spawn(file, parameters, { env, stdio: [...stdio], detached: true })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGTERM')
    await ended
  })
  const seen: string[] = []
  child.stderr!.on('data', (part: Buffer) => seen.push(part.toString()))
  const timer = setTimeout(() => child.kill('SIGKILL'), startMs)
  try {
    for await (const line of createInterface({ input: child.stdout! })) {
      seen.push(line)
      if (line.includes('"msg":"ready"')) return JSON.parse(line) as Ready
    }
  } finally {
    clearTimeout(timer)
  }
  throw new Error(`${command.join(' ')} did not become ready:\n${seen.join('\n')}`)
}
