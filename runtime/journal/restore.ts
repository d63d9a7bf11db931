/**
 * From rows to an actor: the newest snapshot, upgraded where it is older (R10), and the events behind it folded over
 * it. Each folded step must give what the journal says it gave; where it does not, this code is not the code that
 * made it, and the actor is quarantined rather than guessed (R10, R11).
 */
import type { AnyMachineSnapshot } from 'xstate'
import type { JsonObject, MachineDefinition, MachineEvent } from '../../machines/definition.ts'
import { stateHash } from '../actor-state.ts'
import type { Actor, ActorState, Quarantined } from '../actor-state.ts'
import { idOf } from '../actor-state.ts'
import { messageOf } from '../errors.ts'
import { bodyOf } from '../step/live-machine.ts'
import { machineHash } from '../step/machine-hash.ts'
import { rearmTimers } from '../step/rearm-timers.ts'
import { readSnapshot, step } from '../step/step.ts'
import type { Step, StepOutcome } from '../step/step.ts'
import type { StoredActor } from '../store/actors/load-actors.ts'
import type { EventRow } from '../store/rows.ts'
import { samePath, statePath } from '../step/state-path.ts'
import { upgradeSnapshot } from '../step/upgrade.ts'

export interface Known {
  readonly definition: MachineDefinition
  readonly hash: string
  /** False: each step is XState's own (`RuntimeOptions.plans`). */
  readonly plans?: boolean
}

export function knownBy(definitions: readonly MachineDefinition[], plans = true): ReadonlyMap<string, Known> {
  return new Map(
    definitions.map((definition) => [definition.kind, { definition, hash: machineHash(definition), plans }]),
  )
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

function restored({ definition, hash, ...how }: Known, stored: StoredActor): Actor {
  const { row, snapshot, tail } = stored
  const ground = snapshot && upgradeSnapshot(definition, JSON.parse(snapshot.body) as JsonObject, snapshot.version)
  const last = foldEvents({ definition, hash, ...how }, ground && groundOf(definition, ground), row.address, tail)
  const state = {
    snapshot: last.snapshot,
    tailBytes: tail.reduce((sum, { body, effects }) => sum + body.length + effects.length, 0),
    ...timersOf(definition, last.snapshot, stored),
    rowStale: row.status === 'quarantined' || row.machineHash !== hash,
  }
  const current = {
    ...row,
    version: definition.version,
    machineHash: hash,
    status: last.status,
    path: last.path,
    fault: null,
  }
  if (row.machineHash === hash) return { ...state, row: current, snapshotSeq: snapshot?.seq ?? 0 }
  const body = bodyOf(last.snapshot)
  const baseline = { actor: row.address, seq: row.seq, version: definition.version, machineHash: hash, body }
  return { ...state, row: current, snapshotSeq: -1, baseline }
}

function timersOf(
  definition: MachineDefinition,
  snapshot: AnyMachineSnapshot,
  { row, timers }: StoredActor,
): Pick<Actor, 'timers' | 'rearmed'> {
  if (row.version === definition.version) return { timers: new Map(timers.map(({ id, seq }) => [id, seq])) }
  const { armed, changes } = rearmTimers(definition, snapshot, row, timers)
  return changes.size === 0 ? { timers: armed } : { timers: armed, rearmed: changes }
}

/** What a replay starts from. */
export function groundOf(definition: MachineDefinition, persisted: JsonObject): AnyMachineSnapshot {
  return loaded(readSnapshot(definition, persisted)).snapshot
}

interface Folded {
  readonly snapshot: AnyMachineSnapshot
  readonly path: string
  readonly status: Step['status']
}

/** Folds journal rows over a snapshot; throws at the first that does not go as it went. */
export function foldEvents(
  { definition, hash, plans }: Known,
  ground: AnyMachineSnapshot | undefined,
  address: Actor['row']['address'],
  rows: readonly EventRow[],
): Folded {
  const input = { id: idOf(address) }
  let current: Folded | undefined = ground && {
    snapshot: ground,
    path: statePath(ground.value),
    status: ground.status === 'done' ? 'done' : 'active',
  }
  for (const row of rows) {
    if (row.fault !== null) continue
    const next = loaded(step(definition, current?.snapshot, JSON.parse(row.body) as MachineEvent, input, plans))
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

/** By what can be seen of a step; and where the same code wrote a snapshot with it, by every byte of the state. */
function differenceOf(row: EventRow, next: Step, hash: string): string | undefined {
  const effects = JSON.stringify(next.effects)
  if (effects !== row.effects) return `effects ${effects} instead of ${row.effects}`
  if (!samePath(next.path, row.path)) return `state ${next.path} instead of ${row.path}`
  if (row.stateHash === null || row.machineHash !== hash) return undefined
  return stateHash(bodyOf(next.snapshot)) === row.stateHash ? undefined : 'the context is another'
}
