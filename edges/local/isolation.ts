/**
 * A pod of its own on one machine: mount and process namespaces in which only the workspace, the pod's own folder and
 * the program remain; the user's home and the platform's state are covered (SECURITY-RULE-3). Where every user may write, and
 * where a user's own daemons listen, is the pod's own: no pod reads what another left there, nor asks a daemon to act
 * outside. Shared memory and queues are an ipc namespace's. The network is shared.
 */
import { spawnSync } from 'node:child_process'

export type Isolation = 'namespaces' | 'none'

export interface IsolatedPaths {
  readonly pod: string
  readonly workspace: string
  /** Where the program and its packages are, read-only inside. */
  readonly program: string
  /** Covered: the platform's state, with what lies around it and is not the pod's either. */
  readonly state: string
  /** Covered: the user's home. */
  readonly home: string
}

/**
 * Folders in which every user may write, and those with sockets of daemons that would act for this user: his session's
 * and the machine's buses, container engines. Programs keep folders in /tmp by uid, and every namespace has a uid 0.
 */
const emptied = [
  '/tmp',
  '/var/tmp',
  '/dev/shm',
  '/run/shm',
  '/run/lock',
  '/run/user',
  '/run/screen',
  '/run/dbus',
  '/run/containerd',
  '/run/podman',
  '/var/crash',
]

/** Sockets that lie in a folder with other things. */
const blocked = ['/run/docker.sock']

/**
 * The first process: what loses its parent in a namespace becomes its child, and only it can take in the ends of those.
 * Node takes in the ends of its own children only, so a shell stands in front. It passes signals on and ends as the program does.
 */
const reap = `"$@" <&0 &
program=$!
trap "kill -TERM $program" TERM
trap "kill -INT $program" INT
while wait $program; code=$?; kill -0 $program 2>/dev/null; do :; done
exit $code`

/** Of a superuser in a container, as container runtimes give them; a right of one counts for what its namespaces own. */
const superuserRights = [
  'chown',
  'dac_override',
  'fsetid',
  'fowner',
  'mknod',
  'net_raw',
  'setgid',
  'setuid',
  'setfcap',
  'setpcap',
  'net_bind_service',
  'sys_chroot',
  'kill',
  'audit_write',
]

/** A shell's last words before the command: whoever they name runs it, and the right to mount cannot come back. */
export function giveUpRights({ uid, gid }: { readonly uid: number; readonly gid: number }): string {
  const kept = uid === 0 ? superuserRights.map((name) => `,+${name}`).join('') : ''
  return `as_user="unshare --user --map-user=${uid} --map-group=${gid} --keep-caps --"
$as_user true 2>/dev/null || as_user=
exec $as_user setpriv --bounding-set=-all${kept} --inh-caps=-all --ambient-caps=-all --no-new-privs --`
}

/**
 * What the pod may see is opened first, then the secrets are covered, then what was opened is bound to where it was: its
 * paths may lie below anything that is covered. Descriptors lead around all covers, so none is left when the command
 * starts. The right to mount is given up at the end and cannot come back: whoever may unmount sees what is covered. Inside
 * nobody is root: the kernel lets no root without rights make further namespaces, which the wrapper wants for its agent
 * (decisions/0028).
 */
const enter = `set -e
mount -n --make-rprivate /
exec 7<"$SW_POD" 8<"$SW_WORKSPACE" 9<"$SW_PROGRAM"
cover() { mkdir -p "$1"; mount -n -t tmpfs -o mode=0755 tmpfs "$1"; }
test -d "$SW_HOME"
for shared in ${emptied.join(' ')}; do
  test -d "$shared" && test ! -L "$shared" || continue
  mount -n -t tmpfs -o mode=1777 tmpfs "$shared"
done
for socket in ${blocked.join(' ')}; do
  test ! -e "$socket" || mount -n --bind /dev/null "$socket"
done
test ! -d /dev/mqueue || mount -n -t mqueue mqueue /dev/mqueue 2>/dev/null || mount -n -t tmpfs tmpfs /dev/mqueue
cover "$SW_HOME"
cover "$SW_STATE"
mkdir -p "$SW_PROGRAM"
mount -n -c --rbind /proc/self/fd/9 "$SW_PROGRAM"
for covered in "$SW_HOME" "$SW_STATE"; do
  case "$covered" in "$SW_PROGRAM"/*) cover "$covered" ;; esac
done
mkdir -p "$SW_POD" "$SW_WORKSPACE"
mount -n -c --bind /proc/self/fd/7 "$SW_POD"
mount -n -c --bind /proc/self/fd/8 "$SW_WORKSPACE"
mount -n -o remount,bind,ro "$SW_PROGRAM"
exec 3<&- 4<&- 5<&- 6<&- 7<&- 8<&- 9<&-
unset SW_POD SW_WORKSPACE SW_PROGRAM SW_HOME SW_STATE
cd "$1"; shift
${giveUpRights({ uid: 1000, gid: 1000 })} /bin/sh -c '${reap}' init "$@"`

const flags = ['--mount', '--ipc', '--pid', '--fork', '--kill-child', '--mount-proc']

/** Of `unshare`: only a superuser may make the other namespaces without one of users. */
export function userFlags(): readonly string[] {
  return process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']
}

/** Whether this machine lets us make such namespaces; asked once, with the very script that pods use. */
export function detectIsolation(paths: IsolatedPaths): Isolation {
  const { file, args, env } = isolated(paths, ['/bin/sh', '-c', 'test -d "$PWD"'])
  const tried = spawnSync(file, args, {
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', ...env },
    timeout: 10_000,
    stdio: 'ignore',
  })
  return tried.status === 0 ? 'namespaces' : 'none'
}

/** The command that runs `command` inside. Killing the returned process ends everything in it. */
export function isolated(
  paths: IsolatedPaths,
  command: readonly string[],
): { readonly file: string; readonly args: readonly string[]; readonly env: Record<string, string> } {
  const env = {
    SW_POD: paths.pod,
    SW_WORKSPACE: paths.workspace,
    SW_PROGRAM: paths.program,
    SW_HOME: paths.home,
    SW_STATE: paths.state,
  }
  return {
    file: 'unshare',
    args: [...userFlags(), ...flags, '--', '/bin/sh', '-c', enter, 'pod', paths.pod, ...command],
    env,
  }
}
