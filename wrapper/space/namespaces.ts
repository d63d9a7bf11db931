/**
 * The namespaces of one pod (decisions/0028). The outer ones are the CLI's view. Nested in them lies the command space: the
 * CLI sees what it started there and may end it, and nothing in there sees the CLI.
 */
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import type { Clock } from '../clock.ts'
import { shellWords } from '../boot/shell-words.ts'
import { Holder, numbersOf } from './holder.ts'
import { cliView, commandView, sealedWorkspace, type SpacePaths } from './mounts.ts'
import { createSpace, type CommandSpace, type Seclusion } from './space.ts'

interface Namespaces {
  readonly space: CommandSpace
  /** Makes the workspace's root read-only for commands, and the CLI's view. Once, after the clones are in place. */
  openView(clones: readonly string[]): Promise<void>
  /** The command that runs the CLI, in the workspace. */
  view(command: readonly string[]): readonly string[]
  /** Words that enter the command space from the CLI's view. */
  readonly way: readonly string[]
}

interface NamespacesOptions {
  readonly kind: Exclude<Seclusion, 'none'>
  readonly paths: Omit<SpacePaths, 'clones'>
  readonly path: string
  readonly uid: number
  readonly gid: number
  readonly clock: Clock
}

const unshare = ['unshare', '--user', '--mount', '--pid', '--ipc', '--fork', '--kill-child', '--keep-caps']
const shell = ['--', '/bin/sh', '-s']

/** What would lead a superuser out of its namespaces; the rest is his, to install what a Task needs. */
const waysOut = ['sys_admin', 'sys_ptrace', 'sys_module', 'sys_rawio', 'dac_read_search', 'mknod', 'bpf', 'perfmon']

/** @throws where the machine refuses a namespace or a mount; nothing is left then. */
export async function openNamespaces(options: NamespacesOptions): Promise<Namespaces> {
  const opened: Holder[] = []
  const descriptors: number[] = []
  const close = async (): Promise<void> => {
    for (const descriptor of descriptors.splice(0)) closeSync(descriptor)
    await Promise.all(opened.toReversed().map((holder) => holder.end(options.clock)))
  }
  const hold = (command: readonly string[]): Holder => {
    const holder = new Holder(command, options.path)
    opened.push(holder)
    return holder
  }
  /** Open as long as the wrapper lives: a number of a process may come again. */
  const keep = (pid: number, kind: string): string => {
    const descriptor = openSync(`/proc/${pid}/ns/${kind}`, 'r')
    descriptors.push(descriptor)
    return `/proc/${process.pid}/fd/${descriptor}`
  }
  try {
    return await build(options, { hold, keep, close })
  } catch (error) {
    await close()
    throw error
  }
}

interface Building {
  readonly hold: (command: readonly string[]) => Holder
  readonly keep: (pid: number, kind: string) => string
  readonly close: () => Promise<void>
}

async function build(options: NamespacesOptions, { hold, keep, close }: Building): Promise<Namespaces> {
  const { kind, paths } = options
  const outer = hold([...unshare, ...shell])
  await outer.run(':')
  const outerPid = outer.first(1)
  for (const [file, text] of mapsOf(options)) writeFileSync(`/proc/${outerPid}/${file}`, text)
  await outer.run('mount -n --make-rprivate / && mount -n -t proc proc /proc')
  const inner = hold([...enter(ofProcess(outerPid, ['user', 'pid'])), ...unshare, '--uts', ...shell])
  await inner.run(':')
  const innerPid = inner.first(2)
  const innerNumber = numbersOf(innerPid).at(-2)!
  // Only a process of the namespace around it may write them.
  await outer.run(writtenMaps(options, innerNumber))
  await inner.run(commandView({ ...paths, clones: [] }))
  const inside = kept(innerPid, all, keep)
  const outside = kept(outerPid, ['user', 'mount', 'pid', 'ipc'], keep)
  const offline = await emptyNetwork(innerPid, options.clock, { hold, keep })
  return {
    space: createSpace({
      kind,
      wrap: (command, network, cwd = '/') => [
        ...enter(network ? inside : [...inside, offline]),
        ...dropped(options),
        ...within(cwd),
        ...command,
      ],
      close,
    }),
    openView: async (clones) => {
      await inner.run(sealedWorkspace({ ...paths, clones }))
      inner.rest(dropped(options))
      await outer.run(cliView({ ...paths, clones }))
      outer.rest(dropped(options))
    },
    view: (command) => [...enter(outside), ...dropped(options), ...within(paths.workspaceDir), ...command],
    way: [...enter(ofProcess(innerNumber, all)), ...dropped(options)],
  }
}

