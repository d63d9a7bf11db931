import { contractVersion } from '../../machines/turn/contract-version.ts'
import { ConfigError, contractVersionVariable, readSecrets, readServing, type Serving } from './config.ts'
import { EnvironmentReader, type Environment } from './environment.ts'

export interface OtherVersion extends Serving {
  /** The orchestrator's version. */
  readonly asked: number
}

/**
 * Settings of a wrapper whose orchestrator has another contract version; undefined where the versions agree or the
 * variable names none. Another release may have renamed or dropped all that is not read here.
 */
export function readOtherVersion(env: Environment, takeSecretFile: (path: string) => string): OtherVersion | undefined {
  const text = env[contractVersionVariable] ?? ''
  if (!/^\d+$/.test(text) || Number(text) === contractVersion) return undefined
  // Nobody here needs them, but each file is gone once a wrapper started (SECURITY-RULE-1).
  readSecrets(new EnvironmentReader(env, takeSecretFile))
  const read = new EnvironmentReader(env, () => '')
  const serving = readServing(read)
  if (read.faults.length > 0) throw new ConfigError(read.faults)
  return { ...serving, asked: Number(text) }
}
