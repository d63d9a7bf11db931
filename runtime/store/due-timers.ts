import { selectList } from './columns.ts'
import type { TimerRow } from './rows.ts'
import type { Queryable } from './sql.ts'
import { timerColumns } from './tables.ts'

/** The timers of these shards that are due, earliest first (R8). */
export async function dueTimers(
  sql: Queryable,
  query: { readonly shards: readonly number[]; readonly dueBy: number; readonly limit: number },
): Promise<readonly TimerRow[]> {
  const { rows } = await sql.query<TimerRow>(
    `select ${selectList(timerColumns, 't')} from timer t
      where t.due_at <= $1::bigint and t.shard = any($2::int[]) order by t.due_at, t.actor, t.id limit $3::int`,
    [query.dueBy, query.shards, query.limit],
  )
  return rows
}
