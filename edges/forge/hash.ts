import { createHash } from 'node:crypto'

/** What identifies a text: approvals and citations are bound to it, so every edge must reckon it alike. */
export function bodyHash(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** The same for the same content, whatever the order of keys. */
export function contentHash(value: unknown): string {
  return bodyHash(JSON.stringify(value, sorted))
}

function sorted(_key: string, value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1)))
}
