import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { JWK } from 'oidc-provider'

/** An RS256 key; with a file the same one after a restart, so that tokens given out before it still verify. */
export function signingKey(file?: string): JWK {
  if (file === undefined) return newKey()
  if (!existsSync(file)) writeFileSync(file, JSON.stringify(newKey()), { mode: 0o600 })
  return JSON.parse(readFileSync(file, 'utf8')) as JWK
}

function newKey(): JWK {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return { ...(privateKey.export({ format: 'jwk' }) as JWK), kid: randomUUID(), alg: 'RS256', use: 'sig' }
}
