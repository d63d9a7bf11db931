/** Secrets are never shown: not those under a telling key, and not those that look like one wherever they stand. */
import type { Json } from '../machines/definition.ts'
import { hiddenSecret, hideSecrets } from './secrets-in-text.ts'

export const redacted = hiddenSecret
/** A whole context bundle or log helps nobody in a panel. */
const longestText = 4000

const secretKey =
  /token|secret|passw(or)?d|passphrase|authorization|cookie|credential|api-?_?key|private-?_?key|signing-?_?key/i
/** Names, numbers and places of secrets are not secrets: `tokenSecretRef`, `tokensUsed`, `tokenUrl`. */
const harmlessKey = /(ref|refs|name|count|used|budget|limit|kind|type|state|at|url)$/i

export function redact(value: unknown): Json {
  return hide(value, false)
}

function hide(value: unknown, isSecret: boolean): Json {
  if (typeof value === 'string') return isSecret && value !== '' ? redacted : redactText(value)
  if (Array.isArray(value)) return value.map((item) => hide(item, isSecret))
  if (typeof value !== 'object' || value === null) return value as Json
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      hide(inner, harmlessKey.test(key) ? false : isSecret || secretKey.test(key)),
    ]),
  )
}

export function redactText(text: string): string {
  const clean = hideSecrets(text)
  return clean.length <= longestText
    ? clean
    : `${clean.slice(0, longestText)}… (${clean.length - longestText} characters more)`
}
