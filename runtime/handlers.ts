import type { JsonObject } from '../machines/definition.ts'
import type { EffectHandler } from './runtime.ts'

/** What the runtime performs itself, inside the commit. */
export type RuntimeEffectType = 'deliver' | 'answer' | 'withdrawEffects'

interface TypedEffect {
  readonly type: string
  readonly params: JsonObject
}

/** One handler per effect type of the union, none left out: a missing one is a type error. */
export type Handlers<E extends TypedEffect> = {
  readonly [Type in Exclude<E['type'], RuntimeEffectType>]: EffectHandler<Extract<E, { readonly type: Type }>['params']>
}
