import type { Sql } from '../../../runtime/store/sql.ts'
import type { VectorFeed } from '../embeddings/vector-feed.ts'
import type { ChunkHit, EngineQuery, EntityHit, RelationHit, Retrieval, ScoreKind } from '../port.ts'
import { entitiesOfQuery, type WeightedEntity } from './entities.ts'
import { askedTerms, bestByWords, withContent, type AskedTerms, type RankedChunk, type ScoredChunk } from './lexical.ts'
import { centralEntities, communitiesOfQuery, rankGlobally } from './rank-globally.ts'
import type { ChunkGroups } from './chunk-groups.ts'
import type { Postings } from './postings.ts'
import { rankLocally } from './rank-locally.ts'
import { relationsAmong, type WeightedRelation } from './relations.ts'
import { bounded } from './score.ts'

export interface RetrievalSources {
  readonly sql: Sql
  readonly postings: Postings
  readonly groups: ChunkGroups
  readonly communities: { refresh(): Promise<void> }
  readonly vectors?: VectorFeed | undefined
}

/** What one way of looking found, before it is told in hits; `score` of chunks lies in [0, 1]. */
interface Found {
  readonly scoreKind: ScoreKind
  readonly chunks: readonly RankedChunk[]
  readonly entities: readonly WeightedEntity[]
  readonly relations: readonly WeightedRelation[]
}

/** Lists are fused over more than is asked for: what one list has late another may have early. */
const fusedDepth = 100
const mostEntities = 50

export async function retrieve(sources: RetrievalSources, query: EngineQuery): Promise<Retrieval> {
  const found = await ways[query.mode](sources, query, await askedTerms(sources.sql, sources, query.text, query.filter))
  return {
    scoreKind: found.scoreKind,
    chunks: found.chunks.slice(0, query.topK).map(chunkHit),
    entities: relative(found.entities.slice(0, Math.min(query.topK, mostEntities))).map(entityHit),
    relations: relative(found.relations.slice(0, Math.min(query.topK, mostEntities))).map(relationHit),
  }
}

type Way = (sources: RetrievalSources, query: EngineQuery, asked: AskedTerms) => Promise<Found>

const ways: Readonly<Record<EngineQuery['mode'], Way>> = { naive, local, global, hybrid }

async function naive(sources: RetrievalSources, query: EngineQuery, asked: AskedTerms): Promise<Found> {
  const { sql } = sources
  const lexical = await bestByWords(sql, asked, Math.max(query.topK, fusedDepth), query.filter)
  const near = await sources.vectors?.rank(query.text, fusedDepth, query.filter)
  const ranked = near ? blended([fromNothing(lexical, 1), fromLeast(near, 1)]) : lexical
  const chunks = await withContent(sql, ranked.slice(0, query.topK))
  return { scoreKind: near ? 'fused' : 'bm25', chunks: near ? chunks : withBounds(chunks), entities: [], relations: [] }
}

async function local({ sql }: RetrievalSources, { topK, filter }: EngineQuery, asked: AskedTerms): Promise<Found> {
  const entities = await entitiesOfQuery(sql, asked, filter)
  const named = await rankLocally(sql, asked, entities, topK, filter)
  const chunks = await withWords(sql, asked, named, topK, filter)
  const relations = await relationsAmong(sql, entities, topK, filter)
  return { scoreKind: 'fused', chunks, entities, relations }
}

async function global(sources: RetrievalSources, { topK, filter }: EngineQuery, asked: AskedTerms): Promise<Found> {
  const { sql } = sources
  await sources.communities.refresh()
  const communities = await communitiesOfQuery(sql, asked, filter)
  const entities = await centralEntities(sql, communities, filter)
  const named = await rankGlobally(sql, asked, communities, topK, filter)
  const chunks = await withWords(sql, asked, named, topK, filter)
  const relations = await relationsAmong(sql, entities, topK, filter)
  return { scoreKind: 'fused', chunks, entities, relations }
}

/** Where nothing that is named leads to enough, what has the words follows: no mode misses what words find. */
async function withWords(
  sql: Sql,
  asked: AskedTerms,
  named: readonly ScoredChunk[],
  topK: number,
  filter: EngineQuery['filter'],
): Promise<RankedChunk[]> {
  const found = named.map(({ no, score }) => ({ no, score: bounded(score) }))
  if (found.length >= topK) return withContent(sql, found)
  return withContent(sql, behind(found, await bestByWords(sql, asked, topK, filter)).slice(0, topK))
}

