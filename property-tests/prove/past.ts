import type { Moment } from '../machines/world/trace.ts'

/** What the past must not let anybody forget. */
export interface Past<G> {
  readonly none: G
  readonly remember: (history: G, moment: Moment) => G
}
