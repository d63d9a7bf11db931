import type { EffectId } from '../../address.ts'
import type { EffectRow } from '../rows.ts'
import type { Queryable } from '../sql.ts'
import { readUnsettled, unsettledText } from './unsettled-effects.ts'

interface EffectQuery {
  readonly actor: string | undefined
  /** Given up or not; undefined: both. */
  readonly dead: boolean | undefined
  readonly after: EffectId | undefined
  readonly limit: number
}

const page = unsettledText({
  where: `($1::text is null or e.actor = $1) and ($2::boolean is null or e.dead = $2)
    and ($3::text is null or (e.actor, e.seq, e.idx) > ($3 collate "C", $4::bigint, $5::int))`,
  from: `coalesce($1, $3, '') collate "C"`,
  limit: '$6::int',
})
const one = unsettledText({ where: 'e.actor = $1 and e.seq = $2::bigint and e.idx = $3::int', from: '$1' })

/** Unsettled effects by actor and the order in which they were decided. */
export function findEffects(sql: Queryable, { actor, dead, after, limit }: EffectQuery): Promise<readonly EffectRow[]> {
  const from = [after?.actor ?? null, after?.seq ?? 0, after?.index ?? 0]
  return readUnsettled(sql, page, [actor ?? null, dead ?? null, ...from, limit])
}

export async function findEffect(sql: Queryable, id: EffectId): Promise<EffectRow | undefined> {
  return (await readUnsettled(sql, one, [id.actor, id.seq, id.index]))[0]
}
