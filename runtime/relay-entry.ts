/** One effect in the relay's hands, and what can be said of it. */
import type { JsonObject } from '../machines/definition.ts'
import { effectKey } from './address.ts'
import type { Alarm } from './alarms.ts'
import { messageOf } from './errors.ts'
import type { EffectOutcome } from './observer.ts'
import type { Queued } from './ready-effects.ts'
import type { EffectRow } from './store/rows.ts'
import type { SettleOutcome } from './work.ts'

export type EntryState = 'waiting' | 'performing' | 'settling'

export interface Entry extends Queued {
  effect: EffectRow
  state: EntryState
  readonly key: string
  readonly isOrdered: boolean
  /** Where it stands among its actor's. */
  slot: number
  /** Since when nothing but limits keeps it waiting. */
  readySince: number
  abort: AbortController | undefined
  alarm: Alarm | undefined
  /** Ends the wait before a settlement is tried again. */
  wake: (() => void) | undefined
  isGone: boolean
  /** Its shard went to another owner, who performs it. */
  isForgotten: boolean
}

const longestError = 2000

export function isAborted(entry: Entry): boolean {
  return entry.abort?.signal.aborted === true
}

export function toldOutcome(entry: Entry, outcome: SettleOutcome, attempts: number): EffectOutcome {
  if (isAborted(entry)) return 'withdrawn'
  if (outcome.kind !== 'postponed') return outcome.kind
  return outcome.attempts === attempts ? 'asked-to-wait' : 'retried'
}

/** What the store can hold and a person reads: no control characters, and not a whole page of somebody's HTML. */
export function errorText(error: unknown): string {
  return messageOf(error)
    .slice(0, longestError)
    .replaceAll(/[\u0000-\u0008\u000b-\u001f]/g, ' ')
    .toWellFormed()
}

export function paramsOf(effect: EffectRow): JsonObject {
  return JSON.parse(effect.params) as JsonObject
}

export function keyOf(effect: EffectRow): string {
  return effectKey({ actor: effect.actor, seq: effect.seq, index: effect.idx })
}
