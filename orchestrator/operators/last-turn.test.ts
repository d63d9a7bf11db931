import { describe, expect, test } from 'vitest'
import type { JournalRow } from '../../runtime/runtime.ts'
import { readLastTurn } from './last-turn.ts'

const key = `ghp_${'a'.repeat(36)}`

function task(change: object = {}): object {
  const turn = { last: 1, lastPod: 2, lastFinalText: 'from the Task', ...change }
  return { id: 'default/t', stage: { class: 'parked' }, turn }
}

function journal(...events: readonly object[]): Parameters<typeof readLastTurn>[0] {
  return {
    history: async (address) =>
      address === 'turn:default/t/2/1' ? events.map((event) => ({ event }) as unknown as JournalRow) : [],
  }
}

describe('what the agent of a parked Task did last', () => {
  test('is read from the journal of its last turn', async () => {
    const result = { type: 'turn.result', finalText: 'I stop here', stopReason: 'api_error', error: 'exit: killed' }
    const runtime = journal({ type: 'turn.start' }, { ...result, lastTool: { name: 'Edit', failed: true } })
    expect(await readLastTurn(runtime, task())).toEqual({
      pod: 2,
      words: 'I stop here',
      tool: { name: 'Edit', failed: true },
      ended: 'api_error, exit: killed',
    })
  })

  test('shows no secret, not even half of one, and 500 letters', async () => {
    const finalText = `${'x'.repeat(490)} ${key} ${'y'.repeat(90)}`
    const runtime = journal({ type: 'turn.result', finalText, stopReason: 'end_turn', error: `said ${key}` })
    const last = await readLastTurn(runtime, task())
    expect(JSON.stringify(last)).not.toContain('ghp_')
    expect([...(last?.words ?? '')]).toHaveLength(501)
  })

  test('is what the Task knows once the journal is gone, and nothing before a turn ended or outside of a park', async () => {
    expect(await readLastTurn(journal(), task())).toEqual({ pod: 2, words: 'from the Task' })
    expect(await readLastTurn(journal(), task({ last: null }))).toBe(undefined)
    expect(await readLastTurn(journal(), { ...task(), stage: { class: 'active' } })).toBe(undefined)
  })
})
