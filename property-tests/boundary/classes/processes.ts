import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isRoot } from '../../../wrapper/space/testing/walls.ts'
import { suite, type Attack, type Suite } from '../attack.ts'
import { cliCanary, openViewsWithoutOverlay, openViews, secret, type Views } from '../stages/views.ts'

const told = ({ said }: Views): boolean => said.includes(secret)

/** A command that reads what it must not. */
function reading(
  name: string,
  script: (views: Views) => string,
  succeeded: Attack<Views>['succeeded'] = told,
): Attack<Views> {
  return { name, walls: ['namespaces'], plant: (views) => views.run(script(views)), succeeded }
}

const inPath = (mark: string): string => `/usr/bin/${mark}`
const besidePrograms = (mark: string): string => join(import.meta.dirname, '../../../wrapper/hooks', mark)

/** Sends a line to a socket that has a name and no path. */
const connected = (name: string, text: string): string =>
  `${process.execPath} -e 'require("net").connect("\\0" + process.argv[1]).on("error", () => process.exit()).end(process.argv[2])' '${name}' '${text}'`

/** Sends a line to the wrapper's socket. */
const speak = (socket: string, text: string): string =>
  `node -e 'require("net").connect(process.argv[1]).on("error", () => process.exit()).end(process.argv[2])' '${socket}' '${text}'`

/** What leads to the CLI, in the environment of what it starts. */
function handed(to: string, start: (views: Views) => Promise<unknown>): Attack<Views> {
  return {
    name: `the CLI’s environment, handed to ${to}`,
    walls: ['clean-environment'],
    plant: start,
    succeeded: ({ said }) => said.includes(cliCanary),
  }
}

/** Numbers of system calls; those since 2018 are the same everywhere. */
const ptrace = process.arch === 'x64' ? 101 : 117

/** A segment of System V that the neighbour made, by its key. */
const segment = (key: number): string =>
  `perl -e '$id = shmget($ARGV[0], 64, 0); exit unless defined $id; shmread($id, $all, 0, 64); print $all' ${key}`

/** Who is no superuser could do none of it without any walls. */
const ofSuperusers: readonly Attack<Views>[] = [
  reading(
    'a neighbour’s namespace',
    ({ neighbour, folders }) => `nsenter --target ${neighbour} --mount --pid cat ${folders.state}/turns.jsonl`,
  ),
  rewritten('the platform’s own programs, which run beside the wrapper', besidePrograms),
  {
    name: 'a setting of the kernel',
    walls: ['namespaces'],
    plant: ({ run, clone, mark }) =>
      run(
        `old=$(cat /proc/sys/kernel/core_pattern) && printf '%s' "$old" > /proc/sys/kernel/core_pattern && echo yes > ${clone}/${mark}`,
      ),
    succeeded: ({ clone, mark }) => existsSync(join(clone, mark)),
  },
  rewritten('a program in the wrapper’s own PATH', inPath),
]

