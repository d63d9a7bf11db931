/** An effect in the relay's hands, from its commit to its settlement. */
import type { ActorAddress, JsonObject } from '../../machines/definition.ts'
import { effectKey } from '../address.ts'
import type { Alarm } from '../timers/timer-heap.ts'
import type { Held } from './held-effects.ts'
import type { LazyAbort } from './lazy-abort.ts'
import type { EffectOutcome } from '../observer.ts'
import type { Queued } from './ready-effects.ts'
import type { EffectRow } from '../store/rows.ts'
import type { Target } from './targets.ts'
import type { SettleOutcome } from '../work.ts'

export type EntryState = 'waiting' | 'performing' | 'settling'

export interface Entry extends Queued, Held {
  readonly actor: ActorAddress
  readonly target: Target | undefined
  effect: EffectRow
  state: EntryState
  readonly isOrdered: boolean
  /** Since when nothing but limits keeps it waiting. */
  readySince: number
  abort: LazyAbort | undefined
  alarm: Alarm | undefined
  /** Ends the wait before a settlement is tried again. */
  wake: (() => void) | undefined
  /** In a row, while it is held here. */
  failures: number
  /** Tries, while it is held here, that nobody answered: they are in no row. */
  unanswered: number
  isGone: boolean
  /** It was performed and memory has room for another in its place, though it is known until it is settled. */
  isFreed: boolean
  /** Its shard went to another owner, who performs it. */
  isForgotten: boolean
}

export function newEntry(effect: EffectRow, key: string, target: Target | undefined, isOrdered: boolean): Entry {
  return {
    effect,
    actor: effect.actor,
    type: effect.type,
    target,
    isOrdered,
    key,
    state: 'waiting',
    slot: 0,
    readySince: 0,
    position: undefined,
    abort: undefined,
    alarm: undefined,
    wake: undefined,
    failures: 0,
    unanswered: 0,
    isGone: false,
    isFreed: false,
    isForgotten: false,
  }
}

/** The number of the try that is under way, or of the next one. */
export function attemptOf({ effect, unanswered }: Pick<Entry, 'effect' | 'unanswered'>): number {
  return effect.attempts + unanswered + 1
}

export function isAborted(entry: Entry): boolean {
  return entry.abort?.isAborted === true
}

export function reportedOutcome(entry: Entry, outcome: SettleOutcome, attempts: number): EffectOutcome {
  if (isAborted(entry)) return 'withdrawn'
  if (outcome.kind !== 'postponed') return outcome.kind
  return outcome.wasAway || outcome.attempts !== attempts ? 'retried' : 'asked-to-wait'
}

export function paramsOf(effect: EffectRow): JsonObject {
  return JSON.parse(effect.params) as JsonObject
}

export function keyOf(effect: EffectRow): string {
  return effectKey({ actor: effect.actor, seq: effect.seq, index: effect.idx })
}
