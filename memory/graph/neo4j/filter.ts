import type { EdgeFilter } from '../port.ts'
import type { Row } from './bolt.ts'

/** Whether the relationship, or hyperedge, `r` passes. */
export const passesFilter = `($relations IS NULL OR r.relation IN $relations)
  AND ($tiers IS NULL OR r.tier IN $tiers) AND r.confidence >= $minConfidence`

export function filterParameters({ relations, tiers: wanted, minConfidence = 0 }: EdgeFilter): Row {
  return { relations: relations ?? null, tiers: wanted ?? null, minConfidence }
}
