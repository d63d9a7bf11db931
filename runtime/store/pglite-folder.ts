import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { openWorkerSession } from './pglite-worker-session.ts'
import { sessionSql } from './session-sql.ts'
import type { Sql } from './sql.ts'
import { acquireStoreLock } from './store-lock.ts'

/** Where the thread's source lies beside this file; a bundle passes its own. */
const pgliteWorkerUrl = new URL('./pglite-worker.ts', import.meta.url)

/**
 * The embedded store: PGlite in a worker thread over a folder that one process has at a time. What was acknowledged
 * outlives the loss of power (R1, `durable-files/`), as far as the drive keeps what it says it has kept.
 */
export async function openFolderSql(folder: string, workerUrl: URL = pgliteWorkerUrl): Promise<Sql> {
  await mkdir(dirname(folder), { recursive: true })
  const lock = await acquireStoreLock(`${folder}.lock`)
  try {
    const sql = sessionSql(await openWorkerSession(folder, workerUrl), 'power-loss')
    return { ...sql, close: () => sql.close().finally(() => lock.release()) }
  } catch (error) {
    await lock.release()
    throw error
  }
}
