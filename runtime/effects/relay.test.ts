import { afterEach, expect, test } from 'vitest'
import type { ActorAddress } from '../../machines/definition.ts'
import { AwayError, EffectNotHeldError, RetryableError } from '../errors.ts'
import { until } from '../contract/harness.ts'
import { silentLogger } from '../logger.ts'
import { silentObserver, type EffectEnd } from '../observer.ts'
import { Relay } from './relay.ts'
import type { EffectContext, EffectHandler } from '../runtime.ts'
import { simulatedClock } from '../simulated-clock.ts'
import type { EffectPage } from '../store/effects/pending-effects.ts'
import type { EffectRow } from '../store/rows.ts'

function effect(actor: string, seq: number, type = 'call', params: object = {}): EffectRow {
  const address = `task:${actor}` as ActorAddress
  const row = { actor: address, seq, idx: 0, shard: 0, type, params: JSON.stringify(params), attempts: 0 }
  return { ...row, notBefore: 0, lastError: null, dead: false, at: 0, isMarked: true }
}

/** A relay over an array that stands for the table of effects; what a handler is asked waits until it is let go. */
function world(
  handlers: Readonly<Record<string, Omit<EffectHandler, 'perform'>>>,
  options: {
    maxHeld?: number
    failedSettlements?: number
    behave?: (name: string, context: EffectContext) => Promise<void>
  } = {},
) {
  const clock = simulatedClock(1_000_000)
  const started: string[] = []
  const settled: EffectEnd[] = []
  const open = new Map<string, () => void>()
  const behave = options.behave ?? ((name) => new Promise<void>((resolve) => open.set(name, resolve)))
  const table: EffectRow[] = []
  const perform: EffectHandler['perform'] = async (_, context) => {
    const name = context.key.slice('task:'.length, -'/0'.length)
    started.push(name)
    await behave(name, context)
    return []
  }
  const read = async ({ after, limit, types, butTypes = [] }: EffectPage): Promise<readonly EffectRow[]> =>
    table
      .toSorted((a, b) => (a.actor < b.actor ? -1 : a.actor > b.actor ? 1 : a.seq - b.seq))
      .filter((row) => !after || row.actor > after.actor || (row.actor === after.actor && row.seq > after.seq))
      .filter((row) => (types?.includes(row.type) ?? true) && !butTypes.includes(row.type))
      .slice(0, limit)
  let turn: Promise<unknown> = Promise.resolve()
  let failures = options.failedSettlements ?? 0
  const relay = new Relay({
    clock,
    random: () => 0.5,
    logger: silentLogger,
    observer: { ...silentObserver, effectSettled: (end) => void settled.push(end) },
    mayPerform: () => true,
    isHeld: () => true,
    maxHeld: options.maxHeld ?? 100_000,
    settle: async (row, outcome) => {
      if (failures-- > 0) throw new Error('the store is away')
      const place = table.findIndex((other) => other.actor === row.actor && other.seq === row.seq)
      if (place >= 0 && outcome.kind !== 'postponed') table.splice(place, 1)
    },
    settleNow: () => undefined,
    read,
    alone: (task) => {
      const next = turn.then(task)
      turn = next.catch(() => undefined)
      return next
    },
  })
  relay.bind(Object.fromEntries(Object.entries(handlers).map(([type, handler]) => [type, { ...handler, perform }])))
  relay.start()
  const commit = (...rows: EffectRow[]): void => {
    table.push(...rows)
    relay.add(rows)
  }
  return { relay, clock, started, settled, open, table, commit }
}

let relay: Relay | undefined
afterEach(async () => {
  relay?.forget(() => true)
  await relay?.stop(0)
})

test('of one type the actors take turns, whoever asked for more', async () => {
  const one = world({ call: { concurrency: 1 } })
  relay = one.relay
  one.commit(...[1, 2, 3, 4].map((seq) => effect('busy', seq)), effect('other', 1), effect('third', 1))
  for (const name of ['busy/1', 'busy/2', 'other/1', 'third/1', 'busy/3', 'busy/4']) {
    await until(() => one.open.has(name))
    one.open.get(name)!()
  }
  await until(() => one.settled.length === 6)
  expect(one.started).toEqual(['busy/1', 'busy/2', 'other/1', 'third/1', 'busy/3', 'busy/4'])
})

const pod = { name: 'pod', of: (params: { readonly url?: unknown }) => String(params.url), concurrency: 1 }

test('a target that does not answer holds up nobody else, and its limit holds over all types that name it', async () => {
  const one = world({ call: { concurrency: 8, target: pod }, read: { concurrency: 8, target: pod } })
  relay = one.relay
  one.commit(effect('a', 1, 'call', { url: 'slow' }), effect('b', 1, 'read', { url: 'slow' }))
  one.commit(effect('c', 1, 'call', { url: 'slow' }), effect('d', 1, 'call', { url: 'quick' }))
  expect(one.started).toEqual(['a/1', 'd/1'])
  one.open.get('a/1')!()
  await until(() => one.started.length === 3)
  one.open.get(one.started[2]!)!()
  await until(() => one.started.length === 4)
  expect(one.started.toSorted()).toEqual(['a/1', 'b/1', 'c/1', 'd/1'])
})

