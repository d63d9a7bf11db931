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
  /** The next one last. */
  const timers: Waiting[] = []

  function insert(timer: Waiting): void {
    let [low, high] = [0, timers.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (earlier(timer, timers[middle]!) < 0) low = middle + 1
      else high = middle
    }
    timers.splice(low, 0, timer)
  }

  function remove(timer: Waiting): void {
    const at = timers.indexOf(timer)
    if (at >= 0) timers.splice(at, 1)
  }

  function fireUntil(end: number): void {
    for (;;) {
      const next = timers.at(-1)
      if (!next || next.dueAt > end) return
      timers.pop()
      now = Math.max(now, next.dueAt)
      next.callback()
    }
  }

  return {
    now: () => now,
    elapsed: () => now - startAt,
    setTimer(delayMs, callback): Timer {
      const timer = { dueAt: now + Math.max(0, delayMs), order: order++, callback }
      insert(timer)
      return { cancel: () => remove(timer) }
    },
    advance(delayMs) {
      const end = now + delayMs
      fireUntil(end)
      now = Math.max(now, end)
    },
    advanceToNext() {
      const next = timers.at(-1)
      if (next) fireUntil(next.dueAt)
      return next !== undefined
    },
    waiting: () => timers.length,
  }
}
