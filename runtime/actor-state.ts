import { createHash } from 'node:crypto'
import type { AnyMachineSnapshot } from 'xstate'
import type { ActorAddress, ActorKind } from '../machines/definition.ts'
import { parseAddress } from './address.ts'
import type { ActorView, JournalRow } from './runtime.ts'
import type { ActorRow, EventRow, ListingRow, SnapshotRow, TimerRow } from './store/rows.ts'

/** An actor as committed, ready for its next step. Never changed in place: a failed commit leaves it as it was. */
export interface Actor {
  readonly row: ActorRow
  readonly snapshot: AnyMachineSnapshot
  /** Where the stored snapshot stands; -1 asks for a new one with the next commit. */
  readonly snapshotSeq: number
  /** Of the events and effects journaled behind the stored snapshot: what a load would fold. */
  readonly tailBytes: number
  /** Armed timers: id and the sequence number that armed it (R8). */
  readonly timers: ReadonlyMap<string, number>
  /** What an upgrade changed of them, to be written with the next commit; undefined: cleared (R10). */
  readonly rearmed?: ReadonlyMap<string, TimerRow | undefined>
  /** To be written with the next commit: the ground that this code's steps are folded from (R11). */
  readonly baseline?: SnapshotRow
  /** The stored row still calls the actor quarantined, or another code's. */
  readonly rowStale?: boolean
  /** As the last commit left it; undefined: not asked for yet. */
  readonly listing?: ListingRow
}

/** An actor that this code cannot load (R10). Its events wait in the inbox. */
export interface Quarantined {
  readonly row: ActorRow
  readonly reason: string
  readonly body: string | undefined
  /** The stored row does not say so yet. */
  readonly rowStale?: boolean
}

export type ActorState = Actor | Quarantined | undefined

export function isQuarantined(state: ActorState): state is Quarantined {
  return state !== undefined && 'reason' in state
}

/** 64 bits of the snapshot's text, in the journal where a snapshot was written: a replay must pass through it (R11). */
export function stateHash(body: string): string {
  return createHash('sha256').update(body).digest('hex').slice(0, 16)
}

export function idOf(address: ActorAddress): string {
  return parseAddress(address)?.id ?? address
}

/** The machine of the kind in its address made its context (R10). */
export function viewOf<Kind extends ActorKind>(state: Actor | Quarantined): ActorView<Kind> {
  const { row } = state
  const { value, context } = 'snapshot' in state ? state.snapshot : readable(state.body)
  return {
    address: row.address as `${Kind}:${string}`,
    kind: row.kind as Kind,
    id: idOf(row.address),
    seq: row.seq,
    version: row.version,
    status: isQuarantined(state) ? 'quarantined' : row.status,
    path: row.path,
    value: value ?? null,
    context: (context ?? {}) as ActorView<Kind>['context'],
    ...(isQuarantined(state) ? { fault: state.reason } : {}),
    updatedAt: row.updatedAt,
  }
}

function readable(body: string | undefined): { readonly value?: unknown; readonly context?: unknown } {
  try {
    return JSON.parse(body ?? '{}') as object
  } catch {
    return {}
  }
}

export function journalRow(row: EventRow): JournalRow {
  return {
    address: row.actor,
    seq: row.seq,
    key: row.key,
    event: JSON.parse(row.body) as JournalRow['event'],
    effects: JSON.parse(row.effects) as JournalRow['effects'],
    path: row.path,
    status: row.status as 'active' | 'done',
    handled: row.handled,
    ...(row.fault === null ? {} : { fault: row.fault }),
    ...(row.answer === null ? {} : { answer: JSON.parse(row.answer) as NonNullable<JournalRow['answer']> }),
    machineHash: row.machineHash,
    at: row.at,
  }
}
