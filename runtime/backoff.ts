import type { Random } from './random.ts'

const firstMs = 500
const longestMs = 60_000

/** Doubles from half a second to a minute; the jitter takes up to half of it off, so that many do not come back at once. */
export function backoffMs(attempts: number, random: Random): number {
  const full = Math.min(longestMs, firstMs * 2 ** Math.min(attempts - 1, 16))
  return Math.round(full * (1 - random() / 2))
}
