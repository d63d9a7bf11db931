/** Our rows of what LightRAG holds. A text has one row, however many memories have it (MEMORY-RULE-2). */
import { createHash } from 'node:crypto'
import type { Queryable, Sql } from '../../../runtime/store/sql.ts'
import { forgetMemories, sweepKnowledge } from '../knowledge/forget-memories.ts'
import type { EngineMemory } from '../port.ts'
import type { DocumentRecord } from './shapes.ts'

export interface DocumentRow {
  readonly content_sha: string
  readonly source: string
  readonly doc_id: string | null
  readonly track_id: string | null
  readonly state: 'sending' | 'accepted' | 'stored' | 'failed' | 'removing'
  readonly fault: string | null
}

const columns = 'd.content_sha, d.source, d.doc_id, d.track_id, d.state, d.fault'

/** LightRAG trims a text before it compares it: so do we, or two of ours would be one there. */
export function shaOf(content: string): string {
  return createHash('sha256').update(storedText(content)).digest('hex')
}

export function storedText(content: string): string {
  return content.replaceAll('\0', ' ').trim()
}

/**
 * Never the path of a file: 1.5 keeps only the last part of it, so that files of one name in two folders would be one. The hash
 * makes it another source when the memory has another text.
 */
function sourceOf(memory: EngineMemory, sha: string): string {
  const id = /^[\w-]{1,80}$/.test(memory.id)
    ? memory.id
    : createHash('sha256').update(memory.id).digest('hex').slice(0, 32)
  return `mem-${id}-${sha.slice(0, 12)}.md`
}

/** The row of its text, and whether another memory has the text as well. Makes both rows when they are missing. */
export async function claimDocument(
  sql: Sql,
  memory: EngineMemory,
  now: number,
): Promise<{ readonly row: DocumentRow; readonly other: string | null }> {
  const sha = shaOf(memory.content)
  return sql.tx(async (tx) => {
    await tx.query(
      `insert into lightrag_document (content_sha, source, state, changed_at) values ($1, $2, 'sending', $3)
      on conflict (content_sha) do nothing`,
      [sha, sourceOf(memory, sha), now],
    )
    const { rows } = await tx.query<DocumentRow>(
      `select ${columns} from lightrag_document d where content_sha = $1 for update`,
      [sha],
    )
    await forgetOtherText(tx, memory.id, sha)
    await tx.query(
      `insert into engine_memory (memory_id, content_sha, repo, file, metadata) values ($1, $2, $3, $4, $5)
      on conflict (memory_id) do update set content_sha = excluded.content_sha, repo = excluded.repo, file = excluded.file,
        metadata = excluded.metadata`,
      [memory.id, sha, memory.repo, memory.file, JSON.stringify(memory.metadata)],
    )
    const other = await tx.query<{ id: string }>(
      'select memory_id as id from engine_memory where content_sha = $1 and memory_id <> $2 order by memory_id limit 1',
      [sha, memory.id],
    )
    return { row: rows[0]!, other: other.rows[0]?.id ?? null }
  })
}

/** What an earlier text of the same memory said, it says no more. */
async function forgetOtherText(tx: Queryable, id: string, sha: string): Promise<void> {
  const other = await tx.query('select from engine_memory where memory_id = $1 and content_sha <> $2', [id, sha])
  if (other.rowCount > 0) await sweepKnowledge(tx, await forgetMemories(tx, [id]))
}

export async function readDocument(sql: Queryable, sha: string): Promise<DocumentRow | undefined> {
  return (await sql.query<DocumentRow>(`select ${columns} from lightrag_document d where content_sha = $1`, [sha]))
    .rows[0]
}

export interface Change {
  readonly state: DocumentRow['state']
  readonly source?: string
  readonly docId?: string | null
  readonly trackId?: string | null
  readonly fault?: string | null
}

/** Only from the state in which the caller found it; whether it was. A source that another row has stays that row's. */
export async function changeDocument(sql: Queryable, row: DocumentRow, change: Change, now: number): Promise<boolean> {
  const { state, source = row.source, docId = row.doc_id, trackId = row.track_id, fault = null } = change
  const { rowCount } = await sql.query(
    `update lightrag_document d set state = $3, doc_id = $4, track_id = $5, fault = $6, changed_at = $7,
      source = case when exists (select from lightrag_document o where o.source = $8 and o.content_sha <> $1) then d.source else $8 end
    where content_sha = $1 and state = $2`,
    [row.content_sha, row.state, state, docId, trackId, fault, now, source],
  )
  return rowCount > 0
}

/** Takes over what its record says: its id, the source under which it stands there, and how far it is. */
export async function adoptRecord(
  sql: Queryable,
  row: DocumentRow,
  record: DocumentRecord,
  now: number,
): Promise<boolean> {
  const known = {
    docId: record.id,
    trackId: record.track_id ?? row.track_id,
    ...(record.file_path ? { source: record.file_path } : {}),
  }
  if (record.status === 'processed') return changeDocument(sql, row, { state: 'stored', ...known }, now)
  if (record.status !== 'failed') return changeDocument(sql, row, { state: 'accepted', ...known }, now)
  return changeDocument(sql, row, { state: 'failed', ...known, fault: record.error_msg ?? null }, now)
}

/** Of memories whose text is stored there. */
export async function storedMemories(sql: Queryable, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql.query<{ id: string }>(
    `select m.memory_id as id from engine_memory m join lightrag_document d using (content_sha)
    where m.memory_id = any($1::text[]) and d.state = 'stored'`,
    [ids],
  )
  return new Set(rows.map((row) => row.id))
}

export interface SourceMemory {
  readonly source: string
  readonly id: string
  readonly repo: string
  readonly metadata: Readonly<Record<string, string>>
}

/** Whose text stands under these sources, also where LightRAG holds two texts for one. */
export async function memoriesOfSources(sql: Queryable, sources: readonly string[]): Promise<readonly SourceMemory[]> {
  if (sources.length === 0) return []
  const { rows } = await sql.query<SourceMemory>(
    `select distinct d.source, m.memory_id as id, m.repo, m.metadata
    from lightrag_document d
    join lightrag_document same on same.content_sha = d.content_sha or same.doc_id = d.doc_id
    join engine_memory m on m.content_sha = same.content_sha
    where d.source = any($1::text[]) order by m.memory_id`,
    [sources],
  )
  return rows
}
