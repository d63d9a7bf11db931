/**
 * Durable timers: rows until they are due, then events under `timer:<id>:<seq armed>` (R8). Those of the next minute, or
 * a page of them if that is less, are held in memory, each with an alarm; so a million that wait cost nothing, and
 * one that is due is not looked for in the store first. Time is the time of day, which due times are made of: set
 * forward, what fell due fires within a second; set back, nothing fires early.
 */
import { Alarms, type Alarm } from './timer-heap.ts'
import { backoffMs } from '../backoff.ts'
import type { Clock, Timer } from '../clock.ts'
import type { Logger } from '../logger.ts'
import { unwatched, watchLoop } from '../loop.ts'
import type { RuntimeObserver } from '../observer.ts'
import { createOutage, type Outage } from '../outage.ts'
import type { Random } from '../random.ts'
import { dueTimers } from '../store/timers/due-timers.ts'
import type { TimerRow } from '../store/rows.ts'
import type { Sql } from '../store/sql.ts'

interface TimersOptions {
  readonly sql: Sql
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly observer: RuntimeObserver
  readonly shards: () => readonly number[]
  /** Hands a due timer to its actor; resolves when it was taken in or turned out void, false when it must wait. */
  readonly fire: (timer: TimerRow) => Promise<boolean>
  /** Rows read at once; twice as many may be in memory. */
  readonly pageSize?: number
}

interface Held {
  readonly timer: TimerRow
  /** Undefined: due, and waiting for its turn or handed over. */
  alarm: Alarm | undefined
  /** Its actor is quarantined: it stays armed and waits for code that can load it. */
  isStuck: boolean
  /** Tries to hand it over that failed. */
  failures: number
}

const windowMs = 60_000
const defaultPageSize = 2000
/** Handed over at once: a commit's worth. */
const firedAtOnce = 500

export class Timers {
  readonly #options: TimersOptions
  readonly #alarms: Alarms
  readonly #pageSize: number
  /** By actor and id: in memory, handed over and not yet committed, or stuck at a quarantined actor. */
  readonly #held = new Map<string, Held>()
  /** Every row that is due up to here is held, as far as this process knows. */
  #horizon = -Infinity
  #stuck = 0
  #due: Held[] = []
  #firing = 0
  #reading: Promise<void> | undefined
  #isReadAgain = false
  #refill: Alarm | undefined
  /** Waits while the store does not answer: nothing but `look` asks it sooner. */
  #retry: Timer | undefined
  readonly #reads: Outage
  readonly #deliveries: Outage
  /** Held ones that could not be handed over yet. */
  #failing = 0
  #watch = unwatched
  #isOpen = false

