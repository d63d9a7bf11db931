/** What the feed tells pages, over /inspector/live: a hello, then bundles of steps, and the time where nothing happens. */
import { Type, type Static } from 'typebox'
import { StandingRow } from './readings/answers.ts'

/** One committed step. `n` counts the messages of this feed. */
export const StepMessage = Type.Object({
  n: Type.Integer(),
  address: Type.String(),
  seq: Type.Integer(),
  path: Type.String(),
  status: Type.Union([Type.Literal('active'), Type.Literal('done')]),
  type: Type.String(),
  at: Type.Number(),
  /** As a list says them; of all but the last step of an actor in a bundle, as far as the path alone says it. */
  standing: StandingRow,
  title: Type.Optional(Type.String()),
})
export type StepMessage = Static<typeof StepMessage>

/** In the order of `n`; of several steps of one actor the last, but for the first bundle of a line: it has all that was missed. */
export type Bundle = readonly StepMessage[]

/** First on every line. `missed`: what lies between is no longer kept, so the page reads everything anew. */
export const HelloMessage = Type.Object({ feed: Type.String(), missed: Type.Boolean(), now: Type.Number() })
export type HelloMessage = Static<typeof HelloMessage>
