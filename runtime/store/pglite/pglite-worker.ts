/**
 * The worker thread that holds PGlite: a long query stalls this thread and not the one with the leases and heartbeats.
 * Answers `WorkerCall`s one after another, in their order.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { realDisk } from '../durable-files/disk.ts'
import { SyncedFolder } from '../durable-files/synced-folder.ts'
import { clusterTemplate } from './cluster-template.ts'
import { openPglite, type PgliteSession } from './pglite-session.ts'
import { toSqlError } from '../sql-error.ts'
import type { WorkerAnswer, WorkerCall, WorkerStart } from './pglite-worker-protocol.ts'

const port = parentPort
if (!port) throw new Error('pglite-worker runs as a worker thread only')
const { dataDir, extensions } = workerData as WorkerStart
const opening = openPglite(new SyncedFolder(dataDir, realDisk, undefined, clusterTemplate), extensions)
let last: Promise<unknown> = opening.then(
  () => port.postMessage({ ready: true }),
  (error: unknown) => port.postMessage({ ready: false, message: toSqlError(error).message }),
)

async function perform(session: PgliteSession, call: WorkerCall): Promise<unknown> {
  if (call.what === 'query') return session.query(call.text, call.params)
  if (call.what === 'exec') return session.exec(call.text)
  return session.close()
}

/** What is due is done after the answer; a session that broke ends the thread, and with it every call that waits. */
async function answer(call: WorkerCall): Promise<void> {
  const session = await opening
  const reply = (fields: Omit<WorkerAnswer, 'id'>): void => port?.postMessage({ id: call.id, ...fields })
  try {
    reply({ result: await perform(session, call) })
  } catch (error) {
    const { message, code, constraint } = toSqlError(error)
    reply({ error: { message, code, constraint } })
  }
  if (call.what !== 'close') await session.tidy()
  if (session.brokenBy) throw session.brokenBy
}

port.on('message', (call: WorkerCall) => {
  last = last.then(() => answer(call))
})
