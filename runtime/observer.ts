/**
 * What a runtime tells of itself while it works: plain figures, after the fact, for metrics and traces. It is called in
 * the hot path, so that an observer counts and returns; nothing decides by what it sees.
 */
import type { ActorAddress } from '../machines/definition.ts'
import type { Load } from './queue-share.ts'

export interface CommittedBatch {
  /** Events stepped; a repeated key is none. */
  readonly steps: number
  /** Items of work that the commit answered: events, repeated ones too, settled effects, snapshots. */
  readonly items: number
  /** Effects that were decided. */
  readonly effects: number
  /** Of the events and their effects, as journaled; 0 where nobody has counted them. */
  readonly bytes: number
  /** Of the commit's statement. */
  readonly durationMs: number
  /** Items that wait for the next commit. */
  readonly queued: number
  /** How long the oldest item waited for its commit to begin. */
  readonly waitedMs: number
}

/** `retried`: it comes again with backoff; `asked-to-wait`: at the time that the other side named. */
export type EffectOutcome = 'performed' | 'retried' | 'asked-to-wait' | 'dead' | 'withdrawn' | 'unsettled'

interface EffectStart {
  readonly key: string
  readonly actor: ActorAddress
  readonly type: string
  /** Counted from 1. */
  readonly attempt: number
  /** Since its time had come: behind limits, its lane, its target. */
  readonly queuedMs: number
}

export interface EffectEnd extends EffectStart {
  readonly outcome: EffectOutcome
  /** Of the handler alone. */
  readonly durationMs: number
  /** When the effect was decided, by the clock of who decided it. */
  readonly decidedAt: number
  readonly error?: string
}

export interface RuntimeObserver {
  batchCommitted(batch: CommittedBatch): void
  /** A commit was made again, cut in two or given up, and why. */
  commitFailed(reason: CommitFailure): void
  /** A step threw (R7). */
  stepFault(kind: string): void
  /** A snapshot was written with a commit. */
  snapshotWritten(kind: string, bytes: number): void
  /** An actor cannot be loaded by this code (R10). */
  quarantined(kind: string): void
  deadLetter(kind: string): void
  /** A caller was sent away: the queue is full, or its actor holds its share of it. */
  overloaded(queued: number): void
  /** Told once, when the runtime is made. Asked whenever somebody looks, so that it is right while the store stands still. */
  standing(read: () => Standing): void
  /** How old the oldest row was that a reading of the inbox found, 0 without any: what other processes wait for this one. */
  inboxLag(lagMs: number): void
  shardsHeld(count: number): void
  shardsGained(count: number): void
  shardsLost(count: number): void
  /** One renewal of the leases; `expiresInMs` is what was left of them before it. */
  leasesRenewed(renewal: { readonly durationMs: number; readonly ok: boolean; readonly expiresInMs: number }): void
  /** Shards taken over: from the lease to the last effect in hand. */
  recovered(recovery: { readonly shards: number; readonly effects: number; readonly durationMs: number }): void
  effectStarted(start: EffectStart): void
  effectSettled(end: EffectEnd): void
  /** Effects of this type in memory: waiting, their time to come, and under way. */
  effectsPending(type: string, counts: EffectCounts): void
  /** A target answered that it wants to be left alone. */
  targetPaused(type: string, pausedMs: number): void
  /** A due timer was handed to its actor. */
  timerFired(latenessMs: number): void
  /** Due timers that wait for their turn. */
  timersDue(count: number): void
}

type CommitFailure = 'stale-lease' | 'duplicate-key' | 'sequence-conflict' | 'refused' | 'store-unavailable'

/** What is in memory at this moment. */
export interface Standing {
  /** Work that waits for its commit. */
  readonly queued: Load
  /** Events that wait for another process to step them. */
  readonly forwarded: Load
  /** Settlements that wait for their actor's next step. */
  readonly resting: number
  /** Effects whose turn came while the lease of their shard was in doubt. */
  readonly parked: number
}

export interface EffectCounts {
  readonly waiting: number
  readonly performing: number
}

function nothing(): void {}

export const silentObserver: RuntimeObserver = {
  batchCommitted: nothing,
  commitFailed: nothing,
  stepFault: nothing,
  snapshotWritten: nothing,
  quarantined: nothing,
  deadLetter: nothing,
  overloaded: nothing,
  standing: nothing,
  inboxLag: nothing,
  shardsHeld: nothing,
  shardsGained: nothing,
  shardsLost: nothing,
  leasesRenewed: nothing,
  recovered: nothing,
  effectStarted: nothing,
  effectSettled: nothing,
  effectsPending: nothing,
  targetPaused: nothing,
  timerFired: nothing,
  timersDue: nothing,
}
