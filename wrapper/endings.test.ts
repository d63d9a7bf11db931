import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ModelRequest, Move } from './testing/model.ts'
import type { Session } from '../machines/turn/schema.ts'
import { openWorld, waitFor, type Pod, type PodWorld } from './testing/pod.ts'
import { describeRequiring } from '../testing/requires.ts'

/** What the newest turn asks for: what was sent after its typed line. */
function newestOf(request: ModelRequest): string {
  const all = JSON.stringify(request.body.messages.filter(({ role }) => role !== 'assistant'))
  return all.slice(Math.max(all.lastIndexOf('[turn '), 0))
}

let failing = 0
const bash: Move = { kind: 'call', tool: 'Bash', input: { command: 'true', description: 'nothing' } }

function decide(request: ModelRequest, index: number): Move {
  const asked = newestOf(request)
  if (asked.includes('WORK FOR EVER')) return bash
  if (asked.includes('BUSY') && failing > 0) {
    failing -= 1
    return { kind: 'refuse', status: 529, type: 'overloaded_error' }
  }
  if (asked.includes('TOO LONG'))
    return asked.includes('This session is being continued') || index > 1_000
      ? { kind: 'say', text: 'shorter now' }
      : { kind: 'refuse', status: 413, type: 'request_too_large' }
  if (asked.includes('CUT OFF'))
    return asked.includes('Output token limit hit')
      ? { kind: 'say', text: 'the rest' }
      : { kind: 'say', text: 'the first half', stopReason: 'max_tokens' }
  if (asked.includes('FORBIDDEN FRUIT')) return { kind: 'say', text: 'I would rather not', stopReason: 'refusal' }
  return { kind: 'say', text: 'understood' }
}

describeRequiring('claude', 'how a turn ends on the real CLI', () => {
  let world: PodWorld
  let pod: Pod
  beforeAll(async () => {
    world = await openWorld({ decide, env: { TURN_TOKEN_CEILING: '1500' } })
    pod = await world.start()
  }, 90_000)
  afterAll(() => world.close())

  test('a turn at its token ceiling is ended with its cause, and the next turn has the ceiling to itself', async () => {
    const result = await pod.turn('WORK FOR EVER')
    expect(result).toMatchObject({ state: 'failed', stopReason: 'api_error', error: { code: 'token_ceiling' } })
    const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = result.usage!
    expect(inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens).toBe(10 * 157)
    expect(await pod.turn('and now')).toMatchObject({ state: 'completed', finalText: 'understood' })
  })

  test('retries of the model, which no hook tells of, show in the session while they last', async () => {
    failing = 4
    const { body } = await pod.call('POST', '/v1/messages', { text: 'BUSY' })
    const hindrance = async (): Promise<unknown> =>
      (JSON.parse((await pod.call('GET', '/v1/session')).text) as Session).hindrance
    await waitFor(
      async () => (await hindrance()) !== undefined,
      20_000,
      () => pod.log(),
    )
    expect(await hindrance()).toMatchObject({ kind: 'model-retries', status: 529, attempts: expect.any(Number) })
    expect(await pod.result(body.turnId)).toMatchObject({ state: 'completed', finalText: 'understood' })
    expect(await hindrance()).toBeUndefined()
    const metrics = await (await fetch(`${pod.url}/metrics`)).text()
    expect(metrics).toMatch(/ccw_model_failures_total\{.*status="529".*\} 4/)
    expect(metrics).toMatch(/ccw_turn_hindered_total\{.*kind="model-retries".*\} 1/)
  })
})
