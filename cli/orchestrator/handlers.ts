import type { EffectParams, OutboxEffectType } from '../../machines/effect.ts'
import type { EffectHandler } from '../../runtime/runtime.ts'

/** One handler per effect type that leaves the runtime: a missing one does not compile. */
export type EffectHandlers = { readonly [Type in OutboxEffectType]: EffectHandler<EffectParams<Type>> }
