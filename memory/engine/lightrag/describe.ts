import { summarize } from '../text/summarize.ts'
import type { Description, EngineQuery } from '../port.ts'
import { modelMs } from './api.ts'
import type { LightRagDeps } from './deps.ts'
import { memoriesOfSources } from './documents.ts'
import { askable, retrieve } from './retrieve.ts'
import { Answer } from './shapes.ts'

/**
 * The model's answer, when nothing in it can come from a memory that was filtered out or has been removed: LightRAG knows
 * neither. Otherwise sentences of the memories that may be told.
 */
export async function describe(deps: LightRagDeps, query: EngineQuery): Promise<Description> {
  const isFiltered = query.filter?.repo !== undefined || query.filter?.metadata !== undefined
  return (isFiltered ? undefined : await byModel(deps, query)) ?? (await extractive(deps, query))
}

async function byModel(
  { api, sql }: LightRagDeps,
  { mode, text, topK }: EngineQuery,
): Promise<Description | undefined> {
  const { response, references } = await api.ask({
    method: 'POST',
    path: '/query',
    body: {
      query: askable(text),
      mode,
      top_k: topK,
      chunk_top_k: topK,
      include_references: true,
      enable_rerank: false,
      response_type: 'Multiple Paragraphs',
    },
    schema: Answer,
    withinMs: modelMs,
  })
  const sources = (references ?? []).flatMap((one) => one.file_path ?? [])
  const memories = await memoriesOfSources(sql, sources)
  const known = new Set(memories.map((memory) => memory.source))
  const isClean = sources.length > 0 && sources.every((source) => known.has(source))
  if (!isClean || response.includes('[no-context]')) return undefined
  const ordered = sources.flatMap((source) => memories.filter((memory) => memory.source === source))
  const ids = [...new Set(ordered.map((memory) => memory.id))]
  return {
    summary: response,
    generatedBy: 'llm',
    scoreKind: 'rank',
    references: ids.map((memoryId, at) => ({ memoryId, score: 1 / (at + 1) })),
  }
}

async function extractive(deps: LightRagDeps, query: EngineQuery): Promise<Description> {
  const { chunks, scoreKind } = await retrieve(deps, query)
  const best = new Map<string, number>()
  for (const { memoryId, score } of chunks) best.set(memoryId, Math.max(best.get(memoryId) ?? 0, score))
  return {
    summary: summarize(query.text, chunks),
    generatedBy: 'extractive',
    scoreKind,
    references: [...best].map(([memoryId, score]) => ({ memoryId, score })),
  }
}
