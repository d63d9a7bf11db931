import type { Queryable } from '../../../runtime/store/sql.ts'
import type { QueryFilter } from '../port.ts'
import type { WeightedEntity } from './entities.ts'
import { chunkFilter, filterParams } from './filter.ts'
import { lexicalQuery, type QueryTerms, type RankedChunk } from './lexical.ts'

/**
 * Chunks that speak of the query's entities: the weights of those that a chunk names, over the logarithm of how many
 * chunks name each, times BM25. A chunk without a word of the query is found by its entities alone.
 */
export async function rankLocally(
  sql: Queryable,
  { terms, counts }: QueryTerms,
  entities: readonly WeightedEntity[],
  limit: number,
  filter?: QueryFilter,
): Promise<RankedChunk[]> {
  if (terms.length === 0 || entities.length === 0) return []
  const at = 3 + 2
  const { rows } = await sql.query<RankedChunk>(
    `with ${lexicalQuery},
    spread as (select u.id, u.weight / ln(exp(1) + (select count(*) from engine_mention m where m.entity_id = u.id)) as weight
      from unnest($3::uuid[], $4::float8[]) as u (id, weight)),
    named as (select m.chunk_no as no, sum(s.weight) as weight
      from spread s join engine_mention m on m.entity_id = s.id group by m.chunk_no),
    best as (select n.no, n.weight * (1 + coalesce(l.score, 0)) as score from named n left join lexical l using (no)
      where true ${chunkFilter(filter, 'n.no', at)} order by score desc, n.no limit ${Math.trunc(limit)})
    select c.no, c.memory_id as "memoryId", c.ord, c.content, best.score from best join engine_chunk c using (no)
    order by best.score desc, c.no`,
    [terms, counts, entities.map((one) => one.id), entities.map((one) => one.weight), ...filterParams(filter)],
  )
  return [...rows]
}
