/** One seed after the other over one store, and what they broke. */
import { composeOrchestrator } from '../../orchestrator/wiring/compose.ts'
import { live, type Outcome } from './live.ts'
import { makePlan } from './make-plan.ts'
import type { Plan } from './plan.ts'
import { crashPoints } from './points.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import { openStore, type MemoryStore } from './store.ts'

export class Simulation {
  readonly #store: MemoryStore
  readonly passed = new Set<string>()
  readonly diedAt = new Set<string>()

  private constructor(store: MemoryStore) {
    this.#store = store
  }

  static async open(): Promise<Simulation> {
    return new Simulation(await openStore())
  }

  plan(seed: number): Plan {
    return makePlan(seed, crashPoints)
  }

  async run(plan: Plan): Promise<Outcome> {
    await this.#store.clear({ shortens: plan.hasShortJournals })
    return live(plan, {
      store: this.#store.sql,
      compose: composeOrchestrator,
      passed: (point, died) => void (died ? this.diedAt : this.passed).add(point),
    })
  }

  /** What the last life left. */
  get store(): Sql {
    return this.#store.sql
  }

  close(): Promise<void> {
    return this.#store.sql.close()
  }
}
