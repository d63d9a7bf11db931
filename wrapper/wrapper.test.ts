import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { verifyHmac } from '../edges/http/auth/hmac.ts'
import type { Move, ModelRequest } from './selftest/model.ts'
import { callbackSecret, openWorld, randomText, runGit, waitFor, type Pod, type PodWorld } from './testing/pod.ts'
import { describeRequiring } from '../testing/requires.ts'

/** The model of these tests does what the newest message asks for in so many words. */
function decide(request: ModelRequest): Move {
  const last = request.body.messages.filter(({ role }) => role === 'user').at(-1)
  const text = JSON.stringify(last?.content ?? '')
  if (text.includes('tool_result')) return { kind: 'say', text: 'done' }
  if (text.includes('HOLD THE STREAM')) return { kind: 'say', text: 'I begin', hold: true }
  if (text.includes('SAY NOTHING')) return { kind: 'silence' }
  const command = /RUN (\w+)/.exec(text)?.[1]
  if (command === 'edit')
    return { kind: 'call', tool: 'Bash', input: { command: 'cd lib && echo more >> README.md', description: 'edit' } }
  return { kind: 'say', text: 'understood' }
}

describeRequiring('claude', 'the wrapper on the real CLI', () => {
  let world: PodWorld
  let pod: Pod
  beforeAll(async () => {
    world = await openWorld({ decide })
    pod = await world.start()
  }, 90_000)
  afterAll(() => world.close())
  /** Resolves once the model has been asked `more` times since `before`. */
  let before = 0
  const asked = (more: number): Promise<void> =>
    waitFor(
      () => world.model.requests.length >= before + more,
      20_000,
      () => pod.log(),
    )
  beforeEach(() => {
    before = world.model.requests.length
  })

  test('is ready with the contract version once the agent is', async () => {
    expect((await pod.call('GET', '/readyz')).status).toBe(200)
    const { body } = await pod.call('GET', '/v1/session')
    expect(body).toMatchObject({
      state: 'idle',
      turnsCompleted: 0,
      contractVersion: 4,
      repo: 'lib',
      model: 'claude-sonnet-4-5',
    })
  })

  test('refuses a caller without a token', async () => {
    const response = await fetch(`${pod.url}/v1/session`)
    expect(response.status).toBe(401)
  })

  test.each([10, 5_000, 200_000])('delivers a body of %i characters exactly and reports the result', async (size) => {
    const text = randomText(size)
    const result = await pod.turn(text)
    expect(result).toMatchObject({
      state: 'completed',
      stopReason: 'end_turn',
      finalText: 'understood',
      pushed: [],
      failed: [],
    })
    expect(result.usage).toMatchObject({ inputTokens: 100, outputTokens: 7, cacheReadTokens: 30, cacheWriteTokens: 20 })
    const bodies = world.model.requests
      .slice(before)
      .map((request) => JSON.stringify(request.body.messages.at(-1)?.content))
    expect(bodies.filter((body) => body.includes(JSON.stringify(text).slice(1, -1)))).toHaveLength(1)
  })

  test('signs the callback of every turn', async () => {
    await waitFor(
      () => world.callbacks.length >= 3,
      10_000,
      () => pod.log(),
    )
    expect(world.callbacks[0]).toMatchObject({
      task: 'implement-lib-1-x7k2p',
      pod: 1,
      state: 'completed',
      stopReason: 'end_turn',
    })
    expect(verifyHmac(callbackSecret, JSON.stringify(world.callbacks[0]), world.signatures[0])).toBe(true)
  })

  test('commits and pushes what a turn changed', async () => {
    const result = await pod.turn('please RUN edit')
    expect(result).toMatchObject({ state: 'completed', finalText: 'done', pushed: ['lib'], failed: [] })
    expect(runGit(world.origin, 'show', 'platform/implement-lib-1-x7k2p:README.md')).toContain('more')
  })

  test('gives the same turn for the same Idempotency-Key and refuses a second message with 409', async () => {
    const headers = { 'idempotency-key': 'turn:default/t/1/9' }
    const first = await pod.call('POST', '/v1/messages', { text: 'HOLD THE STREAM' }, headers)
    expect(first.status).toBe(202)
    const again = await pod.call('POST', '/v1/messages', { text: 'HOLD THE STREAM' }, headers)
    expect(again).toMatchObject({ status: 202, body: { turnId: first.body.turnId } })
    const other = await pod.call('POST', '/v1/messages', { text: 'another' })
    expect(other).toMatchObject({ status: 409, body: { code: 'turn-in-flight', turn: { turnId: first.body.turnId } } })
    await asked(1)
    expect((await pod.call('POST', '/v1/interrupt')).status).toBe(202)
    const result = await pod.result(first.body.turnId)
    expect(result).toMatchObject({
      state: 'failed',
      stopReason: 'interrupted',
      idempotencyKey: headers['idempotency-key'],
    })
  })

  test('resolves an interrupt before the first token and takes the next turn', async () => {
    const { body } = await pod.call('POST', '/v1/messages', { text: 'SAY NOTHING' })
    await asked(1)
    await pod.call('POST', '/v1/interrupt')
    expect(await pod.result(body.turnId)).toMatchObject({ state: 'failed', stopReason: 'interrupted' })
    expect(await pod.turn('and now?')).toMatchObject({ state: 'completed', finalText: 'understood' })
  })

  test('ends gracefully on DELETE: interrupts, pushes, calls back, exits 0', async () => {
    const { body } = await pod.call('POST', '/v1/messages', { text: 'HOLD THE STREAM' })
    await asked(1)
    expect((await pod.call('DELETE', '/v1/session')).status).toBe(202)
    expect(await pod.exit).toBe(0)
    expect(world.callbacks.at(-1)).toMatchObject({ turnId: body.turnId, state: 'failed', stopReason: 'shutdown' })
  })
})
