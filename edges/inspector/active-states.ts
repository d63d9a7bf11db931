import type { AnyStateNode } from 'xstate'
import type { MachineDefinition } from '../../machines/definition.ts'
import type { ActiveState } from './answers.ts'

/** What a state's `meta` says to people (ARCHITECTURE.md, "Every message names what it answers"). */
interface Said {
  readonly owner?: string
  readonly reason?: string
  readonly unblocks?: string
}

/** The leaves of a committed path (`runtime/step/state-path.ts`), each with its own words or those of the nearest state around it. */
export function activeStates(definition: MachineDefinition, path: string): readonly ActiveState[] {
  return path
    .split(' ')
    .filter(Boolean)
    .map((leaf) => ({ id: leaf, ...wordsFor(definition.machine.root, leaf.split('.')) }))
}

function wordsFor(root: AnyStateNode, keys: readonly string[]): Said {
  let node: AnyStateNode | undefined = root
  let said = saidBy(root)
  for (const key of keys) {
    node = node.states[key]
    if (node === undefined) break
    const own = saidBy(node)
    if (own.reason !== undefined) said = own
  }
  return said
}

function saidBy(node: AnyStateNode): Said {
  const { owner, reason, unblocks } = (node.meta ?? {}) as Said
  return { ...(owner ? { owner } : {}), ...(reason ? { reason } : {}), ...(unblocks ? { unblocks } : {}) }
}
