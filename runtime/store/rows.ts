/** The rows as the program knows them: camel case outside, snake case in SQL, JSON as text. */
import type { ActorAddress } from '../../machines/definition.ts'

export type ActorStatus = 'active' | 'done' | 'quarantined'

export interface ActorRow {
  readonly address: ActorAddress
  readonly kind: string
  readonly shard: number
  readonly seq: number
  readonly version: number
  readonly machineHash: string
  readonly status: ActorStatus
  readonly path: string
  readonly fault: string | null
  readonly createdAt: number
  readonly updatedAt: number
  /** Effects that were decided and not tried yet, as `pending-marks.ts` writes them. Of a state in memory it alone is changed in place. */
  pending: string | null
}

export interface SnapshotRow {
  readonly actor: ActorAddress
  readonly seq: number
  readonly version: number
  readonly machineHash: string
  readonly body: string
}

export interface ListingRow {
  readonly address: ActorAddress
  readonly seq: number
  readonly version: number
  readonly words: string
  readonly named: string
  readonly endedAt: number | null
}

export interface EventRow {
  readonly actor: ActorAddress
  readonly seq: number
  readonly key: string
  readonly body: string
  readonly effects: string
  readonly answer: string | null
  readonly path: string
  readonly status: string
  readonly handled: boolean
  readonly fault: string | null
  /** Of the state as text, where a snapshot of it was written in the same commit. */
  readonly stateHash: string | null
  readonly machineHash: string
  readonly at: number
}

export interface InboxRow {
  readonly actor: ActorAddress
  readonly shard: number
  readonly key: string
  readonly body: string
  readonly at: number
}

export interface EffectRow {
  readonly actor: ActorAddress
  readonly seq: number
  readonly idx: number
  readonly shard: number
  readonly type: string
  readonly params: string
  readonly attempts: number
  readonly notBefore: number
  readonly lastError: string | null
  readonly dead: boolean
  readonly at: number
  /** It has no row of its own: the journal tells it, and its actor's row says that it is pending. */
  readonly isMarked: boolean
}

export interface TimerRow {
  readonly actor: ActorAddress
  readonly id: string
  readonly shard: number
  readonly seq: number
  readonly dueAt: number
  readonly body: string
}

export interface DeadLetterRow {
  readonly actor: string
  readonly key: string
  readonly body: string
  readonly reason: string
  readonly at: number
}

/** A held lease: `epoch` is the fencing token (R5). */
export interface Lease {
  readonly shard: number
  readonly epoch: number
}

/** One life of a process; no two have the same incarnation. */
export interface ProcessId {
  readonly owner: string
  readonly incarnation: number
}

/** A living process as stored: `beat` goes up as long as it lives. */
export interface ProcessRow extends ProcessId {
  readonly beat: number
}

export interface ShardRow extends Lease {
  readonly owner: string | null
}
