/** Every setting as a flag of `statewright orchestrator` (ORCHESTRATOR-SETTINGS-1). A flag goes before the variable. */
import type { ParseArgsOptionsConfig } from 'node:util'
import type { Environment } from '../wrapper/boot/environment.ts'
import { text, type Parsed } from './args.ts'
import { settingSchemas, type SettingSchema } from '../orchestrator/settings/settings-schema.ts'

/** A secret has no flag: other users see the command lines of a machine. The flag names the file that holds it. */
export function variableOf(name: string, { reads }: Pick<SettingSchema, 'reads'>): string {
  return reads === 'secret' ? `${name}_FILE` : name
}

export function flagOf(variable: string): string {
  return variable.toLowerCase().replaceAll('_', '-')
}

/** What a library reads by itself is read from the environment of the process alone. */
const variables = settingSchemas
  .filter(([, { reads }]) => reads !== 'library')
  .map(([name, schema]) => variableOf(name, schema))

export const settingFlags: ParseArgsOptionsConfig = Object.fromEntries(
  variables.map((variable) => [flagOf(variable), { type: 'string' }]),
)

export function withFlags(env: Environment, parsed: Parsed): Environment {
  const given = variables.flatMap((variable) => {
    const value = text(parsed, flagOf(variable))
    return value === undefined ? [] : [[variable, value]]
  })
  return { ...env, ...Object.fromEntries(given) }
}
