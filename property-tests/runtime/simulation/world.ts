/**
 * One thread, one clock, one thing at a time: whatever happens in a schedule is a callback of the simulated clock or a
 * statement run on the store, and the next comes only when everything that the last one set off has come to rest.
 * So the order is the seed's alone, whatever the machine does meanwhile.
 */
import { createHash } from 'node:crypto'
import { simulatedClock } from '../../../runtime/simulated-clock.ts'
import type { SimulatedClock } from '../../../runtime/simulated-clock.ts'
import type { Sql } from '../../../runtime/store/sql.ts'
import { dice } from './dice.ts'
import type { Dice } from './dice.ts'

export const startAt = 1_700_000_000_000

/** What happened, for people; `isFault` lines are told whatever the story is about. */
export interface Line {
  readonly at: number
  readonly text: string
  readonly isFault: boolean
}

export interface World {
  readonly clock: SimulatedClock
  readonly store: Sql
  readonly latency: Dice
  readonly lines: readonly Line[]
  /** Since the beginning, in milliseconds. */
  elapsed(): number
  /** After this long, unless something else is said. */
  after(delayMs: number, callback: () => void): void
  /** To be run alone on the store, before anything else happens. */
  onStore(job: () => Promise<void>): void
  tell(text: string, isFault?: boolean): void
  /** Goes into the hash only: too much for people. */
  mark(text: string): void
  /** Lets things happen until the condition holds; false when the time was over first. */
  run(isOver: () => boolean, untilElapsed: number): Promise<boolean>
  hash(): string
}

export function createWorld(seed: number, store: Sql): World {
  const clock = simulatedClock(startAt)
  const trace = createHash('sha256')
  let unhashed = ''
  const lines: Line[] = []
  const jobs: (() => Promise<void>)[] = []
  const elapsed = (): number => clock.now() - startAt

  function hashLater(text: string): void {
    unhashed += `${elapsed()} ${text}\n`
    if (unhashed.length > hashedAtOnce) hashNow()
  }

  function hashNow(): void {
    trace.update(unhashed)
    unhashed = ''
  }

  async function run(isOver: () => boolean, untilElapsed: number): Promise<boolean> {
    for (;;) {
      await settled()
      const job = jobs.shift()
      if (job) await job()
      else if (isOver()) return true
      else if (elapsed() > untilElapsed || !clock.advanceToNext()) return false
    }
  }

  return {
    clock,
    store,
    latency: dice(seed, 'latency'),
    lines,
    elapsed,
    after: (delayMs, callback) => void clock.setTimer(delayMs, callback),
    onStore: (job) => void jobs.push(job),
    tell(text, isFault = false) {
      lines.push({ at: elapsed(), text, isFault })
      hashLater(text)
    },
    mark: hashLater,
    run,
    hash() {
      hashNow()
      return trace.copy().digest('hex').slice(0, 16)
    },
  }
}

/** Characters: to hash each line by itself costs more than the line. */
const hashedAtOnce = 65_536

/** The worker lets the loop turn once between two batches; one more shows that nothing came of it. */
const turns = 3

/** All promises that can go on have gone on: node runs them dry before each immediate. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise<void>((resolve) => void setImmediate(resolve))
}
