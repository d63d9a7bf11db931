import assert from 'node:assert/strict'
import type { Move } from '../model.ts'
import { answerText, type Agent, type Decide, type Seen } from '../agent.ts'
import type { SharedCase } from '../case.ts'

const adapter = 'wrapper/turns/outcome.ts'
const fine: Move = { kind: 'say', text: answerText }
const first =
  (...moves: readonly Move[]): Decide =>
  (_request, nth) =>
    moves[nth] ?? fine
const refuse = (status: number, type: string): Move => ({ kind: 'refuse', status, type })

export const errorCases: readonly SharedCase[] = [
  {
    id: 'error.403',
    fact: '403 is not retried: one request, StopFailure, and the session goes on',
    adapter: 'wrapper/model-proxy/ceiling.ts',
    session: 'key',
    daily: true,
    holds: async (agent) => {
      const seen = await agent.turn('forbidden', () => refuse(403, 'permission_error'))
      assert.equal(endOf(seen), 'StopFailure authentication_failed')
      assert.equal(seen.requests.length, 1)
      assert.equal(endOf(await agent.turn('and now', first())), 'Stop')
    },
  },
  {
    id: 'error.line',
    fact: 'a failure is a line of the transcript that is marked as one',
    adapter: 'wrapper/turns/transcript.ts',
    session: 'key',
    daily: true,
    holds: async (agent) => {
      const before = marked(agent)
      await agent.turn('forbidden', () => refuse(403, 'permission_error'))
      await agent.until('the marked line', () => marked(agent) > before, 2_000)
    },
  },
  {
    id: 'error.529',
    fact: '529 is retried in silence: no hook until the answer',
    adapter: 'wrapper/turns/hindrance.ts',
    session: 'key',
    holds: async (agent) => {
      const busy = refuse(529, 'overloaded_error')
      const seen = await agent.turn('busy', first(busy, busy))
      assert.deepEqual(
        seen.hooks.map(({ event }) => event),
        ['UserPromptSubmit', 'Stop'],
      )
      assert.equal(seen.requests.length, 3)
    },
  },
  {
    id: 'error.event',
    fact: 'an error event in the middle of a stream is retried',
    adapter: 'wrapper/model-proxy/ceiling.ts',
    session: 'key',
    holds: async (agent) => {
      const seen = await agent.turn('broken', first({ kind: 'break', how: 'error-event' }))
      assert.equal(endOf(seen), 'Stop')
      assert.ok(seen.requests.length >= 2)
    },
  },
  {
    id: 'error.reset',
    fact: 'a stream that breaks off is retried',
    adapter: 'wrapper/model-proxy/proxy.ts',
    session: 'key',
    holds: async (agent) => {
      const seen = await agent.turn('broken', first({ kind: 'break', how: 'reset' }))
      assert.equal(endOf(seen), 'Stop')
      assert.ok(seen.requests.length >= 2)
    },
  },
  {
    id: 'error.too-long',
    fact: 'a conversation that the model finds too long is compacted by the CLI within the turn',
    adapter,
    session: 'key',
    holds: async (agent) => {
      for (const text of ['some', 'more', 'turns']) await agent.turn(text, first())
      const seen = await agent.turn('too long', first(refuse(413, 'request_too_large')))
      assert.equal(endOf(seen), 'Stop')
      const isCompacted = (): boolean => agent.transcript().some((line) => line['subtype'] === 'compact_boundary')
      await agent.until('the line of the compaction', isCompacted, 2_000)
    },
  },
  {
    id: 'stop.max-tokens',
    fact: 'an answer that was cut off is continued by the CLI: one Stop at the end',
    adapter,
    session: 'key',
    daily: true,
    holds: async (agent) => {
      const cut: Move = { kind: 'say', text: 'the first half', stopReason: 'max_tokens' }
      const seen = await agent.turn('long answer', first(cut))
      assert.deepEqual([endOf(seen), seen.requests.length], ['Stop', 2])
    },
  },
  {
    id: 'stop.refusal',
    fact: 'a refusal is continued once; refused again the turn ends as a failure of the API',
    adapter,
    session: 'key',
    holds: async (agent) => {
      const refusal: Move = { kind: 'say', text: 'no', stopReason: 'refusal' }
      assert.equal(endOf(await agent.turn('refuse once', first(refusal))), 'Stop')
      const seen = await agent.turn('refuse', () => refusal)
      assert.deepEqual([endOf(seen), seen.requests.length], ['StopFailure invalid_request', 2])
      assert.equal(endOf(await agent.turn('and now', first())), 'Stop')
    },
  },
]

function endOf(seen: Seen): string {
  const { event, input = {} } = seen.hooks.at(-1) ?? {}
  return event === 'Stop' ? event : `${event} ${String(input['error'])}`
}

function marked(agent: Agent): number {
  return agent.transcript().filter((line) => line['isApiErrorMessage'] === true).length
}
