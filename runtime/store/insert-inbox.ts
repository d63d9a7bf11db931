import { arraySource, columnNames } from './columns.ts'
import type { InboxRow } from './rows.ts'
import type { Queryable } from './sql.ts'
import { inboxColumns } from './tables.ts'

/** Hands events to the owner of their shard: the row is the acknowledgement that they are on disk (R1). */
export async function insertInbox(sql: Queryable, rows: readonly InboxRow[]): Promise<void> {
  const names = columnNames(inboxColumns)
  const source = arraySource(inboxColumns, rows, 1)
  await sql.query(
    `insert into inbox (${names}) select ${names} from ${source.sql} on conflict (actor, key) do nothing`,
    source.params,
  )
}
