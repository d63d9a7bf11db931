import type { Queryable } from '../../../runtime/store/sql.ts'
import type { QueryFilter } from '../port.ts'
import { entityFilter, filterParams } from './filter.ts'
import type { AskedTerms } from './lexical.ts'

export interface WeightedEntity {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly description: string
  readonly weight: number
}

/** As many as the query can name; what stands beside them, one hop away, counts half. */
const mostSeeds = 16
const mostNeighbours = 32
const hopDamping = 0.5
/** Of an entity with more ties than this only the strongest are looked at. */
const mostTies = 40
/** A word that is in more names than this says little about any of them. */
const mostNames = 2_000

/**
 * Entities whose names the query holds, weighted by the rarity of the words and by how much of the name they are; and
 * their neighbours over the graph, weighted by how much rather the two stand together than chance would have it.
 */
export async function entitiesOfQuery(
  sql: Queryable,
  { terms, memories }: AskedTerms,
  filter?: QueryFilter,
): Promise<WeightedEntity[]> {
  if (terms.length === 0) return []
  const { rows } = await sql.query<WeightedEntity>(
    `with named as (select et.entity_id as id, sum(a.weight) * count(*) / max(et.of_terms) as weight
      from unnest($1::text[], $2::float8[]) as a (term, weight)
      cross join lateral (select entity_id, of_terms from engine_entity_term where term = a.term limit ${mostNames}) et
      group by et.entity_id having count(*) * 2 >= max(et.of_terms) order by weight desc, id limit ${mostSeeds}),
    seeds as (select n.id, n.weight, e.memories from named n
      cross join lateral (select memories from knowledge_entity where id = n.id offset 0) e),
    ties as (select other.id, s.weight * ${hopDamping} * ${association} as weight from seeds s
      cross join lateral (
        select id, memories from (
          (select to_id as id, memories from knowledge_edge where from_id = s.id order by memories desc, id limit ${mostTies})
          union all
          (select from_id, memories from knowledge_edge where to_id = s.id order by memories desc, id limit ${mostTies})) both_ways
        offset 0) tie
      cross join lateral (select id, memories from knowledge_entity where id = tie.id offset 0) other),
    neighbours as (select id, max(weight) as weight from ties group by id order by weight desc, id limit ${mostNeighbours}),
    weighed as (select id, max(weight) as weight from
      (select id, weight from seeds union all select id, weight from neighbours) x group by id)
    select e.id, e.name, e.type, e.description, w.weight from weighed w
    cross join lateral (select * from knowledge_entity where id = w.id offset 0) e
    where w.weight > 0 ${entityFilter(filter, 'e.id', 4)} order by w.weight desc, e.id`,
    [terms.map((one) => one.text), terms.map((one) => one.weight), memories, ...filterParams(filter)],
  )
  return [...rows]
}

/**
 * Normalised pointwise mutual information (Bouma 2009) of `s` and `other` over the `$3` memories, in [0, 1]: 0 when
 * they meet no more often than chance, 1 when neither is ever without the other. A tie that no memory tells is
 * somebody's word: 1.
 */
const association = `(case when tie.memories = 0 or tie.memories >= $3::float8 then 1::float8
      else greatest(0, least(1, ln(tie.memories * $3::float8 / (greatest(s.memories, 1)::float8 * greatest(other.memories, 1)))
        / -ln(tie.memories / $3::float8))) end)`
