import type { EffectId } from '../../address.ts'
import type { EffectRow } from '../rows.ts'
import type { Queryable } from '../sql.ts'
import { readUnsettled, triedText, unsettledText } from './unsettled-effects.ts'

export interface EffectPage {
  readonly after?: EffectId | undefined
  readonly limit: number
  /** These alone. */
  readonly types?: readonly string[]
  /** All but these. */
  readonly butTypes?: readonly string[]
  /** Later ones are left out, but for those of `everTypes`. */
  readonly readyBy: number
  readonly everTypes: readonly string[]
  /** Those alone that were tried before: to find the others every actor's row must be read. */
  readonly isTried?: boolean
}

const selection = {
  where: `(e.actor, e.seq, e.idx) > ($1::text collate "C", $2::bigint, $3::int) and e.shard = any($4::int[]) and not e.dead
    and ($5::text[] is null or e.type = any($5)) and not (e.type = any($6::text[]))
    and (e.not_before <= $7::bigint or e.type = any($8::text[]))`,
  from: '$1::text collate "C"',
  limit: '$9::int',
}
const text = unsettledText(selection)
const textOfTried = triedText(selection)

/** Effects of these shards that wait to be performed, in the order of actor and journal (R6). */
export async function pendingEffects(
  sql: Queryable,
  shards: readonly number[],
  page: EffectPage,
): Promise<readonly EffectRow[]> {
  const { after, limit, types, butTypes = [], readyBy, everTypes, isTried = false } = page
  return readUnsettled(sql, isTried ? textOfTried : text, [
    after?.actor ?? '',
    after?.seq ?? 0,
    after?.index ?? 0,
    shards,
    types ?? null,
    butTypes,
    readyBy,
    everTypes,
    limit,
  ])
}
