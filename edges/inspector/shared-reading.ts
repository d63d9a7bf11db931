import type { Clock } from '../../runtime/clock.ts'

/** Every page that is open asks after each step; all of them share one reading for so long. */
const sharedMs = 1000

/** Nobody looks at an older one, however long it took: the first one after a start takes longest. */
const longestMs = 10_000

/** One reading for all who ask soon after it; of one that took long, for so long that readings take a twentieth of the time. */
export function sharedReading<T>(clock: Pick<Clock, 'elapsed'>, read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | undefined
  let staleAt = 0
  return () => {
    const startedAt = clock.elapsed()
    if (reading !== undefined && startedAt < staleAt) return reading
    staleAt = Infinity
    reading = read()
    reading.then(
      () => (staleAt = clock.elapsed() + shareFor(clock.elapsed() - startedAt)),
      () => (staleAt = 0),
    )
    return reading
  }
}

function shareFor(tookMs: number): number {
  return Math.min(Math.max(sharedMs, 20 * tookMs), longestMs)
}
