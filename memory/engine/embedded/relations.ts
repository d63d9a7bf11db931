import type { Queryable } from '../../../runtime/store/sql.ts'
import type { QueryFilter } from '../port.ts'
import { edgeFilter, filterParams } from './filter.ts'
import type { WeightedEntity } from './entities.ts'

/** The edges of those that matter most. */
const mostEnds = 16

export interface WeightedRelation {
  readonly id: string
  readonly from: string
  readonly to: string
  readonly relation: string
  readonly description: string
  readonly weight: number
}

/** The edges among these entities, by the weights of both ends and of their own. */
export async function relationsAmong(
  sql: Queryable,
  entities: readonly WeightedEntity[],
  limit: number,
  filter?: QueryFilter,
): Promise<WeightedRelation[]> {
  if (entities.length === 0) return []
  const ends = entities.slice(0, mostEnds)
  const { rows } = await sql.query<WeightedRelation>(
    `with ends as (select * from unnest($1::uuid[], $2::float8[]) as u (id, weight))
    select e.id, e.from_id as "from", e.to_id as "to", e.relation, e.description,
      (f.weight + t.weight) * e.weight / (e.weight + 1) as weight
    from ends f cross join lateral (select * from knowledge_edge where from_id = f.id offset 0) e join ends t on t.id = e.to_id
    where true ${edgeFilter(filter, 'e.id', 3)} order by weight desc, e.id limit ${Math.trunc(limit)}`,
    [ends.map((one) => one.id), ends.map((one) => one.weight), ...filterParams(filter)],
  )
  return [...rows]
}
