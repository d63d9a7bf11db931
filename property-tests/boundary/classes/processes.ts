import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isRoot } from '../../../wrapper/space/testing.ts'
import { suite, type Attack, type Suite } from '../attack.ts'
import { openViews, secret, type Views } from '../stages/views.ts'

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

/** Sends a line to the wrapper's socket. */
const speak = (socket: string, text: string): string =>
  `node -e 'require("net").connect(process.argv[1]).on("error", () => process.exit()).end(process.argv[2])' '${socket}' '${text}'`

/** Who is no superuser could do neither without any walls. */
const ofSuperusers: readonly Attack<Views>[] = [
  reading(
    'a neighbour’s namespace',
    ({ neighbour, folders }) => `nsenter --target ${neighbour} --mount --pid cat ${folders.state}/turns.jsonl`,
  ),
  {
    name: 'the platform’s own programs, which run beside the wrapper',
    walls: ['namespaces'],
    plant: ({ run, clone, mark }) =>
      run(`[ -w ${join(import.meta.dirname, '../../../wrapper/hooks/askpass.mjs')} ] && echo yes > ${clone}/${mark}`),
    succeeded: ({ clone, mark }) =>
      existsSync(join(clone, mark)) && readFileSync(join(clone, mark), 'utf8') === 'yes\n',
  },
  {
    name: 'a setting of the kernel',
    walls: ['namespaces'],
    plant: ({ run, clone, mark }) =>
      run(
        `old=$(cat /proc/sys/kernel/core_pattern) && printf '%s' "$old" > /proc/sys/kernel/core_pattern && echo yes > ${clone}/${mark}`,
      ),
    succeeded: ({ clone, mark }) => existsSync(join(clone, mark)),
  },
  {
    name: 'a program in the wrapper’s own PATH',
    walls: ['namespaces'],
    plant: ({ run, mark }) => run(`echo '#!/bin/sh' > ${inPath(mark)}`),
    succeeded: ({ mark }) => {
      const isThere = existsSync(inPath(mark))
      rmSync(inPath(mark), { force: true })
      return isThere
    },
  },
]

const attacks: readonly Attack<Views>[] = [
  reading('the environment of a neighbour', ({ neighbour }) => `tr '\\0' '\\n' < /proc/${neighbour}/environ`),
  reading(
    'every environment that /proc shows',
    () => `for file in /proc/[0-9]*/environ; do tr '\\0' '\\n' < $file; done`,
  ),
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
      `perl -e 'print syscall(101, 16, ${neighbour}, 0, 0) == 0 ? "${secret}" : "refused"; syscall(101, 17, ${neighbour}, 0, 0)'`,
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
  reading(
    'shared memory',
    ({ clone, mark, folders }) =>
      `ls -l /dev/shm > ${clone}/${mark}; cat ${folders.link}/bin/bash > /dev/null && echo ${secret}`,
  ),
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
  ...(isRoot ? ofSuperusers : []),
]

export const processes: Suite = suite('7 processes, memory and sockets', openViews, attacks)
