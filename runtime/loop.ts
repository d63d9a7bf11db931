/**
 * What a process does again and again: a turn, a pause, the next turn.
 *
 * - L1 Whatever a turn throws, the next one is set, after the backoff of its failures in a row (`outage.ts`).
 * - L2 One turn at a time. Who is woken meanwhile takes one more turn at once.
 * - L3 The clock of a server watches it (`Loops`): without a turn for too long it is `degraded`. A turn that fails because
 *   somebody else is away is a turn.
 */
import type { BackoffBounds } from './backoff.ts'
import type { Clock, LoopName, LoopWatch, Timer } from './clock.ts'
import type { Logger } from './logger.ts'
import { createOutage, type Outage } from './outage.ts'
import type { Random } from './random.ts'

export interface LoopOptions {
  readonly name: string
  readonly clock: Clock
  readonly random: Random
  readonly logger: Pick<Logger, 'info' | 'warn'>
  /** Between two turns. */
  readonly everyMs: number
  /** May name another pause, in milliseconds. */
  readonly turn: () => Promise<number | void> | number | void
  /** The sentence of a failed turn, and the one of the end of failures. */
  readonly failing: string
  readonly over: string
  readonly bounds?: BackoffBounds
}

export interface Loop {
  /** The first turn comes after `delayMs`, or at once. */
  start(delayMs?: number): void
  /** The next turn comes now; before `start` and after `stop` none does. */
  wake(): void
  /** Resolves when no turn is under way. */
  settled(): Promise<void>
  /** Resolves when the turn under way has ended; none comes after it. */
  stop(): Promise<void>
}

export function createLoop(options: LoopOptions): Loop {
  return new TimedLoop(options)
}

export const unwatched: LoopWatch = { turn: (run) => run(), turned: () => undefined, close: () => undefined }

/** What watches a loop that sets its turns by itself. */
export function watchLoop({ loops }: Pick<Clock, 'loops'>, loop: LoopName): LoopWatch {
  return loops?.open(loop) ?? unwatched
}

class TimedLoop implements Loop {
  readonly #options: LoopOptions
  readonly #outage: Outage
  #watch = unwatched
  #timer: Timer | undefined
  #running: Promise<void> | undefined
  #isOpen = false
  #isWoken = false

  constructor(options: LoopOptions) {
    this.#options = options
    this.#outage = createOutage(options)
  }

  start(delayMs = 0): void {
    if (!this.#isOpen) this.#watch = watchLoop(this.#options.clock, this.#options)
    this.#isOpen = true
    if (delayMs === 0) this.wake()
    else this.#wakeIn(delayMs)
  }

  wake(): void {
    if (!this.#isOpen) return
    this.#timer?.cancel()
    this.#isWoken = true
    this.#running ??= this.#run()
  }

  async settled(): Promise<void> {
    while (this.#running !== undefined) await this.#running
  }

  async stop(): Promise<void> {
    this.#isOpen = false
    this.#timer?.cancel()
    this.#watch.close()
    this.#watch = unwatched
    await this.settled()
  }

  #wakeIn(delayMs: number): void {
    if (!this.#isOpen) return
    this.#timer?.cancel()
    this.#timer = this.#options.clock.setTimer(delayMs, () => this.wake())
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    let pauseMs = this.#options.everyMs
    try {
      while (this.#isWoken && this.#isOpen) {
        this.#isWoken = false
        pauseMs = await this.#turn()
      }
    } finally {
      this.#running = undefined
      this.#wakeIn(pauseMs)
    }
  }

  async #turn(): Promise<number> {
    const { turn, everyMs } = this.#options
    try {
      const pauseMs = await this.#watch.turn(async () => turn())
      this.#outage.answered()
      return pauseMs ?? everyMs
    } catch (error) {
      return this.#outage.failed(error)
    }
  }
}
