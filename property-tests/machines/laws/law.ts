import type { Trace } from '../world/trace.ts'

/** A law of docs/laws.md, by its number there. `breaches`: a sentence for each moment that broke it. */
export interface Law {
  readonly number: number
  readonly says: string
  readonly breaches: (trace: Trace) => readonly string[]
}
