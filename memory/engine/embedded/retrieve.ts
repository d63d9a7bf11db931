import type { Sql } from '../../../runtime/store/sql.ts'
import type { VectorFeed } from '../embeddings/vector-feed.ts'
import type { ChunkHit, EngineQuery, EntityHit, RelationHit, Retrieval, ScoreKind } from '../port.ts'
import { entitiesOfQuery, type WeightedEntity } from './entities.ts'
import { askedTerms, rankLexically, type AskedTerms, type RankedChunk } from './lexical.ts'
import { centralEntities, communitiesOfQuery, rankGlobally } from './rank-globally.ts'
import type { ChunkGroups } from './chunk-groups.ts'
import type { Postings } from './postings.ts'
import { rankLocally } from './rank-locally.ts'
import { relationsAmong, type WeightedRelation } from './relations.ts'
import { bounded, fuse } from './score.ts'

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

async function naive({ sql, vectors }: RetrievalSources, query: EngineQuery, asked: AskedTerms): Promise<Found> {
  const { text, topK, filter } = query
  const depth = vectors ? Math.max(topK, fusedDepth) : topK
  const lexical = await rankLexically(sql, asked, depth, filter)
  const near = await vectors?.rank(text, depth, filter)
  const chunks = near ? fused([lexical, near]) : withBounds(lexical)
  return { scoreKind: near ? 'fused' : 'bm25', chunks, entities: [], relations: [] }
}

async function local({ sql }: RetrievalSources, { topK, filter }: EngineQuery, asked: AskedTerms): Promise<Found> {
  const entities = await entitiesOfQuery(sql, asked, filter)
  const chunks = await rankLocally(sql, asked, entities, topK, filter)
  const relations = await relationsAmong(sql, entities, topK, filter)
  return { scoreKind: 'fused', chunks: withBounds(chunks), entities, relations }
}

async function global(sources: RetrievalSources, { topK, filter }: EngineQuery, asked: AskedTerms): Promise<Found> {
  const { sql } = sources
  await sources.communities.refresh()
  const communities = await communitiesOfQuery(sql, asked, filter)
  const entities = await centralEntities(sql, communities, filter)
  const chunks = await rankGlobally(sql, asked, communities, topK, filter)
  const relations = await relationsAmong(sql, entities, topK, filter)
  return { scoreKind: 'fused', chunks: withBounds(chunks), entities, relations }
}

/** What is near the names of the query and what its subject is about; a query that names nothing has its words still. */
async function hybrid(sources: RetrievalSources, query: EngineQuery, asked: AskedTerms): Promise<Found> {
  const deep = { ...query, topK: Math.max(query.topK, fusedDepth) }
  const found = [
    await local(sources, deep, asked),
    await global(sources, deep, asked),
    await naive(sources, deep, asked),
  ]
  return {
    scoreKind: 'fused',
    chunks: fused(found.map((one) => one.chunks)),
    entities: fusedWeights(found.map((one) => one.entities)),
    relations: fusedWeights(found.map((one) => one.relations)),
  }
}

function fusedWeights<T extends { readonly id: string; readonly weight: number }>(
  lists: readonly (readonly T[])[],
): T[] {
  return fuse(lists, (one) => one.id).map(({ item, score }) => ({ ...item, weight: score }))
}

function fused(lists: readonly (readonly RankedChunk[])[]): RankedChunk[] {
  return fuse(lists, (chunk) => chunk.no).map(({ item, score }) => ({ ...item, score }))
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
