/** The time as an argument: nothing below `cli/` reads a clock of its own, so a simulation can run the real code. */
export interface Timer {
  cancel(): void
}

/**
 * `now` is epoch milliseconds and may jump, as people and time servers set it. `elapsed` is milliseconds since some
 * beginning and never jumps: leases are judged by it. `setTimer` calls back once, no earlier than `delayMs` later.
 */
export interface Clock {
  now(): number
  elapsed(): number
  setTimer(delayMs: number, callback: () => void): Timer
  /** Watches the loops of the process; absent where nobody looks. */
  readonly loops?: Loops
}

export interface LoopName {
  readonly name: string
  /** The longest pause that it makes by itself. */
  readonly everyMs: number
  /** Without it the process cannot serve. */
  readonly isVital?: boolean
}

interface Loops {
  open(loop: LoopName): LoopWatch
}

export interface LoopWatch {
  /** Counts how it ended, and says that one did. */
  turn<T>(run: () => Promise<T>): Promise<T>
  /** The same of a turn that has ended well. */
  turned(): void
  close(): void
}

/** Node fires at once for longer delays than this (2^31 - 1 ms). */
const longestTimeoutMs = 2_147_483_647

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  setTimer(delayMs, callback) {
    const timeout = setTimeout(callback, Math.min(Math.max(0, delayMs), longestTimeoutMs))
    return { cancel: () => clearTimeout(timeout) }
  },
}

/** A moment by both clocks. */
export interface Moment {
  readonly elapsed: number
  readonly now: number
}

export function momentOf(clock: Clock): Moment {
  return { elapsed: clock.elapsed(), now: clock.now() }
}

/** By both: the time of day counts, though it may jump, for it goes on while a suspended machine's other clock stands still. */
export function isWithin(clock: Clock, { elapsed, now }: Moment, limitMs: number): boolean {
  return clock.elapsed() - elapsed < limitMs && clock.now() - now < limitMs
}

/** Resolves after `delayMs` of the given clock, or at once when the signal fires. */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const finish = (): void => {
      timer.cancel()
      signal?.removeEventListener('abort', finish)
      resolve()
    }
    const timer = clock.setTimer(delayMs, finish)
    signal?.addEventListener('abort', finish)
  })
}