  constructor(options: TimersOptions) {
    this.#options = options
    this.#alarms = new Alarms(options.clock, 'now')
    this.#pageSize = options.pageSize ?? defaultPageSize
    this.#reads = createOutage({
      ...options,
      failing: 'the runtime could not read timers',
      over: 'the runtime reads timers again',
    })
    this.#deliveries = createOutage({
      ...options,
      failing: 'the runtime could not deliver the event of a timer',
      over: 'no timer waits after a failed delivery any more',
    })
  }

  start(): void {
    this.#isOpen = true
    this.#watch = watchLoop(this.#options.clock, { name: 'timers', everyMs: windowMs, isVital: true })
    this.look()
  }

  async stop(): Promise<void> {
    this.#isOpen = false
    this.#refill?.cancel()
    this.#endPause()
    this.#alarms.clear()
    this.#due = []
    this.#watch.close()
    await this.#reading
  }

  /** A commit armed and cleared these. */
  committed(set: readonly TimerRow[], cleared: readonly Pick<TimerRow, 'actor' | 'id'>[]): void {
    for (const timer of cleared) this.#drop(nameOf(timer))
    for (const timer of set) {
      this.#drop(nameOf(timer))
      if (timer.dueAt <= this.#horizon) this.#hold(timer)
    }
    this.#trim()
  }

  /** Reads anew from the earliest: the store has just answered a takeover, or a reading of all that it holds. */
  look(): void {
    if (!this.#isOpen) return
    this.#endPause()
    this.#horizon = -Infinity
    this.#isReadAgain = true
    this.#read()
  }

  /** The shards went to another owner. */
  forget(isForgotten: (timer: TimerRow) => boolean): void {
    for (const [name, { timer }] of this.#held) if (isForgotten(timer)) this.#drop(name)
  }

  #read(): void {
    if (!this.#isOpen || this.#reading || this.#retry) return
    this.#isReadAgain = false
    this.#refill?.cancel()
    this.#reading = this.#watch
      .turn(() => this.#readPage())
      .then(
        () => {
          this.#reads.answered()
          this.#reading = undefined
          if (this.#isReadAgain) this.#read()
          else this.#refillIfShort()
        },
        (error: unknown) => {
          this.#reading = undefined
          this.#readLater(this.#reads.failed(error))
        },
      )
  }

  #readLater(delayMs: number): void {
    if (!this.#isOpen) return
    this.#retry = this.#options.clock.setTimer(delayMs, () => {
      this.#retry = undefined
      this.#read()
    })
  }

  #endPause(): void {
    this.#retry?.cancel()
    this.#retry = undefined
  }

  /**
   * Rows that fall due in the same millisecond as the last of a page may be left in the store: the next page begins with
   * that millisecond again, and is longer by as many as are held already, so that it always brings new ones.
   */
  async #readPage(): Promise<void> {
    const { sql, clock, shards } = this.#options
    const from = Math.max(0, this.#horizon)
    const to = clock.now() + windowMs
    if (from >= to) return
    let known = 0
    for (const { timer } of this.#held.values()) if (timer.dueAt <= from || this.#horizon === -Infinity) known++
    const limit = this.#pageSize + known
    const horizonBefore = this.#horizon
    // Commits meanwhile arm timers that the page does not have: held, because the horizon is raised at once.
    this.#horizon = Math.max(this.#horizon, to)
    let rows: readonly TimerRow[]
    try {
      rows = await dueTimers(sql, { shards: shards(), from, to, limit })
    } catch (error) {
      this.#lowerHorizon(horizonBefore)
      throw error
    }
    if (this.#isReadAgain || !this.#isOpen) return
    const last = rows.at(-1)
    if (last && rows.length >= limit) this.#lowerHorizon(last.dueAt)
    for (const timer of rows) this.#takeIn(timer)
  }

  /** What falls due behind it goes back to being a row. */
  #lowerHorizon(to: number): void {
    this.#horizon = Math.min(this.#horizon, to)
    for (const [name, { timer, alarm }] of this.#held) if (alarm && timer.dueAt > this.#horizon) this.#drop(name)
  }

  /** A commit may have armed it anew while the page was read. */
  #takeIn(timer: TimerRow): void {
    const held = this.#held.get(nameOf(timer))
    if (held && held.timer.seq >= timer.seq) return
    this.#drop(nameOf(timer))
    this.#hold(timer)
  }

  #hold(timer: TimerRow): void {
    const held: Held = { timer, alarm: undefined, isStuck: false, failures: 0 }
    this.#held.set(nameOf(timer), held)
    if (timer.dueAt <= this.#options.clock.now()) this.#makeDue(held)
    else held.alarm = this.#alarms.at(timer.dueAt, () => this.#makeDue(held))
  }

  /** Void timers are refused by the commit anyway; dropped here they cost it nothing. */
  #drop(name: string): void {
    const held = this.#held.get(name)
    if (!held) return
    held.alarm?.cancel()
    this.#held.delete(name)
    if (held.isStuck) this.#stuck--
    this.#endFailing(held)
  }

  #makeDue(held: Held): void {
    held.alarm = undefined
    this.#due.push(held)
    this.#options.observer.timersDue(this.#due.length)
    this.#fireDue()
  }

  #fireDue(): void {
    if (this.#firing >= firedAtOnce) return
    const next = this.#due.splice(0, firedAtOnce - this.#firing)
    for (const held of next) if (this.#held.get(nameOf(held.timer)) === held) void this.#fire(held)
    if (next.length > 0) this.#options.observer.timersDue(this.#due.length)
  }

  async #fire(held: Held): Promise<void> {
    const { clock, observer, fire } = this.#options
    const { timer } = held
    const name = nameOf(timer)
    this.#firing++
    try {
      const isTaken = await fire(timer)
      if (isTaken) observer.timerFired(Math.max(0, clock.now() - timer.dueAt))
      if (this.#held.get(name) === held) {
        if (isTaken) this.#drop(name)
        else this.#markStuck(held)
      }
    } catch (error) {
      if (this.#isOpen && this.#held.get(name) === held) this.#fireLater(held, error)
    }
    this.#firing--
    this.#fireDue()
    this.#refillIfShort()
  }

  /** Each by its own tries; what is logged counts those of all. */
  #fireLater(held: Held, error: unknown): void {
    const { clock, random } = this.#options
    if (held.failures++ === 0) this.#failing++
    this.#deliveries.failed(error, { timer: nameOf(held.timer) })
    held.alarm = this.#alarms.at(clock.now() + backoffMs(held.failures, random), () => this.#makeDue(held))
  }

  #endFailing(held: Held): void {
    if (held.failures === 0) return
    held.failures = 0
    if (--this.#failing === 0) this.#deliveries.answered()
  }

  #markStuck(held: Held): void {
    held.isStuck = true
    this.#stuck++
    this.#endFailing(held)
  }

  /** Reads on when less than half a window is left, and less than half a page of memory in use. */
  #refillIfShort(): void {
    if (!this.#isOpen || this.#reading || this.#retry) return
    const leftMs = this.#horizon - this.#options.clock.now()
    if (leftMs > windowMs / 2) return this.#refillAfter(leftMs - windowMs / 2)
    if ((this.#held.size - this.#stuck) * 2 <= this.#pageSize) this.#read()
    // Else each one that fires asks again.
  }

  /** By an alarm, which notices when the clock is set forward. */
  #refillAfter(delayMs: number): void {
    this.#refill?.cancel()
    if (!this.#isOpen) return
    this.#refill = this.#alarms.at(this.#options.clock.now() + delayMs, () => this.#refillIfShort())
  }

  /** Too many armed within the window. */
  #trim(): void {
    if (this.#held.size - this.#stuck <= 4 * this.#pageSize) return
    const waiting = [...this.#held.values()].filter((held) => held.alarm !== undefined)
    const last = waiting.toSorted((a, b) => a.timer.dueAt - b.timer.dueAt)[this.#pageSize]
    if (last) this.#lowerHorizon(last.timer.dueAt)
  }
}

function nameOf({ actor, id }: Pick<TimerRow, 'actor' | 'id'>): string {
  return `${actor} ${id}`
}
