import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { StoreLockedError } from '../../errors.ts'
import { diskProbe } from '../disk-probe.ts'
import { takeKernelLock } from '../lock/kernel-lock.ts'
import type { StoreExtension } from './pglite-session.ts'
import { openWorkerSession } from './pglite-worker-session.ts'
import { sessionSql } from '../session-sql.ts'
import type { Sql } from '../sql.ts'
import { acquireStoreLock, type StoreLock } from '../lock/store-lock.ts'

/** Where the thread's source lies beside this file; the bundle has its own beside itself. */
const pgliteWorkerUrl = new URL('./pglite-worker.ts', import.meta.url)

/**
 * The embedded store: PGlite in a worker thread over a folder that one process has at a time. What was acknowledged
 * outlives the loss of power (R1, `durable-files/`), as far as the drive keeps what it says it has kept.
 */
export async function openFolderSql(folder: string, extensions: readonly StoreExtension[] = []): Promise<Sql> {
  await mkdir(dirname(folder), { recursive: true })
  const lock = await lockFolder(`${folder}.lock`)
  try {
    const session = await openWorkerSession(folder, pgliteWorkerUrl, extensions)
    const sql = sessionSql(session, 'power-loss')
    const probe = diskProbe(`${folder}.probe`)
    return { ...sql, lost: session.lost, probe, close: () => sql.close().finally(() => lock.release()) }
  } catch (error) {
    await lock.release()
    throw error
  }
}

/** The file says who has it, also to versions that know no other lock; the kernel knows about those who can't judge that. */
async function lockFolder(path: string): Promise<StoreLock> {
  const named = await acquireStoreLock(path)
  try {
    const held = takeKernelLock(`${path}.kernel`)
    if (!held) throw new StoreLockedError(`${path} is held by a process that is not to be seen from here`)
    return { release: () => named.release().finally(() => held.release()) }
  } catch (error) {
    await named.release()
    throw error
  }
}
