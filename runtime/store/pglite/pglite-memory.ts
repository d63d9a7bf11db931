import { openPglite, type StoreExtension } from './pglite-session.ts'
import { sessionSql } from '../session-sql.ts'
import type { Sql } from '../sql.ts'

/** PGlite in this thread and in memory: deterministic, for tests and simulations. Takes about half a second to open. */
export async function openMemorySql(extensions: readonly StoreExtension[] = []): Promise<Sql> {
  return sessionSql(await openPglite(undefined, extensions), 'none')
}
