/**
 * From rows to an actor: the newest snapshot, upgraded where it is older (R10), and the events behind it folded over
 * it. Each folded step must give what the journal says it gave; where it does not, this code is not the code that
 * made it, and the actor is quarantined rather than guessed (R10, R11).
 */
import type { JsonObject, MachineDefinition, MachineEvent } from '../machines/definition.ts'
import { stateHash } from './actor-state.ts'
import type { Actor, ActorState, Quarantined } from './actor-state.ts'
import { idOf } from './actor-state.ts'
import { messageOf } from './errors.ts'
import { inspectSnapshot, step } from './step.ts'
import type { Step, StepOutcome } from './step.ts'
import type { StoredActor } from './store/load-actors.ts'
import type { EventRow } from './store/rows.ts'
import { upgradeSnapshot } from './upgrade.ts'

export interface Known {
  readonly definition: MachineDefinition
  readonly hash: string
}

export function restoreActor(known: Known, stored: StoredActor): Exclude<ActorState, undefined> {
  try {
    return restored(known, stored)
  } catch (error) {
    return quarantined(stored, messageOf(error))
  }
}

function quarantined(stored: StoredActor, reason: string): Quarantined {
  const rowStale = stored.row.status !== 'quarantined' || stored.row.fault !== reason
  return { row: { ...stored.row, status: 'quarantined', fault: reason }, reason, body: stored.snapshot?.body, rowStale }
}

function restored({ definition, hash }: Known, stored: StoredActor): Actor {
  const { row, snapshot, tail } = stored
  const ground = snapshot && upgradeSnapshot(definition, JSON.parse(snapshot.body) as JsonObject, snapshot.version)
  const last = foldEvents({ definition, hash }, ground, row.address, tail)
  const timers = new Map(stored.timers.map((timer) => [timer.id, timer.seq]))
  const state = { snapshot: last.snapshot, body: last.body, timers, rowStale: row.status === 'quarantined' }
  const current = {
    ...row,
    version: definition.version,
    machineHash: hash,
    status: last.status,
    path: last.path,
    fault: null,
  }
  if (row.machineHash === hash) return { ...state, row: current, snapshotSeq: snapshot?.seq ?? 0 }
  const baseline = { actor: row.address, seq: row.seq, version: definition.version, machineHash: hash, body: last.body }
  return { ...state, row: current, snapshotSeq: -1, baseline }
}

/** Folds journal rows over a snapshot; throws at the first that does not go as it went. */
export function foldEvents(
  { definition, hash }: Known,
  ground: JsonObject | undefined,
  address: Actor['row']['address'],
  rows: readonly EventRow[],
): Step {
  const input = { id: idOf(address) }
  let current: Step | undefined = ground && loaded(inspectSnapshot(definition, ground, input))
  for (const row of rows) {
    if (row.fault !== null) continue
    const next = loaded(step(definition, current?.snapshot, JSON.parse(row.body) as MachineEvent, input))
    const difference = differenceOf(row, next, hash)
    if (difference) throw new Error(`replay differs at ${address} ${row.seq}: ${difference}`)
    current = next
  }
  if (!current) throw new Error(`${address} has neither a snapshot nor a journal`)
  return current
}

function loaded(outcome: StepOutcome): Step {
  if (outcome.fault) throw new Error(outcome.message)
  return outcome
}

/** Steps of other code are compared by what can be seen of them; those of the same code by every byte of the state. */
function differenceOf(row: EventRow, next: Step, hash: string): string | undefined {
  if (JSON.stringify(next.effects) !== row.effects)
    return `effects ${JSON.stringify(next.effects)} instead of ${row.effects}`
  if (next.path !== row.path) return `state ${next.path} instead of ${row.path}`
  if (row.machineHash === hash && stateHash(next.body) !== row.stateHash) return 'the context is another'
  return undefined
}
