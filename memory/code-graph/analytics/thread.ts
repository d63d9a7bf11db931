import { Worker } from 'node:worker_threads'
import type { Job, JobKind, JobResults } from './jobs.ts'

/** Where the thread's source lies beside this file; the bundle has its own beside itself. */
const workerUrl = new URL('./analytics-worker.ts', import.meta.url)

export type RunJob = (job: Job, signal: AbortSignal) => Promise<JobResults[JobKind]>

/** Works in a thread of its own, which ends with the job, or with the signal in the middle of it. */
export const runInThread: RunJob = (job, signal) =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const worker = new Worker(workerUrl, { workerData: job })
    const stop = (): void => void worker.terminate()
    signal.addEventListener('abort', stop)
    worker.on('message', resolve)
    worker.on('error', reject)
    worker.on('exit', () => {
      signal.removeEventListener('abort', stop)
      reject(signal.aborted ? signal.reason : new Error(`the thread of ${job.kind} ended without an answer`))
    })
  })
