import type { Random } from './random.ts'

/** The bound of the first pause, and what it doubles to. */
export interface BackoffBounds {
  readonly firstMs: number
  readonly longestMs: number
}

const usualBounds: BackoffBounds = { firstMs: 500, longestMs: 60_000 }
const shortestMs = 50

/**
 * Full jitter: anywhere between nothing and a bound that doubles from half a second to a minute. Of the usual forms it
 * brings many that failed together back with the least work and the shortest queue
 * (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/). A floor keeps one from coming back at once.
 */
export function backoffMs(attempts: number, random: Random, { firstMs, longestMs } = usualBounds): number {
  const bound = Math.min(longestMs, firstMs * 2 ** Math.min(attempts - 1, 16))
  return Math.max(shortestMs, Math.round(bound * random()))
}
