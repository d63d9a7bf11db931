/**
 * Stores items of a job: rows first, then the engine, then what came of it. Every stage leaves its mark in a row before
 * the next begins, so that whoever goes on after a crash repeats nothing that shows: an item has one memory (R6).
 */
import type { Clock } from '../../runtime/clock.ts'
import type { Ids } from '../../http/ports.ts'
import type { Queryable, Sql } from '../../runtime/store/sql.ts'
import type { LogActionFor } from '../action-log.ts'
import type { Feed, FeedOutcome } from '../feed/feed.ts'
import { deleteMemories } from '../memories/delete-memories.ts'
import { itemIdentity } from '../memories/identity.ts'
import { maxMetadataKeys, type Metadata } from '../memories/memory.ts'
import { storeMemory } from '../memories/store-memory.ts'
import { logDeleted, type Deleted } from './deletion-log.ts'

export type ItemOutcome = 'stored' | 'duplicated' | 'partial_success' | 'skipped'

export type ItemResult =
  | { readonly index: number; readonly outcome: ItemOutcome; readonly purged: number }
  | { readonly index: number; readonly outcome: 'failed'; readonly message: string; readonly retryable: boolean }

export interface StoreItemsDeps {
  readonly sql: Sql
  readonly feed: Feed
  readonly clock: Clock
  readonly ids: Ids
  readonly logActionFor: LogActionFor
  /** How long the engine keeps what a file's new memories replace: one that reads each text once then need not again. */
  readonly keptMs: number
}

interface ItemRow {
  readonly index: number
  readonly idempotency_key: string | null
  readonly content: string
  readonly metadata: Metadata
  readonly file: string | null
  readonly memory_id: string | null
  readonly purged: number
  readonly outcome: ItemOutcome | null
  /** Why it cannot be stored, however often it is tried. */
  readonly fault?: string
}

const tooManyKeys = `the text is stored already, and with the metadata of both it would have more than ${maxMetadataKeys} keys`

export async function storeItems(
  deps: StoreItemsDeps,
  job: string,
  repo: string,
  indexes: readonly number[],
  signal: AbortSignal,
): Promise<readonly ItemResult[]> {
  const { sql, feed, clock } = deps
  const startedAt = clock.now()
  const { rows, deleted } = await sql.tx((tx) => storeRows(deps, tx, job, repo, indexes))
  await logDeleted(deps, job, deleted, startedAt)
  const open = rows.filter(({ outcome, memory_id }) => outcome === null && memory_id !== null)
  const outcomes = await feed.put(
    open.map(({ memory_id }) => memory_id!),
    signal,
  )
  // New memories go in before old ones go out: what both name is then never without a memory.
  if (deleted.length > 0) feed.wake()
  const told = new Map(open.map((row, place) => [row.index, outcomes[place]!]))
  const results = rows.map((row) => resultOf(row, told.get(row.index)))
  await recordOutcomes(sql, job, results)
  return results
}

async function storeRows(
  deps: StoreItemsDeps,
  tx: Queryable,
  job: string,
  repo: string,
  indexes: readonly number[],
): Promise<{ readonly rows: readonly ItemRow[]; readonly deleted: readonly Deleted[] }> {
  const { rows } = await tx.query<ItemRow>(
    `select index, idempotency_key, content, metadata, file, memory_id, purged, outcome
    from ingest_item where job = $1 and index = any($2::int[]) order by index for update`,
    [job, indexes],
  )
  const stored: ItemRow[] = []
  const deleted: Deleted[] = []
  for (const row of rows) stored.push(row.memory_id === null ? await storeRow(deps, tx, job, repo, row, deleted) : row)
  return { rows: stored, deleted }
}

async function storeRow(
  { clock, ids, keptMs }: StoreItemsDeps,
  tx: Queryable,
  job: string,
  repo: string,
  item: ItemRow,
  deleted: Deleted[],
): Promise<ItemRow> {
  const now = clock.now()
  const purged = item.file === null ? [] : await purgeOnce(tx, job, repo, item.file, now + keptMs)
  const of = item.metadata['repo'] ?? repo
  const { row, how, replaced } = await storeMemory(
    tx,
    {
      id: ids.next(),
      identity: itemIdentity(of, item.file, item.content),
      content: item.content,
      metadata: item.metadata,
      repo: of,
      file: item.file,
      key: item.idempotency_key === null ? undefined : { repo, text: item.idempotency_key },
      job,
    },
    now,
  )
  deleted.push(
    ...purged.map((id) => ({ id, reason: 'reconciled' as const })),
    ...replaced.map((id) => ({ id, reason: 'replaced' as const })),
  )
  if (how === 'refused') return { ...item, fault: tooManyKeys }
  const isThere = how !== 'new' && row.status === 'ready'
  const outcome = how === 'skipped' ? 'skipped' : isThere ? 'duplicated' : null
  await tx.query('update ingest_item set memory_id = $3, purged = $4, outcome = $5 where job = $1 and index = $2', [
    job,
    item.index,
    row.id,
    purged.length,
    outcome,
  ])
  return { ...item, memory_id: row.id, purged: purged.length, outcome }
}

/** The earlier memories of a file go in the transaction that brings its first new one (INGEST-RULE-1). */
async function purgeOnce(
  tx: Queryable,
  job: string,
  repo: string,
  file: string,
  dueAt: number,
): Promise<readonly string[]> {
  const { rowCount } = await tx.query(
    'update ingest_file set is_purged = true where job = $1 and file = $2 and not is_purged',
    [job, file],
  )
  return rowCount === 0 ? [] : deleteMemories(tx, { repo, files: [file] }, dueAt)
}

function resultOf(row: ItemRow, told: FeedOutcome | undefined): ItemResult {
  const { index, purged } = row
  if (row.fault !== undefined) return { index, outcome: 'failed', message: row.fault, retryable: false }
  if (row.outcome !== null) return { index, purged, outcome: row.outcome }
  if (told?.status === 'failed') return { index, outcome: 'failed', message: told.message, retryable: told.retryable }
  // Somebody deleted it since: it was stored.
  return { index, purged, outcome: told === undefined || told.status === 'absent' ? 'stored' : told.status }
}

async function recordOutcomes(sql: Sql, job: string, results: readonly ItemResult[]): Promise<void> {
  const good = results.filter(({ outcome }) => outcome !== 'failed')
  await sql.query(
    `update ingest_item i set outcome = told.outcome
    from unnest($2::int[], $3::text[]) as told (index, outcome)
    where i.job = $1 and i.index = told.index and i.outcome is null`,
    [job, good.map(({ index }) => index), good.map(({ outcome }) => outcome)],
  )
}
