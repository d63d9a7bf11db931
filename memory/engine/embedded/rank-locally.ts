import type { Queryable } from '../../../runtime/store/sql.ts'
import type { QueryFilter } from '../port.ts'
import type { WeightedEntity } from './entities.ts'
import { chunkFilter, filterParams } from './filter.ts'
import { chunksOfBest, lexicalParams, lexicalQuery, type AskedTerms, type RankedChunk } from './lexical.ts'

/**
 * Chunks that speak of the query's entities: the weights of those that a chunk names, over the logarithm of how many
 * chunks name each, times BM25. A chunk without a word of the query is found by its entities alone.
 */
export async function rankLocally(
  sql: Queryable,
  asked: AskedTerms,
  entities: readonly WeightedEntity[],
  limit: number,
  filter?: QueryFilter,
): Promise<RankedChunk[]> {
  if (asked.terms.length === 0 || entities.length === 0) return []
  const { rows } = await sql.query<RankedChunk>(
    `with ${lexicalQuery},
    named as (select m.chunk_no as no, sum(u.weight / ln(exp(1) + e.memories)) as weight
      from unnest($4::uuid[], $5::float8[]) as u (id, weight)
      cross join lateral (select memories from knowledge_entity where id = u.id offset 0) e
      cross join lateral (select chunk_no from engine_mention where entity_id = u.id offset 0) m group by m.chunk_no),
    best as (select n.no, n.weight * (1 + coalesce(l.score, 0)) as score from named n left join lexical l using (no)
      where true ${chunkFilter(filter, 'n.no', 6)} order by score desc, n.no limit ${Math.trunc(limit)})
    ${chunksOfBest}`,
    [
      ...lexicalParams(asked),
      entities.map((one) => one.id),
      entities.map((one) => one.weight),
      ...filterParams(filter),
    ],
  )
  return [...rows]
}
