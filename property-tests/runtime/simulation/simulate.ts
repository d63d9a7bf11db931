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
  readonly #emptying: string
  readonly passed = new Set<string>()
  readonly diedAt = new Set<string>()

  constructor(store: Sql, createRuntime: CreateRuntime, emptying: string) {
    this.#store = store
    this.#createRuntime = createRuntime
    this.#emptying = emptying
  }

  run(seed: number, change: (plan: Plan) => Plan = (plan) => plan): Promise<Verdict> {
    return this.runPlan(change(makePlan(seed)))
  }

  async runPlan(plan: Plan): Promise<Verdict> {
    await this.#store.exec(this.#emptying)
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
    const emptying = await emptyingOf(store)
    return await use((create) => new Simulation(store, create, emptying), store)
  } finally {
    await store.close()
  }
}

const appliedMigrations = 'migration'

/** Sequences too: no schedule can see that there was another before it. */
async function emptyingOf(store: Sql): Promise<string> {
  const names = async (text: string): Promise<readonly string[]> =>
    (await store.query<{ readonly name: string }>(text)).rows.map((row) => row.name)
  const tables = await names(
    `select tablename as name from pg_tables where schemaname = 'public' and tablename <> '${appliedMigrations}' order by 1`,
  )
  const sequences = await names("select sequencename as name from pg_sequences where schemaname = 'public' order by 1")
  return [`truncate ${tables.join(', ')}`, ...sequences.map((name) => `alter sequence ${name} restart`)].join('; ')
}
