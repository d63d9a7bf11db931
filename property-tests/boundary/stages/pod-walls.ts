/** How the walls of a pod that runs are taken down from outside, by who made them. */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { path } from '../../../wrapper/space/testing/walls.ts'
import { socketFolderOf, type Pod, type PodWorld } from '../../../wrapper/testing/pod.ts'
import type { Wall } from '../attack.ts'

interface Standing {
  readonly world: PodWorld
  readonly pod: Pod
  readonly cli: number
}

/** Those that a pod is started without are not here. */
const ways: Partial<Record<Wall, (standing: Standing) => void>> = {
  nosymfollow: ({ world, cli }) =>
    inTheView(
      cli,
      `for at in ${world.workspace} ${world.workspace}/lib /tmp; do mount -n -o remount,bind,symfollow,rw $at; done`,
    ),
  'clean-environment': ({ pod }) => rewriteShim(pod, 'bash', 'env -i ', 'env '),
}

export function takeDown(down: ReadonlySet<Wall>, standing: Standing): void {
  for (const wall of down) ways[wall]?.(standing)
}

function rewriteShim(pod: Pod, name: string, from: string, to: string): void {
  const file = join(socketFolderOf(pod), 'bin', name)
  const text = readFileSync(file, 'utf8')
  if (!text.includes(from)) throw new Error(`${name} has no "${from}" to take out`)
  writeFileSync(file, text.replaceAll(from, to))
}

/** Runs a script as who made the CLI's namespaces. */
function inTheView(cli: number, script: string): void {
  const words = [`--target=${cli}`, '--user', '--mount', '--preserve-credentials', '--', '/bin/sh', '-ec', script]
  const { status, stderr } = spawnSync('nsenter', words, { env: { PATH: path } })
  if (status !== 0) throw new Error(`a wall could not be taken down: ${stderr.toString()}`)
}
