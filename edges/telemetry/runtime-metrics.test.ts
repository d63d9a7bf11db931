import { Registry } from 'prom-client'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { event, harness, pumping, task, until } from '../../runtime/contract/harness.ts'
import type { Harness } from '../../runtime/contract/harness.ts'
import { heldCommits } from '../../runtime/contract/store-faults.ts'
import { OverloadedError, RetryableError, TerminalError } from '../../runtime/errors.ts'
import { silentLogger } from '../../runtime/logger.ts'
import { silentObserver, type RuntimeObserver } from '../../runtime/observer.ts'
import type { Receipt, Runtime } from '../../runtime/runtime.ts'
import { simulatedClock } from '../../runtime/simulated-clock.ts'
import { openSharedSql } from '../../runtime/store/testing/shared-store.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import { toyDefinition } from '../../runtime/contract/toy-machine.ts'
import { runtimeMetrics } from './runtime-metrics.ts'
import { watchStoredBacklog } from './stored-backlog.ts'

let sql: Sql
let world: Harness
beforeEach(async () => {
  sql = await openSharedSql()
  world = harness(sql)
})
afterEach(async () => {
  await world.end()
  await sql.close()
})

async function valueOf(registry: Registry, name: string): Promise<number> {
  const line = (await registry.metrics()).split('\n').find((each) => each.startsWith(`${name} `))
  return Number(line?.split(' ')[1])
}

function note(runtime: Runtime, id: string, key: string): Promise<Receipt> {
  return runtime.deliver({ to: task(id), key, event: event('noted') })
}

test('the queue is as long at a scrape as it is, while the store stands still', async () => {
  const held = heldCommits(sql)
  const registry = new Registry()
  const { runtime } = await world.start({ sql: held, observer: runtimeMetrics(registry) })
  await note(runtime, 'a', 'k0')
  held.hold()
  const underWay = note(runtime, 'a', 'k1')
  await held.isHeld()
  const waiting = ['k2', 'k3', 'k4'].map((key) => note(runtime, 'a', key))
  expect(await valueOf(registry, 'statewright_queued_events')).toBe(3)
  expect(await valueOf(registry, 'statewright_queued_bytes')).toBe(3 * JSON.stringify(event('noted')).length)
  held.letGo()
  await Promise.all([underWay, ...waiting])
  expect(await valueOf(registry, 'statewright_queued_events')).toBe(0)
  expect(await valueOf(registry, 'statewright_queued_bytes')).toBe(0)
})

test('events for a process that does not answer are counted and bounded, and a busy actor has its share of them', async () => {
  const registry = new Registry()
  const owner = await world.start({ owner: 'one' })
  const { runtime } = await world.start({ owner: 'two', maxQueued: 12, observer: runtimeMetrics(registry) })
  owner.crash()
  const refused: unknown[] = []
  const send = (id: string, key: string): void =>
    void note(runtime, id, key).catch((error: unknown) => void refused.push(error))
  for (let n = 0; n < 20; n++) send('a', `k${n}`)
  await until(() => refused.length === 12)
  expect(await valueOf(registry, 'statewright_forwarded_events')).toBe(8)
  for (const id of ['b', 'c', 'd', 'e', 'f', 'g']) send(id, 'k')
  await until(() => refused.length === 14)
  expect(refused.every((error) => error instanceof OverloadedError)).toBe(true)
  expect(await valueOf(registry, 'statewright_overloaded_total')).toBe(14)
  // They are in the store by then: what was sent waits for its answer and is in memory as before.
  await until(async () => (await sql.query('select 1 from inbox')).rows.length === 12)
  send('h', 'k')
  await until(() => refused.length === 15)
  expect(await valueOf(registry, 'statewright_forwarded_events')).toBe(12)
  await runtime.stop()
  expect(await valueOf(registry, 'statewright_forwarded_events')).toBe(0)
  expect(await valueOf(registry, 'statewright_forwarded_bytes')).toBe(0)
})

test('what waits in the store is counted for a scrape: events of the inbox, and effects that were given up by type', async () => {
  const registry = new Registry()
  const clock = simulatedClock(0)
  watchStoredBacklog({ sql, clock, logger: silentLogger, registry })
  expect(await valueOf(registry, 'statewright_inbox_events')).toBe(0)
  await sql.exec(`insert into inbox (actor, shard, key, body, at) select 'task:a-name', 0, 'k' || n, '{}', 0 from generate_series(1, 3) n;
    insert into effect (actor, seq, idx, shard, type, params, attempts, not_before, dead, at)
      select 'task:a-name', n, 0, 0, 'call', '{}', 1, 0, n < 3, 0 from generate_series(1, 4) n`)
  expect(await valueOf(registry, 'statewright_inbox_events')).toBe(0)
  clock.advance(60_000)
  expect(await valueOf(registry, 'statewright_inbox_events')).toBe(3)
  expect(await valueOf(registry, 'statewright_effects_dead{type="call"}')).toBe(2)
  await sql.exec('update effect set dead = false')
  clock.advance(60_000)
  expect(await registry.metrics()).not.toContain('statewright_effects_dead{')
})

/** Notes the name of each call. */
function listening(told: Set<string>): RuntimeObserver {
  return new Proxy(silentObserver, {
    get:
      (_, name) =>
      (...args: readonly unknown[]) => {
        told.add(String(name))
        if (name === 'standing') (args[0] as () => unknown)()
      },
  })
}

test('an observer of two processes is told each thing that there is to tell', async () => {
  const told = new Set<string>()
  const observer = listening(told)
  const options = { observer, snapshotEvery: 2, leaseMs: 3000, maxQueued: 4 }
  const handler = {
    perform: async ({ name }: Readonly<Record<string, unknown>>) => {
      if (name === 'busy') throw new RetryableError('busy', { retryAfterMs: 1000 })
      if (name === 'never') throw new TerminalError('never')
      return []
    },
    target: { name: 'host', of: () => 'one' },
  }
  const handlers = { call: handler, callInOrder: handler }
  const one = await world.start({ ...options, owner: 'one', handlers })
  for (const key of ['k1', 'k2', 'k2']) await note(one.runtime, 'a', key)
  const send = (key: string, type: string, name = ''): Promise<unknown> =>
    one.runtime.deliver({ to: task('a'), key, event: event(type, { name }) })
  await send('k3', 'poisonGuard')
  await send('k4', 'asked', 'busy')
  await send('k5', 'armed')
  await Promise.allSettled(Array.from({ length: 6 }, (_, n) => note(one.runtime, 'b', `k${n}`)))
  const pump = pumping(world)
  await until(() => told.has('timerFired') && told.has('targetPaused') && told.has('effectSettled'))
  const two = await world.start({ ...options, owner: 'two', handlers, definitions: [{ ...toyDefinition, version: 2 }] })
  await until(() => ['shardsLost', 'inboxLag', 'leasesRenewed'].every((name) => told.has(name)))
  await one.runtime.stop()
  await until(() => told.has('quarantined'))
  await two.runtime.stop()
  pump.stop()
  expect([...told].toSorted()).toEqual(Object.keys(silentObserver).toSorted())
})
