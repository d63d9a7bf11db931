import { arraySource, columnNames } from '../columns.ts'
import type { InboxRow } from '../rows.ts'
import type { Queryable } from '../sql.ts'
import { inboxColumns } from '../tables.ts'

/** Which rows are new; the others were there already. */
type Inserted = readonly Pick<InboxRow, 'actor' | 'key'>[]

/** Hands events to the owner of their shard: the row is the acknowledgement that they are on disk (R1). */
export async function insertInbox(sql: Queryable, rows: readonly InboxRow[]): Promise<Inserted> {
  const names = columnNames(inboxColumns)
  const source = arraySource(inboxColumns, rows, 1)
  const inserted = await sql.query<Inserted[number]>(
    `insert into inbox (${names}) select ${names} from ${source.sql}
      on conflict (actor, key) do nothing returning actor, key`,
    source.params,
  )
  return inserted.rows
}
