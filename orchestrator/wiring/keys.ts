import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { generateSigningKeyPem, importSigningKey, type SigningKey } from '../../http/auth/tokens.ts'
import { messageOf } from '../../runtime/errors.ts'
import type { OrchestratorSettings } from '../settings/settings.ts'

interface OrchestratorKeys {
  /** Signs the pods' tokens. */
  readonly signing: SigningKey
  /** Master of the pods' callback secrets. */
  readonly callbackMaster: string
  /** Signs the sessions of browsers. */
  readonly sessionKey: string
}

const makers = {
  'signing.pem': generateSigningKeyPem,
  callback: () => randomBytes(32).toString('hex'),
  session: () => randomBytes(32).toString('hex'),
} as const
type KeyName = keyof typeof makers

/**
 * Keys of this installation. Below `stateDir` they are made at the first start, in files of mode 0600. In `keysDir` they are
 * only read, so that several processes never make two sets. Throws every file that is missing or empty there.
 */
export async function loadKeys(
  settings: Pick<OrchestratorSettings, 'stateDir' | 'keysDir'>,
): Promise<OrchestratorKeys> {
  const dir = settings.keysDir || join(settings.stateDir, 'keys')
  const keys = settings.keysDir === '' ? kept(dir) : given(dir)
  return {
    signing: await signingKey(join(dir, 'signing.pem'), keys['signing.pem']),
    callbackMaster: keys.callback,
    sessionKey: keys.session,
  }
}

/** @throws with the path: the words of OpenSSL name none. */
async function signingKey(path: string, pem: string): Promise<SigningKey> {
  try {
    return await importSigningKey(pem)
  } catch (error) {
    throw new Error(`${path} is no Ed25519 private key in PEM: ${messageOf(error)}`, { cause: error })
  }
}

function everyKey(read: (name: KeyName) => string): Readonly<Record<KeyName, string>> {
  return { 'signing.pem': read('signing.pem'), callback: read('callback'), session: read('session') }
}

function kept(dir: string): Readonly<Record<KeyName, string>> {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  return everyKey((name) => {
    const path = join(dir, name)
    if (!existsSync(path)) writeFileSync(path, makers[name](), { mode: 0o600, flag: 'wx' })
    return readFileSync(path, 'utf8')
  })
}

function given(dir: string): Readonly<Record<KeyName, string>> {
  const faults: string[] = []
  const keys = everyKey((name) => {
    try {
      // Whoever writes the same key with an editor means no other one.
      const text = readFileSync(join(dir, name), 'utf8').trim()
      if (text === '') faults.push(`${name} is empty`)
      return text
    } catch (error) {
      faults.push(messageOf(error))
      return ''
    }
  })
  if (faults.length > 0)
    throw new Error(
      `KEYS_DIR needs the files ${Object.keys(makers).join(', ')}; the orchestrator makes none there:\n${faults.map((fault) => `- ${fault}`).join('\n')}`,
    )
  return keys
}
