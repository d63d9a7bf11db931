/** Lists of the memory service: those of the kit, spelled as this service spells (MEMORY-RULE-6, MEMORY-LIMITS-8). */
import { Type, type Static, type TSchema } from 'typebox'
import { listQuery as kitQuery, page as kitPage } from '../../http/problems/list.ts'

export const listQuery = {
  limit: kitQuery.limit,
  cursor: Type.Optional(Type.String({ maxLength: 1024, description: 'The `next_cursor` of the page before. Opaque.' })),
} as const

interface Page<T> {
  readonly items: readonly T[]
  readonly next_cursor?: string
}

/** The schema of a list's answer. */
export function pageOf<S extends TSchema>(item: S): TSchema & { static: Page<Static<S>> } {
  return Type.Object({ items: Type.Array(item), next_cursor: Type.Optional(Type.String()) }) as never
}

/** One page out of up to `limit + 1` rows, each shown by `show`. */
export function page<R, T>(
  rows: readonly R[],
  {
    limit,
    keyOf,
    show,
  }: { readonly limit: number; readonly keyOf: (last: R) => unknown; readonly show: (row: R) => T },
): Page<T> {
  const { items, nextCursor } = kitPage(rows, limit, keyOf)
  return { items: items.map(show), ...(nextCursor === undefined ? {} : { next_cursor: nextCursor }) }
}
