/** What the inspector's API answers: read by its page and by nobody's program, so it may change with any release. */
import { LastTool } from '../../../machines/turn/schema.ts'
import { Type, type Static } from 'typebox'

const Status = Type.Union([Type.Literal('active'), Type.Literal('done'), Type.Literal('quarantined')])
const AnyJson = Type.Unknown()

/** How it stands, in one word (`machines/why/standing.ts`). */
export const StandingRow = Type.Object({
  sign: Type.String(),
  word: Type.String(),
  tone: Type.Union([
    Type.Literal('goes'),
    Type.Literal('waits'),
    Type.Literal('asks'),
    Type.Literal('trouble'),
    Type.Literal('rests'),
  ]),
  reason: Type.Optional(Type.String()),
  owner: Type.Optional(Type.String()),
  next: Type.Optional(Type.String()),
})
export type StandingRow = Static<typeof StandingRow>

export const ActorRow = Type.Object({
  address: Type.String(),
  kind: Type.String(),
  id: Type.String(),
  status: Status,
  path: Type.String(),
  seq: Type.Integer(),
  updatedAt: Type.Number(),
  standing: StandingRow,
  /** Of its issue, its merge request or its goal, where it has one. */
  title: Type.Optional(Type.String()),
})
export type ActorRow = Static<typeof ActorRow>

export const ActorsAnswer = Type.Object({
  items: Type.Array(ActorRow),
  nextCursor: Type.Optional(Type.String()),
  /** On all pages, and at most 1,000; 0 on one behind the first. */
  total: Type.Integer(),
})
export type ActorsAnswer = Static<typeof ActorsAnswer>

const ChosenFilter = Type.Union([
  Type.Literal('kind'),
  Type.Literal('project'),
  Type.Literal('repository'),
  Type.Literal('person'),
  Type.Literal('reason'),
  Type.Literal('state'),
])

/** What lists may be filtered by: how many actors of a kind a value finds, and how the page words it. The most frequent first. */
export const ChoicesAnswer = Type.Object({
  items: Type.Array(
    Type.Object({
      filter: ChosenFilter,
      kind: Type.String(),
      value: Type.String(),
      text: Type.String(),
      count: Type.Integer(),
    }),
  ),
})
export type ChoicesAnswer = Static<typeof ChoicesAnswer>

export const TimerRow = Type.Object({ name: Type.String(), state: Type.Optional(Type.String()), dueAt: Type.Number() })
export type TimerRow = Static<typeof TimerRow>

export const EffectRow = Type.Object({
  key: Type.String(),
  type: Type.String(),
  params: AnyJson,
  state: Type.Union([Type.Literal('pending'), Type.Literal('performing'), Type.Literal('dead')]),
  attempts: Type.Integer(),
  notBefore: Type.Number(),
  lastError: Type.Optional(Type.String()),
})
export type EffectRow = Static<typeof EffectRow>

const ActorLastTurn = Type.Object({
  pod: Type.Integer(),
  words: Type.String(),
  tool: Type.Optional(LastTool),
  ended: Type.Optional(Type.String()),
})

export const ActorAnswer = Type.Object({
  ...ActorRow.properties,
  fault: Type.Optional(Type.String()),
  /** What keeps its turn from going on, as its pod names it now. */
  hindrance: Type.Optional(Type.String()),
  /** Of a parked Task: what its agent did last. */
  lastTurn: Type.Optional(ActorLastTurn),
  context: AnyJson,
  /** Its issues and merge requests on the forge. */
  links: Type.Array(Type.Object({ text: Type.String(), url: Type.String() })),
  timers: Type.Array(TimerRow),
  effects: Type.Array(EffectRow),
  now: Type.Number(),
})
export type ActorAnswer = Static<typeof ActorAnswer>

export const HistoryRow = Type.Object({
  seq: Type.Integer(),
  at: Type.Number(),
  type: Type.String(),
  key: Type.String(),
  event: AnyJson,
  effects: Type.Array(Type.Object({ type: Type.String(), params: AnyJson })),
  path: Type.String(),
  status: Type.Union([Type.Literal('active'), Type.Literal('done')]),
  handled: Type.Boolean(),
  fault: Type.Optional(Type.String()),
})
export type HistoryRow = Static<typeof HistoryRow>

/** `position`: where the feed is; what is read after it and the messages behind it leave nothing out. */
export const KindsAnswer = Type.Object({
  kinds: Type.Array(Type.String()),
  position: Type.String(),
  now: Type.Number(),
})
export type KindsAnswer = Static<typeof KindsAnswer>
