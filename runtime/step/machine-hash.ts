import { createHash } from 'node:crypto'
import type { MachineDefinition } from '../../machines/definition.ts'

/** 64 bits tell the versions of one machine apart; every journal row carries them. */
const hexDigits = 16

function withSources(_key: string, value: unknown): unknown {
  return typeof value === 'function' ? `${value}` : value
}

/**
 * Names the code a step was made by, alike for sources and for a bundle: the version and the generated hash over the
 * machine and every rule it reaches. A machine of a test has none: its table and the sources of its own guards and
 * actions stand for it, and what those import is not seen.
 */
export function machineHash(definition: MachineDefinition): string {
  const { config, implementations } = definition.machine
  const code = definition.sourceHash ?? [config, implementations]
  const text = JSON.stringify([definition.kind, definition.version, code], withSources)
  return createHash('sha256').update(text).digest('hex').slice(0, hexDigits)
}
