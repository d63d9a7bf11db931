import type { JsonObject } from '../machines/definition.ts'
import type { RuntimeEffectType } from '../machines/effect.ts'
import type { EffectHandler } from './runtime.ts'

interface TypedEffect {
  readonly type: string
  readonly params: JsonObject
}

/** One handler per effect type of the union, none left out: a missing one is a type error. */
export type Handlers<E extends TypedEffect> = {
  readonly [Type in Exclude<E['type'], RuntimeEffectType>]: EffectHandler<Extract<E, { readonly type: Type }>['params']>
}
