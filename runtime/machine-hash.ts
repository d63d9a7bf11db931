import { createHash } from 'node:crypto'
import type { MachineDefinition } from '../machines/definition.ts'

/** 64 bits tell the versions of one machine apart; every journal row carries them. */
const hexDigits = 16

function withSources(_key: string, value: unknown): unknown {
  return typeof value === 'function' ? `${value}` : value
}

/**
 * Names the code a step was made by: the machine's config, the sources of its own guards and actions, and the version.
 * Rules that those functions import are not seen: a change there that alters behaviour needs a new version.
 */
export function machineHash(definition: MachineDefinition): string {
  const { config, implementations } = definition.machine
  const text = JSON.stringify([definition.kind, definition.version, config, implementations], withSources)
  return createHash('sha256').update(text).digest('hex').slice(0, hexDigits)
}