/**
 * What words (and vectors) find, in their order: a name that a query holds has counted among its words already. Behind it what
 * the query names and what its subject is about, which brings what no word leads to and takes no place from what one did.
 */
async function hybrid(sources: RetrievalSources, query: EngineQuery, asked: AskedTerms): Promise<Found> {
  const { sql } = sources
  const { text, topK, filter, enough = Infinity } = query
  const lexical = await bestByWords(sql, asked, Math.max(topK, fusedDepth), filter)
  const near = await sources.vectors?.rank(text, fusedDepth, filter)
  let ranked = blended(near ? [fromNothing(lexical, 1), fromLeast(near, 1)] : [fromNothing(lexical, 1)])
  if (ranked.length >= enough) {
    const chunks = await withContent(sql, ranked.slice(0, topK))
    return { scoreKind: 'fused', chunks, entities: [], relations: [] }
  }
  const entities = await entitiesOfQuery(sql, asked, filter)
  const relations = await relationsAmong(sql, entities, topK, filter)
  if (ranked.length < topK) ranked = behind(ranked, await rankLocally(sql, asked, entities, topK, filter))
  if (ranked.length < topK) {
    await sources.communities.refresh()
    const communities = await communitiesOfQuery(sql, asked, filter)
    ranked = behind(ranked, await rankGlobally(sql, asked, communities, topK, filter))
  }
  return { scoreKind: 'fused', chunks: await withContent(sql, ranked.slice(0, topK)), entities, relations }
}

/** These in their order, and behind them the others, none twice; scores fall. */
function behind(found: readonly ScoredChunk[], others: readonly ScoredChunk[]): ScoredChunk[] {
  const known = new Set(found.map(({ no }) => no))
  const least = found.at(-1)?.score ?? 1
  const more = others.filter(({ no }) => !known.has(no))
  return [...found, ...more.map(({ no, score }) => ({ no, score: least * bounded(score) }))]
}

interface Part {
  readonly scored: readonly ScoredChunk[]
  readonly floor: number
  readonly share: number
}

function fromNothing(scored: readonly ScoredChunk[], share: number): Part {
  return { scored, floor: 0, share }
}

/** Similarities of texts of one subject lie close together: what counts is how far above the least of them one is. */
function fromLeast(scored: readonly ScoredChunk[], share: number): Part {
  const least = scored.length > 1 ? scored.at(-1)!.score : 0
  return { scored, floor: least, share }
}

/** Each list in relation to its best, by its share; 1 is the best of every list. */
function blended(parts: readonly Part[]): ScoredChunk[] {
  const sums = new Map<number, number>()
  const given = parts.filter(({ scored }) => scored.length > 0)
  const all = given.reduce((sum, { share }) => sum + share, 0)
  for (const { scored, floor, share } of given) {
    const span = Math.max(scored[0]!.score - floor, Number.MIN_VALUE)
    for (const { no, score } of scored) sums.set(no, (sums.get(no) ?? 0) + ((score - floor) / span) * (share / all))
  }
  return [...sums]
    .map(([no, score]) => ({ no, score: Math.min(1, Math.max(0, score)) }))
    .toSorted((one, other) => other.score - one.score || one.no - other.no)
}

function withBounds(chunks: readonly RankedChunk[]): RankedChunk[] {
  return chunks.map((chunk) => ({ ...chunk, score: bounded(chunk.score) }))
}

/** Weights of names and ties are relative to the best of the answer, which has 1. */
function relative<T extends { readonly weight: number }>(items: readonly T[]): T[] {
  const best = Math.max(...items.map((one) => one.weight), Number.MIN_VALUE)
  return items.map((one) => ({ ...one, weight: one.weight / best }))
}

function chunkHit({ memoryId, ord, content, score }: RankedChunk, at: number): ChunkHit {
  return { memoryId, chunkId: `${memoryId}:${ord}`, content, score, rank: at + 1 }
}

function entityHit({ id, name, type, description, weight }: WeightedEntity): EntityHit {
  return { id, name, type, description, score: weight }
}

function relationHit({ weight, ...relation }: WeightedRelation): RelationHit {
  return { ...relation, score: weight }
}
