import type { Queryable } from '../../../runtime/store/sql.ts'
import type { QueryFilter } from '../port.ts'
import { termsOf } from '../text/tokenize.ts'
import { chunkFilter, filterParams } from './filter.ts'
import { b, k1 } from './score.ts'

export interface RankedChunk {
  readonly no: number
  readonly memoryId: string
  readonly ord: number
  readonly content: string
  /** BM25, or what the ranking makes of it; not bounded yet. */
  readonly score: number
}

/** A query of a whole document is asked by its first so many different terms. */
const mostQueryTerms = 64

export interface QueryTerms {
  readonly terms: readonly string[]
  readonly counts: readonly number[]
}

export function queryTerms(text: string): QueryTerms {
  const entries = [...termsOf(text)].slice(0, mostQueryTerms)
  return { terms: entries.map(([term]) => term), counts: entries.map(([, count]) => count) }
}

/** Reads `$1` terms and `$2` their counts. BM25 over all chunks that have any of them: `lexical (no, score)`. */
export const lexicalQuery = `sizes as (
    select chunks::float8 as chunks, greatest(length, 1)::float8 / greatest(chunks, 1) as average from engine_index),
  asked as (
    select t.id, u.count * ln(1 + (s.chunks - t.chunks + 0.5) / (t.chunks + 0.5)) as weight
    from unnest($1::text[], $2::int[]) as u (term, count) join engine_term t on t.text = u.term cross join sizes s),
  lexical as (
    select p.chunk_no as no,
      sum(a.weight * p.count * ${k1 + 1} / (p.count + ${k1} * (${1 - b} + ${b} * p.length / s.average))) as score
    from asked a join engine_posting p on p.term_id = a.id cross join sizes s group by p.chunk_no)`

/** The best chunks by BM25 alone; of equal ones the older comes first. */
export async function rankLexically(
  sql: Queryable,
  { terms, counts }: QueryTerms,
  limit: number,
  filter?: QueryFilter,
): Promise<RankedChunk[]> {
  if (terms.length === 0) return []
  const { rows } = await sql.query<RankedChunk>(
    `with ${lexicalQuery},
    best as (select no, score from lexical l where true ${chunkFilter(filter, 'l.no', 3)}
      order by score desc, no limit ${Math.trunc(limit)})
    select c.no, c.memory_id as "memoryId", c.ord, c.content, best.score from best join engine_chunk c using (no)
    order by best.score desc, c.no`,
    [terms, counts, ...filterParams(filter)],
  )
  return [...rows]
}
