import { Type, type Static } from 'typebox'

/** What every event carries: when it was said. */
export const At = { at: Type.Integer({ description: 'epoch ms' }) }

export const AccountWindow = Type.Object({ usedPercent: Type.Number(), resetsAt: Type.Integer() })
export type AccountWindow = Static<typeof AccountWindow>

/** What the account of the model has used, as a turn heard of it; times are epoch ms. */
export const AccountReport = Type.Object({ fiveHour: AccountWindow, weekly: AccountWindow, reportedAt: Type.Integer() })
export type AccountReport = Static<typeof AccountReport>

/** The runtime's word to an actor that one of its effects will not be performed any more (R7). */
export const EffectFailed = Type.Object({
  type: Type.Literal('effect.failed'),
  ...At,
  effect: Type.String(),
  reason: Type.String(),
  key: Type.String(),
})
