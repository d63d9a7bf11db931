/** The law of rest: rows without an event come to an end in every step. A table that breaks it holds its worker for ever. */
import { createMachine } from 'xstate'
import type { MachineDefinition } from '../../../machines/definition.ts'

/** The longest step of the real machines takes a fifth of them: a Project whose settings come, go and come back. */
const mostMicrosteps = 50

interface Config {
  readonly [key: string]: unknown
}

/** The same machine, which gives up what does not come to rest. `config`: another table than its own. */
export function resting(definition: MachineDefinition, config?: Config): MachineDefinition {
  const { machine } = definition
  const table = { ...(config ?? (machine.config as Config)), options: { maxIterations: mostMicrosteps } }
  return { ...definition, machine: createMachine(table as never).provide(machine.implementations as never) }
}

/** What XState says of more microsteps than that; any other exception is no breach of a law. */
export function isEndless(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Infinite loop detected')
}
