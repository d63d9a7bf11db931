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

/** A query as the index knows it: its terms with their rarity, and what lengths are measured by. */
export interface AskedTerms {
  readonly terms: readonly AskedTerm[]
  /** How long the average chunk is. */
  readonly average: number
  readonly memories: number
}

interface AskedTerm {
  readonly id: number
  readonly text: string
  /** Inverse document frequency, times how often the query has it. */
  readonly weight: number
}

interface TermRow {
  readonly memories: number
  readonly chunks: number
  readonly length: number
  /** Null: no chunk has any of the terms. */
  readonly id: number | null
  readonly text: string
  readonly holders: number
}

/** A query of a whole document is asked by its first so many different terms. */
const mostQueryTerms = 64

/**
 * What more than half of the chunks hold tells little (its weight is below ln 2) and costs most of the time: beside a
 * rarer term it is left out, unless the index is so small that its figures say nothing yet.
 */
const smallIndex = 1_000

/** Of the query's terms those that any chunk has. */
export async function askedTerms(sql: Queryable, text: string): Promise<AskedTerms> {
  const counts = new Map([...termsOf(text)].slice(0, mostQueryTerms))
  const { rows } = await sql.query<TermRow>(
    `select i.memories, i.chunks, i.length, t.id, t.text, t.chunks as holders from engine_index i
    left join engine_term t on t.text = any($1::text[]) order by t.id`,
    [[...counts.keys()]],
  )
  const { memories, chunks, length } = rows[0]!
  const isCommon = (holders: number): boolean => chunks > smallIndex && holders * 2 > chunks
  const hasRare = rows.some((row) => row.id !== null && !isCommon(row.holders))
  const terms = rows.flatMap(({ id, text: term, holders }) => {
    if (id === null || (hasRare && isCommon(holders))) return []
    const idf = Math.log(1 + (chunks - holders + 0.5) / (holders + 0.5))
    return [{ id, text: term, weight: counts.get(term)! * idf }]
  })
  return { terms, average: Math.max(1, length) / Math.max(1, chunks), memories }
}

/**
 * `lexical (no, score)`: BM25 of every chunk with any of the terms. Reads `$1` to `$3`. Plans must not depend on
 * statistics, which an embedded store rarely has: `offset 0` keeps each term's postings a walk over their index.
 */
export const lexicalQuery = `lexical as (
    select p.chunk_no as no, sum(a.weight * p.count / (p.count + ${k1 * (1 - b)}::float8 + $3::float8 * p.length)) as score
    from unnest($1::int[], $2::float8[]) as a (id, weight)
    cross join lateral (select chunk_no, count, length from engine_posting where term_id = a.id offset 0) p
    group by p.chunk_no)`

export function lexicalParams({ terms, average }: AskedTerms): unknown[] {
  return [terms.map((one) => one.id), terms.map((one) => one.weight * (k1 + 1)), (k1 * b) / average]
}

/** The best chunks by BM25 alone; of equal ones the older comes first. */
export async function rankLexically(
  sql: Queryable,
  asked: AskedTerms,
  limit: number,
  filter?: QueryFilter,
): Promise<RankedChunk[]> {
  if (asked.terms.length === 0) return []
  const { rows } = await sql.query<RankedChunk>(
    `with ${lexicalQuery},
    best as (select no, score from lexical l where true ${chunkFilter(filter, 'l.no', 4)}
      order by score desc, no limit ${Math.trunc(limit)})
    ${chunksOfBest}`,
    [...lexicalParams(asked), ...filterParams(filter)],
  )
  return [...rows]
}

/** What each of `best (no, score)` says. */
export const chunksOfBest = `select c.no, c.memory_id as "memoryId", c.ord, c.content, best.score
    from best cross join lateral (select * from engine_chunk where no = best.no offset 0) c
    order by best.score desc, c.no`
