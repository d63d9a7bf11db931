/** One seed after the other over one store, and what they broke. */
import type { Sql } from '../../../runtime/store/sql.ts'
import { brokenLaws } from './laws/laws.ts'
import { live } from './live.ts'
import type { Outcome } from './live.ts'
import { makePlan } from './make-plan.ts'
import { openMemoryStore } from './memory-store.ts'
import type { Plan } from './plan.ts'
import type { CreateRuntime } from './processes.ts'

export interface Verdict {
  readonly outcome: Outcome
  readonly broken: readonly string[]
}

export class Simulation {
  readonly #store: Sql
  readonly #createRuntime: CreateRuntime
  readonly #tables: string
  readonly passed = new Set<string>()
  readonly diedAt = new Set<string>()

  constructor(store: Sql, createRuntime: CreateRuntime, tables: string) {
    this.#store = store
    this.#createRuntime = createRuntime
    this.#tables = tables
  }

  run(seed: number, change: (plan: Plan) => Plan = (plan) => plan): Promise<Verdict> {
    return this.runPlan(change(makePlan(seed)))
  }

  async runPlan(plan: Plan): Promise<Verdict> {
    // Identities too, so that no schedule can see that there was another before it.
    await this.#store.exec(`truncate ${this.#tables} restart identity`)
    const outcome = await live(plan, {
      store: this.#store,
      createRuntime: this.#createRuntime,
      passed: (point, died) => void (died ? this.diedAt : this.passed).add(point),
    })
    return { outcome, broken: brokenLaws(outcome) }
  }
}

export async function withStore<T>(
  use: (open: (create: CreateRuntime) => Simulation, store: Sql) => Promise<T>,
): Promise<T> {
  const store = await openMemoryStore()
  try {
    const { rows } = await store.query<{ readonly tables: string }>(
      "select string_agg(tablename, ', ' order by tablename) as tables from pg_tables where schemaname = 'public' and tablename <> $1",
      [appliedMigrations],
    )
    return await use((create) => new Simulation(store, create, rows[0]!.tables), store)
  } finally {
    await store.close()
  }
}

const appliedMigrations = 'migration'
