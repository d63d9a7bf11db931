import { setImmediate } from 'node:timers/promises'
import { readFileSync } from 'node:fs'
import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import type { RefusedCalls } from '../../machines/turn/schema.ts'
import type { JournalRow, Runtime } from '../../runtime/runtime.ts'
import { RetryableError } from '../../runtime/errors.ts'
import { event, harness, task, until } from '../../runtime/contract/harness.ts'
import { silentLogger } from '../../runtime/logger.ts'
import { simulatedClock } from '../../runtime/simulated-clock.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import { openSharedSql } from '../../runtime/store/testing/shared-store.ts'
import { exposeMetrics } from '../../http/operational/expose-metrics.ts'
import { withServer } from '../../http/testing/fixture.ts'
import { accountUsageMetrics } from './account-usage.ts'
import { admissionMetrics } from './admission-metrics.ts'
import { watchForgeLimits } from './forge-limits.ts'
import { watchLiveWork } from './live-work.ts'
import { platformMetrics } from './platform-metrics.ts'
import { watchModelKey } from './model-key.ts'
import { watchQuarantine } from './quarantine.ts'
import { retentionMetrics } from './retention-metrics.ts'
import { runtimeMetrics } from './runtime-metrics.ts'
import { watchStoredBacklog } from './stored-backlog.ts'
import { workMetrics } from './work-metrics.ts'

const documented = readFileSync(new URL('../../docs/metrics.md', import.meta.url), 'utf8')

interface Described {
  readonly name: string
  readonly type: unknown
  readonly help: string
  readonly labelNames?: readonly string[]
}

function rowOf({ name, type, help, labelNames = [] }: Described): string {
  const labels = labelNames.map((label) => `\`${label}\``).join(', ')
  return `| \`${name}\` | ${String(type)} | ${labels || '-'} | ${help} |`
}

const idle = { list: async () => [], read: async () => undefined }
const noStore = { query: async () => ({ rows: [], rowCount: 0 }) } as unknown as Sql

function registerAll(registry: Registry): void {
  runtimeMetrics(registry)
  platformMetrics(registry, idle)
  watchQuarantine({ sql: noStore, clock: simulatedClock(0), logger: silentLogger, registry })
  watchStoredBacklog({ sql: noStore, clock: simulatedClock(0), logger: silentLogger, registry })
  watchModelKey({ runtime: idle, modelKey: 'print', registry })
  retentionMetrics(registry)
  accountUsageMetrics(registry, { list: async () => [] }, simulatedClock(0))
  workMetrics(registry, idle)
  watchLiveWork({ runtime: idle, sql: noStore, clock: simulatedClock(0), logger: silentLogger, registry })
  admissionMetrics(registry, idle, simulatedClock(0))
  watchForgeLimits(registry, fetch, simulatedClock(0))
}

