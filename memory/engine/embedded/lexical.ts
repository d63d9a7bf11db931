import type { Queryable } from '../../../runtime/store/sql.ts'
import type { QueryFilter } from '../port.ts'
import { termsOf } from '../text/tokenize.ts'
import type { ChunkGroups, ChunkSelection } from './chunk-groups.ts'
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
  /** What of a filter needs no look into the store: repositories and kinds. Undefined: nothing of that is filtered. */
  readonly selection: ChunkSelection | undefined
}

export interface Index {
  readonly postings: Postings
  readonly groups: ChunkGroups
}

export interface AskedTerm {
  readonly text: string
  /** Inverse document frequency, times how often the query has it. */
  readonly weight: number
  readonly list: PostingList
}

export interface ScoredChunk {
  readonly no: number
  readonly score: number
}

/** A query of a whole document is asked by its first so many different terms. */
const mostQueryTerms = 64

/**
 * Of the query's terms those that any chunk has which the filter lets through. Rarity and lengths are those of these chunks
 * alone: another repository changes no score.
 */
export async function askedTerms(
  sql: Queryable,
  { postings, groups }: Index,
  text: string,
  filter?: QueryFilter,
): Promise<AskedTerms> {
  const counts = new Map([...termsOf(text)].slice(0, mostQueryTerms))
  const isSelecting = filter?.repos !== undefined || filter?.kinds !== undefined
  const [read, selection] = await Promise.all([
    postings.read(sql, [...counts.keys()]),
    isSelecting ? groups.select(sql, filter) : undefined,
  ])
  const { chunks, length } = selection ?? read
  const terms = read.terms.flatMap(({ text: term, list: whole }) => {
    const list = selection === undefined ? whole : selected(whole, selection)
    const holders = list.chunks.length
    const idf = Math.log(1 + (chunks - holders + 0.5) / (holders + 0.5))
    return holders === 0 ? [] : [{ text: term, list, weight: counts.get(term)! * idf }]
  })
  return { terms, average: Math.max(1, length) / Math.max(1, chunks), memories: read.memories, selection }
}

function selected({ chunks, counts, lengths }: PostingList, selection: ChunkSelection): PostingList {
  const positions: number[] = []
  for (const [at, no] of chunks.entries()) if (selection.has(no)) positions.push(at)
  return {
    chunks: Float64Array.from(positions, (at) => chunks[at]!),
    counts: Int32Array.from(positions, (at) => counts[at]!),
    lengths: Int32Array.from(positions, (at) => lengths[at]!),
  }
}

/** The best chunks by BM25 alone; of equal ones the older comes first. */
export async function rankLexically(
  sql: Queryable,
  asked: AskedTerms,
  limit: number,
  filter?: QueryFilter,
): Promise<RankedChunk[]> {
  return withContent(sql, await bestByWords(sql, asked, limit, filter))
}

/** The same as numbers and scores, which takes no look into the store unless metadata is filtered. */
export async function bestByWords(
  sql: Queryable,
  asked: AskedTerms,
  limit: number,
  filter?: QueryFilter,
): Promise<ScoredChunk[]> {
  return bestPassing(sql, scoresOf(asked), limit, filter)
}

/** What of a query's subject a chunk names. */
export interface NamingChunk {
  readonly no: number
  readonly weight: number
}

/** The best of these by what they name, times one and their BM25. */
export async function bestNaming(
  sql: Queryable,
  asked: AskedTerms,
  naming: readonly NamingChunk[],
  limit: number,
  filter?: QueryFilter,
): Promise<ScoredChunk[]> {
  const { chunks, scores } = scoresOf(asked)
  const known = new Map(Array.from(chunks, (no, at) => [no, scores[at]!]))
  const kept = naming
    .filter(({ no }) => asked.selection === undefined || asked.selection.has(no))
    .toSorted((one, other) => one.no - other.no)
  const ranked: Scores = {
    chunks: Float64Array.from(kept, ({ no }) => no),
    scores: Float64Array.from(kept, ({ no, weight }) => weight * (1 + (known.get(no) ?? 0))),
  }
  return bestPassing(sql, ranked, limit, filter)
}

/** How many more are looked at each time that a filter has left too few. */
const growth = 8

/** Of chunks whose repository and kind are let through already. */
async function bestPassing(
  sql: Queryable,
  scored: Scores,
  limit: number,
  filter: QueryFilter | undefined,
): Promise<ScoredChunk[]> {
  if (filter?.metadata === undefined) return bestOf(scored, limit)
  const best: ScoredChunk[] = []
  for (let from = 0, to = limit * growth; best.length < limit && from < scored.chunks.length; to *= growth) {
    const candidates = bestOf(scored, to).slice(from)
    const { rows } = await sql.query<{ no: number }>(
      `select u.no from unnest($1::bigint[]) as u (no) where true ${chunkFilter(filter, 'u.no', 2)}`,
      [candidates.map((one) => one.no), ...filterParams(filter)],
    )
    const passed = new Set(rows.map((row) => row.no))
    best.push(...candidates.filter((one) => passed.has(one.no)))
    from = to
  }
  return best.slice(0, limit)
}

/** With what each says. */
export async function withContent(sql: Queryable, best: readonly ScoredChunk[]): Promise<RankedChunk[]> {
  if (best.length === 0) return []
  const { rows } = await sql.query<RankedChunk>(
    `select c.no, c.memory_id as "memoryId", c.ord, c.content, best.score
    from unnest($1::bigint[], $2::float8[]) as best (no, score)
    cross join lateral (select * from engine_chunk where no = best.no offset 0) c order by best.score desc, c.no`,
    [best.map((one) => one.no), best.map((one) => one.score)],
  )
  return [...rows]
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
