import type { MemoryDeps } from '../deps.ts'
import type { ChunkHit, EngineQuery, Retrieval } from '../engine/port.ts'
import { chunksToRank, rankByFile } from './rank-by-file.ts'
import type { RepoCorpora } from './repo-corpus.ts'
import type { QueryBody } from './schema.ts'

export interface VisibleChunk extends ChunkHit {
  readonly metadata: Readonly<Record<string, string>>
}

export interface VisibleRetrieval extends Omit<Retrieval, 'chunks'> {
  readonly topK: number
  readonly chunks: readonly VisibleChunk[]
}

const defaultTopK = 10
/** What an engine still finds of deleted memories takes no place from the others, up to so many. */
const slack = 20

/** What the engine finds of memories whose rows are there: a row that is gone is gone for every reader at once. */
async function retrieveVisible(
  { engine, sql }: Pick<MemoryDeps, 'engine' | 'sql'>,
  body: QueryBody,
): Promise<VisibleRetrieval> {
  const query = engineQuery(body)
  const found = await engine.retrieve({ ...query, topK: query.topK + slack })
  const metadata = await metadataOf(sql, [...new Set(found.chunks.map((chunk) => chunk.memoryId))])
  const chunks = found.chunks
    .flatMap((chunk) => {
      const known = metadata.get(chunk.memoryId)
      return known ? [{ ...chunk, metadata: known }] : []
    })
    .slice(0, query.topK)
    .map((chunk, at) => ({ ...chunk, rank: at + 1 }))
  return {
    scoreKind: found.scoreKind,
    topK: query.topK,
    chunks,
    entities: found.entities.slice(0, query.topK),
    relations: found.relations.slice(0, query.topK),
  }
}

/**
 * In mode `hybrid`, asked of one repository: by what its paths, its history and its code graph say of its files, too
 * (`rank-by-file.ts`).
 */
export async function retrieveRanked(
  deps: Pick<MemoryDeps, 'engine' | 'sql'>,
  corpora: RepoCorpora,
  body: QueryBody,
): Promise<VisibleRetrieval> {
  const { mode, text, filter } = body
  const repo = filter?.repo
  const ranker = mode === 'hybrid' && repo !== undefined ? await corpora.ranker(repo) : undefined
  const found = await retrieveVisible(deps, body)
  if (ranker === undefined || repo === undefined) return found
  const words = await retrieveVisible(deps, { ...body, mode: 'naive', top_k: chunksToRank })
  const chunks = words.chunks.map((chunk) => ({ ...chunk, score: unbounded(chunk.score, words.scoreKind) }))
  const { metadata } = filter ?? {}
  const ranked = await rankByFile(chunks, { sql: deps.sql, ranker, repo, text, topK: found.topK, metadata })
  return ranked.length === 0 ? found : { ...found, scoreKind: 'fused', chunks: ranked }
}

/** Of s/(s+10) the s: how much better one chunk is than another is lost near 1. */
function unbounded(score: number, kind: Retrieval['scoreKind']): number {
  return kind === 'bm25' && score < 1 ? (10 * score) / (1 - score) : score
}

export function engineQuery({ mode, text, top_k: topK = defaultTopK, filter }: QueryBody): EngineQuery {
  return { mode, text, topK, ...(filter === undefined ? {} : { filter }) }
}

export async function metadataOf(
  sql: MemoryDeps['sql'],
  ids: readonly string[],
): Promise<ReadonlyMap<string, Readonly<Record<string, string>>>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql.query<{ id: string; metadata: Record<string, string> }>(
    'select id, metadata from memory where id = any($1::text[])',
    [ids],
  )
  return new Map(rows.map((row) => [row.id, row.metadata]))
}
