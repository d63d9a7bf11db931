/** Secrets are never shown: not those under a telling key, and not those that look like one wherever they stand. */
import type { Json } from '../../machines/definition.ts'

export const redacted = '•••'
/** A whole context bundle or log helps nobody in a panel. */
const longestText = 4000

const secretKey =
  /token|secret|passw(or)?d|passphrase|authorization|cookie|credential|api-?_?key|private-?_?key|signing-?_?key/i
/** Names, numbers and places of secrets are not secrets: `tokenSecretRef`, `tokensUsed`, `tokenUrl`. */
const harmlessKey = /(ref|refs|name|count|used|budget|limit|kind|type|state|at|url)$/i

const secretTexts: readonly RegExp[] = [
  /\bgh[pousr]_[A-Za-z0-9]{16,}/g,
  /\bgithub_pat_[A-Za-z0-9_]{16,}/g,
  /\bgl[a-z]{2,6}-[A-Za-z0-9_-]{16,}/g,
  /\bsk-[A-Za-z0-9_-]{16,}/g,
  /\bAKIA[A-Z0-9]{16}\b/g,
  /\bxox[a-z]-[A-Za-z0-9-]{10,}/g,
  /\beyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]*/g,
  /(?<=\b(bearer|basic) )[A-Za-z0-9._~+/=-]{8,}/gi,
  /(?<=:\/\/)[^\s/@]+(?=@)/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g,
]

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
  const clean = secretTexts.reduce((left, pattern) => left.replaceAll(pattern, redacted), text)
  return clean.length <= longestText
    ? clean
    : `${clean.slice(0, longestText)}… (${clean.length - longestText} characters more)`
}
