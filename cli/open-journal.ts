import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ParseArgsOptionsConfig } from 'node:util'
import { machines } from '../machines/registry.ts'
import { StoreLockedError } from '../runtime/errors.ts'
import { openPgSql } from '../runtime/store/postgres/pg-sql.ts'
import { openFolderSql } from '../runtime/store/pglite/pglite-folder.ts'
import type { Sql } from '../runtime/store/sql.ts'
import { text, UsageError, type Parsed } from './args.ts'
import { connectOrchestrator, serverOptions, serverUsage } from './server/connect.ts'
import type { JournalApi } from '../edges/journal/journal-api.ts'
import { remoteJournal } from './remote-journal.ts'
import { storedJournal } from '../edges/journal/stored-journal.ts'

/** Whom a command asks: a running orchestrator, or a store directly. */
export const journalOptions = {
  ...serverOptions,
  database: { type: 'string' },
  state: { type: 'string' },
} as const satisfies ParseArgsOptionsConfig

export const journalUsage = `${serverUsage}
  --state DIR       read the embedded store in this folder (state/ in the folder of statewright up); stop the orchestrator first
  --database URL    read a PostgreSQL store; its orchestrator may run`

export async function withJournal<T>(parsed: Parsed, use: (journal: JournalApi) => Promise<T>): Promise<T> {
  const journal = await openJournal(parsed)
  try {
    return await use(journal)
  } finally {
    await journal.close()
  }
}

async function openJournal(parsed: Parsed): Promise<JournalApi> {
  const [state, database] = [text(parsed, 'state'), text(parsed, 'database')]
  if (state !== undefined && database !== undefined)
    throw new UsageError('--state and --database name two stores: give one')
  if (state === undefined && database === undefined) return remoteJournal(await connectOrchestrator(parsed))
  const sql = state === undefined ? await openPgSql({ url: database ?? '' }) : await openFolder(state)
  try {
    await requireJournal(sql, state ?? 'the database')
    return storedJournal({ sql, definitions: machines, randomBytes: () => randomBytes(32) })
  } catch (error) {
    await sql.close()
    throw error
  }
}

/** Opening a folder that is not there would make a store in it. */
async function openFolder(state: string): Promise<Sql> {
  const folder = join(state, 'database')
  if (!existsSync(folder))
    throw new Error(
      `${state} contains no embedded store: --state takes the folder state/ in the folder of statewright up`,
    )
  try {
    return await openFolderSql(folder)
  } catch (error) {
    if (!(error instanceof StoreLockedError)) throw error
    throw new Error(`${error.message}: stop the orchestrator, or ask it with --dir instead of --state`, {
      cause: error,
    })
  }
}

/** Nothing is migrated here: a store is brought up to date by the orchestrator alone. */
async function requireJournal(sql: Sql, place: string): Promise<void> {
  const { rows } = await sql.query<{ found: boolean }>(`select to_regclass('event') is not null as found`)
  if (rows[0]?.found !== true) throw new Error(`${place} contains no journal: no orchestrator ever started on it`)
}
