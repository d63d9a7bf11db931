/** Answers are effects, so that a replay gives the same one (ACTOR-2). */
import { effect, type EffectAction } from '../emit.ts'
import type { Change } from './chart.ts'

export interface Answer {
  readonly status: number
  readonly body: { readonly [key: string]: unknown }
}

/** 400 is said of what the call itself gets wrong, 409 of what stands against it. */
const malformed: ReadonlySet<string> = new Set(['merge-order-required', 'significance-lowered'])

export function refusal(code: string, detail: string, members: Answer['body'] = {}): Answer {
  return { status: malformed.has(code) ? 400 : 409, body: { code, detail, ...members } }
}

export function answer({ status, body }: Answer): EffectAction {
  return effect('answer', { status, body })
}

export function refuses(code: string, detail: string, members?: Answer['body']): () => Change {
  return () => ({ effects: [answer(refusal(code, detail, members))] })
}
