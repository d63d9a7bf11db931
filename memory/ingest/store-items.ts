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
import { storeMemories } from '../memories/store-memories.ts'
import { lockKeys, type Draft, type Stored } from '../memories/store-memory.ts'
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
  const outcomeOf = new Map(open.map((row, position) => [row.index, outcomes[position]!]))
  const results = rows.map((row) => resultOf(row, outcomeOf.get(row.index)))
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
  const fresh = rows.filter(({ memory_id }) => memory_id === null)
  if (fresh.length === 0) return { rows, deleted: [] }
  const now = deps.clock.now()
  const drafts = fresh.map((item) => draftOf(item, job, repo, deps.ids.next()))
  // Keys before rows, as every writer under a key takes them: else two of them wait for each other.
  await lockKeys(
    tx,
    drafts.flatMap(({ key }) => key ?? []),
  )
  const purged = await purgeOnce(tx, job, repo, filesOf(fresh), now + deps.keptMs)
  const stored = await storeMemories(tx, drafts, now)
  const marked = new Map(fresh.map((item, position) => [item.index, markedItem(item, stored[position]!)]))
  for (const [file, count] of countsOf(purged)) {
    const first = fresh.find((item) => item.file === file)!
    marked.set(first.index, { ...marked.get(first.index)!, purged: count })
  }
  await markItems(tx, job, [...marked.values()])
  return {
    rows: rows.map((row) => marked.get(row.index) ?? row),
    deleted: [
      ...purged.map(({ id }) => ({ id, reason: 'reconciled' as const })),
      ...stored.flatMap(({ replaced }) => replaced.map((id) => ({ id, reason: 'replaced' as const }))),
    ],
  }
}

function draftOf(item: ItemRow, job: string, repo: string, id: string): Draft {
  const of = item.metadata['repo'] ?? repo
  return {
    id,
    identity: itemIdentity(of, item.file, item.content),
    content: item.content,
    metadata: item.metadata,
    repo: of,
    file: item.file,
    key: item.idempotency_key === null ? undefined : { repo, text: item.idempotency_key },
    job,
  }
}

function markedItem(item: ItemRow, { row, how }: Stored): ItemRow {
  if (how === 'refused') return { ...item, fault: tooManyKeys }
  const isThere = how !== 'new' && row.status === 'ready'
  return { ...item, memory_id: row.id, outcome: how === 'skipped' ? 'skipped' : isThere ? 'duplicated' : null }
}

async function markItems(tx: Queryable, job: string, items: readonly ItemRow[]): Promise<void> {
  const good = items.filter(({ fault }) => fault === undefined)
  await tx.query(
    `update ingest_item i set memory_id = marked.memory_id, purged = marked.purged, outcome = marked.outcome
    from unnest($2::int[], $3::text[], $4::int[], $5::text[]) as marked (index, memory_id, purged, outcome)
    where i.job = $1 and i.index = marked.index`,
    [
      job,
      good.map(({ index }) => index),
      good.map(({ memory_id }) => memory_id),
      good.map(({ purged }) => purged),
      good.map(({ outcome }) => outcome),
    ],
  )
}

function filesOf(items: readonly ItemRow[]): readonly string[] {
  return [...new Set(items.flatMap(({ file }) => file ?? []))]
}

interface Purged {
  readonly id: string
  readonly file: string
}

/** The earlier memories of a file go in the transaction that brings its first new one (INGEST-RULE-1). */
async function purgeOnce(
  tx: Queryable,
  job: string,
  repo: string,
  files: readonly string[],
  dueAt: number,
): Promise<readonly Purged[]> {
  if (files.length === 0) return []
  const { rows: due } = await tx.query<{ file: string }>(
    'update ingest_file set is_purged = true where job = $1 and file = any($2::text[]) and not is_purged returning file',
    [job, files],
  )
  if (due.length === 0) return []
  const { rows } = await tx.query<Purged>(
    'select id, file from memory where repo = $1 and file = any($2::text[]) order by id for update',
    [repo, due.map(({ file }) => file)],
  )
  if (rows.length > 0) await deleteMemories(tx, { ids: rows.map(({ id }) => id) }, dueAt)
  return rows
}

function countsOf(purged: readonly Purged[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { file } of purged) counts.set(file, (counts.get(file) ?? 0) + 1)
  return counts
}

function resultOf(row: ItemRow, outcome: FeedOutcome | undefined): ItemResult {
  const { index, purged } = row
  if (row.fault !== undefined) return { index, outcome: 'failed', message: row.fault, retryable: false }
  if (row.outcome !== null) return { index, purged, outcome: row.outcome }
  if (outcome?.status === 'failed')
    return { index, outcome: 'failed', message: outcome.message, retryable: outcome.retryable }
  // Somebody deleted it since: it was stored.
  return { index, purged, outcome: outcome === undefined || outcome.status === 'absent' ? 'stored' : outcome.status }
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
