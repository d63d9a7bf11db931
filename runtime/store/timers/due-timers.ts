import { selectList } from '../columns.ts'
import type { TimerRow } from '../rows.ts'
import type { Queryable } from '../sql.ts'
import { timerColumns } from '../tables.ts'

interface TimerPage {
  readonly shards: readonly number[]
  readonly from: number
  readonly to: number
  readonly limit: number
}

/**
 * The timers of these shards that fall due in this time, both ends included, earliest first (R8). Each shard is a range
 * of the index `timer_shard_due`, read no further than the page: neither other owners' timers nor later ones cost
 * anything.
 */
export async function dueTimers(sql: Queryable, page: TimerPage): Promise<readonly TimerRow[]> {
  const { rows } = await sql.query<TimerRow>(
    `select ${selectList(timerColumns, 't')} from unnest($1::int[]) as s(shard) cross join lateral (
        select * from timer d where d.shard = s.shard and d.due_at between $2::bigint and $3::bigint order by d.due_at limit $4::int
      ) t order by t.due_at limit $4::int`,
    [page.shards, page.from, page.to, page.limit],
  )
  return rows
}
