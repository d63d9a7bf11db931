/**
 * Clients in lockstep: all deliver at once, and the next round begins when each event is committed and each effect was
 * performed. So a commit takes exactly one event of each client, whatever else the machine does.
 */
import type { ActorAddress } from '../../machines/definition.ts'
import { simulatedClock } from '../../runtime/simulated-clock.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import { eventIds } from '../runtime/event-ids.ts'
import { ownRuntime } from '../runtime/own-runtime.ts'

/** Every time then has as many digits. */
const startAt = Date.UTC(2026, 0, 1)

export class Lockstep {
  readonly runtime: Runtime
  readonly #nextId: () => string
  #asked = 0
  #performed = 0
  #allPerformed: () => void = () => undefined

  /** `tag` is part of each event's id. */
  constructor(sql: Sql, tag: string) {
    this.#nextId = eventIds(tag)
    const perform = async (): Promise<[]> => {
      this.#performed += 1
      if (this.#performed === this.#asked) this.#allPerformed()
      return []
    }
    // A clock that stands still: no beat, poll or snapshot of a resting actor gets in between.
    this.runtime = ownRuntime(sql, perform, { owner: 'bench', clock: simulatedClock(startAt) })
  }

  open(actors: readonly ActorAddress[]): Promise<void> {
    return this.#deliver(actors, 'ring.opened')
  }

  /** One round, which moves each of them on by one state. */
  async move(actors: readonly ActorAddress[]): Promise<void> {
    this.#asked += actors.length
    const performed = new Promise<void>((resolve) => (this.#allPerformed = resolve))
    await this.#deliver(actors, 'ring.moved')
    await performed
    // The relay hands over what was performed after its handler returned.
    await turnOfTheLoop()
  }

  async #deliver(actors: readonly ActorAddress[], type: string): Promise<void> {
    const deliveries = actors.map((to) => {
      const id = this.#nextId()
      return this.runtime.deliver({ to, key: id, event: { type, at: startAt, id } })
    })
    await Promise.all(deliveries)
  }
}

function turnOfTheLoop(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}
