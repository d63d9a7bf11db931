/**
 * What no server of ours takes (HTTP-17, HTTP-18): PostgreSQL stores no NUL, half of a surrogate pair becomes another text
 * in UTF-8, and a deep value ends the stack of whoever walks over it.
 */
import type { TObject, TSchema } from 'typebox'

const noPlainName = /[\u0000\ud800-\udfff]/u

/** The pattern of a name: neither NUL nor half of a surrogate pair. Texts need none: the kit repairs them. */
export const plainName = '^[^\\u0000\\ud800-\\udfff]*$'

/** Nothing of ours nests deeper than 12; a caller that needs more sends no data but an attack. */
export const mostLevels = 64

/** The same object, whose members of these names are plain. A tool shows its schema without the pattern, which costs tokens. */
export function withPlainNames<S extends TObject>(schema: S, names: readonly (keyof S['properties'] & string)[]): S {
  const plain = names.map((name) => [name, copyOf(schema.properties[name]!, { pattern: plainName })])
  return copyOf(schema, { properties: { ...schema.properties, ...Object.fromEntries(plain) } })
}

/** With what typebox notes beside a schema, which a spread would leave behind. */
function copyOf<S extends TSchema>(schema: S, change: object): S {
  return Object.defineProperties(
    {},
    {
      ...Object.getOwnPropertyDescriptors(schema),
      ...Object.getOwnPropertyDescriptors(change),
    },
  ) as S
}

/** NUL and UTF-8 of half a pair, as an address spells them. Decoders of queries leave the latter as it came. */
const noAddress = /%00|%ed%[ab]/i

export function addressFault(url: string): string | undefined {
  return noAddress.test(url) ? 'the address contains NUL or half of a surrogate pair' : undefined
}

export function isPlainName(text: string): boolean {
  return !noPlainName.test(text)
}

/** Whoever copies the member of a parsed value gives the copy a prototype by that name, however the body spelled it. */
export function keyFault(key: string): string | undefined {
  if (key === '__proto__') return 'the body has a member named __proto__'
  return isPlainName(key) ? undefined : 'a key of the body contains NUL or half of a surrogate pair'
}

/** What is wrong with a parsed value as a whole: its depth and the keys of its objects. */
export function jsonFault(value: unknown, levels = mostLevels): string | undefined {
  let level: readonly object[] = isContainer(value) ? [value] : []
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > levels) return `the body nests deeper than ${mostLevels} levels`
    for (const container of level)
      if (!Array.isArray(container))
        for (const key of Object.keys(container)) {
          const fault = keyFault(key)
          if (fault !== undefined) return fault
        }
    level = level.flatMap((container) => Object.values(container).filter(isContainer))
  }
  return undefined
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** The same value; U+FFFD stands where a text had half of a surrogate pair (MEMORIES-8). */
export function repaired(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (Array.isArray(value)) return value.map(repaired)
  if (!isContainer(value) || Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, repaired(inner)]))
}
