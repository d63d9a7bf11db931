import type { Sql } from '../../runtime/store/sql.ts'
import { kindOf } from '../engine/memory-kind.ts'
import type { EngineQuery } from '../engine/port.ts'
import { termsOf } from '../engine/text/tokenize.ts'
import { bestChunk, lookedAt, type Unfound } from './rank-by-file.ts'
import type { FoundChunk } from './spans.ts'

interface Note extends Unfound {
  readonly repo: string
  readonly file: string
}

/** The newest of a file; they take places from what was found last. */
const mostOfFile = 2

/**
 * What somebody wrote down on a file, by `metadata.about`, stands right behind the file, whatever its words are: a decision
 * on a file is seen by whoever is shown the file. `found`: best first.
 */
export async function withNotesAbout(
  sql: Sql,
  { chunks: found }: { readonly chunks: readonly FoundChunk[] },
  { text, topK, filter }: EngineQuery,
): Promise<readonly FoundChunk[]> {
  const notes = await notesAbout(sql, found.filter(isFile), filter)
  if (notes.length === 0) return found
  const terms = [...termsOf(text).keys()]
  const [shown, moved] = [new Set<string>(), new Set<string>()]
  const all: FoundChunk[] = []
  for (const chunk of found) {
    if (moved.has(chunk.memoryId)) continue
    all.push(chunk)
    shown.add(chunk.memoryId)
    for (const note of notes.filter((one) => isAbout(one, chunk) && !shown.has(one.id))) {
      all.push({ ...bestChunk(note, terms), score: chunk.score })
      shown.add(note.id)
      moved.add(note.id)
    }
  }
  return all.slice(0, topK)
}

function isAbout({ repo, file }: Note, { metadata }: FoundChunk): boolean {
  return file === metadata['file'] && repo === (metadata['repo'] ?? '')
}

function isFile({ metadata }: FoundChunk): boolean {
  return kindOf(metadata) === 'files'
}

async function notesAbout(
  sql: Sql,
  files: readonly FoundChunk[],
  filter: EngineQuery['filter'],
): Promise<readonly Note[]> {
  if (files.length === 0) return []
  const { repos = null, metadata } = filter ?? {}
  const { rows } = await sql.query<Note>(
    `select n.id, left(n.content, ${lookedAt}) as beginning, n.metadata, f.repo, f.file
    from (select distinct * from unnest($1::text[], $2::text[]) as u (repo, file)) f
    cross join lateral (
      select m.* from memory m
      where m.metadata ? 'about' and m.metadata->>'about' = f.file and m.repo in ('', f.repo)
        and m.file is null and m.status = 'ready' and ($3::text[] is null or m.repo = any($3::text[]))
        and ($4::jsonb is null or m.metadata @> $4::jsonb)
      order by m.created_at desc, m.id limit ${mostOfFile}) n
    order by n.created_at desc, n.id`,
    [
      files.map((chunk) => chunk.metadata['repo'] ?? ''),
      files.map((chunk) => chunk.metadata['file'] ?? ''),
      repos,
      metadata === undefined ? null : JSON.stringify(metadata),
    ],
  )
  return rows
}
