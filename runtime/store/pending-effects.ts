import { selectList } from './columns.ts'
import type { EffectRow } from './rows.ts'
import type { Queryable } from './sql.ts'
import { effectColumns } from './tables.ts'

/** Effects of these shards that wait to be performed, in journal order: what a new owner continues with (R6). */
export async function pendingEffects(sql: Queryable, shards: readonly number[]): Promise<readonly EffectRow[]> {
  const { rows } = await sql.query<EffectRow>(
    `select ${selectList(effectColumns, 'e')} from effect e
      where e.shard = any($1::int[]) and not e.dead order by e.actor, e.seq, e.idx`,
    [shards],
  )
  return rows
}
