import { describe, expect, test } from 'vitest'
import type { ActorAddress } from '../../machines/definition.ts'
import type { TurnComplete } from '../../machines/turn/schema.ts'
import type { Delivery, Receipt } from '../../runtime/runtime.ts'
import { signHmac } from '../../http/auth/hmac.ts'
import { testClock, withServer } from '../../http/testing/fixture.ts'
import type { PodObservation, PodPort } from '../ports/pods.ts'
import { callbackSecret, registerTurnComplete, watchPods } from './inbound.ts'
import { startedAt, usage } from './testing/scripted-wrapper.ts'
import { testInside } from '../../testing/inside.ts'

const master = 'a master secret'
const turn: ActorAddress = 'turn:default/task/2/1'
const callback: TurnComplete = {
  turnId: 'turn-1',
  task: 'default/task',
  pod: 2,
  idempotencyKey: 'default/task/2/1',
  state: 'completed',
  finalText: 'Done.',
  usage,
  stopReason: 'end_turn',
  pushed: ['a'],
  failed: [],
  startedAt,
  completedAt: startedAt,
}

interface Callbacks {
  /** Sends the bytes with this signature; undefined: none. */
  send(
    body: unknown,
    signature?: string,
    traceparent?: string,
  ): Promise<{ readonly status: number; readonly body: Record<string, unknown> }>
  readonly delivered: Delivery[]
}

/** A runtime in the small: it knows the turns it is given, and applies a key once. */
async function withCallbacks(use: (callbacks: Callbacks) => Promise<void>): Promise<void> {
  const delivered: Delivery[] = []
  const runtime = {
    read: async (address: ActorAddress) => (address === turn ? { address } : undefined) as never,
    deliver: async (delivery: Delivery): Promise<Receipt> => {
      const applied = !delivered.some(({ to, key }) => to === delivery.to && key === delivery.key)
      if (applied) delivered.push(delivery)
      return { key: delivery.key, applied, seq: delivered.length }
    },
  }
  await withServer(
    (app) => registerTurnComplete(app, { runtime, clock: testClock(5_000), secret: master }),
    async ({ url }) => {
      const send: Callbacks['send'] = async (body, signature, traceparent) => {
        const headers = {
          'content-type': 'application/json',
          ...(traceparent === undefined ? {} : { traceparent }),
          ...(signature === undefined ? {} : { 'x-platform-signature': signature }),
        }
        const response = await fetch(`${url}/internal/turn-complete`, { method: 'POST', headers, body: text(body) })
        return { status: response.status, body: (await response.json()) as Record<string, unknown> }
      }
      await use({ send, delivered })
    },
  )
}

function text(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body)
}

function signed(body: unknown, pod = 'default/task/2', secret = master): string {
  return signHmac(callbackSecret(secret, pod), text(body))
}

const it = testInside(withCallbacks)

