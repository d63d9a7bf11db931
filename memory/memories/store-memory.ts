import { arrayParams, arraySourceText, type Columns } from '../../runtime/store/columns.ts'
import type { Queryable } from '../../runtime/store/sql.ts'
import { deleteMemories } from './delete-memories.ts'
import { maxMetadataKeys, memoryColumns, type Metadata, type MemoryRow } from './memory.ts'

/** An idempotency key, and the repository within which it is unique. */
export interface MemoryKey {
  readonly repo: string
  readonly text: string
}

export interface Draft {
  readonly id: string
  readonly identity: Buffer
  readonly content: string
  readonly metadata: Metadata
  readonly repo: string
  readonly file: string | null
  readonly key: MemoryKey | undefined
  /** The ingest job that feeds it. */
  readonly job: string | null
}

export interface Stored {
  readonly row: MemoryRow
  /**
   * `new`; `same`: there already; `skipped`: its key stands for just this content already; `refused`: there already, and
   * with the metadata of both it would have more than 64 keys.
   */
  readonly how: 'new' | 'same' | 'skipped' | 'refused'
  /** The memory that its key stood for before. */
  readonly replaced: readonly string[]
}

/**
 * Stores a memory under its idempotency key: the same key and content change nothing. With other content the key moves
 * on, and the older memory goes once no other key and no write without a key stands for it (MEMORIES-17). One that the
 * engine had refused is to be fed again when it comes again; one that comes with other metadata has both (INGEST-18). Inside a transaction of the caller's.
 */
export async function storeMemory(tx: Queryable, draft: Draft, now: number): Promise<Stored> {
  const older = draft.key === undefined ? undefined : await keyHolder(tx, draft.key)
  await lockRows(tx, draft, older)
  const { row, isNew, isWhole } = await insertOrTake(tx, draft, now)
  if (!isWhole) return { row, how: 'refused', replaced: [] }
  if (draft.key === undefined || older === row.id)
    return { row, how: isNew ? 'new' : older === undefined ? 'same' : 'skipped', replaced: [] }
  await holdKey(tx, draft.key, row.id)
  const replaced = older === undefined ? [] : await deleteUnheld(tx, older, now)
  return { row, how: isNew ? 'new' : 'same', replaced }
}

/**
 * Nobody else writes under any of these until the transaction ends. In one order, whoever asks: two writers of several keys do
 * not wait for each other.
 */
export async function lockKeys(tx: Queryable, keys: readonly MemoryKey[]): Promise<void> {
  if (keys.length === 0) return
  await tx.query(
    `select pg_advisory_xact_lock(hash) from
      (select distinct hashtextextended(name, 0) as hash from unnest($1::text[]) as name order by hash) locks`,
    [keys.map(({ repo, text }) => `memory key\n${repo}\n${text}`)],
  )
}

/** Writers under one key come one after another: also while it has no row that could be locked. */
async function keyHolder(tx: Queryable, key: MemoryKey): Promise<string | undefined> {
  await lockKeys(tx, [key])
  const { rows } = await tx.query<{ id: string }>(
    'select memory_id as id from memory_key where repo = $1 and key = $2',
    [key.repo, key.text],
  )
  return rows[0]?.id
}

/** Both memories of a key that moves on, in the order of their ids: two keys that change places do not wait for each other. */
async function lockRows(tx: Queryable, { identity }: Draft, older: string | undefined): Promise<void> {
  if (older === undefined) return
  await tx.query(`select from memory where id = $1 or identity = decode($2, 'hex') order by id for update`, [
    older,
    identity.toString('hex'),
  ])
}

interface Taken {
  readonly row: MemoryRow
  readonly isNew: boolean
  /** It has all metadata of the draft. */
  readonly isWhole: boolean
}

/** Again, where the row that is there goes before it can be taken. */
async function insertOrTake(tx: Queryable, draft: Draft, now: number): Promise<Taken> {
  for (;;) {
    const [inserted] = await insertMemories(tx, [draft], now)
    if (inserted) return { row: inserted, isNew: true, isWhole: true }
    const known = await takeAgain(tx, draft, now)
    if (known) return known
  }
}

const columns: Columns = [
  ['id', 'text'],
  ['identity', 'text'],
  ['content', 'text'],
  ['metadata', 'text'],
  ['repo', 'text'],
  ['file', 'text'],
  ['track_id', 'text'],
  ['job', 'text'],
  ['is_unkeyed', 'boolean'],
]

const insert = `insert into memory (id, identity, content, metadata, repo, file, status, track_id, job, feed_at, created_at,
  updated_at, is_unkeyed)
select r.id, decode(r.identity, 'hex'), r.content, r.metadata::jsonb, r.repo, r.file, 'processing', r.track_id, r.job,
  $1, $1, $1, r.is_unkeyed from ${arraySourceText(columns, 2)} order by r.identity
on conflict (identity) do nothing returning ${memoryColumns}`

/** The rows of those that were not there. In the order of their identities: two writers of the same do not wait for each other. */
export async function insertMemories(
  tx: Queryable,
  drafts: readonly Draft[],
  now: number,
): Promise<readonly MemoryRow[]> {
  const values = drafts.map((draft) => ({
    ...draft,
    identity: draft.identity.toString('hex'),
    metadata: JSON.stringify(draft.metadata),
    trackId: `mem-${draft.id}`,
    isUnkeyed: draft.key === undefined,
  }))
  const { rows } = await tx.query<MemoryRow>(insert, [now, ...arrayParams(columns, values)])
  return rows
}

/** The row that is there, fed anew where the engine had refused it or has other metadata; undefined: it has just gone. */
async function takeAgain(tx: Queryable, draft: Draft, now: number): Promise<Taken | undefined> {
  const { rows } = await tx.query<MemoryRow & { readonly is_whole: boolean }>(
    `with before as (
      select id as of, metadata || $5::jsonb as merged,
        (select count(*) from jsonb_object_keys(metadata || $5::jsonb)) <= ${maxMetadataKeys} as fits,
        status = 'failed' or not metadata @> $5::jsonb as is_due
      from memory where identity = decode($1, 'hex') for update)
    update memory set
      metadata = case when fits then merged else metadata end,
      job = case when is_due then $3 else job end,
      attempts = case when is_due then 0 else attempts end,
      feed_at = case when is_due then $2 else feed_at end,
      updated_at = case when is_due then $2 else updated_at end,
      status = case when is_due then 'processing' else status end,
      is_unkeyed = is_unkeyed or $4
    from before where id = of returning ${memoryColumns}, metadata @> $5::jsonb as is_whole`,
    [draft.identity.toString('hex'), now, draft.job, draft.key === undefined, JSON.stringify(draft.metadata)],
  )
  if (rows[0] === undefined) return undefined
  const { is_whole: isWhole, ...row } = rows[0]
  return { row, isNew: false, isWhole }
}

async function holdKey(tx: Queryable, key: MemoryKey, memoryId: string): Promise<void> {
  await tx.query(
    `insert into memory_key (repo, key, memory_id) values ($1, $2, $3)
    on conflict (repo, key) do update set memory_id = excluded.memory_id`,
    [key.repo, key.text, memoryId],
  )
}

/** Its row is locked: who takes it for another key has done so, or finds it gone. */
async function deleteUnheld(tx: Queryable, id: string, now: number): Promise<readonly string[]> {
  const { rows } = await tx.query<{ id: string }>(
    `select id from memory m where id = $1 and not is_unkeyed
    and not exists (select from memory_key k where k.memory_id = m.id)`,
    [id],
  )
  return rows.length === 0 ? [] : deleteMemories(tx, { ids: [id] }, now)
}
