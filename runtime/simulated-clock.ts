import type { Clock, Timer } from './clock.ts'

/** A clock that stands still until it is told to go on. */
export interface SimulatedClock extends Clock {
  /** Moves the time on and fires what falls due, in due order, each callback seeing its own due time. */
  advance(delayMs: number): void
  /** Moves on to the next timer and fires it; false when none waits. */
  advanceToNext(): boolean
  /** Timers that still wait. */
  waiting(): number
}

interface Waiting {
  readonly dueAt: number
  readonly order: number
  readonly callback: () => void
}

function earlier(a: Waiting, b: Waiting): number {
  return a.dueAt - b.dueAt || a.order - b.order
}

export function simulatedClock(startAt: number): SimulatedClock {
  let now = startAt
  let order = 0
  let timers: Waiting[] = []

  function fireUntil(end: number): void {
    for (;;) {
      const next = timers.toSorted(earlier)[0]
      if (!next || next.dueAt > end) return
      timers = timers.filter((timer) => timer !== next)
      now = Math.max(now, next.dueAt)
      next.callback()
    }
  }

  return {
    now: () => now,
    elapsed: () => now - startAt,
    setTimer(delayMs, callback): Timer {
      const timer = { dueAt: now + Math.max(0, delayMs), order: order++, callback }
      timers.push(timer)
      return { cancel: () => void (timers = timers.filter((other) => other !== timer)) }
    },
    advance(delayMs) {
      const end = now + delayMs
      fireUntil(end)
      now = Math.max(now, end)
    },
    advanceToNext() {
      const next = timers.toSorted(earlier)[0]
      if (next) fireUntil(next.dueAt)
      return next !== undefined
    },
    waiting: () => timers.length,
  }
}
