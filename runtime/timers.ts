/**
 * Durable timers: rows until they are due, then events under `timer:<id>:<seq armed>` (R8). Only the next due time is
 * held in memory, so a million pending timers cost nothing to hold.
 */
import type { Clock, Timer } from './clock.ts'
import { messageOf } from './errors.ts'
import type { Logger } from './logger.ts'
import { dueTimers } from './store/due-timers.ts'
import { nextDue } from './store/next-due.ts'
import type { TimerRow } from './store/rows.ts'
import type { Sql } from './store/sql.ts'

export interface TimersOptions {
  readonly sql: Sql
  readonly clock: Clock
  readonly logger: Logger
  readonly shards: () => readonly number[]
  /** Hands a due timer to its actor; resolves when it was taken in or turned out void, false when it must wait. */
  readonly fire: (timer: TimerRow) => Promise<boolean>
}

const firedAtOnce = 500
/** The store is asked again after this long even when nothing seems due: another owner's timers may have come to us. */
const longestSleepMs = 30_000
const retryMs = 1000

export class Timers {
  readonly #options: TimersOptions
  /** Handed over and not yet committed, or stuck at a quarantined actor. */
  readonly #inHand = new Set<string>()
  #wake: Timer | undefined
  #wakeAt = Infinity
  #round: Promise<void> | undefined
  #isOpen = false

  constructor(options: TimersOptions) {
    this.#options = options
  }

  start(): void {
    this.#isOpen = true
    this.look()
  }

  async stop(): Promise<void> {
    this.#isOpen = false
    this.#wake?.cancel()
    await this.#round
  }

  /** A commit armed a timer for this time. */
  armed(dueAt: number): void {
    if (dueAt < this.#wakeAt) this.#sleepUntil(dueAt)
  }

  /** Looks for due timers now. */
  look(): void {
    if (!this.#isOpen || this.#round) return
    this.#wake?.cancel()
    this.#wakeAt = Infinity
    this.#round = this.#fireDue()
      .catch((error: unknown) => {
        this.#options.logger.warn({ error: messageOf(error) }, 'timers could not be read')
        this.#sleepUntil(this.#options.clock.now() + retryMs)
      })
      .finally(() => (this.#round = undefined))
  }

  async #fireDue(): Promise<void> {
    const { sql, clock, shards } = this.#options
    for (;;) {
      const query = { shards: shards(), dueBy: clock.now(), limit: firedAtOnce + this.#inHand.size }
      const due = await dueTimers(sql, query)
      const fresh = due.filter((timer) => !this.#inHand.has(nameOf(timer)))
      await Promise.all(fresh.map((timer) => this.#fire(timer)))
      if (due.length < query.limit) return this.#sleepUntilNext(query.dueBy)
    }
  }

  async #fire(timer: TimerRow): Promise<void> {
    const name = nameOf(timer)
    this.#inHand.add(name)
    try {
      if (await this.#options.fire(timer)) this.#inHand.delete(name)
    } catch (error) {
      this.#inHand.delete(name)
      this.#options.logger.warn({ timer: name, error: messageOf(error) }, 'a timer could not be handed over')
      this.armed(this.#options.clock.now() + retryMs)
    }
  }

  async #sleepUntilNext(after: number): Promise<void> {
    const { sql, clock, shards } = this.#options
    const due = await nextDue(sql, { shards: shards(), after })
    this.armed(Math.min(due ?? Infinity, clock.now() + longestSleepMs))
  }

  #sleepUntil(at: number): void {
    if (!this.#isOpen) return
    this.#wake?.cancel()
    this.#wakeAt = at
    this.#wake = this.#options.clock.setTimer(Math.max(0, at - this.#options.clock.now()), () => this.#woken())
  }

  #woken(): void {
    this.#wakeAt = Infinity
    if (this.#round) void this.#round.then(() => this.look())
    else this.look()
  }
}

function nameOf(timer: TimerRow): string {
  return `${timer.actor} ${timer.id} ${timer.seq}`
}
