import type { Extensions, PGlite, PGliteOptions } from '@electric-sql/pglite'
import type { SyncedFolder } from '../durable-files/synced-folder.ts'
import { resultParsers } from '../result-types.ts'
import type { Session } from '../session-sql.ts'
import { SqlError, toSqlError, unreachable } from '../sql-error.ts'
import { clusterTemplate } from './cluster-template.ts'
import { PreparedStatements } from './prepared-statements.ts'

export interface PgliteSession extends Session {
  /** Why nothing can be had from it any more: Postgres panicked, or a sync failed. Only opening it anew helps. */
  readonly brokenBy: SqlError | undefined
  /** What background processes do on a server, and PGlite has none. To be called between queries; waits for the end of a transaction. */
  tidy(): Promise<void>
}

/** Between checkpoints; each segment is 16 MiB of WAL, to be replayed at the next start when this process dies. */
const segmentsToCheckpoint = 4

/** What a store can have beside Postgres itself; `create extension` then finds it. */
export type StoreExtension = 'vector'

/** A session on a PGlite that lives in this thread: over files that are synced, or in memory. */
export async function openPglite(files?: SyncedFolder, wanted: readonly StoreExtension[] = []): Promise<PgliteSession> {
  return pgliteSession(await createPglite(files, wanted), files)
}

/** What a session is over. It may have one session after another, never two at once. */
export async function createPglite(files?: SyncedFolder, wanted: readonly StoreExtension[] = []): Promise<PGlite> {
  const { PGlite } = await import('@electric-sql/pglite')
  const extensions: Extensions = {}
  if (wanted.includes('vector')) extensions['vector'] = (await import('@electric-sql/pglite-pgvector')).vector
  const options = { parsers: { ...resultParsers }, extensions }
  const params = [...withoutTimers(PGlite.defaultStartParams), ...settingsOf(smallBuffers)]
  if (!files) return PGlite.create({ ...options, ...(await fromTemplate()), startParams: params })
  return PGlite.create({ ...options, fs: files, startParams: durableParams(params) })
}

async function fromTemplate(): Promise<Pick<PGliteOptions, 'loadDataDir'>> {
  const template = await clusterTemplate()
  return template ? { loadDataDir: new Blob([template as Uint8Array<ArrayBuffer>]) } : {}
}

/** A cluster that was copied, or that died, starts with a recovery, whose progress report leaves a timer of 10 s running. */
function withoutTimers(standard: readonly string[]): string[] {
  return [...standard, ...settingsOf(['log_startup_progress_interval=0'])]
}

/**
 * PGlite starts Postgres with `-F`, which turns every sync off, and its fdatasync reaches no file: fsync does, and what
 * it does is ours to say. A torn page is mended from its full image in the WAL.
 */
function durableParams(standard: readonly string[]): string[] {
  const settings = ['fsync=on', 'wal_sync_method=fsync', 'full_page_writes=on', 'synchronous_commit=on']
  return [...standard.filter((param) => param !== '-F'), ...settingsOf(settings)]
}

/**
 * Postgres fills its buffers with zeros at the start: half of its 128 MB stays 64 MiB smaller for good. By CPU, over 112 MB
 * of rows: 0.93 for what lies in the buffers, 1.14 for what does not, 1.07 for updates. WAL buffers follow unless told.
 */
const smallBuffers = ['shared_buffers=64MB', 'wal_buffers=4MB']

function settingsOf(settings: readonly string[]): string[] {
  return settings.flatMap((setting) => ['-c', setting])
}

export async function pgliteSession(db: PGlite, files?: SyncedFolder): Promise<PgliteSession> {
  const statements = new PreparedStatements(db, await import('@electric-sql/pglite'))
  let brokenBy: SqlError | undefined
  let segmentsAtCheckpoint = 0

  /** After a panic the database is gone but would still take queries, and never answer them. */
  async function run<T>(ask: () => Promise<T>): Promise<T> {
    if (brokenBy) throw brokenBy
    try {
      return await ask()
    } catch (error) {
      if (isFatal(error)) brokenBy = broken(error)
      throw brokenBy ?? error
    } finally {
      if (files?.failure !== undefined) brokenBy ??= broken(files.failure)
    }
  }

  /**
   * Inside a transaction Postgres refuses to vacuum, and aborts it (25P02); Postgres knows best whether one is open. What
   * fails is tried again after the next query.
   */
  async function tidy(): Promise<void> {
    if (!files || brokenBy || files.segmentsBegun - segmentsAtCheckpoint < segmentsToCheckpoint) return
    if (db.isInTransaction()) return
    const begun = files.segmentsBegun
    await run(async () => {
      await vacuumWorst(db)
      await db.exec('checkpoint')
    }).then(
      () => void (segmentsAtCheckpoint = begun),
      () => undefined,
    )
  }

  return {
    get brokenBy() {
      return brokenBy
    },
    tidy,
    async query(text, params) {
      const result = await run(() => statements.query(text, params))
      if (brokenBy) throw brokenBy
      await breath()
      return { rows: result.rows, rowCount: Math.max(result.affectedRows ?? 0, result.rows.length) }
    },
    async exec(text) {
      await run(() => db.exec(text))
      if (brokenBy) throw brokenBy
    },
    close: () => (brokenBy ? Promise.resolve() : db.close()),
  }
}

/** One table at a time, so that nobody waits for more than one. The share of dead rows is autovacuum's own. */
async function vacuumWorst(db: PGlite): Promise<void> {
  const { rows } = await db.query<{ name: string }>(
    `select format('%I.%I', schemaname, relname) as name from pg_stat_user_tables
    where n_dead_tup > 1000 + 0.2 * n_live_tup order by n_dead_tup desc limit 1`,
  )
  for (const { name } of rows) await db.exec(`vacuum (analyze) ${name}`)
}

/** Postgres ended, or its WebAssembly did. */
function isFatal(error: unknown): boolean {
  const { severity, name } = error as { severity?: unknown; name?: unknown }
  return severity === 'PANIC' || severity === 'FATAL' || name === 'ExitStatus' || name === 'RuntimeError'
}

/** `unreachable`, as when a connection breaks: whether the commit is on disk is known when the store is opened again. */
function broken(cause: unknown): SqlError {
  return new SqlError(`the embedded store failed: ${toSqlError(cause).message}`, { code: unreachable, cause })
}

/** PGlite answers in microtasks only: a caller that loops over queries would never let a timer or socket run. */
function breath(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}
