import { showInvisible } from '../../../machines/rules/quote.ts'

/** Text and attribute values of the bundle: five escapes, and nothing that XML 1.0 forbids (BUNDLE-TEXT-1, BUNDLE-TEXT-3). */

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

// Forbidden by XML 1.0 section 2.2: controls but tab, line feed and carriage return, the two non-characters.
const forbidden = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g

export function escapeText(text: string): string {
  return showInvisible(text.toWellFormed())
    .replace(forbidden, '\uFFFD')
    .replace(/[&<>"']/g, (found) => escapes[found] ?? found)
}

type Value = string | number | boolean | undefined

/** ` name="value"` for each that is given, in the order given. */
export function attributes(values: Readonly<Record<string, Value>>): string {
  return Object.entries(values)
    .flatMap(([name, value]) => (value === undefined ? [] : [` ${name}="${escapeText(String(value))}"`]))
    .join('')
}

/** RFC 3339 in UTC to the minute. */
export function minute(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16)}Z`
}

export function bytesOf(text: string): number {
  return Buffer.byteLength(text, 'utf8')
}

/** The first `limit` bytes, cut at a code point. */
export function cutBytes(text: string, limit: number): string {
  const bytes = Buffer.from(text, 'utf8')
  if (bytes.length <= limit) return text
  let end = limit
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return bytes.subarray(0, end).toString('utf8')
}
