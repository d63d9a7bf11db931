import type { Hold } from '../model-key/context.ts'
import type { QueueEntry } from './events.ts'

type Budget = 'open' | 'normalHeld' | 'allHeld'

export interface Pause {
  readonly by: string
  readonly reason: string
  readonly at: number
}

export interface WaitingEntry extends QueueEntry {
  readonly sequence: number
  readonly enqueuedAt: number
  /** `null` while it waits. */
  readonly admittedAt: number | null
  /** Its alert fired again before its Task was minted. */
  readonly firesAgain?: true
}

/** What an alert led to (ALERTS-6). */
export interface Incident {
  readonly fingerprint: string
  readonly task: string
  /** Firings that belong to it, the first one too. */
  readonly firings: number
  /** People were told that it fires again. */
  readonly isNoted?: boolean
  /** The issue that its Task filed. */
  readonly issue?: { readonly repository: string; readonly number: number }
}

/** What became of an entry that left: `Done` had its slot, `Dropped` never got one. */
export interface FinishedEntry {
  readonly entry: string
  readonly state: 'Done' | 'Dropped'
  readonly reason: string
}

/** Everything a Project's queue knows; plain JSON. */
export interface QueueContext {
  readonly id: string
  /** Time of the newest event. */
  readonly at: number
  readonly maxConcurrentAgents: number
  readonly capacity: number
  readonly alertCapacity: number
  /** Why nothing is admitted although there may be room; null: the Project is ready. */
  readonly closedReason: string | null
  /** An operator's pause, beside that of `maxConcurrentAgents`; null: there is none. */
  readonly pausedBy: Pause | null
  readonly budget: Budget
  /** The key of the model that its pods use, by its print; empty: none is known, and none holds anything back. */
  readonly key: string
  /** Why nothing is admitted but a try of the key; null: the key is served. */
  readonly hold: Hold | null
  /** The entry that tries it; empty: none. */
  readonly probe: string
  readonly entries: readonly WaitingEntry[]
  readonly sequence: number
  /** The newest entries that left: one that comes again is a duplicate. */
  readonly finished: readonly FinishedEntry[]
  /** The newest incident of each alert, by its last firing; absent: no alert fired yet. */
  readonly incidents?: readonly Incident[]
}

/** Nothing is admitted before the Project was applied and found ready (SCHEDULE-1). */
export function newQueue(id: string): QueueContext {
  return {
    id,
    at: 0,
    maxConcurrentAgents: 0,
    capacity: 0,
    alertCapacity: 0,
    closedReason: 'not-configured',
    pausedBy: null,
    budget: 'open',
    key: '',
    hold: null,
    probe: '',
    entries: [],
    sequence: 0,
    finished: [],
  }
}
