import type { Clock } from '../clock.ts'

export interface LeapingClock extends Clock {
  /** Lets this much time pass at once; what was due meanwhile runs now. */
  leap(milliseconds: number): void
}

/** Runs as real time does, for programs that run beside it, until a test leaps. */
export function leapingClock(): LeapingClock {
  let leapt = 0
  const timers = new Set<{ readonly due: number; readonly run: () => void; readonly timeout: NodeJS.Timeout }>()
  const now = (): number => Date.now() + leapt
  return {
    now,
    setTimer: (milliseconds, run) => {
      const due = now() + milliseconds
      const timer = { due, run, timeout: setTimeout(() => (timers.delete(timer), run()), milliseconds) }
      timers.add(timer)
      return { cancel: () => (clearTimeout(timer.timeout), void timers.delete(timer)) }
    },
    leap: (milliseconds) => {
      leapt += milliseconds
      const due = [...timers].filter((timer) => timer.due <= now()).toSorted((a, b) => a.due - b.due)
      for (const timer of due) {
        if (!timers.delete(timer)) continue
        clearTimeout(timer.timeout)
        timer.run()
      }
    },
  }
}
