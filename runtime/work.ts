/** What the worker commits: events to step, and the settling of performed effects. */
import type { ActorAddress, MachineEvent } from '../machines/definition.ts'
import type { Delivery, Receipt } from './runtime.ts'
import type { EffectRow } from './store/rows.ts'

export interface EventWork {
  readonly kind: 'event'
  readonly to: ActorAddress
  readonly key: string
  readonly event: MachineEvent
  /** The event as text: what the journal will say, and what `event` was parsed from (R11). */
  readonly body: string
  readonly shard: number
  /** The inbox row that this came from; it goes with the commit. */
  readonly inboxId?: number
  /** The timer that fired, as it was armed; void when the actor has cancelled or re-armed it since. */
  readonly timer?: { readonly id: string; readonly seq: number }
  /** Found in the journal already (R3). */
  readonly known?: Receipt
  /** A commit with this event ended without an answer: found in the journal, it was that commit which applied it. */
  readonly uncertain?: boolean
  readonly done: Completion<Receipt>
}

export type SettleOutcome =
  | { readonly kind: 'performed'; readonly deliveries: readonly Delivery[] }
  | {
      readonly kind: 'postponed'
      readonly attempts: number
      readonly notBefore: number
      readonly lastError: string
      /** Nobody answered: tried again, though it counts for nothing. */
      readonly wasAway?: true
    }
  | { readonly kind: 'dead'; readonly attempts: number; readonly lastError: string }

export interface SettleWork {
  readonly kind: 'settle'
  readonly effect: EffectRow
  readonly shard: number
  readonly outcome: SettleOutcome
  /** Nobody waits for it and nothing follows from it: it may rest until its actor is written anyway. */
  readonly mayRest: boolean
  readonly done: Completion<undefined>
}

/** Loads the actor and writes what became of its quarantine, or a snapshot where its journal has a tail. */
export interface TouchWork {
  readonly kind: 'touch'
  readonly to: ActorAddress
  readonly shard: number
  readonly done: Completion<undefined>
}

export type Work = EventWork | SettleWork | TouchWork

export interface Completion<T> {
  resolve(result: T): void
  reject(error: unknown): void
}

/** For work that nobody waits for: it comes again from the store. */
export const nobodyWaits: Completion<unknown> = { resolve: () => undefined, reject: () => undefined }

/** The actor whose row the work may change. */
export function actorOf(work: Work): ActorAddress {
  return work.kind === 'settle' ? work.effect.actor : work.to
}
