/**
 * Who waits for an answer, and the work that nobody waits for. An embedded store has one session: a question that comes
 * while an ingest writes waits for the transaction that runs. So the next one does not begin while somebody asks
 * (decisions/0058).
 */
import { sleep, type Clock } from '../runtime/clock.ts'
import type { Sql } from '../runtime/store/sql.ts'

/** Who asked a moment ago is likely to ask again: an agent reads on, or a page asks three things. */
const quietMs = 25
/** A transaction stands back for as often the time of the one before it: questions without an end slow an ingest to a third. */
const timesBack = 2
const longestMs = 150
const lookMs = 5

export class Foreground {
  readonly #clock: Clock
  #asking = 0
  #answeredAt = -Infinity
  #lastMs = 0
  #behind: Promise<unknown> = Promise.resolve()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  began(): void {
    this.#asking += 1
  }

  ended(): void {
    this.#asking -= 1
    this.#answeredAt = this.#clock.elapsed()
  }

  /** The same store, whose transactions come one after another and stand back for who asks. */
  behind(sql: Sql): Sql {
    return { ...sql, tx: (run) => this.#inTurn(() => sql.tx(run)) }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#behind.then(async () => {
      await this.#standBack()
      const from = this.#clock.elapsed()
      return work().finally(() => (this.#lastMs = this.#clock.elapsed() - from))
    })
    this.#behind = done.catch(() => undefined)
    return done
  }

  async #standBack(): Promise<void> {
    const mostMs = Math.min(longestMs, timesBack * this.#lastMs)
    const from = this.#clock.elapsed()
    while (this.#isAsked() && this.#clock.elapsed() - from < mostMs) await sleep(this.#clock, lookMs)
  }

  #isAsked(): boolean {
    return this.#asking > 0 || this.#clock.elapsed() - this.#answeredAt < quietMs
  }
}
