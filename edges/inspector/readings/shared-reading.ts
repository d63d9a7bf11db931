import type { Clock } from '../../../runtime/clock.ts'

/** Every page that is open asks after each step; all of them share one reading, or its failure, for so long. */
const sharedMs = 1000

/** The first reading after a start fills caches and takes longest: it says nothing of how long the next one takes. */
const firstSharedMs = 10_000

/** A reading is shared for so many times what it took: at most a twentieth of the time is spent on them, however slow they are. */
const sharedTimes = 20

/** Of so many things that are read one by one, the readings that were asked for last are shared. */
const mostKept = 100

/** One reading for all who ask soon after it. */
export function sharedReading<A extends readonly unknown[], T>(
  clock: Pick<Clock, 'elapsed'>,
  read: (...of: A) => Promise<T>,
): (...of: A) => Promise<T> {
  let reading: Promise<T> | undefined
  let staleAt = 0
  let longestMs = firstSharedMs
  return (...of) => {
    const startedAt = clock.elapsed()
    if (reading !== undefined && startedAt < staleAt) return reading
    staleAt = Infinity
    reading = read(...of)
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

/** One reading of each thing, by its key, for all who ask for it soon after. */
export function sharedReadings<A extends readonly unknown[], T>(
  clock: Pick<Clock, 'elapsed'>,
  read: (...of: A) => Promise<T>,
): (key: string, ...of: A) => Promise<T> {
  const kept = new Map<string, (...of: A) => Promise<T>>()
  return (key, ...of) => {
    const shared = kept.get(key) ?? sharedReading(clock, read)
    kept.delete(key)
    kept.set(key, shared)
    for (const oldest of kept.keys()) if (kept.size > mostKept) kept.delete(oldest)
    return shared(...of)
  }
}
