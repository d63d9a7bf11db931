import type { MemoryDeps } from '../deps.ts'
import type { MemoryKind } from '../engine/memory-kind.ts'
import type { EngineQuery, Retrieval } from '../engine/port.ts'
import { withNotesAbout } from './notes-about.ts'
import { chunksToRank, rankByFile } from './rank-by-file.ts'
import type { RepoCorpora } from './repo-corpus.ts'
import type { QueryBody } from './schema.ts'
import type { FoundChunk } from './spans.ts'

export type VisibleChunk = FoundChunk

export interface VisibleRetrieval extends Omit<Retrieval, 'chunks'> {
  readonly topK: number
  readonly chunks: readonly VisibleChunk[]
}

type Deps = Pick<MemoryDeps, 'engine' | 'sql'>

const defaultTopK = 10
/** What an engine still finds of deleted memories takes no place from the others, up to so many. */
const slack = 20

/** What the engine finds of memories whose rows are there: a row that is gone is gone for every reader at once. */
async function visible({ engine, sql }: Deps, query: EngineQuery): Promise<VisibleRetrieval> {
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

/** In the engine's own order, all kinds in one. */
export function retrieveVisible(deps: Deps, body: QueryBody): Promise<VisibleRetrieval> {
  return visible(deps, engineQuery(body))
}

/**
 * What `repos_first` names, and memories of no repository, as if there were no others; then others, in the places that
 * are left: a file of another repository that has more of the words takes none from the caller's own (QUERIES-26). Behind
 * each file stand the notes that are about it (QUERIES-27).
 */
export async function retrieveRanked(deps: Deps, corpora: RepoCorpora, body: QueryBody): Promise<VisibleRetrieval> {
  const query = engineQuery(body)
  const { repos_first: first, kinds, filter } = body
  const own =
    first && filter?.repo === undefined ? { ...query, filter: { ...query.filter, repos: [...first, ''] } } : query
  let found = await retrieveByKinds(deps, corpora, own, kinds)
  if (own !== query && found.chunks.length < query.topK) {
    const others = await retrieveByKinds(deps, corpora, query, kinds)
    const hasNames = found.entities.length > 0 || found.relations.length > 0
    found = { ...(hasNames ? found : others), chunks: behind(found, others) }
  }
  if (kinds?.includes('notes') === false) return found
  return { ...found, chunks: scored(found, await withNotesAbout(deps.sql, found, query)) }
}

/**
 * Texts first, which are files and notes, and changes in the places that they leave: a change holds every word of the
 * files that it changed, so the two do not compete. In mode `hybrid` texts are ranked by what paths and history say of
 * their files, too (`rank-by-file.ts`), and the first files show more of themselves than the last.
 */
async function retrieveByKinds(
  deps: Deps,
  corpora: RepoCorpora,
  query: EngineQuery,
  kinds: QueryBody['kinds'],
): Promise<VisibleRetrieval> {
  const { text, mode, topK, filter } = query
  const wanted = kinds ?? (['files', 'notes', 'changes'] as const)
  const texts = wanted.filter((kind) => kind !== 'changes')
  if (texts.length === 0) return visible(deps, query)
  if (mode !== 'hybrid') return withChanges(deps, await visible(deps, ofKinds(query, texts)), query, wanted)
  const asked = { ...query, topK: Math.max(topK, chunksToRank), enough: topK }
  const [rankers, found] = await Promise.all([
    texts.includes('files') ? corpora.rankers(filter?.repos) : new Map(),
    visible(deps, ofKinds(asked, texts)),
  ])
  // A file that no word led to may not have what the filter asks for.
  const findsUnseen = filter?.metadata === undefined
  const ranked = await rankByFile(found.chunks, { sql: deps.sql, rankers, text, topK, findsUnseen })
  const few = {
    ...found,
    topK,
    chunks: scored(found, ranked),
    entities: found.entities.slice(0, topK),
    relations: found.relations.slice(0, topK),
  }
  return withNamed(deps, await withChanges(deps, few, query, wanted), ofKinds(query, texts))
}

/** Texts and changes leave places that entities and relations take: the engine looks for these then, if it did not yet. */
async function withNamed({ engine }: Deps, found: VisibleRetrieval, query: EngineQuery): Promise<VisibleRetrieval> {
  const isFull = found.chunks.length >= query.topK
  if (isFull || found.entities.length > 0 || found.relations.length > 0) return found
  const { entities, relations } = await engine.retrieve(query)
  return { ...found, entities, relations }
}

async function withChanges(
  deps: Deps,
  found: VisibleRetrieval,
  query: EngineQuery,
  wanted: readonly MemoryKind[],
): Promise<VisibleRetrieval> {
  const room = query.topK - found.chunks.length
  if (room <= 0 || !wanted.includes('changes')) return found
  return { ...found, chunks: behind(found, await visible(deps, ofKinds({ ...query, topK: room }, ['changes']))) }
}

/** The chunks of the first, then those of memories that only the second has, in the places that are left. */
function behind(first: VisibleRetrieval, second: VisibleRetrieval): VisibleChunk[] {
  const { topK, chunks } = first
  const known = new Set(chunks.map(({ memoryId }) => memoryId))
  const least = chunks.at(-1)?.score ?? 1
  const others = second.chunks.filter(({ memoryId }) => !known.has(memoryId))
  const all = [...chunks, ...others.map((chunk) => ({ ...chunk, score: Math.min(chunk.score, least) }))]
  return scored(first, all.slice(0, topK))
}

/** By their places; where the engine gives an order and no figure, their scores too. */
function scored({ scoreKind }: Pick<Retrieval, 'scoreKind'>, chunks: readonly VisibleChunk[]): VisibleChunk[] {
  return chunks.map((chunk, at) => ({
    ...chunk,
    rank: at + 1,
    score: scoreKind === 'rank' ? 1 / (at + 1) : chunk.score,
  }))
}

function ofKinds(query: EngineQuery, kinds: readonly MemoryKind[]): EngineQuery {
  return { ...query, filter: { ...query.filter, kinds } }
}

function engineQuery({ mode, text, top_k: topK = defaultTopK, filter, kinds }: QueryBody): EngineQuery {
  if (filter === undefined && kinds === undefined) return { mode, text, topK }
  const repos = filter?.repo === undefined ? undefined : [filter.repo]
  return { mode, text, topK, filter: { repos, metadata: filter?.metadata, kinds } }
}

async function metadataOf(
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
