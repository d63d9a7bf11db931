import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { openWorkerSession } from './pglite-worker-session.ts'
import { sessionSql } from './session-sql.ts'
import type { Sql } from './sql.ts'
import { acquireStoreLock } from './store-lock.ts'

/** Where the thread's source lies beside this file; a bundle passes its own. */
const pgliteWorkerUrl = new URL('./pglite-worker.ts', import.meta.url)

/**
 * The embedded store: PGlite in a worker thread over a folder that one process has at a time.
 * Durability `process-death`: PGlite never calls fsync (electric-sql/pglite#1107), so what was acknowledged outlives
 * a killed process, because the kernel has the pages, and not the loss of power.
 */
export async function openFolderSql(folder: string, workerUrl: URL = pgliteWorkerUrl): Promise<Sql> {
  await mkdir(dirname(folder), { recursive: true })
  const lock = await acquireStoreLock(`${folder}.lock`)
  try {
    const sql = sessionSql(await openWorkerSession(folder, workerUrl), 'process-death')
    return { ...sql, close: () => sql.close().finally(() => lock.release()) }
  } catch (error) {
    await lock.release()
    throw error
  }
}
