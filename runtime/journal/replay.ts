/** Folds an actor's journal from its beginning and compares every step with what is stored (R11). */
import type { ActorAddress, JsonObject } from '../../machines/definition.ts'
import { isQuarantined } from '../actor-state.ts'
import type { ActorState } from '../actor-state.ts'
import { messageOf } from '../errors.ts'
import { bodyOf } from '../step/live-machine.ts'
import { foldEvents, groundOf } from './restore.ts'
import type { Known } from './restore.ts'
import type { ReplayResult } from '../runtime.ts'
import { lastBaseline } from '../store/journal/last-baseline.ts'
import { loadActors } from '../store/actors/load-actors.ts'
import type { StoredActor } from '../store/actors/load-actors.ts'
import { readJournal } from '../store/journal/read-journal.ts'
import type { EventRow } from '../store/rows.ts'
import type { Sql } from '../store/sql.ts'
import { samePath } from '../step/state-path.ts'
import { upgradeSnapshot } from '../step/upgrade.ts'

const everything = 1_000_000

interface Story {
  readonly stored: StoredActor
  readonly ground: JsonObject | undefined
  readonly rows: readonly EventRow[]
  /** The actor as it stands in this process's memory, where it is at the same event. */
  readonly inMemory: ActorState
}

/** `cached` gives what this process has of the actor in memory, if it has it. */
export async function replayActor(
  sql: Sql,
  known: Known,
  address: ActorAddress,
  cached: () => ActorState = () => undefined,
): Promise<ReplayResult> {
  const stored = (await loadActors(sql, [address])).get(address)
  if (!stored) return { address, steps: 0, equal: false, firstDifference: 'there is no such actor' }
  const inMemory = cached()
  const baseline = await lastBaseline(sql, address, known.hash)
  const all = await readJournal(sql, { actor: address, from: (baseline?.seq ?? 0) + 1, limit: everything })
  // What was committed after the actor was read belongs to the next replay.
  const rows = all.filter((row) => row.seq <= stored.row.seq)
  const ground =
    baseline && upgradeSnapshot(known.definition, JSON.parse(baseline.body) as JsonObject, baseline.version)
  const firstDifference = difference(known, { stored, ground, rows, inMemory })
  return {
    address,
    steps: rows.length,
    equal: firstDifference === undefined,
    ...(firstDifference ? { firstDifference } : {}),
  }
}

/** Every step by its effects and its state; each stored snapshot, and the one in memory, byte by byte. */
function difference(known: Known, { stored, ground, rows, inMemory }: Story): string | undefined {
  const { row, snapshot } = stored
  try {
    const start = ground && groundOf(known.definition, ground)
    const upToSnapshot = rows.filter((event) => event.seq <= (snapshot?.seq ?? 0))
    const reached = upToSnapshot.length > 0 ? foldEvents(known, start, row.address, upToSnapshot) : undefined
    const body = reached && bodyOf(reached.snapshot)
    if (snapshot && body !== undefined && body !== snapshot.body)
      return `snapshot at ${snapshot.seq}: ${body} instead of ${snapshot.body}`
    const behind = rows.slice(upToSnapshot.length)
    const last = behind.length > 0 ? foldEvents(known, reached?.snapshot ?? start, row.address, behind) : reached
    if (!last) return undefined
    if (!samePath(last.path, row.path)) return `state ${last.path} instead of ${row.path}`
    if (!inMemory || isQuarantined(inMemory) || inMemory.row.seq !== row.seq) return undefined
    const [replayed, held] = [bodyOf(last.snapshot), bodyOf(inMemory.snapshot)]
    return replayed === held ? undefined : `the state at ${row.seq}: ${replayed} instead of ${held}`
  } catch (error) {
    return messageOf(error)
  }
}
