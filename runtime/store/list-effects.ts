import type { ActorAddress } from '../../machines/definition.ts'
import { selectList } from './columns.ts'
import type { EffectRow } from './rows.ts'
import type { Queryable } from './sql.ts'
import { effectColumns } from './tables.ts'

/** Unsettled effects, dead ones among them, of one actor or of all. */
export async function listEffects(sql: Queryable, actor: ActorAddress | undefined): Promise<readonly EffectRow[]> {
  const { rows } = await sql.query<EffectRow>(
    `select ${selectList(effectColumns, 'e')} from effect e where $1::text is null or e.actor = $1 order by e.actor, e.seq, e.idx`,
    [actor ?? null],
  )
  return rows
}
