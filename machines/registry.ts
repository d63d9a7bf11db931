/** Every machine, as data: runtime, prover, charts and documentation read this and nothing else. */
import type { MachineDefinition } from './definition.ts'
import { sourceHashes } from './generated/hashes.ts'
import { issueDefinition } from './issue/machine.ts'
import { mergeRequestDefinition } from './merge-request/machine.ts'
import { podDefinition } from './pod/machine.ts'
import { projectDefinition } from './project/machine.ts'
import { queueDefinition } from './queue/machine.ts'
import { taskDefinition } from './task/machine.ts'
import { turnDefinition } from './turn/machine.ts'

const definitions: readonly MachineDefinition[] = [
  projectDefinition,
  queueDefinition,
  taskDefinition,
  podDefinition,
  turnDefinition,
  issueDefinition,
  mergeRequestDefinition,
]

export const machines: readonly MachineDefinition[] = definitions.map((definition) => ({
  ...definition,
  sourceHash: sourceHashes[definition.kind],
}))
