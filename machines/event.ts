import { Type } from 'typebox'

/** What every event carries: when it was said. */
export const At = { at: Type.Integer({ description: 'epoch ms' }) }

/** The runtime's word to an actor that one of its effects will not be performed any more (R7). */
export const EffectFailed = Type.Object({
  type: Type.Literal('effect.failed'),
  ...At,
  effect: Type.String(),
  reason: Type.String(),
  key: Type.String(),
})
