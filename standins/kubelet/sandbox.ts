/**
 * The command that runs a container: user, mount, pid and ipc namespaces of its own, on a root of its own in memory. The
 * network is the machine's. The kernel refuses user namespaces to whoever has merely changed its root (chroot), and a fresh
 * /proc to whoever sees a part of one only; so the root is pivoted, and /proc is whole where the pod asked for that.
 */
import { dirname } from 'node:path'
import { giveUpRights, userFlags } from '../../edges/local/isolation.ts'
import type { Mount } from './mounts.ts'

export interface Sandbox {
  /** An empty folder of this container, over which its root is mounted. */
  readonly root: string
  readonly mounts: readonly Mount[]
  /** The file that it finds as /etc/hosts. */
  readonly hosts?: string
  /** Folders and files of the machine that it finds at their own paths, read-only. */
  readonly programs: readonly string[]
  readonly command: readonly string[]
  readonly workingDir: string
  readonly uid: number
  readonly gid: number
  readonly isRootReadOnly: boolean
  /** `procMount: Unmasked`. Without it no user namespace inside can mount a /proc of its own. */
  readonly isProcWhole: boolean
}

/** What an image would bring. */
const system = ['/usr', '/etc', '/opt', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']
const devices = ['null', 'zero', 'full', 'random', 'urandom', 'tty']
/** As container runtimes have it (github.com/containerd/containerd, pkg/oci/spec.go). */
const masked = ['acpi', 'kcore', 'keys', 'latency_stats', 'timer_list', 'timer_stats', 'sched_debug', 'scsi']
const readOnlyProc = ['bus', 'fs', 'irq', 'sys', 'sysrq-trigger']

/** It writes `ok` to descriptor 3 once the program is about to start; whoever hears none has a start that failed. */
export function sandboxed(sandbox: Sandbox): readonly string[] {
  const flags = [...userFlags(), '--mount', '--ipc', '--pid']
  const shell = ['/bin/sh', '-c']
  return [
    'unshare',
    ...flags,
    '--',
    ...shell,
    waiter,
    'waiter',
    ...shell,
    scriptOf(sandbox),
    'container',
    ...sandbox.command,
  ]
}

/** Its first child is process 1. `unshare --fork` would end with 1 where that is killed: it cannot pass SIGKILL on to itself. */
const waiter = '"$@"; exit $?'

function scriptOf(sandbox: Sandbox): string {
  const { root, mounts, hosts, programs, workingDir, uid, gid, isRootReadOnly, isProcWhole } = sandbox
  const opened = system.filter((path) => mounts.some(({ target }) => isWithin(target, [path])))
  return [
    'set -e',
    'path=$PATH; PATH=/usr/sbin:/usr/bin:/sbin:/bin; umask 022',
    'mount -n --make-rprivate /',
    `mount -n -t tmpfs -o mode=0755 tmpfs ${quoted(root)}`,
    `cd ${quoted(root)}`,
    'readonly_at() { mount -n --rbind "$1" "$2"; mount -n -o remount,bind,ro "$2"; }',
    `for at in ${system.join(' ')}; do`,
    '  if [ -L $at ]; then ln -s "$(readlink $at)" .$at',
    '  elif [ -d $at ]; then mkdir -p .$at; readonly_at $at .$at; fi',
    'done',
    ...(opened.length === 0 ? [] : [openAt]),
    ...opened.map((path) => `open_at ${path}`),
    'mkdir -p proc dev/pts dev/shm var home run',
    'mkdir -m 1777 tmp var/tmp',
    ...proc(isProcWhole),
    `for at in ${devices.join(' ')}; do : > dev/$at; mount -n --bind /dev/$at dev/$at; done`,
    'mount -n -t devpts -o newinstance,ptmxmode=0666,mode=0620 devpts dev/pts',
    'ln -s pts/ptmx dev/ptmx; ln -s /proc/self/fd dev/fd',
    'ln -s /proc/self/fd/0 dev/stdin; ln -s /proc/self/fd/1 dev/stdout; ln -s /proc/self/fd/2 dev/stderr',
    'mount -n -t tmpfs -o mode=1777,nosuid,nodev tmpfs dev/shm',
    ...programs.filter((path) => !isWithin(path, [...system, ...programs])).flatMap((path) => bound(path, path, true)),
    ...(hosts === undefined ? [] : bound(hosts, '/etc/hosts', true)),
    ...mounts.flatMap(({ source, target, readOnly }) => bound(source, target, readOnly)),
    ...opened.map((path) => `mount -n -o remount,bind,ro .${path}`),
    'mkdir .machine && pivot_root . .machine && cd / && umount -n -l /.machine && rmdir /.machine',
    `mkdir -p ${quoted(workingDir)}`,
    ...(isRootReadOnly ? ['mount -n -o remount,bind,ro /'] : []),
    `cd ${quoted(workingDir)}`,
    'PATH=$path',
    'command -v "$1" >/dev/null || { echo "exec: \\"$1\\": executable file not found in \\$PATH" >&2; exit 127; }',
    `${giveUpRights({ uid, gid })} /bin/sh -c ${quoted(start)} "$@"`,
  ].join('\n')
}

/**
 * A layer in memory over a folder of the machine, in which mount points may be made, as a container's own layer lies over its
 * image. The layer shows none of what the machine mounts below the folder (a runtime's `/etc/hosts`): those are bound again.
 */
const openAt = `open_at() {
  mkdir .layer && mount -n -t tmpfs tmpfs .layer && mkdir .layer/upper .layer/work
  mount -n -t overlay -o "lowerdir=$1,upperdir=.layer/upper,workdir=.layer/work" overlay ".$1"
  umount -n -l .layer && rmdir .layer
  sed -n "s:^[^ ]* [^ ]* [^ ]* [^ ]* \\($1/[^ ]*\\) .*:\\1:p" /proc/self/mountinfo | while read -r below; do
    [ ! -e "$below" ] || readonly_at "$below" ".$below"
  done
}`

const start = 'echo ok >&3; exec 3>&-; unset PWD OLDPWD; exec "$0" "$@"'

function proc(isWhole: boolean): readonly string[] {
  const own = 'mount -n -t proc -o nosuid,nodev,noexec proc proc'
  if (isWhole) return [own]
  return [
    own,
    `for at in ${masked.join(' ')}; do`,
    '  if [ -d proc/$at ]; then mount -n -t tmpfs -o ro tmpfs proc/$at',
    '  elif [ -e proc/$at ]; then mount -n --bind /dev/null proc/$at; fi',
    'done',
    `for at in ${readOnlyProc.join(' ')}; do [ ! -e proc/$at ] || readonly_at proc/$at proc/$at; done`,
  ]
}

/** A target below a program fails here, as one does below anything read-only. */
function bound(source: string, target: string, isReadOnly: boolean): readonly string[] {
  const [from, to, parent] = [source, `.${target}`, `.${dirname(target)}`].map(quoted)
  return [
    `if [ -d ${from} ]; then mkdir -p ${to}; else mkdir -p ${parent}; [ -e ${to} ] || : > ${to}; fi`,
    isReadOnly ? `readonly_at ${from} ${to}` : `mount -n --rbind ${from} ${to}`,
  ]
}

/** It is there with a folder around it. */
function isWithin(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => path.startsWith(`${folder}/`))
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
