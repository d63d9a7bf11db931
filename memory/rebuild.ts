import { sleep, type Clock } from '../runtime/clock.ts'
import type { Logger } from '../runtime/logger.ts'
import type { Queryable, Sql } from '../runtime/store/sql.ts'
import type { RetrievalEngine, UpsertOutcome } from './engine/port.ts'
import { removeGone } from './feed/remove-gone.ts'
import { upsertApart } from './feed/upsert-apart.ts'
import type { GraphStore } from './graph/port.ts'
import type { MemoryRow } from './memories/memory.ts'
import { memoryColumns } from './memories/memory.ts'
import { instanceOf } from './store/instance.ts'

export interface RebuildDeps {
  readonly sql: Sql
  readonly engine: RetrievalEngine
  readonly graph: GraphStore
  readonly clock: Clock
  readonly logger: Logger
  /** Is told how far it is. */
  readonly onProgress?: (done: number, total: number) => void
}

export interface Rebuilt {
  readonly fed: number
  /** The engine refuses them for good. */
  readonly failed: number
  /** The engine failed at each attempt; the feed of the service tries again. */
  readonly waiting: number
}

const batch = 32
/** An engine that restarts, or a store that aborts one transaction, is back within these. */
const delaysMs = [500, 1_000, 2_000, 4_000, 8_000]

/** A running service leaves a batch alone for that long. */
const claimMs = 100_000

/**
 * Fills the engine and what serves the code graph anew from Postgres. Each memory is `processing` from the moment at which
 * the engine is empty, so that the feed of a service finishes a rebuild that was cut (KNOWLEDGE-18). What the engine refuses
 * for now it gives again, a few times, and leaves the rest to the feed: `failed` is only what the engine refuses for good
 * (KNOWLEDGE-19).
 */
export async function rebuildMemory(deps: RebuildDeps): Promise<Rebuilt> {
  const { sql, engine, graph, clock } = deps
  engine.start()
  const { engine: name } = await engine.info()
  await engine.clear((tx) => dueAgain(tx, name))
  const total = (await sql.query<{ count: number }>('select count(*) as count from memory')).rows[0]!.count
  const counts = { fed: 0, failed: 0 }
  let refused = await feedAll(deps, counts, (waiting) => deps.onProgress?.(counts.fed + counts.failed + waiting, total))
  for (const delayMs of delaysMs) {
    if (refused.length === 0) break
    await sleep(clock, delayMs)
    const again: string[] = []
    for (let at = 0; at < refused.length; at += batch)
      again.push(...(await feedBatch(deps, counts, await rowsOf(sql, refused.slice(at, at + batch)))))
    refused = again
  }
  await graph.rebuild()
  return { ...counts, waiting: refused.length }
}

/**
 * At the start of a service whose engine is another one than was fed last, such as after a change of the profile: nothing of what the
 * other one knows is in this one. So every memory is due, and the feed brings it in beside new ones (KNOWLEDGE-26).
 */
export async function feedAnotherEngine({
  sql,
  engine,
  logger,
}: Pick<RebuildDeps, 'sql' | 'engine' | 'logger'>): Promise<void> {
  const { engine: name } = await engine.info()
  const before = await fedEngine(sql)
  if (before === name) return
  if (before === null) return noteEngine(sql, name)
  logger.info({ before, engine: name }, 'the engine is another one: the service feeds it every memory')
  try {
    await engine.clear((tx) => dueAgain(tx, name))
  } catch (error) {
    // Our rows have forgotten; the engine itself has not answered yet, and is asked again as its removals are.
    if ((await fedEngine(sql)) !== name) throw error
    logger.warn({ err: error }, 'the engine did not forget what it knew')
  }
}

async function fedEngine(sql: Queryable): Promise<string | null> {
  await instanceOf(sql)
  const { rows } = await sql.query<{ name: string | null }>('select fed_engine as name from memory_instance')
  return rows[0]?.name ?? null
}

async function noteEngine(sql: Queryable, name: string): Promise<void> {
  await instanceOf(sql)
  await sql.query('update memory_instance set fed_engine = $1', [name])
}

/** Of any number of rows, so without the bound of a query. 0 is due, and no claim. What a job is about to feed stays the job's. */
async function dueAgain(tx: Queryable, engine: string): Promise<void> {
  await noteEngine(tx, engine)
  await tx.exec(`delete from memory_removal;
    update memory set status = 'processing', fault = null, attempts = 0, feed_at = 0,
      job = case when status = 'processing' then job end`)
}

interface Counts {
  fed: number
  failed: number
}

/** Each memory once; those that the engine refused for now. */
async function feedAll(deps: RebuildDeps, counts: Counts, onProgress: (waiting: number) => void): Promise<string[]> {
  const refused: string[] = []
  for (let after = ''; ;) {
    const { rows } = await deps.sql.query<MemoryRow>(
      `select ${memoryColumns} from memory where id > $1 and status = 'processing' order by id limit ${batch}`,
      [after],
    )
    if (rows.length === 0) return refused
    after = rows.at(-1)!.id
    refused.push(...(await feedBatch(deps, counts, rows)))
    onProgress(refused.length)
  }
}

async function rowsOf(sql: Sql, ids: readonly string[]): Promise<readonly MemoryRow[]> {
  const { rows } = await sql.query<MemoryRow>(
    `select ${memoryColumns} from memory where id = any($1::text[]) order by id`,
    [ids],
  )
  return rows
}

async function feedBatch(
  { sql, engine, clock, logger }: RebuildDeps,
  counts: Counts,
  rows: readonly MemoryRow[],
): Promise<string[]> {
  const refused: string[] = []
  const claim = clock.now() + claimMs
  await sql.query('update memory set feed_at = $2 where id = any($1::text[])', [rows.map(({ id }) => id), claim])
  for (const outcome of await upsertApart(engine, rows)) {
    const { id } = outcome
    const status = statusAfter(outcome)
    const fault = outcome.status === 'failed' ? outcome.message.slice(0, 1000) : null
    if (fault !== null) logger.warn({ memory: id, error: fault }, 'the engine did not accept a memory')
    const { rowCount } = await sql.query(
      'update memory set status = $2, fault = $3, attempts = 0, feed_at = $4 where id = $1 and feed_at = $5',
      [id, status, fault, clock.now(), claim],
    )
    // Deleted meanwhile; or somebody else has claimed it since, and feeds it.
    if (rowCount === 0) await removeGone(sql, [id], clock.now())
    else if (status === 'ready') counts.fed += 1
    else if (status === 'failed') counts.failed += 1
    else refused.push(id)
  }
  return refused
}

function statusAfter(outcome: UpsertOutcome): MemoryRow['status'] {
  if (outcome.status !== 'failed') return 'ready'
  return outcome.retryable ? 'processing' : 'failed'
}
