import { expect, it } from 'vitest'
import { AccountUsage, maxMessageBytes, StopReason, Usage, WrapperStopReason } from './schema.ts'

const ofWrapper = [
  ...['end_turn', 'max_tokens', 'refusal', 'interrupted', 'api_error', 'usage_limit', 'key_refused', 'no_credit'],
  ...['agent_exited', 'transcript_unreadable', 'shutdown'],
]
const ofOrchestrator = ['interrupt_unconfirmed', 'expired', 'conflict', 'abandoned', 'budget']

function literalsOf(schema: object): readonly unknown[] {
  const { anyOf = [], const: literal } = schema as { readonly anyOf?: readonly object[]; readonly const?: unknown }
  return literal === undefined ? anyOf.flatMap(literalsOf) : [literal]
}

it('a turn stops for the reasons of the wrapper and for those that the orchestrator adds (TURN-10)', () => {
  expect(literalsOf(WrapperStopReason)).toEqual(ofWrapper)
  expect(literalsOf(StopReason)).toEqual([...ofWrapper, ...ofOrchestrator])
})

const requiredOf = (schema: object): unknown => (schema as { readonly required?: unknown }).required

it('usage and account usage have the words that status and budget use (WRAPPER-RULE-6)', () => {
  const counts = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens', 'costUsd']
  expect(requiredOf(Usage)).toEqual([...counts, 'byModel'])
  expect(requiredOf(AccountUsage)).toEqual(['fiveHour', 'sevenDay', 'reportedAt'])
  const { fiveHour, sevenDay } = AccountUsage.properties
  expect([fiveHour, sevenDay].map(requiredOf)).toEqual([
    ['usedPercent', 'resetsAt'],
    ['usedPercent', 'resetsAt'],
  ])
})

it('a message has at most 8 MiB (WRAPPER-RULE-4)', () => {
  expect(maxMessageBytes).toBe(8_388_608)
})
