import type { EffectId } from '../address.ts'
import { selectList } from './columns.ts'
import type { EffectRow } from './rows.ts'
import type { Queryable } from './sql.ts'
import { effectColumns } from './tables.ts'

export interface EffectQuery {
  readonly actor: string | undefined
  /** Given up or not; undefined: both. */
  readonly dead: boolean | undefined
  readonly after: EffectId | undefined
  readonly limit: number
}

/** Unsettled effects by actor and the order in which they were decided. */
export async function findEffects(
  sql: Queryable,
  { actor, dead, after, limit }: EffectQuery,
): Promise<readonly EffectRow[]> {
  const { rows } = await sql.query<EffectRow>(
    `select ${selectList(effectColumns, 'e')} from effect e
      where ($1::text is null or e.actor = $1) and ($2::boolean is null or e.dead = $2)
      and ($3::text is null or (e.actor, e.seq, e.idx) > ($3, $4::bigint, $5::int))
      order by e.actor, e.seq, e.idx limit $6::int`,
    [actor ?? null, dead ?? null, after?.actor ?? null, after?.seq ?? 0, after?.index ?? 0, limit],
  )
  return rows
}

export async function findEffect(sql: Queryable, id: EffectId): Promise<EffectRow | undefined> {
  const { rows } = await sql.query<EffectRow>(
    `select ${selectList(effectColumns, 'e')} from effect e where e.actor = $1 and e.seq = $2::bigint and e.idx = $3::int`,
    [id.actor, id.seq, id.index],
  )
  return rows[0]
}
