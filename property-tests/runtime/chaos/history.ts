/** Everything that is known of a run when it has come to rest, from the database, the driver and the handlers. */
import type { ActorAddress, JsonObject, MachineEvent } from '../../../machines/definition.ts'
import type { Effect } from '../../../runtime/runtime.ts'
import type { EffectLine } from './messages.ts'

/** An event that the driver was told is taken in: from when it was first sent until when the answer came. */
export interface Acknowledged {
  readonly actor: ActorAddress
  readonly key: string
  /** Where the answer said it stands in the journal. */
  readonly seq: number
  readonly sentAt: number
  readonly ackedAt: number
}

export interface Row {
  readonly seq: number
  readonly key: string
  readonly event: MachineEvent & JsonObject
  readonly effects: readonly Effect[]
  readonly at: number
}

export interface Takeover {
  readonly shard: number
  readonly epoch: number
  readonly owner: string
  readonly at: number
}

/** From a kill until other processes, or a new life, held each of its shards. */
export interface Absence {
  readonly tookMs: number
  /** Of the driver's looks meanwhile, the one that came last behind its time: how busy the machine was. */
  readonly latestLookMs: number
}

export interface History {
  readonly acknowledged: readonly Acknowledged[]
  readonly journals: ReadonlyMap<ActorAddress, readonly Row[]>
  readonly performed: readonly EffectLine[]
  readonly takeovers: readonly Takeover[]
  readonly staleCommits: readonly { readonly actor: string; readonly seq: number; readonly writer: string }[]
  readonly replays: readonly { readonly address: string; readonly equal: boolean; readonly firstDifference?: string }[]
  /** Rows of inbox, outbox, timers and dead letters that were never settled. */
  readonly leftovers: readonly string[]
  readonly owners: readonly { readonly shard: number; readonly owner: string | null }[]
  readonly living: readonly string[]
  readonly shards: number
  readonly absences: readonly Absence[]
  readonly leaseMs: number
}
