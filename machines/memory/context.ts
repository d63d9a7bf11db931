import type { Indexed } from './events.ts'

/** `since`: when it came to have all of the Repository, or to lack some of it. */
interface Known extends Indexed {
  readonly since: number
}

export function isCurrent({ due, trouble }: Indexed): boolean {
  return due === 0 && trouble === ''
}

/** What is known of a Project's memory, and when it is looked at; plain JSON. Times are epoch milliseconds. */
export interface MemoryContext {
  /** The Project's. */
  readonly id: string
  /** Time of the newest event. */
  readonly at: number
  /** Ordinal of the newest step: what each answer names. */
  readonly steps: number
  /** By the name of the Repository, as the newest step found it. */
  readonly repositories: { readonly [repository: string]: Known }
  /** When the next step begins; `null`: one is under way, or none will come. */
  readonly nextAt: number | null
  /** Something changed since the step that is under way began. */
  readonly isOutdated: boolean
  /** Since when it lacks something; `null`: it had all that was there at the last look. */
  readonly behindSince: number | null
  /** Steps in a row that could not do all that they should. */
  readonly failures: number
  /** What the newest step could not do, for a condition; empty: nothing. */
  readonly trouble: string
  /** Steps in a row that did nothing, and why not; empty: the newest one did. */
  readonly holds: number
  readonly heldBy: string
}

export function newMemory(id: string): MemoryContext {
  return {
    id,
    at: 0,
    steps: 0,
    repositories: {},
    nextAt: null,
    isOutdated: false,
    behindSince: null,
    failures: 0,
    trouble: '',
    holds: 0,
    heldBy: '',
  }
}

/** What a step is called; answers to another one change nothing. */
export function stepOf({ steps }: MemoryContext): string {
  return `memory/${steps}`
}
