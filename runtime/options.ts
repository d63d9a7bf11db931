/** What a runtime is started with, and what it takes when it is not told. */
import type { MachineDefinition } from '../machines/definition.ts'
import type { Clock } from './clock.ts'
import type { HalvingRule } from './commit/halving.ts'
import type { Random } from './random.ts'
import type { Logger } from './logger.ts'
import { silentObserver, type RuntimeObserver } from './observer.ts'
import type { Sql } from './store/sql.ts'

export interface RuntimeOptions {
  /** A migrated store (`migrate`). The runtime does not close it. */
  readonly sql: Sql
  readonly definitions: readonly MachineDefinition[]
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  /** Names this process to the others. Unique among living ones; the same name after a crash continues at once, another waits for the lease. */
  readonly owner: string
  /** Fixed at the store's first start: rows carry the number. */
  readonly shards?: number
  readonly leaseMs?: number
  /** Steps between snapshots of an actor, and bytes of their events and effects: a load folds at most so much. */
  readonly snapshotEvery?: number
  readonly snapshotBytes?: number
  /** How long an actor rests until its snapshot is brought up to its last event. */
  readonly idleSnapshotMs?: number
  /** Events that may wait in memory before callers are sent away (`OverloadedError`). */
  readonly maxQueued?: number
  readonly maxQueuedBytes?: number
  /** What one commit takes, in work and in bytes of event text. */
  readonly maxBatch?: number
  readonly maxBatchBytes?: number
  /** How long the settling of an effect that brought nothing back may wait for its actor's next step. */
  readonly settleRestMs?: number
  /** When a commit takes half of what waits, and the other half is stepped while the store writes: by default where it pays. */
  readonly halving?: HalvingRule
  /** False: XState takes each step by itself, without `step/step-plans.ts`. The same journal, about 10 of 57 us a step slower. */
  readonly plans?: boolean
  /** Actors kept in memory. */
  readonly maxHot?: number
  /** Pending effects of one type kept in memory, ordered types counted together; the others wait in the store. */
  readonly maxHeldEffects?: number
  /** How often the inbox is searched for events from other processes. */
  readonly pollMs?: number
  /** How long `stop` lets effects under way come to an end. */
  readonly stopGraceMs?: number
  /** Is told what the runtime does, for metrics and traces. */
  readonly observer?: RuntimeObserver
  /** Tells another owner (undefined: all of them) that its inbox has something; without, its poll finds it a little later. */
  readonly hint?: (owner: string | undefined) => void
}

export const runtimeDefaults = {
  shards: 64,
  leaseMs: 15_000,
  snapshotEvery: 20,
  snapshotBytes: 65_536,
  idleSnapshotMs: 5000,
  maxQueued: 10_000,
  maxQueuedBytes: 67_108_864,
  maxBatch: 500,
  maxBatchBytes: 1_048_576,
  settleRestMs: 500,
  halving: 'measured' as HalvingRule,
  plans: true,
  maxHot: 10_000,
  maxHeldEffects: 5000,
  pollMs: 250,
  stopGraceMs: 10_000,
  observer: silentObserver,
  hint: (): void => undefined,
}
