import { Type, type Static } from 'typebox'
import { At } from '../event.ts'

/** Tokens; 0 is no limit, and for `maxRaisePerDay` none by comment (LEDGER-3). */
export const SpendingLimits = Type.Object({
  tokensPerTurn: Type.Integer({ minimum: 1, description: 'what is reserved for a turn before it begins' }),
  tokensPerTask: Type.Integer({ minimum: 0 }),
  tokensPerDay: Type.Integer({ minimum: 0 }),
  tokensPerProject: Type.Integer({ minimum: 0 }),
  maxRaisePerDay: Type.Integer({ minimum: 0, description: 'what `/budget +N` may add in a day, in all' }),
})
export type SpendingLimits = Static<typeof SpendingLimits>

const Turn = { turn: Type.String({ description: 'actor id of the turn: the reservation is named by it' }) }

export const LedgerEvent = Type.Union([
  Type.Object({ type: Type.Literal('ledger.configured'), ...At, limits: SpendingLimits }),
  /** A turn wants to begin -> `reservation.granted` | `reservation.refused` to it, and a refused Task is held. */
  Type.Object({ type: Type.Literal('reservation.asked'), ...At, ...Turn, task: Type.String() }),
  /** The turn is over. Null: nobody knows what it used, and it may have been all. */
  Type.Object({
    type: Type.Literal('reservation.settled'),
    ...At,
    ...Turn,
    tokens: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
  }),
  /** `/budget +N` of a maintainer -> `budget.raised` | `budget.refused` to the Task. */
  Type.Object({
    type: Type.Literal('raise.asked'),
    ...At,
    task: Type.String(),
    by: Type.String(),
    amount: Type.Integer({ minimum: 1 }),
  }),
  /** No turn of this Task will come any more. */
  Type.Object({ type: Type.Literal('task.settled'), ...At, task: Type.String() }),
])
export type LedgerEvent = Static<typeof LedgerEvent>
