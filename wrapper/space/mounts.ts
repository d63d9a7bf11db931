/**
 * What the two views of a pod show, as shell scripts. Each runs once, in a fresh mount namespace, by the first process of it:
 * sources are bound aside first, then covered, then put where they belong.
 */
import { join, relative } from 'node:path'
import { shellWords } from '../boot/shell-words.ts'

export interface SpacePaths {
  readonly workspaceDir: string
  /** Names of the clones below the workspace. */
  readonly clones: readonly string[]
  /** Names below the workspace that neither view shows: what earlier pods left there is kept for the next, not for this one. */
  readonly hidden: readonly string[]
  readonly stateDir: string
  /** HOME of the CLI; of the commands too, where another folder stands in its place. */
  readonly home: string
  /** What commands have as HOME, /tmp and /var/tmp: made anew for each pod. */
  readonly commandHome: string
  readonly commandTmp: string
  readonly commandVarTmp: string
  /** The folder of the wrapper's sockets and of the CLI's helper programs. */
  readonly link: string
  /** Folders below HOME that outlive the pod: for commands only, obeyed by nothing else. */
  readonly caches: readonly string[]
  /** Programs that both views need, wherever they lie: read-only, since the wrapper runs them too. */
  readonly programs: readonly string[]
}

/** Where the CLI sees the folder of sockets: short, because the path of a socket may have 107 bytes. */
export const linkInView = '/dev/shm/statewright'
const stage = '/dev/shm/.stage'

interface Bound {
  readonly source: string
  readonly target: string
  /** Options of the mount; `rw` unless told. */
  readonly options?: string
}

const common = [
  'mount -n --make-rprivate /',
  'mount -n -t proc -o nosuid,nodev,noexec proc /proc',
  // A superuser keeps his id, and by it the kernel's settings: one of them names a program that runs outside of everything.
  'for at in sys sysrq-trigger irq bus fs; do',
  '  [ ! -e /proc/$at ] || { mount -n --bind /proc/$at /proc/$at; mount -n -o remount,bind,ro,nosuid,nodev,noexec /proc/$at; }',
  'done',
  'mount -n -t tmpfs -o mode=1777,nosuid,nodev tmpfs /dev/shm',
]

/** What the wrapper runs and reads of the machine. */
const machine = ['/usr', '/etc', '/opt', '/bin', '/sbin', '/lib', '/lib32', '/lib64']

/**
 * A superuser may install what a Task needs, and may change no program that the wrapper runs: what he writes there lies in
 * memory, for his view alone. Where the machine refuses that he may write nothing there.
 */
const ownMachine = [
  // What is mounted below it, as /etc/hosts in a container, is as little his.
  'own_nothing() { mount -n --rbind $1 $1 && findmnt -n -r -R -o TARGET $1 | while read -r each; do mount -n -o remount,bind,ro "$each"; done; }',
  'if [ "$(id -u)" = 0 ]; then',
  `for at in ${machine.join(' ')}; do`,
  '  [ -d $at ] && [ ! -L $at ] || continue',
  '  mkdir -p /dev/shm/.own && mount -n -t tmpfs -o mode=0755 tmpfs /dev/shm/.own && mkdir /dev/shm/.own/upper /dev/shm/.own/work',
  '  chmod --reference=$at /dev/shm/.own/upper',
  '  mount -n -t overlay -o lowerdir=$at,upperdir=/dev/shm/.own/upper,workdir=/dev/shm/.own/work,userxattr overlay $at 2>/dev/null || own_nothing $at',
  '  umount -n -l /dev/shm/.own && rmdir /dev/shm/.own',
  'done; fi',
]

/** A terminal that a command opened would be the CLI's own, were it not for a pts file system of its own. */
const ownTerminals = [
  'mount -n -t devpts -o newinstance,ptmxmode=0666,mode=0620 devpts /dev/pts',
  'mount -n --bind /dev/pts/ptmx /dev/ptmx',
  '[ ! -d /dev/mqueue ] || mount -n -t tmpfs -o mode=1777 tmpfs /dev/mqueue',
]

/** The view of commands: no state, no socket, a HOME and temporary folders of their own. */
export function commandView(paths: SpacePaths): string {
  return [
    ...common,
    ...ownTerminals,
    ...place(paths, [
      { source: paths.commandHome, target: paths.home },
      { source: paths.commandTmp, target: '/tmp' },
      { source: paths.commandVarTmp, target: '/var/tmp' },
      { source: paths.workspaceDir, target: paths.workspaceDir },
      ...paths.caches.map((name) => join(paths.home, name)).map((path) => ({ source: path, target: path })),
    ]),
  ].join('\n')
}

/**
 * The CLI's view. Its file tools follow no symbolic link of the workspace and of /tmp, where a test may swap one meanwhile:
 * one that led to /proc or to the CLI's own files would be obeyed by a program that can read them.
 */
