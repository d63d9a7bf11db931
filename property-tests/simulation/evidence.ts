/** What a life left in the store, read by a runtime that never saw anything of it. */
import { machines } from '../../machines/registry.ts'
import type { ActorAddress } from '../../machines/definition.ts'
import { createRuntime } from '../../runtime/create-runtime.ts'
import { silentLogger } from '../../runtime/logger.ts'
import type { ActorView, DeadLetter, JournalRow, PendingEffect, ReplayResult } from '../../runtime/runtime.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import type { World } from '../runtime/simulation/world.ts'
import { lengthenJournals } from './store.ts'

/** A step as it was committed: `place` is its place among all steps of all actors. */
export interface PlacedRow extends JournalRow {
  readonly place: number
}

export interface Evidence {
  readonly rows: readonly PlacedRow[]
  readonly views: readonly ActorView[]
  readonly letters: readonly DeadLetter[]
  readonly effects: readonly PendingEffect[]
  /** Of the journals as they stand, shortened or not. */
  readonly replays: readonly ReplayResult[]
}

export async function readEvidence(store: Sql, world: World): Promise<Evidence> {
  const runtime = createRuntime({
    sql: store,
    definitions: machines,
    clock: { ...world.clock, now: () => Math.floor(world.clock.now()) },
    random: () => 0,
    logger: silentLogger,
    owner: 'reader',
  })
  const views: ActorView[] = []
  for (const { kind } of machines) views.push(...(await runtime.list(kind, { limit: 500 })))
  const replays: ReplayResult[] = []
  for (const { address } of views) replays.push(await runtime.replay(address))
  await lengthenJournals(store)
  const placed = await store.query<{ actor: ActorAddress; seq: number; place: number }>(
    'select actor, seq, place from event',
  )
  const places = new Map(placed.rows.map(({ actor, seq, place }) => [`${actor} ${seq}`, place]))
  const rows: PlacedRow[] = []
  for (const { address } of views)
    for (const row of await runtime.history(address))
      rows.push({ ...row, place: places.get(`${address} ${row.seq}`) ?? 0 })
  return {
    rows: rows.toSorted((a, b) => a.place - b.place),
    replays,
    views,
    letters: await runtime.deadLetters({ limit: 1000 }),
    effects: await runtime.pendingEffects(),
  }
}
