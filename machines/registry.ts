/** Every machine, as data: runtimes, prover, charts and documentation read this and nothing else. */
import type { MachineDefinition } from './definition.ts'
import { sourceHashes } from './generated/hashes.ts'
import { ingestJobDefinition } from './ingest-job/machine.ts'
import { issueDefinition } from './issue/machine.ts'
import { ledgerDefinition } from './ledger/machine.ts'
import { memoryDefinition } from './memory/machine.ts'
import { memoryStackDefinition } from './memory-stack/machine.ts'
import { mergeRequestDefinition } from './merge-request/machine.ts'
import { modelKeyDefinition } from './model-key/machine.ts'
import { podDefinition } from './pod/machine.ts'
import { projectDefinition } from './project/machine.ts'
import { queueDefinition } from './queue/machine.ts'
import { taskDefinition } from './task/machine.ts'
import { turnDefinition } from './turn/machine.ts'

const definitions: readonly MachineDefinition[] = [
  projectDefinition,
  queueDefinition,
  ledgerDefinition,
  modelKeyDefinition,
  memoryDefinition,
  memoryStackDefinition,
  taskDefinition,
  podDefinition,
  turnDefinition,
  issueDefinition,
  mergeRequestDefinition,
]

/** Those that the orchestrator runs. */
export const machines: readonly MachineDefinition[] = definitions.map((definition) => ({
  ...definition,
  sourceHash: sourceHashes[definition.kind],
}))

/** Those that the memory service runs, in a store of its own. */
export const memoryMachines: readonly MachineDefinition[] = [
  { ...ingestJobDefinition, sourceHash: sourceHashes['ingest-job'] },
]

/** Every machine there is. */
export const allMachines: readonly MachineDefinition[] = [...machines, ...memoryMachines]
