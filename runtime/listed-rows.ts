/** Rows that wait for something, as people and programs are shown them. */
import type { JsonObject } from '../machines/definition.ts'
import { effectKey } from './address.ts'
import type { DeadLetter, PendingEffect, PendingTimer } from './runtime.ts'
import type { StoredDeadLetter } from './store/inbox/dead-letters.ts'
import type { EffectRow, TimerRow } from './store/rows.ts'

/** What tells a dead letter's id from the key of an effect. */
export const letterPrefix = 'letter:'

export function deadLetterOf({ id, actor, key, body, reason, at }: StoredDeadLetter): DeadLetter {
  const event = JSON.parse(body) as DeadLetter['event']
  return { id: `${letterPrefix}${id}`, to: actor, key, event, reason, at }
}

export function pendingTimerOf({ actor, id, dueAt, body }: TimerRow): PendingTimer {
  return { actor, id, dueAt, event: { at: dueAt, ...(JSON.parse(body) as { type: string }) } }
}

/** `stateOf`: what this process is doing with the effect, if it has it in hand. */
export function pendingEffectOf(row: EffectRow, stateOf: (key: string) => string | undefined): PendingEffect {
  const key = effectKey({ actor: row.actor, seq: row.seq, index: row.idx })
  const inMemory = stateOf(key)
  const isPerforming = inMemory === 'performing' || inMemory === 'settling'
  return {
    key,
    actor: row.actor,
    effect: { type: row.type, params: JSON.parse(row.params) as JsonObject },
    attempts: row.attempts,
    notBefore: row.notBefore,
    ...(row.lastError === null ? {} : { lastError: row.lastError }),
    state: row.dead ? 'dead' : isPerforming ? 'performing' : 'pending',
  }
}
