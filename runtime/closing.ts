import { sleep, type Clock } from './clock.ts'

/** Names what a start has opened, with what closes it again. */
export type Opened = (close: () => unknown) => void

/** What one part may take. A part that does not close in time is left, and the process ends without it. */
const partLimitMs = 15_000

/**
 * Runs a start of several parts. When it fails, those that were opened are closed, the last one first, each within its
 * limit, and then the failure is thrown: nobody else knows of them, and one that stays open keeps a process alive.
 */
export async function closingOnFailure<T>(
  clock: Clock,
  start: (opened: Opened) => Promise<T>,
  limitMs = partLimitMs,
): Promise<T> {
  const closers: (() => unknown)[] = []
  try {
    return await start((close) => void closers.push(close))
  } catch (error) {
    for (const close of closers.toReversed()) await withinLimit(clock, close, limitMs)
    throw error
  }
}

/** What fails while it closes is no news: the failure of the start is. */
async function withinLimit(clock: Clock, close: () => unknown, limitMs: number): Promise<void> {
  const isOver = new AbortController()
  const closed = Promise.resolve()
    .then(close)
    .catch(() => undefined)
  await Promise.race([closed, sleep(clock, limitMs, isOver.signal)])
  isOver.abort()
}
