import { readlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isRoot } from '../../../wrapper/space/testing/walls.ts'
import type { Attack } from '../attack.ts'
import { written, type PodScene } from '../stages/pods.ts'

/** A command that says by a file of the clone what it got. */
function reaching(
  name: string,
  script: (scene: PodScene) => string,
  got: (scene: PodScene) => string,
  isDear = true,
): Attack<PodScene> {
  return {
    name,
    isDear,
    walls: ['namespaces'],
    plant: (scene) => scene.bash(`{ ${script(scene)}; } > ${join(scene.clone, scene.mark)} 2>/dev/null`),
    succeeded: (scene) => written(scene, scene.mark).includes(got(scene)),
  }
}

/** Connects to each socket that the kernel lists under a name, also to one without a path. */
const connecting = (name: string): string =>
  `awk '$8 ~ /${name}/ { print $8 }' /proc/net/unix | sort -u | while read at; do
    node -e 'require("net").connect(process.argv[1].replace(/^@/, "\\0")).on("connect", () => { console.log("reached"); process.exit() }).on("error", () => process.exit())' "$at"
  done`

/** Reads what a process of this user may write of its memory, and looks for a word in it. */
const searching = (pid: number, word: string): string =>
  `perl -e 'open M, "<", "/proc/$ARGV[0]/maps" or exit; open F, "<", "/proc/$ARGV[0]/mem" or exit;
    while (<M>) { next unless /^(\\w+)-(\\w+) rw/; my ($from, $size) = (hex $1, hex($2) - hex($1)); next if $size > 1 << 28;
      seek F, $from, 0; read F, my $all, $size; print "$1\\n" while $all =~ /($ARGV[1]-\\w{18})/g }' ${pid} ${word}`

export const processes: readonly Attack<PodScene>[] = [
  reaching(
    'a command that reads every environment',
    () => `for at in /proc/[0-9]*/environ; do tr '\\0' '\\n' < $at; done`,
    ({ canaries }) => canaries.environment,
    false,
  ),
  reaching(
    'a command that reads the model’s key in the wrapper’s memory',
    ({ pod }) => searching(pod().wrapper, 'sk-key'),
    ({ canaries }) => canaries.modelKey,
  ),
  reaching(
    'a command that reads the pod’s token in the wrapper’s memory',
    ({ pod }) => searching(pod().wrapper, 'token'),
    ({ canaries }) => canaries.podToken,
  ),
  reaching(
    'the inbox of the CLI, which has no room for its socket in HOME',
    () => connecting('cc-socks'),
    () => 'reached',
  ),
  {
    name: 'what the CLI’s environment says of the ways to it',
    isDear: true,
    walls: ['clean-environment'],
    plant: (scene) => scene.bash(`env > ${join(scene.clone, scene.mark)}`),
    succeeded: (scene) => /CLAUDE_CODE_MESSAGING_|ANTHROPIC_UNIX_SOCKET/.test(written(scene, scene.mark)),
  },
]

/** As the pod has it: out here it has another name, or none. */
const terminalOf = ({ pod }: PodScene): string => `/dev/pts/${basename(readlinkSync(`/proc/${pod().cli()}/fd/0`))}`

/** Puts letters into a terminal's input as if somebody had typed them. */
const typing = (file: string, word: string): string =>
  `perl -e 'open T, "+<", $ARGV[0] or exit; ioctl(T, 0x5412, $_) for split //, $ARGV[1]' ${file} ${word}`

const typed: Attack<PodScene> = {
  name: 'words typed into the terminal of the CLI, for its next message',
  isDear: true,
  isOfSuperusers: true,
  walls: ['namespaces'],
  plant: (scene) => scene.bash(typing(terminalOf(scene), `typed-$(echo ${scene.mark})`)),
  provoke: ({ bash }) => bash('true'),
  succeeded: (scene) => {
    const heard = scene
      .asked()
      .at(-1)!
      .body.messages.filter(({ role }) => role === 'user')
    return JSON.stringify(heard).includes(`typed-${scene.mark}`)
  },
}

export const terminals: readonly Attack<PodScene>[] = [
  reaching(
    'the screen of the CLI, painted by a command',
    (scene) => `echo Approved > ${terminalOf(scene)} && echo reached`,
    () => 'reached',
  ),
  // Who is no superuser can type into no terminal but his own, with walls or without.
  ...(isRoot ? [typed] : []),
]
