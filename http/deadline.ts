import type { Clock } from './ports.ts'

/** The work did not end within its time. Its signal was aborted, so sockets are freed. */
export class DeadlineError extends Error {
  readonly milliseconds: number

  constructor(milliseconds: number) {
    super(`no answer within ${milliseconds} ms`)
    this.name = 'DeadlineError'
    this.milliseconds = milliseconds
  }
}

/** Runs `work` and rejects with `DeadlineError` when the clock says that its time is up, even if it ignores the signal. */
export async function withDeadline<T>(
  clock: Clock,
  milliseconds: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const abort = new AbortController()
  const expired = Promise.withResolvers<never>()
  const timer = clock.setTimer(milliseconds, () => {
    const error = new DeadlineError(milliseconds)
    abort.abort(error)
    expired.reject(error)
  })
  try {
    return await Promise.race([work(abort.signal), expired.promise])
  } finally {
    timer.cancel()
  }
}
