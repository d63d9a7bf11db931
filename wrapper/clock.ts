import type { Clock } from '../http/ports.ts'

export type { Clock } from '../http/ports.ts'

export function sleep(clock: Clock, delayMs: number): Promise<void> {
  return new Promise((resolve) => void clock.setTimer(delayMs, resolve))
}

/** Asks `condition` every `everyMs` until it holds; false when `limitMs` passed without. */
export async function until(
  clock: Clock,
  everyMs: number,
  limitMs: number,
  condition: () => boolean | Promise<boolean>,
): Promise<boolean> {
  const deadline = clock.now() + limitMs
  for (;;) {
    if (await condition()) return true
    if (clock.now() >= deadline) return false
    await sleep(clock, everyMs)
  }
}

export function isoTime(at: number): string {
  return new Date(at).toISOString()
}
