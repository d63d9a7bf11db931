import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { StoreExtension } from './pglite-session.ts'
import type { WorkerAnswer, WorkerReady, WorkerRequest, WorkerStart } from './pglite-worker-protocol.ts'
import type { Session } from '../session-sql.ts'
import { SqlError, unreachable } from '../sql-error.ts'
import type { Result } from '../sql.ts'

interface Waiting {
  resolve(result: unknown): void
  reject(error: SqlError): void
}

interface WorkerSession extends Session {
  /** Resolves when the thread has ended unasked: Postgres panicked, or a sync failed. */
  readonly lost: Promise<Error>
}

/** A session on a PGlite in a thread of its own. `workerUrl` is `pglite-worker.ts` or the bundle made of it. */
export async function openWorkerSession(
  dataDir: string,
  workerUrl: URL,
  extensions: readonly StoreExtension[],
): Promise<WorkerSession> {
  const worker = new Worker(workerUrl, { workerData: { dataDir, extensions } satisfies WorkerStart })
  const ready = await firstWord(worker)
  if (!ready.ready) {
    await worker.terminate()
    throw new SqlError(`PGlite could not open ${dataDir}: ${ready.message}`, { code: unreachable })
  }
  return workerSession(worker)
}

/** A thread that ends in silence says so too. */
async function firstWord(worker: Worker): Promise<WorkerReady> {
  const settled = new AbortController()
  const silence = once(worker, 'exit', settled).then(() => ({ ready: false, message: 'its thread ended' }) as const)
  try {
    return await Promise.race([once(worker, 'message', settled).then(([word]) => word as WorkerReady), silence])
  } finally {
    settled.abort()
  }
}

function workerSession(worker: Worker): WorkerSession {
  const waiting = new Map<number, Waiting>()
  const lost = Promise.withResolvers<Error>()
  let lastId = 0
  let isClosing = false
  let ended: SqlError | undefined

  function end(reason: string): void {
    ended ??= new SqlError(reason, { code: unreachable })
    if (!isClosing) lost.resolve(ended)
    for (const call of waiting.values()) call.reject(ended)
    waiting.clear()
  }

  worker.on('message', ({ id, result, error }: WorkerAnswer) => {
    const call = waiting.get(id)
    waiting.delete(id)
    if (error) call?.reject(new SqlError(error.message, error))
    else call?.resolve(result)
  })
  worker.on('error', (error) => end(`the store's thread failed: ${error.message}`))
  worker.on('exit', () => end("the store's thread has ended"))

  function ask(request: WorkerRequest): Promise<unknown> {
    if (ended) return Promise.reject(ended)
    const id = ++lastId
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject })
      worker.postMessage({ ...request, id })
    })
  }

  return {
    lost: lost.promise,
    query: (text, params) => ask({ what: 'query', text, params: [...params] }) as Promise<Result<object>>,
    exec: async (text) => void (await ask({ what: 'exec', text })),
    async close() {
      isClosing = true
      if (ended) return
      await ask({ what: 'close' })
      await worker.terminate()
    },
  }
}
