import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { ModelRequest, Move } from '../selftest/model.ts'
import type { Session } from '../../machines/turn/schema.ts'
import { openWorld, runGit, waitFor, type Pod, type PodWorld } from '../testing/pod.ts'
import { describeRequiring } from '../../testing/requires.ts'

/** What the newest turn asks for: what was sent after its typed line. */
function newestOf(request: ModelRequest): string {
  const all = JSON.stringify(request.body.messages.filter(({ role }) => role !== 'assistant'))
  return all.slice(Math.max(all.lastIndexOf('[turn '), 0))
}

let failing = 0
let tooLong = 0
const bash: Move = { kind: 'call', tool: 'Bash', input: { command: 'true', description: 'nothing' } }

function decide(request: ModelRequest): Move {
  const asked = newestOf(request)
  if (asked.includes('WORK FOR EVER')) return bash
  if (asked.includes('BUSY') && failing > 0) {
    failing -= 1
    return { kind: 'refuse', status: 529, type: 'overloaded_error' }
  }
  if (tooLong > 0) {
    tooLong -= 1
    return { kind: 'refuse', status: 413, type: 'request_too_large' }
  }
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

  test('a turn at its token ceiling is ended with its cause, and the next turn has the ceiling to itself (WRAPPER-TURN-18, WRAPPER-SECRETS-7)', async () => {
    const result = await pod.turn('WORK FOR EVER')
    expect(result).toMatchObject({ state: 'failed', stopReason: 'api_error', error: { code: 'token_ceiling' } })
    const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = result.usage!
    expect(inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens).toBe(10 * 157)
    expect(await pod.turn('and now')).toMatchObject({ state: 'completed', finalText: 'understood' })
  })

  test('retries of the model, which no hook tells of, show in the session while they last (SESSION-4, WRAPPER-METRICS-16)', async () => {
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

  test('an answer cut off at its limit goes on by itself, and the turn ends with the rest (WRAPPER-TURN-11)', async () => {
    expect(await pod.turn('CUT OFF')).toMatchObject({
      state: 'completed',
      stopReason: 'end_turn',
      finalText: 'the rest',
    })
  })

  test('a refusal ends the turn as refused, and the next turn is taken (WRAPPER-TURN-10)', async () => {
    expect(await pod.turn('FORBIDDEN FRUIT')).toMatchObject({ state: 'completed', stopReason: 'refusal' })
    expect(await pod.turn('something else')).toMatchObject({ state: 'completed', stopReason: 'end_turn' })
  })

  test('a conversation that grew too long is compacted within the turn, which ends as any other (WRAPPER-TURN-12)', async () => {
    for (const text of ['one', 'two', 'three']) await pod.turn(text)
    tooLong = 1
    const result = await pod.turn('carry on')
    expect(result).toMatchObject({ state: 'completed', stopReason: 'end_turn', finalText: 'understood' })
    await waitFor(
      async () => (await pod.call('GET', '/v1/transcript')).text.includes('compact_boundary'),
      20_000,
      () => 'the transcript has no line of the compaction',
    )
    expect(await pod.turn('and on')).toMatchObject({ state: 'completed', finalText: 'understood' })
  })
})

describe('how a turn ends when the CLI misbehaves', () => {
  const stub = join(import.meta.dirname, '..', '..', 'standins', 'stub-cli', 'claude')
  let world: PodWorld
  afterEach(() => world.close())
  const startWith = async (faults: object): Promise<Pod> => {
    world = await openWorld({ decide: decideForStub, cli: [stub] })
    mkdirSync(world.home, { recursive: true })
    writeFileSync(join(world.home, '.stub-cli.json'), JSON.stringify(faults))
    return world.start()
  }

  test('the death of the process in a turn is its result, told before the wrapper ends with 1 (WRAPPER-TURN-13)', async () => {
    const pod = await startWith({ exitMidTurn: { turn: 1, code: 7 } })
    expect(await pod.turn('first')).toMatchObject({ state: 'completed' })
    const { body } = await pod.call('POST', '/v1/messages', { text: 'second' })
    expect(await pod.exit).toBe(1)
    expect(world.callbacks.at(-1)).toMatchObject({
      turnId: body.turnId,
      state: 'failed',
      stopReason: 'agent_exited',
      error: { code: 'exit', message: 'the agent process ended with 7' },
    })
  })

  test('a turn that no hook ends stays in flight and says why, takes no other beside it, and ends with the pod: its text told, its work pushed (SESSION-2, SESSION-4, WRAPPER-TURN-16, WRAPPER-STOP-5)', async () => {
    const pod = await startWith({ noStop: { turn: 1 } })
    expect(await pod.turn('first')).toMatchObject({ state: 'completed' })
    const { body } = await pod.call('POST', '/v1/messages', { text: 'second' })
    const session = async (): Promise<Session> => JSON.parse((await pod.call('GET', '/v1/session')).text) as Session
    await waitFor(
      async () => (await session()).hindrance !== undefined,
      60_000,
      () => pod.log(),
    )
    expect(await session()).toMatchObject({ state: 'busy', turnsCompleted: 1, hindrance: { kind: 'screen-still' } })
    expect((await pod.call('POST', '/v1/messages', { text: 'third' })).status).toBe(409)
    writeFileSync(join(world.workspace, 'lib', 'work.txt'), 'of the turn that never ended\n')
    expect((await pod.call('DELETE', '/v1/session')).status).toBe(202)
    expect(await pod.exit).toBe(0)
    expect(world.callbacks.at(-1)).toMatchObject({
      turnId: body.turnId,
      state: 'failed',
      stopReason: 'shutdown',
      finalText: 'understood',
      pushed: ['lib'],
    })
    expect(runGit(world.origin, 'show', 'platform/implement-lib-1-x7k2p:work.txt')).toBe('of the turn that never ended')
  }, 120_000)

  test('a turn that the CLI begins by itself is ended by the next, never taken for it, and accounted for in it (WRAPPER-TURN-15, WRAPPER-METRICS-16)', async () => {
    const pod = await startWith({ spontaneousTurn: { afterTurn: 0, delayMs: 200, prompt: 'HOLD my own idea' } })
    expect(await pod.turn('first')).toMatchObject({ finalText: 'understood', usage: { outputTokens: 7 } })
    await waitFor(
      () => world.model.requests.length === 2,
      20_000,
      () => pod.log(),
    )
    const result = await pod.turn('second')
    expect(result).toMatchObject({ state: 'completed', finalText: 'understood' })
    expect(result.usage).toMatchObject({ inputTokens: 200, outputTokens: 8 })
    expect((await pod.turn('third')).usage).toMatchObject({ inputTokens: 100, outputTokens: 7 })
    expect(await (await fetch(`${pod.url}/metrics`)).text()).toMatch(/ccw_spontaneous_turns_total\S* 1\n/)
    expect(world.callbacks.map(({ turnId }) => turnId)).toHaveLength(3)
  })

  test('a lost Enter is pressed again, the message arrives once, a line after the Stop hook still counts, and two refusals are one (WRAPPER-TURN-10, WRAPPER-TURN-4)', async () => {
    const pod = await startWith({ dropEnters: 1, transcriptDelayMs: 150 })
    expect(await pod.turn('only once, heron')).toMatchObject({ finalText: 'understood', usage: { outputTokens: 7 } })
    const heard = JSON.stringify(world.model.requests.at(-1)!.body.messages)
    expect(heard.split('only once, heron')).toHaveLength(2)
    expect((await pod.turn('again')).usage).toMatchObject({ outputTokens: 7 })
    // Refused, asked to go on, and refused again: the CLI calls that a failure of the API.
    expect(await pod.turn('FORBIDDEN FRUIT')).toMatchObject({ state: 'completed', stopReason: 'refusal' })
    expect(world.model.requests.slice(-2).every(({ text }) => text.includes('FORBIDDEN FRUIT'))).toBe(true)
    expect(await pod.turn('something else')).toMatchObject({ state: 'completed', stopReason: 'end_turn' })
  })
})

function decideForStub(request: ModelRequest): Move {
  if (newestOf(request).includes('FORBIDDEN FRUIT'))
    return { kind: 'say', text: 'I would rather not', stopReason: 'refusal' }
  const last = JSON.stringify(request.body.messages.filter(({ role }) => role === 'user').at(-1)?.content)
  return last.includes('HOLD') && !last.includes('[turn ')
    ? { kind: 'say', text: 'I begin', hold: true }
    : { kind: 'say', text: 'understood' }
}
