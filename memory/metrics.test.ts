import { readFileSync } from 'node:fs'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testClock } from '../http/testing/fixture.ts'
import { backlogMetrics, ingestMetrics } from './metrics.ts'
import { openTestMemory, type TestMemory } from './testing/service.ts'

const documented = readFileSync(new URL('../docs/memory.md', import.meta.url), 'utf8')

let memory: TestMemory
beforeAll(async () => {
  memory = await openTestMemory()
}, 120_000)
afterAll(() => memory?.close())

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

test('docs/memory.md has a row for each series of its own, as the program has it, and no other (MEMORY-METRICS-2)', () => {
  const own = (memory.service.server.metrics.getMetricsAsArray() as unknown as Described[]).filter(({ name }) =>
    name.startsWith('memory_'),
  )
  const rows = own.map(rowOf).toSorted()
  expect(documented.split('\n').filter((line) => line.startsWith('| `memory_'))).toEqual(rows)
})

test('requests, errors and latency are told by route pattern, and an error that nobody foresaw as a panic (MEMORY-METRICS-1, MEMORY-METRICS-3, MEMORY-METRICS-4, MEMORY-METRICS-5, MEMORY-HEALTH-5, HTTP-RULE-6)', async () => {
  await memory.ask('GET', '/memories/secret-id')
  await memory.sql.exec('alter table memory rename to memory_away')
  expect((await memory.ask('GET', '/memories/secret-id')).status).toBe(500)
  await memory.sql.exec('alter table memory_away rename to memory')
  const read = async (): Promise<string> => (await memory.ask('GET', '/metrics')).text()
  await expect.poll(read, { timeout: 30_000 }).toContain('memory_http_panics_total{service="memory"} 1')
  const text = await read()
  const labels = 'service="memory",method="GET",route="/memories/:id"'
  expect(text).toMatch(/memory_http_requests_total\{[^}]*route="\/memories\/:id",status="404"[^}]*\} 1/)
  expect(text).toMatch(/memory_http_errors_total\{[^}]*route="\/memories\/:id",status="500"[^}]*\} 1/)
  expect(text).toContain(`memory_http_request_duration_seconds_count{${labels}} 2`)
  expect(text).toContain('memory_feed_waiting{what="memories",service="memory"} 0')
  expect(text).toMatch(/memory_store_bytes\{what="database",service="memory"\} \d{6,}/)
  expect(text).not.toContain('secret-id')
})

test('what the engine said, and how items and jobs came out, is counted', async () => {
  const registry = new Registry()
  const counted = ingestMetrics(registry)
  counted.fed('stored', 0.2)
  counted.item('failed')
  counted.job('succeeded')
  const text = await registry.metrics()
  expect(text).toContain('memory_engine_fed_total{outcome="stored"} 1')
  expect(text).toContain('memory_ingest_items_total{outcome="failed"} 1')
  expect(text).toContain('memory_ingest_jobs_total{status="succeeded"} 1')
})

test('metrics leave out what needs the store while it is away, and say so (MEMORY-HEALTH-6)', async () => {
  const read = async (): Promise<[number, string]> => {
    const answer = await memory.ask('GET', '/metrics')
    return [answer.status, await answer.text()]
  }
  await memory.sql.exec('alter table memory rename to memory_away')
  const [status, away] = await read()
  await memory.sql.exec('alter table memory_away rename to memory')
  expect(status).toBe(200)
  expect(away).toContain('memory_http_requests_total{')
  expect(away).not.toContain('memory_feed_waiting{')
  expect(away).toContain('memory_series_left_out{series="memory_feed_waiting",service="memory"} 1')
  const [, back] = await read()
  expect(back).toContain('memory_feed_waiting{what="memories",service="memory"} 0')
  expect(back).toContain('memory_series_left_out{series="memory_feed_waiting",service="memory"} 0')
})

test('metrics wait for 2 s for a store that hangs, and ask it once (MEMORY-HEALTH-6)', async () => {
  const registry = new Registry()
  const clock = testClock()
  let asked = 0
  const hangs = (): Promise<never> => {
    asked += 1
    return new Promise(() => undefined)
  }
  ingestMetrics(registry).job('succeeded')
  const away = { feed: { waiting: hangs }, engine: { figures: hangs }, sql: { query: hangs } } as never
  backlogMetrics(registry, away, clock)
  for (let scrape = 0; scrape < 3; scrape += 1) {
    const answer = registry.metrics()
    await new Promise((resolve) => void setImmediate(resolve))
    clock.advance(2_000)
    const text = await answer
    expect(text).toContain('memory_ingest_jobs_total{status="succeeded"} 1')
    for (const series of ['memory_feed_waiting', 'memory_engine_figures', 'memory_store_bytes'])
      expect(text).toContain(`memory_series_left_out{series="${series}"} 1`)
  }
  expect(asked).toBe(3)
})
