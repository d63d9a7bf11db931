/** Puts what an engine found of one repository into the order of the files that the question is about. */
import type { Sql } from '../../runtime/store/sql.ts'
import type { ChunkHit } from '../engine/port.ts'
import { chunksOf } from '../engine/text/chunk.ts'
import { termsOf } from '../engine/text/tokenize.ts'
import type { FileRanker } from './file-ranker.ts'

export interface FoundChunk extends ChunkHit {
  readonly metadata: Readonly<Record<string, string>>
}

interface MemoryOfFile {
  readonly id: string
  readonly file: string
  readonly content: string
  readonly metadata: Record<string, string>
}

/** How many chunks an engine is asked for, so that every file has its best ones among them. */
export const chunksToRank = 200

export interface RankByFile {
  readonly sql: Sql
  readonly ranker: FileRanker
  readonly repo: string
  readonly text: string
  readonly topK: number
  /** What memories must have in their metadata. */
  readonly metadata?: Readonly<Record<string, string>> | undefined
}

/** Commits and issues have names of this form where files have their path (`statewright ingest`). */
function isNoFile(file: string): boolean {
  return file.startsWith('@')
}

/** What is of no file (commits, issues, what people noted) has this part of an answer, behind the files. */
const othersShare = 5

/** One chunk for each file, its best, and behind them what else was found. */
export async function rankByFile(found: readonly FoundChunk[], options: RankByFile): Promise<FoundChunk[]> {
  const { ranker, text, topK } = options
  const byFile = new Map<string, FoundChunk[]>()
  for (const chunk of found) {
    const file = chunk.metadata['file']
    if (file === undefined || isNoFile(file)) continue
    const known = byFile.get(file)
    if (known === undefined) byFile.set(file, [chunk])
    else known.push(chunk)
  }
  const ranked = ranker.rank(
    text,
    new Map([...byFile].map(([file, chunks]) => [file, chunks.map(({ score }) => score)])),
  )
  const others = found.filter(({ metadata: { file } }) => file === undefined || isNoFile(file))
  const first = ranked.slice(0, topK - Math.min(others.length, Math.floor(topK / othersShare)))
  const unseen = await bestOf(
    first.map(({ file }) => file).filter((file) => !byFile.has(file)),
    options,
  )
  const results = first.flatMap(({ file, score }) => {
    const chunk = byFile.get(file)?.[0] ?? unseen.get(file)
    return chunk === undefined ? [] : [{ ...chunk, score }]
  })
  const least = results.at(-1)?.score ?? 1
  const highest = Math.max(...others.map(({ score }) => score), Number.MIN_VALUE)
  return [...results, ...others.map((chunk) => ({ ...chunk, score: (chunk.score / highest) * least }))]
    .slice(0, topK)
    .map((chunk, at) => ({ ...chunk, rank: at + 1 }))
}

/** Files that no word of the question led to: of each the chunk that has the most of its terms, or its beginning. */
async function bestOf(
  files: readonly string[],
  { sql, repo, text, metadata }: RankByFile,
): Promise<ReadonlyMap<string, FoundChunk>> {
  if (files.length === 0) return new Map()
  const { rows } = await sql.query<MemoryOfFile>(
    `select distinct on (file) id, file, content, metadata from memory
      where repo = $1 and file = any($2::text[]) and status = 'ready' and metadata @> $3::jsonb order by file, created_at`,
    [repo, files, JSON.stringify(metadata ?? {})],
  )
  const terms = [...termsOf(text).keys()]
  return new Map(rows.map((row) => [row.file, chunkOf(row, terms)]))
}

function chunkOf({ id, content, metadata }: MemoryOfFile, terms: readonly string[]): FoundChunk {
  const chunks = chunksOf(content)
  const scores = chunks.map((chunk) => {
    const known = termsOf(chunk)
    return terms.filter((term) => known.has(term)).length
  })
  const at = scores.indexOf(Math.max(...scores))
  return { memoryId: id, chunkId: `${id}:${at}`, content: chunks[at] ?? '', metadata, score: 0, rank: 0 }
}
