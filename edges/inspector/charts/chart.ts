/** A machine's chart as it is drawn: what the generator writes and page and documents read. Lengths are CSS pixels. */
import { Type, type Static } from 'typebox'

const length = Type.Number()
const point = Type.Tuple([length, length])

/** One row of a state's table. `target` is absent where the row stays in its state. */
export const ChartRow = Type.Object({
  event: Type.String({
    description: 'the event type; `after <delay>` of a timer; `always` of a row that takes no event',
  }),
  guard: Type.Optional(Type.String({ description: 'its name, or what it asks where it has none' })),
  actions: Type.Optional(Type.Array(Type.String({ description: 'its name, or the call that made it' }))),
  target: Type.Optional(Type.String()),
})
export type ChartRow = Static<typeof ChartRow>

export const ChartState = Type.Object({
  id: Type.String({ description: 'the path from the root, with dots; the root itself is left out' }),
  label: Type.String(),
  kind: Type.Union([
    Type.Literal('atomic'),
    Type.Literal('compound'),
    Type.Literal('parallel'),
    Type.Literal('region'),
    Type.Literal('final'),
  ]),
  initial: Type.Boolean(),
  x: length,
  y: length,
  width: length,
  height: length,
  /** In its frame, where the branches of that are folded: the page opens them from there. */
  folded: Type.Object({ x: length, y: length, width: length, height: length }),
  /** Events by which a state around this one, or one inside it, leads here: said in the box, since such an arrow has no outside. */
  fromAround: Type.Array(Type.String()),
  owner: Type.Optional(Type.String()),
  reason: Type.Optional(Type.String()),
  unblocks: Type.Optional(Type.String()),
  rows: Type.Array(ChartRow),
})
export type ChartState = Static<typeof ChartState>

/** Rows from one state to another that no line shows exactly: the page draws them when they matter. */
export const ChartMove = Type.Object({
  source: Type.String(),
  target: Type.String(),
  events: Type.Array(Type.String()),
})
export type ChartMove = Static<typeof ChartMove>

/** A line between two neighbours stands for all rows from inside the one to inside the other. */
export const ChartLine = Type.Object({
  source: Type.String(),
  target: Type.String(),
  /** Eventless rows lead back the same way: one line with two heads. */
  isBothWays: Type.Boolean(),
  moves: Type.Array(ChartMove),
  points: Type.Array(point),
  folded: Type.Object({
    points: Type.Array(point),
    label: Type.Optional(Type.Object({ x: length, y: length })),
  }),
  /** Absent where only eventless rows lead along here. */
  label: Type.Optional(
    Type.Object({ x: length, y: length, width: length, height: length, lines: Type.Array(Type.String()) }),
  ),
})
export type ChartLine = Static<typeof ChartLine>

export const Chart = Type.Object({
  kind: Type.String(),
  version: Type.Integer(),
  width: length,
  height: length,
  /** Outer states before inner ones. */
  states: Type.Array(ChartState),
  lines: Type.Array(ChartLine),
})
export type Chart = Static<typeof Chart>
