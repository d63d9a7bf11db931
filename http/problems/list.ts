import { Type, type Static, type TSchema } from 'typebox'
import { isPlainName } from './plain-input.ts'
import { faultsOf } from './validation.ts'
import { invalidInput } from './problem.ts'

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 500

/** The two keys of every list's query; spread into the route's own: `Type.Object({...listQuery, kind: ...})`. */
export const listQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: `At most this many items: 1 to ${MAX_LIMIT}, default ${DEFAULT_LIMIT}.`,
    }),
  ),
  cursor: Type.Optional(Type.String({ maxLength: 1024, description: 'The `nextCursor` of the page before. Opaque.' })),
} as const

export interface Page<T> {
  readonly items: readonly T[]
  readonly nextCursor?: string
}

/** The schema of a list's answer. */
export function pageOf<S extends TSchema>(item: S): TSchema & { static: Page<Static<S>> } {
  return Type.Object({ items: Type.Array(item), nextCursor: Type.Optional(Type.String()) }) as never
}

export function clampLimit(limit: number | undefined): number {
  return Math.min(limit ?? DEFAULT_LIMIT, MAX_LIMIT)
}

/** One page out of up to `limit + 1` rows: the extra row says that there is more and is not shown. */
export function page<T>(rows: readonly T[], limit: number, keyOf: (last: T) => unknown): Page<T> {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return rows.length > limit && last !== undefined ? { items, nextCursor: encodeCursor(keyOf(last)) } : { items }
}

/** What `page` takes, out of a list in memory: up to `limit + 1` items behind `after`, in the order of their keys. */
export function sliceBehind<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
  { after, limit }: { readonly after: string; readonly limit: number },
): readonly T[] {
  return items
    .map((item) => ({ item, key: keyOf(item) }))
    .filter(({ key }) => key > after)
    .toSorted((one, other) => (one.key < other.key ? -1 : 1))
    .slice(0, limit + 1)
    .map(({ item }) => item)
}

export function encodeCursor(key: unknown): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url')
}

/** The key inside a cursor, checked against its schema: a cursor comes from outside like anything else. */
export function decodeCursor<S extends TSchema>(schema: S, cursor: string): Static<S> {
  const key = parse(cursor)
  if (key === undefined || faultsOf(schema, key).length > 0) {
    throw invalidInput([
      { in: 'query', path: '/cursor', message: 'is not a cursor of this list: start again without a cursor' },
    ])
  }
  return key as Static<S>
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString(), (_key, value: unknown) => {
      if (typeof value === 'string' && !isPlainName(value)) throw new SyntaxError('no key of a list')
      return value
    })
  } catch {
    return undefined
  }
}
