/** How the walls of a pod that runs are taken down from outside, by who made them. */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { path } from '../../../wrapper/space/testing/walls.ts'
import type { Wall } from '../attack.ts'
import type { PlacedPod, PlaceWorld } from './pod-places.ts'

interface Standing {
  readonly world: PlaceWorld
  readonly pod: PlacedPod
}

/** Those that a pod is started without are not here. */
const ways: Partial<Record<Wall, (standing: Standing) => void>> = {
  nosymfollow: ({ world, pod }) =>
    inTheView(
      pod.cli(),
      `for at in ${world.workspace} ${world.workspace}/lib /tmp; do mount -n -o remount,bind,symfollow,rw $at; done`,
    ),
  'clean-environment': ({ pod }) => rewriteShim(pod, 'bash', 'env -i ', 'env '),
}

export function takeDown(down: ReadonlySet<Wall>, standing: Standing): void {
  for (const wall of down) ways[wall]?.(standing)
}

function rewriteShim(pod: PlacedPod, name: string, from: string, to: string): void {
  const file = pod.outside(join(pod.sockets(), 'bin', name))
  const text = readFileSync(file, 'utf8')
  if (!text.includes(from)) throw new Error(`${name} has no "${from}" to take out`)
  writeFileSync(file, text.replaceAll(from, to))
}

/** Runs a script in the CLI's mounts with the rights of out here: inside a pod of a cluster nobody is root. */
function inTheView(cli: number, script: string): void {
  const words = [`--target=${cli}`, '--mount', '--', '/bin/sh', '-ec', script]
  const { status, stderr } = spawnSync('nsenter', words, { env: { PATH: path } })
  if (status !== 0) throw new Error(`a wall could not be taken down: ${stderr.toString()}`)
}
