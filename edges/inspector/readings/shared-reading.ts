import type { Clock } from '../../../runtime/clock.ts'

/** Every page that is open asks after each step; all of them share one reading, or its failure, for so long. */
const sharedMs = 1000

/** The first reading after a start fills caches and takes longest: it says nothing of how long the next one takes. */
const firstSharedMs = 10_000

/** A reading is shared for so many times what it took: at most a twentieth of the time is spent on them, however slow they are. */
const sharedTimes = 20

/** One reading for all who ask soon after it. */
export function sharedReading<T>(clock: Pick<Clock, 'elapsed'>, read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | undefined
  let staleAt = 0
  let longestMs = firstSharedMs
  return () => {
    const startedAt = clock.elapsed()
    if (reading !== undefined && startedAt < staleAt) return reading
    staleAt = Infinity
    reading = read()
    reading.then(
      () => {
        const now = clock.elapsed()
        staleAt = now + Math.min(Math.max(sharedMs, sharedTimes * (now - startedAt)), longestMs)
        longestMs = Infinity
      },
      () => (staleAt = clock.elapsed() + sharedMs),
    )
    return reading
  }
}
