import { expectTypeOf, describe, it } from 'vitest'
import type { Handlers } from './handlers.ts'
import type { EffectHandlers } from './runtime.ts'

type Effects =
  | { readonly type: 'postComment'; readonly params: { readonly body: string } }
  | { readonly type: 'closeIssue'; readonly params: { readonly number: number } }
  | { readonly type: 'deliver'; readonly params: { readonly to: string } }

describe('a record of handlers', () => {
  it('has one for every type of effect but those of the runtime, each knowing its params, and fits the runtime', () => {
    expectTypeOf<keyof Handlers<Effects>>().toEqualTypeOf<'postComment' | 'closeIssue'>()
    expectTypeOf<Parameters<Handlers<Effects>['closeIssue']['perform']>[0]>().toEqualTypeOf<{
      readonly number: number
    }>()
    expectTypeOf<Handlers<Effects>>().toExtend<EffectHandlers>()
  })
})