export function cliView(paths: SpacePaths): string {
  return [
    ...common,
    ...place(paths, [
      { source: paths.home, target: paths.home },
      { source: paths.commandTmp, target: '/tmp', options: 'rw,nosymfollow' },
      { source: paths.workspaceDir, target: paths.workspaceDir, options: 'ro,nosymfollow' },
      { source: paths.link, target: linkInView, options: 'ro' },
      ...clonesIn(paths, 'rw,nosymfollow'),
    ]),
    ...hide(paths),
    ...obeyed.map((name) => readOnly(join(paths.home, '.claude', name))),
  ].join('\n')
}

/** The root of the workspace, which holds what the CLI obeys, becomes read-only for commands; the clones stay theirs. */
export function sealedWorkspace(paths: SpacePaths): string {
  const root = paths.workspaceDir
  return [
    ...paths.clones.map((name) => words(join(root, name))).map((clone) => bind(clone, clone, 'rw')),
    ...hide(paths),
    remount(words(root), 'ro'),
  ].join('\n')
}

function hide({ workspaceDir, hidden }: SpacePaths): readonly string[] {
  return hidden
    .map((name) => words(join(workspaceDir, name)))
    .map((at) => `[ ! -d ${at} ] || mount -n -t tmpfs -o mode=0555,ro,nosuid,nodev tmpfs ${at}`)
}

/** What the CLI obeys below ~/.claude; what is not there is made, so that it cannot be made later. */
const obeyed = [
  'settings.json',
  'settings.local.json',
  'CLAUDE.md',
  'CLAUDE.local.md',
  'commands/',
  'agents/',
  'skills/',
  'hooks/',
  'rules/',
  'plugins/',
  'output-styles/',
]

function readOnly(path: string): string {
  const isFolder = path.endsWith('/')
  const at = words(isFolder ? path.slice(0, -1) : path)
  return [isFolder ? `mkdir -p ${at}` : `[ -e ${at} ] || : > ${at}`, bind(at, at, 'ro')].join('\n')
}

function clonesIn(paths: SpacePaths, options: string): readonly Bound[] {
  return paths.clones.map((name) => {
    const path = join(paths.workspaceDir, name)
    return { source: path, target: path, options }
  })
}

/** Outer folders first: a mount hides what was mounted below it before. */
function place(paths: SpacePaths, wanted: readonly Bound[]): readonly string[] {
  const folders = wanted.map(({ target }) => target).filter((target) => target !== linkInView)
  // What a folder of the machine holds is his own copy where he may write it at all.
  const programs = paths.programs.filter(
    (program) =>
      folders.some((folder) => isWithin(folder, program)) || !machine.some((folder) => isWithin(folder, program)),
  )
  const bound = [...wanted, ...programs.map((program) => ({ source: program, target: program, options: 'ro' }))]
  const puts = bound.map(({ target, options }, index) => ({ target, lines: put(index, target, options) }))
  const covers = [{ target: paths.stateDir, lines: cover(paths.stateDir) }]
  const ordered = [...covers, ...puts].toSorted((a, b) => a.target.length - b.target.length)
  return [
    ...bound.flatMap(({ source }, index) => aside(source, index)),
    ...ownMachine,
    ...ordered.flatMap(({ lines }) => lines),
    ...bound.map((_one, index) => `umount -n -l ${stage}/${index}`),
    `rm -rf ${stage}`,
  ]
}

function aside(source: string, index: number): readonly string[] {
  return [`mkdir -p ${stage}/${index}`, `mount -n --rbind ${words(source)} ${stage}/${index}`]
}

function put(index: number, target: string, options = 'rw'): readonly string[] {
  return [`mkdir -p ${words(target)}`, bind(`${stage}/${index}`, words(target), options)]
}

function cover(folder: string): readonly string[] {
  return [`mkdir -p ${words(folder)}`, `mount -n -t tmpfs -o mode=0700,nosuid,nodev tmpfs ${words(folder)}`]
}

/** What may not be taken from a mount, such as `noexec` of the machine's own /tmp, is asked for once more. */
function bind(source: string, target: string, options: string): string {
  if (options === 'rw') return `mount -n --rbind ${source} ${target}`
  return `mount -n --rbind -o ${options},nosuid,nodev ${source} ${target} 2>/dev/null || ${remount(target, options)}`
}

function remount(target: string, options: string): string {
  const had = `$(findmnt -n -f -o VFS-OPTIONS --mountpoint ${target} | tail -n 1 | cut -c 4-)`
  return `mount -n -o "remount,bind,${had},${options},nosuid,nodev" ${target}`
}

function words(path: string): string {
  return shellWords([path])
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way === '' || !way.startsWith('..')
}
