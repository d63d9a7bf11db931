/** What an operator is told of actors and their journals: the answers of `/operations` and what the commands print. */
import { Type, type Static } from 'typebox'
import { ActorBundle } from '../../runtime/journal/bundle/schema.ts'

const Status = Type.Union([Type.Literal('active'), Type.Literal('done'), Type.Literal('quarantined')])
const Anything = Type.Unknown()

export const ActorAnswer = Type.Object({
  address: Type.String(),
  status: Status,
  path: Type.String(),
  seq: Type.Integer(),
  version: Type.Integer(),
  machineHash: Type.String(),
  fault: Type.Union([Type.String(), Type.Null()]),
  updatedAt: Type.Number(),
})
export type ActorAnswer = Static<typeof ActorAnswer>

export const HistoryAnswer = Type.Object({
  seq: Type.Integer(),
  at: Type.Number(),
  key: Type.String(),
  event: Anything,
  effects: Type.Array(Type.Object({ type: Type.String(), params: Anything })),
  path: Type.String(),
  handled: Type.Boolean(),
  fault: Type.Union([Type.String(), Type.Null()]),
})
export type HistoryAnswer = Static<typeof HistoryAnswer>

export const ReplayAnswer = Type.Object({
  address: Type.String(),
  steps: Type.Integer(),
  equal: Type.Boolean(),
  firstDifference: Type.Optional(Type.String()),
})
export type ReplayAnswer = Static<typeof ReplayAnswer>

export const EffectAnswer = Type.Object({
  key: Type.String(),
  actor: Type.String(),
  type: Type.String(),
  state: Type.Union([Type.Literal('pending'), Type.Literal('dead')]),
  attempts: Type.Integer(),
  decidedAt: Type.Number(),
  notBefore: Type.Number(),
  lastError: Type.Union([Type.String(), Type.Null()]),
  params: Anything,
})
export type EffectAnswer = Static<typeof EffectAnswer>

/** An event that was refused, or one whose step threw. */
export const DeadLetterAnswer = Type.Object({
  id: Type.String(),
  actor: Type.String(),
  key: Type.String(),
  reason: Type.String(),
  at: Type.Number(),
  event: Anything,
})
export type DeadLetterAnswer = Static<typeof DeadLetterAnswer>

export { ActorBundle }
