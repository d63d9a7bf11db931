import type { Load } from '../../queue-share.ts'
import { ColumnArray, columnNames } from '../columns.ts'
import type { InboxRow } from '../rows.ts'
import type { Queryable } from '../sql.ts'
import { inboxColumns } from '../tables.ts'

export type StoredInboxRow = InboxRow & { readonly id: number }

const columns = `id, ${columnNames(inboxColumns)}`

/**
 * Events that wait for the owner of these shards, oldest first (R2), as long as those before it are within the limit.
 * `except` are rows that it has in hand already: thousands when it is behind; `apart` are actors that are left alone. One
 * statement, because of two the later could show an event whose elder came between them; and `not in` over a subquery,
 * which Postgres hashes whatever it guesses about the inbox (`<> all` of 10,000 took half a second, this 14 ms). To pass over
 * 100,000 rows of an actor that is left alone takes 30 ms.
 */
export async function pendingInbox(
  sql: Queryable,
  query: {
    readonly shards: readonly number[]
    readonly except: readonly number[]
    readonly apart: readonly string[]
    readonly limit: Load
  },
): Promise<readonly StoredInboxRow[]> {
  const { shards, except, apart, limit } = query
  const { rows } = await sql.query<StoredInboxRow>(
    `select ${columns} from (
      select ${columns}, sum(octet_length(body)) over (order by id) - octet_length(body) as before from inbox
        where shard = any($1::int[]) and actor <> all($2::text[]) and id not in (select unnest($3::bigint[]))
        order by id limit $4::int) i
      where before < $5::bigint order by id`,
    [shards, apart, new ColumnArray('bigint', except), limit.size, limit.bytes],
  )
  return rows
}
