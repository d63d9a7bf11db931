import type { TurnContext } from '../../../../machines/turn/context.ts'
import type { TimelessEvent } from '../walk.ts'

const start: TimelessEvent = {
  type: 'turn.start',
  ...{ pod: 'default/alone/1', podOrdinal: 1, task: 'default/alone', ordinal: 0, url: 'http://pod.test' },
  ...{ purpose: 'work', eventsUpTo: 3, turnTimeoutSeconds: 1800, stallProbeGraceSeconds: 60, stallProbeMaxAttempts: 3 },
}

export const turnBirths: readonly TimelessEvent[] = [
  start,
  { ...start, purpose: 'handoff', ledger: 'default/demo' },
  { ...start, stallProbeMaxAttempts: 1 },
]

export function turnWords(context: object): readonly TimelessEvent[] {
  const { turnId, liveTurnId, lastActivityAt, probes } = context as TurnContext
  const report = { finalText: 'done', usage: { inputTokens: 3, outputTokens: 4 }, pushed: ['lib'], failed: [] }
  const result = (turn: string, state: string, stopReason: string, more: object = {}): TimelessEvent => ({
    type: 'turn.result',
    ...{ turnId: turn, state, stopReason, ...report },
    ...more,
  })
  return [
    start,
    { type: 'reservation.granted' },
    { type: 'reservation.refused', reason: 'task: 3 of 3 tokens' },
    { type: 'submit.accepted', turnId: 'w1' },
    { type: 'submit.conflict', liveTurnId: 'w0' },
    { type: 'submit.conflict' },
    { type: 'submit.expired' },
    { type: 'turn.callback', turnId: 'w1' },
    { type: 'turn.callback', turnId: '' },
    { type: 'turn.activity', lastActivityAt: lastActivityAt + 1000 },
    { type: 'turn.activity', lastActivityAt, probeAnswered: probes },
    { type: 'turn.activity', lastActivityAt, probeAnswered: probes - 1 },
    ...[...new Set([turnId, liveTurnId, 'w1', 'w9'])].flatMap((turn) => [
      result(turn, 'completed', 'end_turn'),
      result(turn, 'completed', 'max_tokens'),
      result(turn, 'failed', 'end_turn'),
      result(turn, 'failed', 'usage_limit', { resetsAt: 1_800_007_200_000, error: 'limit' }),
    ]),
    { type: 'turn.interruptRefused' },
    { type: 'turn.abandon' },
    { type: 'turn.podFinal' },
    ...['submitTurn', 'interruptTurn', 'pollTurn'].map((effect) => ({
      type: 'effect.failed',
      effect,
      reason: 'no',
      key: 'k',
    })),
  ]
}
