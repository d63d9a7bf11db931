/** Puts what an engine found into the order of the files that the question is about, and notes among them. */
import type { Sql } from '../../runtime/store/sql.ts'
import { kindOf } from '../engine/memory-kind.ts'
import { chunksOf } from '../engine/text/chunk.ts'
import { termsOf } from '../engine/text/tokenize.ts'
import { fileKey, rankFiles, type FileRanker } from './file-ranker.ts'
import { spansOf, surroundingsOf, widenedFiles, type FoundChunk, type Surroundings } from './spans.ts'

/** A memory that no word of a question led to. */
export interface Unfound {
  readonly id: string
  readonly beginning: string
  readonly metadata: Readonly<Record<string, string>>
}

interface MemoryOfFile extends Unfound {
  readonly repo: string
  readonly file: string
}

/** How many chunks an engine is asked for, so that every file has its best ones among them. */
export const chunksToRank = 100
/** Of a file that no word led to, so much is looked at for what to show. */
export const lookedAt = 8_000
/** Files whose rows went meanwhile take no place from the others, up to so many. */
const slack = 20

export interface RankByFile {
  readonly sql: Sql
  readonly rankers: ReadonlyMap<string, FileRanker>
  readonly text: string
  readonly topK: number
  /** Files that share no word with the question may be found, too. */
  readonly findsUnseen: boolean
}

interface Candidate {
  /** The key of a file; undefined: a note. */
  readonly key: string | undefined
  readonly chunk: FoundChunk | undefined
  readonly score: number
}

/** One passage of each file and each note, around its best chunk. `found`: by falling score. */
export async function rankByFile(found: readonly FoundChunk[], options: RankByFile): Promise<FoundChunk[]> {
  const { topK } = options
  const byFile = new Map<string, FoundChunk[]>()
  for (const chunk of found) {
    if (kindOf(chunk.metadata) !== 'files') continue
    const key = keyOf(chunk)
    const known = byFile.get(key)
    if (known === undefined) byFile.set(key, [chunk])
    else known.push(chunk)
  }
  const files = filesOf(byFile, options)
  const candidates = [...notesOf(found, files[0]?.score ?? 1), ...files]
    .toSorted((one, other) => other.score - one.score)
    .slice(0, topK + slack)
  // At once: beside an ingest each turn with an embedded store waits for one of its transactions.
  const [unseen, around] = await Promise.all([
    bestOf(
      candidates.flatMap(({ key, chunk }) => (key === undefined || chunk !== undefined ? [] : [key])),
      options,
    ),
    surroundingsOf(options.sql, firstFiles(candidates)),
  ])
  const ranked = candidates
    .flatMap(({ key, chunk, score }) => {
      const best = chunk ?? unseen.chunks.get(key ?? '')
      return best === undefined ? [] : [{ ...best, score }]
    })
    .slice(0, topK)
    .map((chunk, at) => ({ ...chunk, rank: at + 1 }))
  return spansOf(ranked, new Map([...around, ...unseen.around]), options.text)
}

function firstFiles(candidates: readonly Candidate[]): FoundChunk[] {
  const files = candidates.filter(({ key }) => key !== undefined).slice(0, widenedFiles)
  return files.flatMap(({ chunk }) => chunk ?? [])
}

function filesOf(
  byFile: ReadonlyMap<string, readonly FoundChunk[]>,
  { rankers, text, findsUnseen }: RankByFile,
): Candidate[] {
  const scores = new Map([...byFile].map(([key, chunks]) => [key, chunks.map(({ score }) => score)]))
  return rankFiles(rankers, text, scores)
    .map(({ repo, file, score }) => {
      const key = fileKey(repo, file)
      return { key, chunk: byFile.get(key)?.[0], score }
    })
    .filter(({ key, chunk }) => chunk !== undefined || (findsUnseen && isOf(rankers, key)))
}

function isOf(rankers: ReadonlyMap<string, FileRanker>, key: string): boolean {
  return rankers.get(key.slice(0, key.indexOf('\0')))?.has(key) ?? false
}

/**
 * A note has neither path nor history: its words stand for these. The one whose words fit best of all is as good as the
 * best file. The square keeps notes that share some words from coming before every file but the first.
 */
function notesOf(found: readonly FoundChunk[], bestFile: number): Candidate[] {
  const most = Math.max(found[0]?.score ?? 0, Number.MIN_VALUE)
  const notes = new Map<string, FoundChunk>()
  for (const chunk of found)
    if (kindOf(chunk.metadata) === 'notes' && !notes.has(chunk.memoryId)) notes.set(chunk.memoryId, chunk)
  return [...notes.values()].map((chunk) => ({ key: undefined, chunk, score: bestFile * (chunk.score / most) ** 2 }))
}

function keyOf({ metadata }: FoundChunk): string {
  return fileKey(metadata['repo'] ?? '', metadata['file'] ?? '')
}

interface Unseen {
  /** By the keys of their files. */
  readonly chunks: ReadonlyMap<string, FoundChunk>
  readonly around: Surroundings
}

/** Files that no word of the question led to: of each the chunk that has the most of its terms, or its beginning. */
async function bestOf(keys: readonly string[], { sql, text }: RankByFile): Promise<Unseen> {
  if (keys.length === 0) return { chunks: new Map(), around: new Map() }
  const parts = keys.map((key) => key.split('\0'))
  const { rows } = await sql.query<MemoryOfFile>(
    `select distinct on (m.repo, m.file) m.id, m.repo, m.file, left(m.content, ${lookedAt}) as beginning, m.metadata
      from unnest($1::text[], $2::text[]) as u (repo, file) join memory m on m.repo = u.repo and m.file = u.file
      where m.status = 'ready' order by m.repo, m.file, m.created_at`,
    [parts.map(([repo]) => repo), parts.map(([, file]) => file)],
  )
  const terms = [...termsOf(text).keys()]
  const chunks = rows.map((row) => bestChunk(row, terms))
  return {
    chunks: new Map(rows.map((row, at) => [fileKey(row.repo, row.file), chunks[at]!])),
    around: new Map(rows.map(({ id, beginning }) => [id, beginning])),
  }
}

/** `terms`: of the question. */
export function bestChunk({ id, beginning, metadata }: Unfound, terms: readonly string[]): FoundChunk {
  const chunks = chunksOf(beginning)
  const scores = chunks.map((chunk) => {
    const known = termsOf(chunk)
    return terms.filter((term) => known.has(term)).length
  })
  const at = scores.indexOf(Math.max(...scores))
  return { memoryId: id, chunkId: `${id}:${at}`, content: chunks[at] ?? '', metadata, score: 0, rank: 0 }
}
