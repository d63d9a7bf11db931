import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { generateSigningKeyPem, importSigningKey, type SigningKey } from '../http/auth/tokens.ts'

export interface OrchestratorKeys {
  /** Signs the pods' tokens. */
  readonly signing: SigningKey
  /** Master of the pods' callback secrets. */
  readonly callbackMaster: string
  /** Signs the sessions of browsers. */
  readonly sessionKey: string
}

/** Keys of this installation: made at the first start, kept in files of mode 0600. */
export async function loadKeys(stateDir: string): Promise<OrchestratorKeys> {
  const dir = join(stateDir, 'keys')
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const signing = await importSigningKey(keep(join(dir, 'signing.pem'), generateSigningKeyPem))
  const random = (name: string): string => keep(join(dir, name), () => randomBytes(32).toString('hex'))
  return { signing, callbackMaster: random('callback'), sessionKey: random('session') }
}

function keep(path: string, make: () => string): string {
  if (!existsSync(path)) writeFileSync(path, make(), { mode: 0o600, flag: 'wx' })
  return readFileSync(path, 'utf8')
}
