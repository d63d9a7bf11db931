/** The actors in memory, as committed. What falls out is loaded again when it is needed: a snapshot and a short tail. */
import type { ActorAddress } from '../machines/definition.ts'
import type { ActorState } from './actor-state.ts'

export class HotActors {
  /** In the order of use: the first were not used the longest. */
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

  commit(states: ReadonlyMap<ActorAddress, ActorState>): void {
    for (const [address, state] of states) {
      this.#states.delete(address)
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
