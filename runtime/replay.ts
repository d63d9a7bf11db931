/** Folds an actor's journal from its beginning and compares every step with what is stored, byte by byte (R11). */
import type { ActorAddress, JsonObject } from '../machines/definition.ts'
import { messageOf } from './errors.ts'
import { foldEvents } from './restore.ts'
import type { Known } from './restore.ts'
import type { ReplayResult } from './runtime.ts'
import { lastBaseline } from './store/last-baseline.ts'
import { loadActors } from './store/load-actors.ts'
import type { StoredActor } from './store/load-actors.ts'
import { readJournal } from './store/read-journal.ts'
import type { EventRow } from './store/rows.ts'
import type { Sql } from './store/sql.ts'

const everything = 1_000_000

export async function replayActor(sql: Sql, known: Known, address: ActorAddress): Promise<ReplayResult> {
  const stored = (await loadActors(sql, [address])).get(address)
  if (!stored) return { address, steps: 0, equal: false, firstDifference: 'there is no such actor' }
  const baseline = await lastBaseline(sql, address, known.hash)
  const rows = await readJournal(sql, { actor: address, from: (baseline?.seq ?? 0) + 1, limit: everything })
  const ground = baseline && (JSON.parse(baseline.body) as JsonObject)
  // What was committed after the actor was read belongs to the next replay.
  const steps = rows.filter((row) => row.seq <= stored.row.seq)
  const firstDifference = difference(known, stored, ground, steps)
  return {
    address,
    steps: steps.length,
    equal: firstDifference === undefined,
    ...(firstDifference ? { firstDifference } : {}),
  }
}

function difference(
  known: Known,
  stored: StoredActor,
  ground: JsonObject | undefined,
  rows: readonly EventRow[],
): string | undefined {
  const { row, snapshot } = stored
  try {
    const upToSnapshot = rows.filter((event) => event.seq <= (snapshot?.seq ?? 0))
    const reached = upToSnapshot.length > 0 ? foldEvents(known, ground, row.address, upToSnapshot) : undefined
    if (reached && snapshot && reached.body !== snapshot.body)
      return `snapshot at ${snapshot.seq}: ${reached.body} instead of ${snapshot.body}`
    const behind = rows.slice(upToSnapshot.length)
    const last = behind.length > 0 ? foldEvents(known, reached?.snapshot ?? ground, row.address, behind) : reached
    return last && last.path !== row.path ? `state ${last.path} instead of ${row.path}` : undefined
  } catch (error) {
    return messageOf(error)
  }
}
