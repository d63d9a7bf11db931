import type { ActorAddress } from '../../../machines/definition.ts'
import { selectList } from '../columns.ts'
import type { EventRow } from '../rows.ts'
import type { Queryable } from '../sql.ts'
import { eventColumns } from '../tables.ts'

/** Journal rows of an actor from a sequence number on; a row of which retention left the key alone is none. */
export async function readJournal(
  sql: Queryable,
  query: { readonly actor: ActorAddress; readonly from: number; readonly limit: number },
): Promise<readonly EventRow[]> {
  const { rows } = await sql.query<EventRow>(
    `select ${selectList(eventColumns, 'e')} from event e where e.actor = $1 and e.seq >= $2::bigint and e.body <> '' order by e.seq limit $3::int`,
    [query.actor, query.from, query.limit],
  )
  return rows
}
