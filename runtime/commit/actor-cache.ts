/** The actors in memory, as committed. What falls out is loaded again when it is needed: a snapshot and a short tail. */
import type { ActorAddress } from '../../machines/definition.ts'
import type { ActorState } from '../actor-state.ts'
import type { Batch } from './batch.ts'
import { marksIn, withoutMarks } from '../store/inbox/pending-marks.ts'

export class HotActors {
  /** In the order of use once there are many: the first were not used the longest. To keep it costs more than a look. */
  readonly #states = new Map<ActorAddress, ActorState>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  /** For a batch to read; it must not outlive the batch. */
  get states(): ReadonlyMap<ActorAddress, ActorState> {
    return this.#states
  }

  /** Undefined: the store has no such actor. */
  load(address: ActorAddress, state: ActorState): void {
    this.#states.set(address, state)
  }

  /** No state of its own: a performed effect changes nothing that a step would see. */
  unmark(cleared: Batch['commit']['cleared']): void {
    for (const { address, gone } of cleared) {
      const row = this.#states.get(address)?.row
      if (row) row.pending = withoutMarks(row.pending, marksIn(gone))
    }
  }

  commit(states: ReadonlyMap<ActorAddress, ActorState>): void {
    const isOrdered = this.#states.size * 2 > this.#most
    for (const [address, state] of states) {
      if (isOrdered || !state) this.#states.delete(address)
      if (state) this.#states.set(address, state)
    }
    for (const address of this.#states.keys()) {
      if (this.#states.size <= this.#most) return
      this.#states.delete(address)
    }
  }

  forget(isForgotten: (address: ActorAddress) => boolean): void {
    for (const address of this.#states.keys()) if (isForgotten(address)) this.#states.delete(address)
  }
}
