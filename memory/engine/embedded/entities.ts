import type { Queryable } from '../../../runtime/store/sql.ts'
import type { QueryFilter } from '../port.ts'
import type { QueryTerms } from './lexical.ts'
import { entityFilter, filterParams } from './filter.ts'

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

/**
 * Entities whose names the query holds, weighted by the rarity of the words and by how much of the name they are; and
 * their neighbours over the graph, weighted by how much rather the two stand together than chance would have it.
 */
export async function entitiesOfQuery(
  sql: Queryable,
  { terms }: QueryTerms,
  filter?: QueryFilter,
): Promise<WeightedEntity[]> {
  if (terms.length === 0) return []
  const { rows } = await sql.query<WeightedEntity>(
    `with sizes as (select greatest(chunks, 1)::float8 as chunks from engine_index),
    asked as (select t.text as term, ln(1 + (s.chunks - t.chunks + 0.5) / (t.chunks + 0.5)) as idf
      from unnest($1::text[]) as u (term) join engine_term t on t.text = u.term cross join sizes s),
    seeds as (select et.entity_id as id, sum(a.idf) * count(*) / max(et.of_terms) as weight
      from asked a join engine_entity_term et on et.term = a.term group by et.entity_id
      having count(*) * 2 >= max(et.of_terms) order by weight desc, id limit ${mostSeeds}),
    ties as (
      select s.weight, e.to_id as id, s.id as seed, e.id as edge from seeds s join knowledge_edge e on e.from_id = s.id
      union all
      select s.weight, e.from_id as id, s.id as seed, e.id as edge from seeds s join knowledge_edge e on e.to_id = s.id),
    neighbours as (select t.id, max(t.weight * ${hopDamping} * ${association('t.edge', 't.seed', 't.id')}) as weight
      from ties t group by t.id order by weight desc, id limit ${mostNeighbours}),
    weighed as (select id, max(weight) as weight from
      (select id, weight from seeds union all select id, weight from neighbours) x group by id)
    select e.id, e.name, e.type, e.description, w.weight from weighed w join knowledge_entity e using (id)
    where w.weight > 0 ${entityFilter(filter, 'e.id', 2)} order by w.weight desc, e.id`,
    [terms, ...filterParams(filter)],
  )
  return [...rows]
}

/**
 * Normalised pointwise mutual information (Bouma 2009) of two entities over memories, in [0, 1]: 0 when they meet no
 * more often than chance, 1 when neither is ever without the other. An edge that no memory tells is somebody's word: 1.
 */
export function association(edge: string, one: string, other: string): string {
  return `(select case when both_of = 0 or both_of >= all_of then 1
      else greatest(0, least(1, ln(both_of * all_of / (one_of * other_of)) / -ln(both_of / all_of))) end
    from (select
      (select count(*) from knowledge_edge_source where edge_id = ${edge})::float8 as both_of,
      (select greatest(count(*), 1) from knowledge_entity_source where entity_id = ${one})::float8 as one_of,
      (select greatest(count(*), 1) from knowledge_entity_source where entity_id = ${other})::float8 as other_of,
      (select greatest(count(*), 1) from engine_memory)::float8 as all_of) counted)`
}