describe('a callback', () => {
  it('signed by its own pod is a hint to its turn, and nothing that it claims is passed on (TURN-4) (CALLBACK-1, CALLBACK-11)', async (fixture) => {
    const { send, delivered } = fixture
    expect(await send(callback, signed(callback))).toEqual({ status: 200, body: { accepted: true } })
    expect(delivered).toEqual([
      {
        to: turn,
        key: expect.stringMatching(/^callback\/turn-1\/[0-9a-f]{16}$/) as string,
        event: { type: 'turn.callback', at: 5_000, turnId: 'turn-1' },
      },
    ])
  })

  it('repeated is delivered once, and one that came too early does not use up the key of the one that is due (R3)', async (fixture) => {
    const { send, delivered } = fixture
    const early = { ...callback, finalText: 'Not yet.' }
    for (const body of [early, callback, callback]) await send(body, signed(body))
    expect(delivered).toHaveLength(2)
    expect(new Set(delivered.map(({ key }) => key)).size).toBe(2)
  })

  it('says where it hangs in its Task’s trace, and what is no place in one is not passed on', async (fixture) => {
    const { send, delivered } = fixture
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
    const told = [traceparent, 'nonsense', `00-${'0'.repeat(32)}-${'b'.repeat(16)}-01`, `${traceparent}-more`]
    for (const [index, given] of told.entries()) {
      const body = { ...callback, finalText: `Done ${index}.` }
      expect((await send(body, signed(body), given)).status).toBe(200)
    }
    expect(delivered.map(({ event }) => event['traceparent'])).toEqual([traceparent, undefined, undefined, undefined])
  })

  it('is verified over the bytes that came, not over what they mean (CALLBACK-6)', async ({ send, delivered }) => {
    const spaced = JSON.stringify(callback, null, 2)
    expect((await send(spaced, signed(callback))).status).toBe(401)
    expect((await send(spaced, signed(spaced))).status).toBe(200)
    expect(delivered).toHaveLength(1)
  })

  it('without a signature, or with one of nobody, is refused and changes nothing (CALLBACK-10)', async (fixture) => {
    const { send, delivered } = fixture
    const forged = [
      undefined,
      '',
      'sha256=00',
      signed(callback, 'default/task/2', 'a guess'),
      signed({ ...callback, finalText: 'Other.' }),
    ]
    for (const signature of forged) {
      expect(await send(callback, signature)).toMatchObject({ status: 401, body: { code: 'signature-invalid' } })
    }
    expect(delivered).toEqual([])
  })

  it('of one pod in the name of another is refused: each has a key of its own (CALLBACK-9, SECURITY-RULE-4)', async (fixture) => {
    const { send, delivered } = fixture
    for (const pod of ['default/task/1', 'default/task/22', 'default/other/2']) {
      expect((await send(callback, signed(callback, pod))).status).toBe(401)
    }
    expect(delivered).toEqual([])
  })

  it('of a pod about a turn of another pod is acknowledged and changes nothing (CALLBACK-12)', async (fixture) => {
    const { send, delivered } = fixture
    const claims = [{ pod: 1 }, { task: 'default/another' }]
    for (const claim of claims) {
      const body = { ...callback, ...claim }
      expect(await send(body, signed(body, `${body.task}/${body.pod}`))).toEqual({
        status: 200,
        body: { accepted: false },
      })
    }
    expect(delivered).toEqual([])
  })

  it('about a turn that nobody knows, or none at all, is acknowledged and changes nothing (CALLBACK-4)', async (fixture) => {
    const { send, delivered } = fixture
    const { idempotencyKey: _, ...nameless } = callback
    for (const body of [{ ...callback, idempotencyKey: 'default/task/2/99' }, nameless]) {
      expect((await send(body, signed(body))).body).toEqual({ accepted: false })
    }
    expect(delivered).toEqual([])
  })

  it('that comes twice is applied once (CALLBACK-12)', async ({ send, delivered }) => {
    await Promise.all([send(callback, signed(callback)), send(callback, signed(callback))])
    expect((await send(callback, signed(callback))).status).toBe(200)
    expect(delivered).toHaveLength(1)
  })

  it('that breaks its schema is told every fault (CALLBACK-2)', async ({ send, delivered }) => {
    const body = { ...callback, pod: -1, state: 'running', extra: true }
    const answer = await send(body, signed(body))
    expect(answer.status).toBe(400)
    expect((answer.body['errors'] as { path: string }[]).map(({ path }) => path)).toEqual(['/extra', '/pod', '/state'])
    expect(delivered).toEqual([])
  })

  it('that names refused calls is taken, and one that names their arguments is not', async ({ send, delivered }) => {
    const call = { tool: 'task_note', reason: 'too-deep', count: 2 }
    const [told, leaking] = [[call], [{ ...call, arguments: {} }]].map((refusedCalls) => ({
      ...callback,
      refusedCalls,
    }))
    expect((await send(leaking, signed(leaking))).status).toBe(400)
    expect((await send(told, signed(told))).status).toBe(200)
    expect(delivered.map(({ event }) => event)).toEqual([{ type: 'turn.callback', at: 5_000, turnId: 'turn-1' }])
  })

  it('with a long last word is still taken', async ({ send, delivered }) => {
    const body = { ...callback, finalText: 'x'.repeat(2 * 1024 * 1024) }
    expect((await send(body, signed(body))).status).toBe(200)
    expect(delivered).toHaveLength(1)
  })
})

test('what the platform sees of a pod becomes an event of it, under a key that a repeat has too', async () => {
  const delivered: Delivery[] = []
  let listener: (observation: PodObservation) => Promise<void> = async () => undefined
  let watching = true
  const pods: Pick<PodPort, 'watch'> = {
    watch: (given) => {
      listener = given
      return () => (watching = false)
    },
  }
  const runtime = {
    deliver: async (delivery: Delivery): Promise<Receipt> => {
      delivered.push(delivery)
      return { key: delivery.key, applied: true, seq: 1 }
    },
  }
  const stop = watchPods(pods as PodPort, { runtime, clock: testClock(5_000) })
  await listener({ pod: 'default/task/2', state: 'ready', url: 'http://127.0.0.1:1' })
  await listener({ pod: 'default/task/2', state: 'gone', reason: 'process-ended' })
  await listener({ pod: 'default/task/3', state: 'gone', reason: 'OOMKilled', detail: 'its last words' })
  expect(delivered).toEqual([
    {
      to: 'pod:default/task/2',
      key: 'ready/http://127.0.0.1:1',
      event: { type: 'pod.ready', at: 5_000, url: 'http://127.0.0.1:1' },
    },
    { to: 'pod:default/task/2', key: 'vanished', event: { type: 'pod.vanished', at: 5_000, reason: 'process-ended' } },
    {
      to: 'pod:default/task/3',
      key: 'vanished',
      event: { type: 'pod.vanished', at: 5_000, reason: 'OOMKilled', detail: 'its last words' },
    },
  ])
  stop()
  expect(watching).toBe(false)
})

test('an observation that could not be delivered is not taken, so that the watch tells it again', async () => {
  let listener: (observation: PodObservation) => Promise<void> = async () => undefined
  const pods: Pick<PodPort, 'watch'> = { watch: (given) => ((listener = given), () => undefined) }
  const refuse = async (): Promise<Receipt> => {
    throw new Error('the store does not answer')
  }
  watchPods(pods as PodPort, { runtime: { deliver: refuse }, clock: testClock() })
  await expect(listener({ pod: 'p', state: 'gone', reason: '' })).rejects.toThrow('does not answer')
})
