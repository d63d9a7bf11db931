import type { ActorAddress } from '../../../machines/definition.ts'
import type { EffectRow } from '../rows.ts'
import type { Queryable } from '../sql.ts'
import { readUnsettled, unsettledText } from './unsettled-effects.ts'

const ofAll = unsettledText({ where: 'true' })
const ofOne = unsettledText({ where: 'e.actor = $1' })

/** Unsettled effects, dead ones among them, of one actor or of all. */
export function listEffects(sql: Queryable, actor: ActorAddress | undefined): Promise<readonly EffectRow[]> {
  return actor === undefined ? readUnsettled(sql, ofAll, []) : readUnsettled(sql, ofOne, [actor])
}
