/**
 * Watches the beats of the other processes. One whose beat stands still for long enough is dead; how long it stood is
 * measured here, by a clock that doesn't jump, so nobody's time of day matters.
 */
import type { ProcessRow } from '../store/rows.ts'

interface Sight {
  readonly incarnation: number
  readonly beat: number
  readonly since: number
  readonly hasMoved: boolean
}

interface Roll {
  readonly living: readonly string[]
  /** Of the living, those whose beat was seen to move. */
  readonly lively: readonly string[]
  readonly dead: readonly ProcessRow[]
}

export class Neighbours {
  readonly #silenceMs: number
  #sights = new Map<string, Sight>()
  #lookedAt = -Infinity

  constructor(silenceMs: number) {
    this.#silenceMs = silenceMs
  }

  /** Who did not look for a while, paused or without a store, knows nothing of the silence in between. */
  observe(processes: readonly ProcessRow[], elapsed: number): Roll {
    const wasAway = elapsed - this.#lookedAt > this.#silenceMs
    this.#lookedAt = elapsed
    this.#sights = new Map(processes.map((row) => [row.owner, this.#sight(row, elapsed, wasAway)]))
    const dead = processes.filter(({ owner }) => elapsed - this.#sights.get(owner)!.since >= this.#silenceMs)
    const living = processes.filter((row) => !dead.includes(row)).map(({ owner }) => owner)
    return { living, lively: living.filter((owner) => this.#sights.get(owner)?.hasMoved), dead }
  }

  #sight({ owner, incarnation, beat }: ProcessRow, elapsed: number, wasAway: boolean): Sight {
    const before = this.#sights.get(owner)
    if (before?.incarnation !== incarnation) return { incarnation, beat, since: elapsed, hasMoved: false }
    if (before.beat !== beat) return { incarnation, beat, since: elapsed, hasMoved: true }
    return wasAway ? { ...before, since: elapsed } : before
  }
}