type Kind = 'user' | 'mount' | 'pid' | 'ipc' | 'uts' | 'net'
const all: readonly Kind[] = ['user', 'mount', 'pid', 'ipc', 'uts']
const fileOf = (kind: Kind): string => (kind === 'mount' ? 'mnt' : kind)

function enter(selected: readonly string[]): readonly string[] {
  return ['nsenter', ...selected, '--preserve-credentials', '--']
}

function ofProcess(pid: number, kinds: readonly Kind[]): readonly string[] {
  return [`--target=${pid}`, ...kinds.map((kind) => `--${kind}`)]
}

function kept(pid: number, kinds: readonly Kind[], keep: Building['keep']): readonly string[] {
  return kinds.map((kind) => `--${kind}=${keep(pid, fileOf(kind))}`)
}

/** A network namespace with nothing in it, not even a loopback that is up. */
async function emptyNetwork(
  pid: number,
  clock: Clock,
  { hold, keep }: Pick<Building, 'hold' | 'keep'>,
): Promise<string> {
  const own = ['unshare', '--user', '--map-current-user', '--net']
  const holder = hold([...enter(ofProcess(pid, all)), ...own, ...shell])
  await holder.run(':')
  const file = keep(holder.first(1), 'net')
  await holder.end(clock)
  return `--net=${file}`
}

/**
 * Everybody stays who he is. A superuser takes all the ids along that he has, so that his package managers work; any
 * other user may name himself only, and the kernel then wants `setgroups` refused first.
 */
function mapsOf({ kind, uid, gid }: NamespacesOptions): readonly (readonly [string, string])[] {
  if (kind === 'user')
    return [
      ['uid_map', `${uid} ${uid} 1`],
      ['setgroups', 'deny'],
      ['gid_map', `${gid} ${gid} 1`],
    ]
  return (['uid_map', 'gid_map'] as const).map((file) => [file, ownRanges(readFileSync(`/proc/self/${file}`, 'utf8'))])
}

function ownRanges(map: string): string {
  return map
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .map(([first, , count]) => `${first} ${first} ${count}`)
    .join('\n')
}

function writtenMaps(options: NamespacesOptions, pid: number): string {
  return mapsOf(options)
    .map(([file, text]) => `printf %s ${shellWords([text])} > /proc/${pid}/${file}`)
    .join('\n')
}

/** The right to mount is given up, for good; a program whose starter was killed ends with it. */
function dropped({ kind, uid }: NamespacesOptions): readonly string[] {
  const lost = kind === 'root' ? waysOut.map((name) => `-${name}`).join(',') : '-all'
  // Who is no superuser has lost all of it by now, and with it the right to say so.
  const bounds = uid === 0 ? [`--bounding-set=${lost}`] : []
  return ['setpriv', ...bounds, '--inh-caps=-all', '--ambient-caps=-all', '--no-new-privs', '--pdeathsig=KILL', '--']
}

/** Who enters another mount namespace stands at its root. */
function within(cwd: string): readonly string[] {
  return ['/bin/sh', '-c', 'cd "$1" && shift && exec "$@"', 'within', cwd]
}
