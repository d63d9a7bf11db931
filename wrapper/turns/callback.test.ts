import { describe, expect, test } from 'vitest'
import { verifyHmac } from '../../http/auth/hmac.ts'
import type { Fetch } from '../../http/ports.ts'
import { testClock, type TestClock } from '../../http/testing/fixture.ts'
import type { TurnComplete } from '../../machines/turn/schema.ts'
import { rememberingLogger } from '../testing/quiet-log.ts'
import { noUsage } from '../usage/usage.ts'
import { CallbackSender } from './callback.ts'

const body: TurnComplete = {
  turnId: '1-1-abc',
  task: 't',
  pod: 1,
  state: 'completed',
  stopReason: 'end_turn',
  finalText: 'done',
  usage: noUsage,
  pushed: [],
  failed: [],
  startedAt: '2026-11-21T12:00:00.000Z',
  completedAt: '2026-11-21T12:00:01.000Z',
}

type Answer = number | 'refused' | 'silent'

interface Fixture {
  readonly sender: CallbackSender
  readonly clock: TestClock
  /** When each attempt was made, in milliseconds from the first. */
  readonly at: number[]
  readonly requests: { readonly url: string; readonly init: RequestInit }[]
  readonly acknowledged: string[]
  readonly lines: readonly string[]
  send(url?: string): void
}

/** The receiver gives `answers` one after another, and the last one for ever. */
function aSender(
  answers: readonly Answer[],
  options: { secret?: string; defaultUrl?: string; random?: () => number } = {},
): Fixture {
  const clock = testClock()
  const { logger, lines } = rememberingLogger()
  const [at, requests, acknowledged]: [number[], Fixture['requests'], string[]] = [[], [], []]
  const fetch: Fetch = async (url, init = {}) => {
    const answer = answers[Math.min(at.length, answers.length - 1)]
    at.push(clock.elapsed())
    requests.push({ url: String(url), init })
    if (answer === 'refused') throw new TypeError('connect ECONNREFUSED')
    if (answer === 'silent') return until(init.signal!)
    return new Response(null, { status: answer!, headers: { location: 'http://127.0.0.1/elsewhere' } })
  }
  const sender = new CallbackSender({
    fetch,
    clock,
    random: options.random ?? (() => 1),
    logger,
    defaultUrl: options.defaultUrl ?? 'http://operator:8082/internal/turn-complete',
    traceparentOf: () => undefined,
    ...(options.secret ? { secret: options.secret } : {}),
  })
  const send = (url?: string): void => sender.send(body, url, () => acknowledged.push(body.turnId))
  return { sender, clock, at, requests, acknowledged, lines, send }
}

function until(signal: AbortSignal): Promise<Response> {
  return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))))
}

/** Each step begins once whatever the last one set off has set its timers. */
async function pass({ clock }: Fixture, seconds: number, stepMs = 100): Promise<void> {
  for (let passed = 0; passed < seconds * 1000; passed += stepMs) {
    await new Promise((resolve) => setImmediate(resolve))
    clock.advance(stepMs)
  }
}

describe('the callback of a turn', () => {
  test('is repeated with pauses that double up to a minute, until it is acknowledged (TURN-CALLBACK-7)', async () => {
    const failures = Array.from({ length: 9 }, () => 503)
    const fixture = aSender([...failures, 200])
    fixture.send()
    await pass(fixture, 300)
    expect(fixture.at.map((at, index) => at - (fixture.at[index - 1] ?? 0)).slice(1)).toEqual([
      500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000,
    ])
    expect(fixture.acknowledged).toEqual([body.turnId])
    expect(new Set(fixture.requests.map(({ init }) => init.body))).toEqual(new Set([JSON.stringify(body)]))
  })

  test('takes two hours without an orchestrator for few tries and fewer lines, then one that it is over', async () => {
    const answers: Answer[] = ['refused']
    const fixture = aSender(answers, { random: () => 0.5 })
    fixture.send()
    await pass(fixture, 2 * 3600, 2_000)
    const [tries, failing] = [fixture.at.length, fixture.lines.length]
    // The pauses grow to a minute, half of it on average.
    expect(tries).toBeGreaterThan(200)
    expect(tries).toBeLessThan(260)
    expect(failing).toBe(8)
    answers[0] = 202
    await pass(fixture, 120, 2_000)
    expect(fixture.acknowledged).toEqual([body.turnId])
    expect(fixture.lines.slice(failing).map((line) => (JSON.parse(line) as { level: unknown }).level)).toHaveLength(1)
    expect(fixture.lines.at(-1)).toContain('acknowledged')
  })

  test('of two pods comes back at two moments: the pauses are drawn', async () => {
    const [one, other] = [0.25, 0.75].map((drawn) => aSender([503], { random: () => drawn }))
    for (const fixture of [one!, other!]) {
      fixture.send()
      await pass(fixture, 10)
    }
    expect(one!.at).not.toEqual(other!.at)
  })

  test.each<[string, Answer]>([
    ['a refused connection', 'refused'],
    ['a redirect, which is not followed', 307],
    ['a client error', 404],
    ['no answer within ten seconds', 'silent'],
  ])('is not acknowledged by %s, and by the 202 after it (TURN-CALLBACK-8)', async (_what, answer) => {
    const fixture = aSender([answer, 202])
    fixture.send()
    await pass(fixture, 5)
    expect(fixture.acknowledged).toHaveLength(answer === 'silent' ? 0 : 1)
    await pass(fixture, 6)
    expect(fixture.acknowledged).toHaveLength(1)
    expect(fixture.requests).toHaveLength(2)
    expect(
      fixture.requests.every(({ url, init }) => url.startsWith('http://operator') && init.redirect === 'manual'),
    ).toBe(true)
  })

  test("goes to the turn's own address in place of the default one (TURN-CALLBACK-1, POD-ENV-5)", () => {
    const fixture = aSender([200])
    fixture.send('https://example.com/cb')
    fixture.send('')
    expect(fixture.requests.map(({ url }) => url)).toEqual([
      'https://example.com/cb',
      'http://operator:8082/internal/turn-complete',
    ])
  })

  test('counts as acknowledged where there is nobody to tell', () => {
    const fixture = aSender([500], { defaultUrl: '' })
    fixture.send()
    expect([fixture.acknowledged, fixture.requests]).toEqual([[body.turnId], []])
  })

  test('is signed over its bytes when there is a secret, and not otherwise (TURN-CALLBACK-11)', () => {
    const signed = aSender([200], { secret: 'a secret' })
    signed.send()
    const headers = signed.requests[0]!.init.headers as Record<string, string>
    expect(verifyHmac('a secret', JSON.stringify(body), headers['x-platform-signature'])).toBe(true)
    const plain = aSender([200])
    plain.send()
    expect(plain.requests[0]!.init.headers).not.toHaveProperty('x-platform-signature')
  })

  test('is left to the next start when the wrapper ends first', async () => {
    const fixture = aSender([503])
    fixture.send()
    const drained = fixture.sender.drain(20_000)
    await pass(fixture, 21)
    await drained
    const attempts = fixture.requests.length
    await pass(fixture, 300)
    expect(fixture.requests.length).toBeLessThanOrEqual(attempts + 1)
    expect(fixture.acknowledged).toEqual([])
  })
})