const attacks: readonly Attack<Views>[] = [
  reading('the environment of a neighbour', ({ neighbour }) => `tr '\\0' '\\n' < /proc/${neighbour}/environ`),
  reading(
    'every environment that /proc shows',
    () => `for file in /proc/[0-9]*/environ; do tr '\\0' '\\n' < $file; done`,
  ),
  reading('every command line that /proc shows', () => `cat /proc/[0-9]*/cmdline | tr '\\0' ' '`),
  reading('an open file of a neighbour', ({ neighbour }) => `cat /proc/${neighbour}/fd/7`),
  reading(
    'a neighbour’s view of the files',
    ({ neighbour, folders }) =>
      `cat /proc/${neighbour}/root${folders.state}/turns.jsonl /proc/${neighbour}/cwd${folders.state}/turns.jsonl`,
  ),
  reading(
    'the memory of a neighbour',
    ({ neighbour, mark }) =>
      `perl -e 'open M, "<", "/proc/${neighbour}/maps" or exit; while (<M>) { next unless /stack/ and /^(\\w+)-(\\w+)/; ($from, $to) = (hex $1, hex $2) } open F, "<", "/proc/${neighbour}/mem" or exit; seek F, $from, 0; read F, $all, $to - $from; print "${mark} $1" if $all =~ /(${secret.slice(0, 8)}[-a-z]+)/'`,
  ),
  reading(
    'a neighbour under ptrace',
    ({ neighbour }) =>
      `perl -e 'print syscall(${ptrace}, 16, ${neighbour}, 0, 0) == 0 ? "${secret}" : "refused"; syscall(${ptrace}, 17, ${neighbour}, 0, 0)'`,
  ),
  reading(
    'a neighbour’s descriptor, by pidfd',
    ({ neighbour }) =>
      `perl -e '$p = syscall(434, ${neighbour}, 0); exit if $p < 0; $f = syscall(438, $p, 7, 0); exit if $f < 0; open F, "<&=", $f; print <F>; sysseek F, 0, 0; print <F>'`,
  ),
  reading(
    'a signal to a neighbour',
    ({ neighbour, mark, clone }) => `kill -0 ${neighbour} && echo yes > ${clone}/${mark}`,
    ({ clone, mark }) => existsSync(join(clone, mark)),
  ),
  reading(
    'a process of the CLI, and its environment',
    () => `for pid in /proc/[0-9]*; do grep -qa 601 $pid/cmdline && tr '\\0' '\\n' < $pid/environ; done`,
  ),
  reading('the wrapper’s state', ({ folders }) => `cat ${folders.state}/turns.jsonl`),
  reading('what the CLI obeys in its HOME', ({ folders }) => `cat ${folders.home}/.claude/settings.json`),
  reading('shared memory of a neighbour, by a file', () => 'cat /dev/shm/boundary-*'),
  reading('shared memory of a neighbour, by a key of System V', ({ segmentKey }) => segment(segmentKey)),
  reading(
    'shared memory that tells a neighbour',
    ({ mark }) => `echo ${secret} > /dev/shm/${mark}`,
    ({ mark }) => {
      const isThere = existsSync(`/dev/shm/${mark}`)
      rmSync(`/dev/shm/${mark}`, { force: true })
      return isThere
    },
  ),
  reading(
    'a queue of messages that tells a neighbour',
    ({ segmentKey }) => `perl -e 'print defined msgget($ARGV[0], 0) ? "${secret}" : "none"' ${segmentKey}`,
  ),
  handed('a command', ({ shell }) => shell('-c', 'env')),
  handed('the begin of a shell', ({ shell }) => shell('-c', '-l', 'env')),
  handed('git', ({ helper }) => helper('git', 'told')),
  handed('a server that the Project configures', ({ helper }) => helper('inside', 'PATH', 'env')),
  {
    name: 'a socket without a path, reached by a hook of git',
    walls: ['offline'],
    plant: ({ git, abstract, mark }) => git(`${connected(abstract, mark)}`),
    succeeded: ({ heard, mark }) => heard.includes(mark),
  },
  reading(
    'the socket of the wrapper, by its path',
    ({ folders, mark }) => speak(join(folders.link, 'model.sock'), mark),
    ({ heard, mark }) => heard.includes(mark),
  ),
  reading(
    'the socket of the wrapper, found',
    ({ mark }) =>
      `for socket in /dev/shm/statewright/model.sock $(awk '$8 ~ /model.sock/ { print $8 }' /proc/net/unix); do ${speak('"$socket"', mark).replace(`'"$socket"'`, '"$socket"')}; done`,
    ({ heard, mark }) => heard.includes(mark),
  ),
  {
    name: 'a cover taken away',
    walls: ['namespaces'],
    plant: ({ run, folders }) =>
      run(
        `umount ${folders.state}; umount -l ${folders.state}; unshare --user --map-root-user --mount umount ${folders.state}; cat ${folders.state}/turns.jsonl`,
      ),
    succeeded: told,
  },
  ...(isRoot ? ofSuperusers.map(asSuperuser) : []),
]

function asSuperuser(attack: Attack<Views>): Attack<Views> {
  return { ...attack, isOfSuperusers: true }
}

/** A file that the wrapper runs or reads, written where a superuser may. */
function rewritten(name: string, at: (mark: string) => string): Attack<Views> {
  return {
    name,
    walls: ['namespaces'],
    plant: ({ run, mark }) => run(`echo '#!/bin/sh' > ${at(mark)}`),
    succeeded: ({ mark }) => {
      const isThere = existsSync(at(mark))
      rmSync(at(mark), { force: true })
      return isThere
    },
  }
}

/** There a superuser may write nothing, instead of his own copy. */
export const processesWithoutOverlay: Suite = suite(
  '7 processes, memory and sockets',
  openViewsWithoutOverlay,
  isRoot
    ? [
        rewritten('a program in the wrapper’s own PATH, where the machine has no overlay', inPath),
        rewritten('a setting of the machine, where it has no overlay', (mark) => `/etc/${mark}`),
      ].map(asSuperuser)
    : [],
)

export const processes: Suite = suite('7 processes, memory and sockets', openViews, attacks)
