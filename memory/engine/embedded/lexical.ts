import type { Queryable } from '../../../runtime/store/sql.ts'
import type { QueryFilter } from '../port.ts'
import { termsOf } from '../text/tokenize.ts'
import { chunkFilter, filterParams } from './filter.ts'
import type { PostingList, Postings } from './postings.ts'
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

export interface AskedTerm {
  readonly id: number
  readonly text: string
  /** Inverse document frequency, times how often the query has it. */
  readonly weight: number
  readonly list: PostingList
  /** More than half of the chunks have it. */
  readonly isCommon: boolean
}

export interface ScoredChunk {
  readonly no: number
  readonly score: number
}

/** A query of a whole document is asked by its first so many different terms. */
const mostQueryTerms = 64
/** The figures of a smaller index say nothing yet. */
const smallIndex = 1_000

/** Of the query's terms those that any chunk has. */
export async function askedTerms(sql: Queryable, postings: Postings, text: string): Promise<AskedTerms> {
  const counts = new Map([...termsOf(text)].slice(0, mostQueryTerms))
  const read = await postings.read(sql, [...counts.keys()])
  const terms = read.terms.map(({ id, text: term, list }) => {
    const holders = list.chunks.length
    const idf = Math.log(1 + (read.chunks - holders + 0.5) / (holders + 0.5))
    const isCommon = read.chunks > smallIndex && holders * 2 > read.chunks
    return { id, text: term, list, weight: counts.get(term)! * idf, isCommon }
  })
  return { terms, average: Math.max(1, read.length) / Math.max(1, read.chunks), memories: read.memories }
}

/** The best chunks by BM25 alone; of equal ones the older comes first. */
export async function rankLexically(
  sql: Queryable,
  asked: AskedTerms,
  limit: number,
  filter?: QueryFilter,
): Promise<RankedChunk[]> {
  const best = await bestByWords(sql, asked, limit, filter)
  if (best.length === 0) return []
  const { rows } = await sql.query<RankedChunk>(
    `with best as (select * from unnest($1::bigint[], $2::float8[]) as u (no, score)) ${chunksOfBest}`,
    [best.map((one) => one.no), best.map((one) => one.score)],
  )
  return [...rows]
}

/** How many more are looked at each time that a filter has left too few. */
const growth = 8

/** The same as numbers and scores, which takes no look into the store unless something is filtered. */
export async function bestByWords(
  sql: Queryable,
  asked: AskedTerms,
  limit: number,
  filter?: QueryFilter,
): Promise<ScoredChunk[]> {
  const scored = scoresOf(asked)
  const clause = chunkFilter(filter, 'u.no', 2)
  if (clause === '') return bestOf(scored, limit)
  const best: ScoredChunk[] = []
  for (let from = 0, to = limit * growth; best.length < limit && from < scored.chunks.length; to *= growth) {
    const candidates = bestOf(scored, to).slice(from)
    const { rows } = await sql.query<{ no: number }>(
      `select u.no from unnest($1::bigint[]) as u (no) where true ${clause}`,
      [candidates.map((one) => one.no), ...filterParams(filter)],
    )
    const passed = new Set(rows.map((row) => row.no))
    best.push(...candidates.filter((one) => passed.has(one.no)))
    from = to
  }
  return best.slice(0, limit)
}

interface Scores {
  /** Ascending. */
  readonly chunks: Float64Array
  readonly scores: Float64Array
}

/** BM25 of every chunk with any of the terms, summed in the query's order. */
function scoresOf({ terms, average }: AskedTerms): Scores {
  let sum: Scores = { chunks: new Float64Array(), scores: new Float64Array() }
  for (const { list, weight } of terms) sum = added(sum, list, weight * (k1 + 1), average)
  return sum
}

function added(sum: Scores, list: PostingList, most: number, average: number): Scores {
  const room = sum.chunks.length + list.chunks.length
  const [chunks, scores] = [new Float64Array(room), new Float64Array(room)]
  let [size, one, other] = [0, 0, 0]
  while (one < sum.chunks.length || other < list.chunks.length) {
    const [of, next] = [sum.chunks[one] ?? Infinity, list.chunks[other] ?? Infinity]
    let score = 0
    if (of <= next) {
      score = sum.scores[one]!
      one += 1
    }
    if (next <= of) {
      const count = list.counts[other]!
      score += (most * count) / (count + k1 * (1 - b + (b * list.lengths[other]!) / average))
      other += 1
    }
    chunks[size] = Math.min(of, next)
    scores[size] = score
    size += 1
  }
  return { chunks: chunks.subarray(0, size), scores: scores.subarray(0, size) }
}

/** A score that so many reach is found first: numbers alone are sorted in a fraction of the time. */
function bestOf({ chunks, scores }: Scores, limit: number): ScoredChunk[] {
  const least = scores.toSorted().at(-limit) ?? Number.NEGATIVE_INFINITY
  const best: ScoredChunk[] = []
  for (const [at, score] of scores.entries()) if (score >= least) best.push({ no: chunks[at]!, score })
  return best.toSorted((x, y) => y.score - x.score || x.no - y.no).slice(0, limit)
}

/**
 * `lexical (no, score)`: BM25 in SQL, where another weight is multiplied with it. Reads `$1` to `$3`. Plans must not depend
 * on statistics, which an embedded store rarely has: `offset 0` keeps each term's postings a walk over their index.
 */
export const lexicalQuery = `lexical as (
    select p.chunk_no as no, sum(a.weight * p.count / (p.count + ${k1 * (1 - b)}::float8 + $3::float8 * p.length)) as score
    from unnest($1::int[], $2::float8[]) as a (id, weight)
    cross join lateral (select chunk_no, count, length from engine_posting where term_id = a.id offset 0) p
    group by p.chunk_no)`

/** Beside a rarer term a common one weighs less than ln 2 and costs most of the time: as a factor it is left out. */
export function lexicalParams({ terms, average }: AskedTerms): unknown[] {
  const rare = terms.filter((one) => !one.isCommon)
  const telling = rare.length > 0 ? rare : terms
  return [telling.map((one) => one.id), telling.map((one) => one.weight * (k1 + 1)), (k1 * b) / average]
}

/** What each of `best (no, score)` says. */
export const chunksOfBest = `select c.no, c.memory_id as "memoryId", c.ord, c.content, best.score
    from best cross join lateral (select * from engine_chunk where no = best.no offset 0) c
    order by best.score desc, c.no`
