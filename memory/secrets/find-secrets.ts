/** Texts that hold a secret are not stored where anybody with a token can search (decisions/0071). */
import { ownRules } from './own-rules.ts'
import { presetRules } from './preset-rules.ts'
import type { SecretRule } from './secret-rule.ts'

interface Finding {
  /** Its kind; nothing of the secret. */
  readonly what: string
  readonly line: number
}

export const secretRules: readonly SecretRule[] = [...ownRules, ...presetRules]

/** The first secret of each kind. */
export function findSecrets(text: string, rules = secretRules): Finding[] {
  return rules.flatMap(({ what, find }) => {
    const at = find(text)
    return at === undefined ? [] : [{ what, line: lineOf(text, at) }]
  })
}

function lineOf(text: string, at: number): number {
  return text.slice(0, at).split('\n').length
}

/** Files that are made to hold them: not opened at all. */
export function isSecretFile(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (/\.(?:example|sample|template|dist)$/.test(name)) return false
  return /^(?:\.env(?:\..+)?|\.npmrc|\.pypirc|\.netrc|\.pgpass|\.htpasswd|id_(?:rsa|dsa|ecdsa|ed25519)|credentials(?:\.json)?|kubeconfig|.*\.(?:pem|key|p12|pfx|jks|keystore|kdbx|asc|gpg))$/i.test(
    name,
  )
}
