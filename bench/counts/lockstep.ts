/**
 * Clients in lockstep: all deliver at once, and the next round begins when each event is committed and each effect was
 * performed. So a commit takes exactly one event of each client, whatever else the machine does.
 */
import type { ActorAddress } from '../../machines/definition.ts'
import { simulatedClock } from '../../runtime/simulated-clock.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import { eventIds } from '../runtime/contenders/event-ids.ts'
import { startOwnRuntime } from '../runtime/contenders/own-runtime.ts'

/** Every time then has as many digits. */
const startAt = Date.UTC(2026, 0, 1)

export class Lockstep {
  readonly runtime: Runtime
  readonly #nextId: () => string
  readonly #performing: Performing

  private constructor(runtime: Runtime, performing: Performing, nextId: () => string) {
    this.runtime = runtime
    this.#performing = performing
    this.#nextId = nextId
  }

  /** `tag` is part of each event's id. */
  static async start(sql: Sql, tag: string): Promise<Lockstep> {
    const performing = new Performing()
    // A clock that stands still: no beat, poll or snapshot of a resting actor gets in between.
    const clock = simulatedClock(startAt)
    const runtime = await startOwnRuntime(sql, async () => (performing.end(), []), { owner: 'bench', clock })
    return new Lockstep(runtime, performing, eventIds(tag))
  }

  open(actors: readonly ActorAddress[]): Promise<void> {
    return this.#deliver(actors, 'ring.opened')
  }

  /** One round, which moves each of them on by one state. */
  async move(actors: readonly ActorAddress[]): Promise<void> {
    const performed = this.#performing.expect(actors.length)
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

/** How many effects were asked for, and how many were performed. */
class Performing {
  #asked = 0
  #performed = 0
  #all: () => void = () => undefined

  /** Resolves when these and all before them are performed. */
  expect(count: number): Promise<void> {
    this.#asked += count
    return new Promise((resolve) => (this.#all = resolve))
  }

  end(): void {
    this.#performed += 1
    if (this.#performed === this.#asked) this.#all()
  }
}

function turnOfTheLoop(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}
