import type { ChunkHit, EngineQuery, EntityHit, QueryFilter, RelationHit, Retrieval } from '../port.ts'
import { entityIdOf } from '../knowledge/ids.ts'
import { entityKey } from '../text/entities.ts'
import { kindOf } from '../memory-kind.ts'
import { modelMs } from './api.ts'
import type { LightRagDeps } from './deps.ts'
import { memoriesOfSources, type SourceMemory } from './documents.ts'
import { learnFound, relationIdOf, relationName, sourcesOf } from './learn.ts'
import { QueryData, type FoundChunk, type FoundEntity, type FoundRelation } from './shapes.ts'

/** LightRAG filters nothing: more is asked for, at first and each time again, than was asked of us. */
const overFetch = 5
/** 1.5 refuses a query for more. */
const mostAsked = 1_000
/** Its own limits of tokens cut lists that no model is going to read. */
const tokens = { max_entity_tokens: 200_000, max_relation_tokens: 200_000, max_total_tokens: 1_000_000 }

/** A mode that goes by what the model knows has nothing where the model found no name: what is near by its words follows. */
export async function retrieve(deps: LightRagDeps, query: EngineQuery): Promise<Retrieval> {
  const found = await retrieveBy(deps, query)
  if (query.mode === 'naive' || found.chunks.length > 0) return found
  return { ...found, chunks: (await retrieveBy(deps, { ...query, mode: 'naive' })).chunks }
}

async function retrieveBy(deps: LightRagDeps, query: EngineQuery): Promise<Retrieval> {
  const isFiltering = Object.values(query.filter ?? {}).some((one) => one !== undefined)
  for (let asked = isFiltering ? query.topK * overFetch + 20 : query.topK; ; asked *= overFetch) {
    const data = await askData(deps, query, Math.min(asked, mostAsked))
    const chunks = await chunkHits(deps, data.chunks ?? [], query)
    const isAll = (data.chunks ?? []).length < asked || asked >= mostAsked || query.mode !== 'naive'
    if (chunks.length >= query.topK || isAll || !isFiltering) return retrievalOf(deps, query, data, chunks)
  }
}

async function askData({ api }: LightRagDeps, { mode, text }: EngineQuery, count: number): Promise<QueryData['data']> {
  const answer = await api.ask({
    method: 'POST',
    path: '/query/data',
    body: { query: askable(text), mode, top_k: count, chunk_top_k: count, enable_rerank: false, ...tokens },
    schema: QueryData,
    withinMs: modelMs,
  })
  return answer.data
}

/** Shorter ones are refused with 422. */
export function askable(text: string): string {
  const trimmed = text.trim()
  return trimmed.length < 3 ? `about ${trimmed}` : trimmed
}

/** It tells an order and no figure: rank n scores 1/n. A text of several memories is a hit for each. */
async function chunkHits(
  deps: LightRagDeps,
  found: readonly FoundChunk[],
  { topK, filter }: EngineQuery,
): Promise<ChunkHit[]> {
  const bySource = await liveSources(deps, found)
  return found
    .flatMap((chunk, at) =>
      (bySource.get(chunk.file_path ?? '') ?? [])
        .filter((memory) => passes(memory, filter))
        .map((memory) => ({
          memoryId: memory.id,
          chunkId: chunk.chunk_id ?? `${memory.id}:${at}`,
          content: chunk.content,
        })),
    )
    .slice(0, topK)
    .map((hit, at) => ({ ...hit, score: 1 / (at + 1), rank: at + 1 }))
}

async function liveSources(
  { sql }: LightRagDeps,
  found: readonly { readonly file_path?: string | null }[],
): Promise<ReadonlyMap<string, readonly SourceMemory[]>> {
  const sources = [...new Set(found.flatMap((one) => sourcesOf(one.file_path)))]
  return Map.groupBy(await memoriesOfSources(sql, sources), (memory) => memory.source)
}

function passes(memory: SourceMemory, filter: QueryFilter | undefined): boolean {
  if (filter?.repos !== undefined && !filter.repos.includes(memory.repo)) return false
  if (filter?.kinds !== undefined && !filter.kinds.includes(kindOf(memory.metadata))) return false
  return Object.entries(filter?.metadata ?? {}).every(([key, value]) => memory.metadata[key] === value)
}

async function retrievalOf(
  deps: LightRagDeps,
  { topK, filter }: EngineQuery,
  data: QueryData['data'],
  chunks: readonly ChunkHit[],
): Promise<Retrieval> {
  const [entities, relations] = [data.entities ?? [], data.relationships ?? []]
  await learnFound(deps.sql, entities, relations)
  const bySource = await liveSources(deps, [...entities, ...relations])
  const isOurs = (one: FoundEntity | FoundRelation): boolean =>
    sourcesOf(one.file_path).some((source) => (bySource.get(source) ?? []).some((memory) => passes(memory, filter)))
  return {
    scoreKind: 'rank',
    chunks,
    entities: entities.filter(isOurs).slice(0, topK).map(entityHit),
    relations: relations.filter(isOurs).slice(0, topK).map(relationHit),
  }
}

function entityHit({ entity_name: name, entity_type: type, description }: FoundEntity, at: number): EntityHit {
  return {
    id: entityIdOf(entityKey(name)),
    name,
    type: type ?? 'unknown',
    description: description ?? '',
    score: 1 / (at + 1),
  }
}

function relationHit(relation: FoundRelation, at: number): RelationHit {
  const { from, to, id } = relationIdOf(relation)
  return { id, from, to, relation: relationName, description: relation.description ?? '', score: 1 / (at + 1) }
}
