import { ColumnArray, selectList } from './columns.ts'
import type { InboxRow } from './rows.ts'
import type { Queryable } from './sql.ts'
import { inboxColumns } from './tables.ts'

export type StoredInboxRow = InboxRow & { readonly id: number }

/**
 * Events that wait for the owner of these shards, oldest first (R2). `except` are those it has in hand already: thousands
 * when it is behind. One statement, because of two the later could show an event whose elder came between them; and
 * `not in` over a subquery, which Postgres hashes whatever it guesses about the inbox (`<> all` of 10,000 took half a second, this 14 ms).
 */
export async function pendingInbox(
  sql: Queryable,
  query: { readonly shards: readonly number[]; readonly except: readonly number[]; readonly limit: number },
): Promise<readonly StoredInboxRow[]> {
  const { rows } = await sql.query<StoredInboxRow>(
    `select i.id, ${selectList(inboxColumns, 'i')} from inbox i
      where i.shard = any($1::int[]) and i.id not in (select unnest($2::bigint[])) order by i.id limit $3::int`,
    [query.shards, new ColumnArray('bigint', query.except), query.limit],
  )
  return rows
}
