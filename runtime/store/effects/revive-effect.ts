import type { EffectId } from '../../address.ts'
import { selectList } from '../columns.ts'
import type { EffectRow } from '../rows.ts'
import type { Queryable } from '../sql.ts'
import { effectColumns } from '../tables.ts'

/** Puts a dead effect back among the pending ones, under its own key (R7). */
export async function reviveEffect(sql: Queryable, id: EffectId): Promise<EffectRow | undefined> {
  const { rows } = await sql.query<EffectRow>(
    `update effect e set dead = false, attempts = 0, not_before = 0
      where e.actor = $1 and e.seq = $2::bigint and e.idx = $3::int and e.dead returning ${selectList(effectColumns, 'e')}, false as "isMarked"`,
    [id.actor, id.seq, id.index],
  )
  return rows[0]
}