test('a target that asks to be left alone is left alone by every type until then, and others are not', async () => {
  const forge = { name: 'forge', of: (params: { readonly url?: unknown }) => String(params.url) }
  let isLimited = true
  const one = world(
    { call: { concurrency: 1, target: forge }, read: { target: forge } },
    {
      behave: async (name) => {
        if (name === 'a/1' && isLimited) throw new RetryableError('429', { retryAfterMs: 5000 })
      },
    },
  )
  relay = one.relay
  one.commit(effect('a', 1, 'call', { url: 'x' }))
  await until(() => one.settled.length === 1)
  one.commit(effect('b', 1, 'call', { url: 'x' }), effect('c', 1, 'read', { url: 'x' }))
  one.commit(effect('d', 1, 'read', { url: 'y' }))
  await until(() => one.settled.length === 2)
  expect(one.started).toEqual(['a/1', 'd/1'])
  isLimited = false
  one.clock.advance(4999)
  expect(one.started).toHaveLength(2)
  one.clock.advance(1)
  await until(() => one.settled.length === 5)
  expect(one.started.toSorted()).toEqual(['a/1', 'a/1', 'b/1', 'c/1', 'd/1'])
})

test('a rate lets a burst through and the rest at its pace, whatever the time of day does', async () => {
  const rated = { name: 'rated', of: () => 'one', rate: { burst: 2, perSecond: 10 } }
  const one = world({ call: { concurrency: 100, target: rated } }, { behave: async () => undefined })
  relay = one.relay
  one.commit(...Array.from({ length: 5 }, (_, index) => effect(`a${index}`, 1)))
  expect(one.started).toHaveLength(2)
  one.clock.advance(99)
  expect(one.started).toHaveLength(2)
  one.clock.advance(1)
  await until(() => one.started.length === 3)
  one.clock.advance(200)
  await until(() => one.started.length === 5)
})

test('an earlier ordered effect that comes back goes before a later one that still waits', async () => {
  const one = world({ call: { ordered: true } })
  relay = one.relay
  one.commit({ ...effect('a', 5), notBefore: 1_001_000 })
  one.commit(effect('a', 3))
  expect(one.started).toEqual(['a/3'])
  one.clock.advance(2000)
  expect(one.started).toEqual(['a/3'])
  one.open.get('a/3')!()
  await until(() => one.started.length === 2)
  expect(one.started).toEqual(['a/3', 'a/5'])
})

test('what memory does not hold waits in the store, every actor has its turn, and none is performed twice', async () => {
  const one = world({ call: { concurrency: 4 } }, { maxHeld: 10, behave: async () => undefined })
  relay = one.relay
  const rows = Array.from({ length: 300 }, (_, index) => effect(`a${String(index % 37).padStart(2, '0')}`, 1 + index))
  for (const row of rows) one.commit(row)
  await until(() => {
    one.clock.advance(1000)
    return one.table.length === 0
  })
  expect(one.started).toHaveLength(300)
  expect(new Set(one.started).size).toBe(300)
})

test('ordered effects keep their order through the store', async () => {
  const one = world({ call: { concurrency: 3, ordered: true } }, { maxHeld: 6, behave: async () => undefined })
  relay = one.relay
  for (let seq = 1; seq <= 40; seq++) for (const actor of ['a', 'b', 'c']) one.commit(effect(actor, seq))
  await until(() => {
    one.clock.advance(1000)
    return one.table.length === 0
  })
  for (const actor of ['a', 'b', 'c']) {
    const own = one.started.filter((name) => name.startsWith(`${actor}/`)).map((name) => Number(name.slice(2)))
    expect(own).toEqual(Array.from({ length: 40 }, (_, index) => index + 1))
  }
})

test('a result is kept and settled again when the store was away, and not performed again', async () => {
  const one = world({ call: {} }, { behave: async () => undefined, failedSettlements: 2 })
  relay = one.relay
  one.commit(effect('a', 1))
  await until(() => {
    one.clock.advance(1000)
    return one.table.length === 0
  })
  expect(one.started).toEqual(['a/1'])
})

test('R7: tries that nobody answered are counted for who asks and bring no end nearer; the next refusal is the first that counts', async () => {
  const attempts: number[] = []
  const one = world(
    { call: { maxAttempts: 2 } },
    {
      behave: async (_, { attempt }) => {
        attempts.push(attempt)
        throw attempt < 4 ? new AwayError('no answer') : new Error('a fault of ours')
      },
    },
  )
  relay = one.relay
  one.commit(effect('a', 1))
  for (let round = 1; round <= 5; round++) {
    await until(() => one.settled.length === round && (round === 5 || one.clock.waiting() > 0))
    one.clock.advance(60_000)
  }
  expect(attempts).toEqual([1, 2, 3, 4, 5])
  expect(one.settled.map(({ outcome }) => outcome)).toEqual(['retried', 'retried', 'retried', 'retried', 'dead'])
})

test('ten times as many that wait take ten times as long, not a hundred times', async () => {
  const spend = async (count: number): Promise<number> => {
    const one = world({ call: { concurrency: 8 } }, { behave: async () => undefined })
    const began = process.cpuUsage()
    one.relay.add(Array.from({ length: count }, (_, index) => effect(`a${index}`, 1)))
    await until(() => one.settled.length === count)
    await one.relay.stop(0)
    const { user, system } = process.cpuUsage(began)
    return (user + system) / 1000
  }
  await spend(2000)
  const [few, many] = [await spend(2000), await spend(20_000)]
  expect(many).toBeLessThan(few * 40 + 200)
})

test('R5: a call whose shard went away and came back may write no more, and the one after it may', async () => {
  const calls: EffectContext[] = []
  const one = world({ call: {} }, { behave: (_, context) => (calls.push(context), new Promise(() => undefined)) })
  relay = one.relay
  one.commit(effect('a', 1))
  await until(() => calls.length === 1)
  expect(() => calls[0]!.assertHeld()).not.toThrow()
  one.relay.forget(() => true)
  one.relay.add([effect('a', 1)])
  await until(() => calls.length === 2)
  expect(() => calls[0]!.assertHeld()).toThrow(EffectNotHeldError)
  expect(() => calls[1]!.assertHeld()).not.toThrow()
})