test('docs/metrics.md has a row for each series, as the program has it, and no other (ORCHESTRATOR-METRICS-6, ORCHESTRATOR-METRICS-7)', () => {
  const registry = new Registry()
  registerAll(registry)
  const rows = (registry.getMetricsAsArray() as unknown as Described[]).map(rowOf)
  expect(documented.split('\n').filter((line) => line.startsWith('| `'))).toEqual(expect.arrayContaining(rows))
  expect(documented.match(/^\| `/gm)).toHaveLength(rows.length)
})

test('a withheld model shows by its cause, and the last figure stands while the store is away (MODEL-KEY-8)', async () => {
  const registry = new Registry()
  let read: () => Promise<object | undefined> = async () => undefined
  watchModelKey({ runtime: { read: () => read() as never }, modelKey: 'print', registry })
  const shown = async (): Promise<readonly string[]> =>
    (await registry.metrics()).split('\n').filter((line) => line.startsWith('statewright_model_withheld'))
  const withheld = ['usage_limit', 'key_refused', 'no_credit'].map(
    (cause) => `statewright_model_withheld{cause="${cause}"} ${cause === 'no_credit' ? 1 : 0}`,
  )
  expect(await shown()).toEqual(withheld.map((line) => line.replace('} 1', '} 0')))
  read = async () => ({ context: { hold: { cause: 'no_credit' } } })
  expect(await shown()).toEqual(withheld)
  read = () => Promise.reject(new Error('the store is away'))
  expect(await shown()).toEqual(withheld)
})

test('names and units follow the conventions of Prometheus (ORCHESTRATOR-METRICS-6)', () => {
  const registry = new Registry()
  registerAll(registry)
  for (const { name, type, help } of registry.getMetricsAsArray() as unknown as Described[]) {
    expect(name).toMatch(/^(operator|statewright|platform_account_usage)_[a-z_]+$/)
    expect(String(type) === 'counter').toBe(name.endsWith('_total'))
    expect(name).not.toMatch(/_(ms|milliseconds|kb)(_|$)/)
    expect(help).toMatch(/^[A-Z].*\.$/)
  }
})

test('a scrape in the middle of work shows it, and no actor by name (ORCHESTRATOR-METRICS-8)', async () => {
  const sql = await openSharedSql()
  const world = harness(sql)
  const registry = new Registry()
  try {
    const { runtime } = await world.start({ observer: runtimeMetrics(registry) })
    let isLimited = true
    world.behave = async (call) => {
      if (call.name === 'slow') return new Promise(() => undefined)
      if (isLimited) throw new RetryableError('busy', { retryAfterMs: 1000 })
      return []
    }
    await runtime.deliver({ to: task('a-name'), key: 'k1', event: event('noted') })
    await runtime.deliver({ to: task('a-name'), key: 'k2', event: event('asked', { name: 'quick' }) })
    await until(
      () => runtime.pendingEffects(),
      ([effect]) => effect?.lastError === 'busy' && effect.state === 'pending',
    )
    isLimited = false
    world.clock.advance(1000)
    await until(
      () => runtime.pendingEffects(),
      (pending) => pending.length === 0,
    )
    await runtime.deliver({ to: task('a-name'), key: 'k3', event: event('asked', { name: 'slow' }) })
    await runtime.deliver({ to: task('a-name'), key: 'k4', event: event('armed') })
    world.clock.advance(5000)
    await until(
      () => runtime.history(task('a-name')),
      (rows) => rows.length === 5,
    )
    await withServer(
      () => undefined,
      async ({ url, server }) => {
        exposeMetrics(registry, server.metrics)
        const text = await (await fetch(`${url}/metrics`)).text()
        const effects = 'statewright_effects_total{type="call",outcome='
        expect(text).toContain(`${effects}"asked-to-wait",service="test"} 1`)
        expect(text).toContain(`${effects}"performed",service="test"} 1`)
        expect(text).toContain('statewright_effects_pending{type="call",state="performing",service="test"} 1')
        expect(text).toContain('statewright_timer_lateness_seconds_count{service="test"} 1')
        expect(text).not.toContain('a-name')
      },
    )
  } finally {
    await world.end()
    await sql.close()
  }
})

/** What the store says of the Task and of pods that ended. */
function storeOf(
  notes: readonly object[],
  ends: Readonly<Record<string, string>>,
  reason = '',
): Pick<Runtime, 'list' | 'read'> {
  const read = async (address: string) =>
    (address.startsWith('task:')
      ? { context: { journal: { notes } } }
      : { path: ends[address], context: { reason } }) as never
  return { ...idle, read }
}

function podRow(ordinal: number, type: string, fields: object, path = 'running', status = 'active'): JournalRow {
  const row = { address: `pod:default/t/${ordinal}`, event: { type, at: 1, ...fields }, path, status, handled: true }
  return row as unknown as JournalRow
}

test('pods are counted by how they ended, by who wrote the note, and by why another one came (PROJECT-AGENT-5, ORCHESTRATOR-METRICS-1, ORCHESTRATOR-METRICS-2)', async () => {
  const registry = new Registry()
  const notes = [
    { pod: 1, kind: 'progress', source: 'agent' },
    { pod: 1, kind: 'handoff', source: 'operator' },
    { pod: 2, kind: 'handoff', source: 'agent' },
  ]
  const metrics = platformMetrics(registry, storeOf(notes, { 'pod:default/t/1': 'lost' }))
  metrics.stepped(podRow(1, 'pod.start', { ordinal: 1 }))
  metrics.stepped(podRow(1, 'pod.vanished', { reason: 'killed' }, 'lost', 'done'))
  metrics.stepped(podRow(2, 'pod.start', { ordinal: 2 }))
  metrics.stepped(podRow(2, 'pod.stopped', {}, 'gone', 'done'))
  await setImmediate()
  const text = await registry.metrics()
  expect(text).toContain('operator_pod_recreations_total{reason="lost"} 1')
  expect(text).toContain('operator_pod_stops_total{reason="lost",handoff="operator"} 1')
  expect(text).toContain('operator_pod_stops_total{reason="gone",handoff="agent"} 1')
})

test('STOP-SEQUENCE-6: a stop with nothing to go on from is counted with handoff=none, a pod where no agent ran is not (STOP-SEQUENCE-6, ORCHESTRATOR-METRICS-2)', async () => {
  const registry = new Registry()
  const placeholder = { pod: 1, kind: 'handoff', source: 'operator', empty: true }
  const metrics = platformMetrics(registry, storeOf([placeholder], {}))
  metrics.stepped(podRow(1, 'pod.stopped', {}, 'gone', 'done'))
  metrics.stepped(podRow(2, 'pod.volumesUnbound', {}, 'unbound', 'done'))
  await setImmediate()
  const text = await registry.metrics()
  expect(text).toContain('operator_pod_stops_total{reason="gone",handoff="none"} 1')
  expect(text).toContain('operator_pod_stops_total{reason="unbound",handoff="unneeded"} 1')
})

test('a pod that comes after a restart is counted by how the one before ended, which another process saw (ORCHESTRATOR-METRICS-1)', async () => {
  const registry = new Registry()
  const metrics = platformMetrics(registry, storeOf([], { 'pod:default/t/1': 'lost' }))
  metrics.stepped(podRow(2, 'pod.start', { ordinal: 2 }))
  await setImmediate()
  expect(await registry.metrics()).toContain('operator_pod_recreations_total{reason="lost"} 1')
})

test.each([
  ['lost', 'OOMKilled', 'OOMKilled'],
  ['lost', 'words of an earlier version', 'lost'],
  ['gone', 'implementing', 'gone'],
])(
  'a pod that replaces one that is %s by the reason %j is counted under %j (POD-22, ORCHESTRATOR-METRICS-1)',
  async (path, reason, label) => {
    const registry = new Registry()
    const metrics = platformMetrics(registry, storeOf([], { 'pod:default/t/1': path }, reason))
    metrics.stepped(podRow(2, 'pod.start', { ordinal: 2 }))
    await setImmediate()
    expect(await registry.metrics()).toContain(`operator_pod_recreations_total{reason="${label}"} 1`)
  },
)

test('REVIEW-7: a Task whose work ten reviews sent back is counted once, however often it is sent back or refused again', async () => {
  const registry = new Registry()
  let reviewRounds = 9
  const read = async () => ({ context: { stage: { reviewRounds } } }) as never
  const metrics = platformMetrics(registry, { ...idle, read })
  const sendBack = (): void => {
    const event = { type: 'outcome', at: 1, action: 'request_changes' }
    metrics.stepped({ address: 'task:default/t', event, handled: true } as unknown as JournalRow)
  }
  const counted = async (): Promise<string | undefined> =>
    /operator_review_rounds_exceeded_total (\d+)/.exec(await registry.metrics())?.[1]
  sendBack()
  expect(await counted()).toBe('0')
  reviewRounds = 10
  sendBack()
  sendBack()
  expect(await counted()).toBe('1')
})

test('calls that wrappers refused are counted by reason when their turn’s result is taken', async () => {
  const registry = new Registry()
  const metrics = platformMetrics(registry, idle)
  const take = (handled: boolean, refusedCalls?: RefusedCalls): void => {
    const event = { type: 'turn.result', at: 1, ...(refusedCalls && { refusedCalls }) }
    metrics.stepped({ address: 'turn:default/t/1/0', event, handled } as unknown as JournalRow)
  }
  take(true, [
    { tool: 'task_note', reason: 'no-block', count: 2 },
    { tool: '', reason: 'no-block', count: 5 },
    { tool: 'task_note', reason: 'no-turn', count: 1 },
  ])
  take(false, [{ tool: 'task_note', reason: 'no-block', count: 100 }])
  take(true)
  const text = await registry.metrics()
  expect(text).toContain('operator_tool_calls_refused_total{reason="no-block"} 7')
  expect(text).toContain('operator_tool_calls_refused_total{reason="no-turn"} 1')
  expect(text).not.toContain('task_note')
})

test('a poll that finds a turn hindered is counted by what hinders it (ORCHESTRATOR-METRICS-15)', async () => {
  const registry = new Registry()
  const { turnHindered } = platformMetrics(registry, idle)
  for (const kind of ['model-silent', 'screen-still', 'model-silent'] as const) turnHindered(kind)
  const text = await registry.metrics()
  expect(text).toContain('operator_turn_polls_hindered_total{kind="model-silent"} 2')
  expect(text).toContain('operator_turn_polls_hindered_total{kind="screen-still"} 1')
})

test('a walk of retention is counted, and what it left alone stays to be seen until the next', async () => {
  const registry = new Registry()
  const swept = retentionMetrics(registry)
  const walk = { startedAt: 1000, endedAt: 3500, actors: 5, compacted: 2, events: 30, characters: 400 }
  swept({ ...walk, refused: [{ address: 'task:a-name', reason: 'differs' }] })
  swept({ ...walk, refused: [] })
  const text = await registry.metrics()
  expect(text).toContain('statewright_retention_events_total 60')
  expect(text).toContain('statewright_retention_characters_total 800')
  expect(text).toContain('statewright_retention_actors_total{outcome="shortened"} 4')
  expect(text).toContain('statewright_retention_actors_total{outcome="refused"} 1')
  expect(text).toContain('statewright_retention_actors_total{outcome="kept"} 5')
  expect(text).toContain('statewright_retention_refused_actors 0')
  expect(text).toContain('statewright_retention_duration_seconds 2.5')
  expect(text).toContain('statewright_retention_last_end_timestamp_seconds 3.5')
  expect(text).not.toContain('a-name')
})

test('actors in quarantine are counted by kind, for a scrape and in words, and no longer once they can be loaded', async () => {
  const sql = await openSharedSql()
  const clock = simulatedClock(0)
  const registry = new Registry()
  const quarantine = watchQuarantine({ sql, clock, logger: silentLogger, registry })
  const insert = `insert into actor (address, kind, shard, seq, version, machine_hash, status, path, created_at, updated_at)
    select 'task:a-name' || n, 'task', 0, 1, 1, 'h', case when n > 3 then 'active' else 'quarantined' end, 'p', 0, 0 from generate_series(1, 5) n`
  try {
    expect(await quarantine.lines()).toEqual([])
    await sql.exec(insert)
    expect(await quarantine.lines()).toEqual([])
    clock.advance(60_000)
    expect(await quarantine.lines()).toEqual(['3 task actors are quarantined'])
    expect(await registry.metrics()).toContain('statewright_quarantined_actors{kind="task"} 3')
    await sql.exec(`update actor set status = 'active'`)
    clock.advance(60_000)
    expect(await registry.metrics()).not.toContain('statewright_quarantined_actors{')
    await sql.close()
    clock.advance(60_000)
    expect(await quarantine.lines()).toEqual([])
  } finally {
    await sql.close().catch(() => undefined)
  }
})
