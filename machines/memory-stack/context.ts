import type { StackPart, StackSight, StackWanted } from './events.ts'

/** What is known of a Project's memory stack, and when it is looked at next; plain JSON. Times are epoch milliseconds. */
export interface MemoryStackContext {
  /** The Project's. */
  readonly id: string
  /** Time of the newest event. */
  readonly at: number
  /** `null`: the Project wants none. */
  readonly wanted: StackWanted | null
  /** Ordinal of the newest look: what each answer names. */
  readonly looks: number
  /** When the next look begins; `null`: none will. */
  readonly nextAt: number | null
  /** As it was found last, with the words of this part; of one that is gone: what stays. */
  readonly phase: StackSight['phase']
  readonly part: StackPart
  readonly words: string
  /** Since when this part is waited for, or all is well. */
  readonly since: number
  /** The part is waited for longer than it should take. */
  readonly isLate: boolean
  /** Where it serves, or will; empty: nobody knows yet. */
  readonly endpoint: string
  readonly externalEndpoint: string
  /** Looks in a row that saw nothing, and why the newest did not; empty: it did. */
  readonly failures: number
  readonly trouble: string
}

export function newMemoryStack(id: string): MemoryStackContext {
  return {
    id,
    at: 0,
    wanted: null,
    looks: 0,
    nextAt: null,
    phase: 'pending',
    part: 'cluster',
    words: '',
    since: 0,
    isLate: false,
    endpoint: '',
    externalEndpoint: '',
    failures: 0,
    trouble: '',
  }
}

/** What a look is called; answers to another one change nothing. */
export function lookOf({ looks }: MemoryStackContext): string {
  return `stack/${looks}`
}
