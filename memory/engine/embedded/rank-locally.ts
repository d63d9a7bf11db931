import type { Queryable } from '../../../runtime/store/sql.ts'
import type { QueryFilter } from '../port.ts'
import type { WeightedEntity } from './entities.ts'
import { bestNaming, type AskedTerms, type NamingChunk, type ScoredChunk } from './lexical.ts'

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
): Promise<ScoredChunk[]> {
  if (asked.terms.length === 0 || entities.length === 0) return []
  const { rows } = await sql.query<NamingChunk>(
    `select m.chunk_no as no, sum(u.weight / ln(exp(1) + e.memories)) as weight
    from unnest($1::uuid[], $2::float8[]) as u (id, weight)
    cross join lateral (select memories from knowledge_entity where id = u.id offset 0) e
    cross join lateral (select chunk_no from engine_mention where entity_id = u.id offset 0) m group by m.chunk_no`,
    [entities.map((one) => one.id), entities.map((one) => one.weight)],
  )
  return bestNaming(sql, asked, rows, limit, filter)
}
