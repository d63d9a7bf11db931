import { expect, test } from 'vitest'
import type { ActorView } from '../../runtime/runtime.ts'
import { modelKeyDeliveries, printOf, type KeyFacts } from './model-key.ts'

const hold = { cause: 'no_credit', message: '', since: 5, until: 9 }
const failed: KeyFacts = {
  state: 'failed',
  stopReason: 'usage_limit',
  error: { code: 'usage_limit', message: 'too much', resetsAt: '2026-03-01T15:00:00Z' },
}
const fine: KeyFacts = { state: 'completed', stopReason: 'end_turn' }

function told(facts: KeyFacts, actors: Readonly<Record<string, object>> = {}): ReturnType<typeof modelKeyDeliveries> {
  const all: Readonly<Record<string, object>> = {
    'model-key:print': { knownSince: 100, hold },
    'turn:default/t/1/0': { task: 'default/t', pod: 'default/t/1' },
    'pod:default/t/1': { startedAt: 100 },
    ...actors,
  }
  const read = async (address: string): Promise<ActorView | undefined> =>
    address in all ? ({ context: all[address] } as unknown as ActorView) : undefined
  return modelKeyDeliveries({ runtime: { read: read as never }, modelKey: 'print' }, 'default/t/1/0', facts, 7)
}

test.each(['usage_limit', 'key_refused', 'no_credit'] as const)(
  'a turn that ended by %s is told to the key of its pod, once (MODEL-KEY-1)',
  async (stopReason) => {
    expect(await told({ ...failed, stopReason })).toEqual([
      {
        to: 'model-key:print',
        key: 'withheld/default/t/1/0',
        event: {
          type: 'key.withheld',
          at: 7,
          task: 'default/t',
          cause: stopReason,
          message: 'too much',
          resetsAt: Date.parse('2026-03-01T15:00:00Z'),
        },
      },
    ])
  },
)

test('without an error the provider said nothing, and no reset is known', async () => {
  const [delivery] = await told({ state: 'failed', stopReason: 'key_refused' })
  expect(delivery?.event).toEqual({ type: 'key.withheld', at: 7, task: 'default/t', cause: 'key_refused', message: '' })
})

test('a turn that ended well says that the key is served, while it is withheld (MODEL-KEY-5)', async () => {
  expect(await told(fine)).toEqual([
    {
      to: 'model-key:print',
      key: 'served/default/t/1/0',
      event: { type: 'key.served', at: 7, task: 'default/t' },
    },
  ])
  expect(await told(fine, { 'model-key:print': { knownSince: 100, hold: null } })).toEqual([])
})

test.each(['api_error', 'interrupted', 'agent_exited', 'shutdown'] as const)(
  'a turn that ended by %s says nothing of the key',
  async (stopReason) => {
    expect(await told({ ...failed, stopReason })).toEqual([])
  },
)

test('a turn of a pod that is older than the key says nothing of it (MODEL-KEY-7)', async () => {
  for (const startedAt of [99, null])
    for (const facts of [failed, fine]) expect(await told(facts, { 'pod:default/t/1': { startedAt } })).toEqual([])
})

test('a turn, a pod or a key that nobody knows says nothing', async () => {
  for (const missing of ['model-key:print', 'turn:default/t/1/0', 'pod:default/t/1'])
    expect(await told(failed, { [missing]: {} })).toEqual([])
})

test('a print names the key and shows nothing of it (MODEL-KEY-7)', () => {
  expect(printOf('key', 'secret')).toMatch(/^[0-9a-f]{16}$/)
  expect(printOf('key', 'secret')).toBe(printOf('key', 'secret'))
  expect(new Set([printOf('key', 'secret'), printOf('other', 'secret'), printOf('key', 'another')]).size).toBe(3)
})
