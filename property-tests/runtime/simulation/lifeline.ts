/**
 * Between one life of a process and everything outside of it. Cut: nothing comes through any more, in either direction.
 * Paused, as by SIGSTOP: what comes in waits and is heard afterwards, in the order in which it came.
 */
import type { Clock } from '../../../runtime/clock.ts'
import type { Holders } from './ownership.ts'
import type { World } from './world.ts'

export interface Lifeline {
  readonly name: string
  readonly slot: number
  readonly world: World
  readonly isCut: boolean
  /** Who held the shards when the last commit whose answer was heard was made. */
  committedUnder: Holders
  /** Resolves when it is cut. */
  readonly died: Promise<void>
  /** What comes from outside: an answer, a timer. */
  hear(callback: () => void): void
  /** The process passes one of the points of `points.ts`; true when it died there. */
  passes(point: string): boolean
  cut(why: string): void
  pause(): void
  resume(): void
}

/** Says at which passage of which point the process is to die. */
export type DiesAt = (point: string) => boolean

export function lifeline(world: World, slot: number, name: string, diesAt: DiesAt): Lifeline {
  const { promise: died, resolve } = Promise.withResolvers<void>()
  let isCut = false
  let waiting: (() => void)[] | undefined

  function cut(why: string): void {
    if (isCut) return
    isCut = true
    world.tell(`${name} dies: ${why}`, true)
    resolve()
  }

  return {
    name,
    slot,
    world,
    died,
    committedUnder: new Map(),
    get isCut() {
      return isCut
    },
    hear(callback) {
      if (isCut) return
      if (waiting) waiting.push(callback)
      else callback()
    },
    passes(point) {
      if (!isCut && diesAt(point)) cut(point)
      return isCut
    },
    cut,
    pause() {
      waiting ??= []
    },
    resume() {
      const heard = waiting ?? []
      waiting = undefined
      // One by one, so that what each sets off is over before the next: as a woken event loop would.
      heard.forEach((callback, index) => world.after(index * resumeStepMs, () => this.hear(callback)))
    },
  }
}

const resumeStepMs = 0.001

/** The wall clock of one process, which people may set; timers and `elapsed` take no notice of that. */
export interface ProcessClock extends Clock {
  jump(byMs: number): void
}

export function processClock(line: Lifeline, skewMs: number): ProcessClock {
  const { clock } = line.world
  let skew = skewMs
  return {
    now: () => Math.floor(clock.now() + skew),
    elapsed: () => clock.elapsed(),
    setTimer: (delayMs, callback) =>
      clock.setTimer(Math.max(0, delayMs), () =>
        line.hear(() => {
          if (!line.passes('timer: about to fire')) callback()
        }),
      ),
    jump: (byMs) => void (skew += byMs),
  }
}
