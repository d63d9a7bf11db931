/** A cell: 10,000 transitions of so many clients over a fresh database, in a process of its own, counted. */
import { setFlagsFromString } from 'node:v8'
import { runtimeDefaults } from '../../runtime/options.ts'
import { migrate } from '../../runtime/store/migrate.ts'
import { openPgSql } from '../../runtime/store/postgres/pg-sql.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import { shares } from '../kit/measure/closed-loop.ts'
import { actorOf } from '../runtime/contenders/own-runtime.ts'
import { countHeap } from './heap-meter.ts'
import { countJson } from './json-meter.ts'
import { Lockstep } from './lockstep.ts'
import { countWire } from './wire-meter.ts'

export interface CountSpec {
  readonly store: string
  readonly clients: number
  /** Part of each event's id. */
  readonly tag: string
}

export const transitions = 10_000
/** With 128 clients each actor then passes about one snapshot. */
const actorsOfClient = 4
/** A round of the preparation: never more than one commit takes. */
const mostAtOnce = 128

export interface Counts {
  readonly statements: number
  readonly roundTrips: number
  readonly rowsWritten: number
  readonly logBytes: number
  readonly jsonBytes: number
  readonly sentBytes: number
  readonly heapBytes: number
}

/** `wrapped`: the store that the runtime gets. */
export async function countCell(spec: CountSpec, wrapped = async (sql: Sql): Promise<Sql> => sql): Promise<Counts> {
  // What V8's optimising compilers save of allocations depends on when they were through with a function.
  setFlagsFromString('--no-opt')
  setFlagsFromString('--no-maglev')
  // One connection: its counters of rows can be asked for, and each statement is prepared once.
  const store = await openPgSql({ url: spec.store, connections: 1 })
  await migrate(store)
  const steps = await Lockstep.start(await wrapped(store), spec.tag)
  const actors = spec.clients * actorsOfClient
  await prepare(steps, actors)
  await store.exec('vacuum analyze')
  const counts = await counted(store, () => moveAll(steps, spec.clients, actors))
  await steps.runtime.stop()
  await store.close()
  return counts
}

/** Moves each actor to another place between two snapshots, as `spreadActors` does. */
async function prepare(steps: Lockstep, actors: number): Promise<void> {
  const all = Array.from({ length: actors }, (_, index) => index)
  for (const some of parts(all)) await steps.open(some.map(actorOf))
  for (let round = 1; round < runtimeDefaults.snapshotEvery; round++) {
    const moved = all.filter((index) => index % runtimeDefaults.snapshotEvery >= round)
    for (const some of parts(moved)) await steps.move(some.map(actorOf))
  }
}

function parts(indexes: readonly number[]): (readonly number[])[] {
  const count = Math.ceil(indexes.length / mostAtOnce)
  return Array.from({ length: count }, (_, part) => indexes.slice(part * mostAtOnce, (part + 1) * mostAtOnce))
}

async function moveAll(steps: Lockstep, clients: number, actors: number): Promise<void> {
  const pick = shares(actors, clients)
  for (let moved = 0; moved < transitions; moved += clients) {
    const busy = Math.min(clients, transitions - moved)
    await steps.move(Array.from({ length: busy }, (_, client) => actorOf(pick(client))))
  }
  // Commits the settlements that still wait for their actor's next step.
  await steps.runtime.pendingEffects()
}

async function counted(store: Sql, run: () => Promise<void>): Promise<Counts> {
  const rowsBefore = await rowsWritten(store)
  const logBefore = await logPosition(store)
  const endOfWire = countWire()
  const endOfJson = countJson()
  const endOfHeap = countHeap()
  await run()
  const heapBytes = endOfHeap()
  const jsonBytes = endOfJson()
  const wire = endOfWire()
  const logBytes = (await logPosition(store)) - logBefore
  const rows = (await rowsWritten(store)) - rowsBefore
  return { ...wire, rowsWritten: rows, logBytes, jsonBytes, heapBytes }
}

function logPosition(store: Sql): Promise<number> {
  return numberOf(store, `pg_current_wal_insert_lsn() - '0/0'::pg_lsn`)
}

/** A session reports its rows once a second at most, or when it was asked to. */
async function rowsWritten(store: Sql): Promise<number> {
  await store.query('select pg_stat_force_next_flush()')
  const { rows } = await store.query<{ value: string }>(
    'select sum(n_tup_ins + n_tup_upd + n_tup_del)::text as value from pg_stat_user_tables',
  )
  return Number(rows[0]?.value)
}

async function numberOf(store: Sql, expression: string): Promise<number> {
  const { rows } = await store.query<{ value: string }>(`select (${expression})::text as value`)
  return Number(rows[0]?.value)
}
