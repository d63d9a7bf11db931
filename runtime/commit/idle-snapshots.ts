/**
 * A snapshot is written every so many steps; an actor that rests before that gets one after a while, so that a takeover
 * folds little. Never in the way of a step: a snapshot is the largest row that the runtime writes.
 */
import type { ActorAddress } from '../../machines/definition.ts'
import { isQuarantined } from '../actor-state.ts'
import type { ActorState } from '../actor-state.ts'
import type { Clock, Timer } from '../clock.ts'

interface IdleSnapshotOptions {
  readonly clock: Clock
  /** How long an actor has rested when its snapshot is written. */
  readonly idleMs: number
  readonly write: (actors: readonly ActorAddress[]) => void
}

/** One commit's worth: the next ones follow when the clock has gone on. */
const mostAtOnce = 200

export class IdleSnapshots {
  readonly #options: IdleSnapshotOptions
  /** Actors with steps behind their snapshot and the time of the last one; in no order, which would cost every step. */
  readonly #behind = new Map<ActorAddress, number>()
  #timer: Timer | undefined

  constructor(options: IdleSnapshotOptions) {
    this.#options = options
  }

  committed(states: ReadonlyMap<ActorAddress, ActorState>): void {
    const now = this.#options.clock.now()
    for (const [address, state] of states) {
      if (state && !isQuarantined(state) && state.row.seq > state.snapshotSeq) this.#behind.set(address, now)
      else this.#behind.delete(address)
    }
    this.#schedule()
  }

  forget(isForgotten: (address: ActorAddress) => boolean): void {
    for (const address of this.#behind.keys()) if (isForgotten(address)) this.#behind.delete(address)
  }

  stop(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    this.#behind.clear()
  }

  #schedule(): void {
    if (this.#timer || this.#behind.size === 0) return
    const { clock, idleMs } = this.#options
    this.#timer = clock.setTimer(idleMs, () => {
      this.#timer = undefined
      this.#write()
      this.#schedule()
    })
  }

  #write(): void {
    const { clock, idleMs, write } = this.#options
    const restingSince = clock.now() - idleMs
    const actors: ActorAddress[] = []
    for (const [address, last] of this.#behind) {
      if (actors.length >= mostAtOnce) break
      if (last > restingSince) continue
      this.#behind.delete(address)
      actors.push(address)
    }
    write(actors)
  }
}
