import type { Queryable } from '../../runtime/store/sql.ts'
import { deleteMemories } from './delete-memories.ts'
import { memoryColumns, type Metadata, type MemoryRow } from './memory.ts'

export interface Draft {
  readonly id: string
  readonly identity: Buffer
  readonly content: string
  readonly metadata: Metadata
  readonly repo: string
  readonly file: string | null
  /** Its idempotency key, and the repository within which that is unique. */
  readonly key: { readonly repo: string; readonly text: string } | undefined
  /** The ingest job that feeds it. */
  readonly job: string | null
}

export interface Stored {
  readonly row: MemoryRow
  /** `new`; `same`: there already; `skipped`: its key stands for just this content already. */
  readonly how: 'new' | 'same' | 'skipped'
  /** The memory that its key stood for before. */
  readonly replaced: readonly string[]
}

interface Keyed {
  readonly memory_id: string
  readonly identity: string
}

/**
 * Stores a memory under its idempotency key: the same key and content change nothing, another content replaces the older
 * memory. One that the engine had refused is to be fed again when it comes again. Inside a transaction of the caller's.
 */
export async function storeMemory(tx: Queryable, draft: Draft, now: number): Promise<Stored> {
  const keyed = draft.key === undefined ? undefined : await keyHolder(tx, draft.key)
  const isSame = keyed?.identity === draft.identity.toString('hex')
  const replaced = keyed === undefined || isSame ? [] : await deleteMemories(tx, { ids: [keyed.memory_id] }, now)
  const inserted = await insert(tx, draft, now)
  const row = inserted ?? (await takeAgain(tx, draft, now))
  if (draft.key !== undefined && !isSame) await holdKey(tx, draft.key, row.id)
  return { row, how: inserted ? 'new' : isSame ? 'skipped' : 'same', replaced }
}

async function keyHolder(tx: Queryable, key: NonNullable<Draft['key']>): Promise<Keyed | undefined> {
  const { rows } = await tx.query<Keyed>(
    `select k.memory_id, encode(m.identity, 'hex') as identity
    from memory_key k join memory m on m.id = k.memory_id where k.repo = $1 and k.key = $2 for update of k`,
    [key.repo, key.text],
  )
  return rows[0]
}

async function insert(tx: Queryable, draft: Draft, now: number): Promise<MemoryRow | undefined> {
  const { rows } = await tx.query<MemoryRow>(
    `insert into memory (id, identity, content, metadata, repo, file, status, track_id, job, feed_at, created_at, updated_at)
    values ($1, decode($2, 'hex'), $3, $4::jsonb, $5, $6, 'processing', $7, $8, $9, $9, $9)
    on conflict (identity) do nothing returning ${memoryColumns}`,
    [
      draft.id,
      draft.identity.toString('hex'),
      draft.content,
      JSON.stringify(draft.metadata),
      draft.repo,
      draft.file,
      `mem-${draft.id}`,
      draft.job,
      now,
    ],
  )
  return rows[0]
}

/** The row that is there, fed anew where the engine had refused it. */
async function takeAgain(tx: Queryable, draft: Draft, now: number): Promise<MemoryRow> {
  const { rows } = await tx.query<MemoryRow>(
    `update memory set
      job = case when status = 'failed' then $3 else job end,
      attempts = case when status = 'failed' then 0 else attempts end,
      feed_at = case when status = 'failed' then $2 else feed_at end,
      updated_at = case when status = 'failed' then $2 else updated_at end,
      status = case when status = 'failed' then 'processing' else status end
    where identity = decode($1, 'hex') returning ${memoryColumns}`,
    [draft.identity.toString('hex'), now, draft.job],
  )
  return rows[0]!
}

async function holdKey(tx: Queryable, key: NonNullable<Draft['key']>, memoryId: string): Promise<void> {
  await tx.query(
    `insert into memory_key (repo, key, memory_id) values ($1, $2, $3)
    on conflict (repo, key) do update set memory_id = excluded.memory_id`,
    [key.repo, key.text, memoryId],
  )
}
