import assert from 'node:assert/strict'
import { keyPlaceholder } from '../../boot/agent-process.ts'
import { sleep } from '../../clock.ts'
import type { Agent } from '../agent.ts'
import type { SharedCase } from '../case.ts'

/** The typed line begins with a bracket: right behind an ESC it would be read as a sequence. */
const escapeGapMs = 500
const anHourMs = 3_600_000

function headers(agent: Agent, status: 'allowed' | 'rejected'): Record<string, string> {
  const reset = String(Math.floor((agent.clock.now() + anHourMs) / 1000))
  const windows = ['5h', '7d'].flatMap((window) => [
    [`anthropic-ratelimit-unified-${window}-utilization`, status === 'rejected' ? '1' : '0.37'],
    [`anthropic-ratelimit-unified-${window}-reset`, reset],
    [`anthropic-ratelimit-unified-${window}-status`, status],
  ])
  return {
    'anthropic-ratelimit-unified-status': status,
    'anthropic-ratelimit-unified-representative-claim': 'five_hour',
    'anthropic-ratelimit-unified-reset': reset,
    ...(Object.fromEntries(windows) as Record<string, string>),
  }
}

export const subscriptionCases: readonly SharedCase[] = [
  {
    id: 'usage.bearer',
    fact: 'the placeholder of a subscription’s token is sent as a bearer, over the socket',
    adapter: 'wrapper/boot/agent-process.ts',
    session: 'subscription',
    daily: true,
    holds: async (agent) => {
      const { requests } = await agent.turn('hello')
      assert.equal(requests[0]?.headers.authorization, `Bearer ${keyPlaceholder}`)
    },
  },
  {
    id: 'usage.windows',
    fact: 'the status line is told both usage windows, and its program hands them on',
    adapter: 'wrapper/usage/statusline.mjs',
    session: 'subscription',
    daily: true,
    holds: async (agent) => {
      await agent.turn('hello', () => ({ kind: 'say', text: 'fine', headers: headers(agent, 'allowed') }))
      await agent.until('a report', () => agent.model.usageReports.length > 0)
      const report = agent.model.usageReports.at(-1) as Record<string, { usedPercent: number; resetsAt: number }>
      assert.deepEqual([report['fiveHour']?.usedPercent, report['sevenDay']?.usedPercent], [37, 37])
      assert.ok(Number.isInteger(report['fiveHour']?.resetsAt))
    },
  },
  {
    id: 'usage.limit',
    fact: 'a used-up window ends the turn at once as rate_limit, and after ESC the next turn is taken',
    adapter: 'wrapper/turns/conversation.ts',
    session: 'subscription',
    holds: async (agent) => {
      const rejected = { kind: 'refuse', status: 429, type: 'rate_limit_error' } as const
      const seen = await agent.turn('too much', () => ({ ...rejected, headers: headers(agent, 'rejected') }))
      assert.equal(seen.requests.length, 1)
      assert.deepEqual([seen.hooks.at(-1)?.event, seen.hooks.at(-1)?.input['error']], ['StopFailure', 'rate_limit'])
      agent.terminal.write('\u001b')
      await sleep(agent.clock, escapeGapMs)
      const next = await agent.turn('and now', () => ({ kind: 'say', text: 'on' }))
      assert.equal(next.hooks.at(-1)?.event, 'Stop')
    },
  },
]
