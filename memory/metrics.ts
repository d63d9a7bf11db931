/** The series of the memory service (MEMORY-METRICS-1; docs/metrics.md lists them, and a test compares). */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { HttpApp } from '../http/app.ts'
import { Problem } from '../http/problem.ts'
import type { Clock } from '../runtime/clock.ts'
import type { RetrievalEngine } from './engine/port.ts'
import type { Feed } from './feed/feed.ts'

const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Requests by the route's pattern, never by path. A panic is an error that nobody threw on purpose, answered with 500. */
export function countRequests(app: HttpApp, registry: Registry, clock: Pick<Clock, 'now'>): void {
  const registers = [registry]
  const requests = new Counter({
    name: 'memory_http_requests_total',
    help: 'Requests answered.',
    labelNames: ['method', 'route', 'status'],
    registers,
  })
  const errors = new Counter({
    name: 'memory_http_errors_total',
    help: 'Requests answered with a status of 500 or above.',
    labelNames: ['method', 'route', 'status'],
    registers,
  })
  const panics = new Counter({
    name: 'memory_http_panics_total',
    help: 'Requests that failed with an unexpected error. The process continues.',
    registers,
  })
  const duration = new Histogram({
    name: 'memory_http_request_duration_seconds',
    help: 'Time from the request line to the end of the answer.',
    labelNames: ['method', 'route'],
    buckets: seconds,
    registers,
  })
  const arrivals = new WeakMap<object, number>()
  app.addHook('onRequest', async (request) => void arrivals.set(request.raw, clock.now()))
  app.addHook('onError', async (_request, _reply, error) => {
    if (isPanic(error)) panics.inc()
  })
  app.addHook('onResponse', async (request, reply) => {
    const { method } = request
    const route = request.routeOptions.url ?? 'unknown'
    const status = reply.statusCode
    requests.inc({ method, route, status })
    if (status >= 500) errors.inc({ method, route, status })
    const begun = arrivals.get(request.raw)
    if (begun !== undefined) duration.observe({ method, route }, (clock.now() - begun) / 1000)
  })
}

function isPanic(error: unknown): boolean {
  const { statusCode, temporary, retryAfterMs } = error as {
    readonly statusCode?: number
    readonly temporary?: boolean
    readonly retryAfterMs?: number
  }
  return !(error instanceof Problem) && statusCode === undefined && temporary !== true && retryAfterMs === undefined
}

export interface IngestMetrics {
  readonly fed: (outcome: string, seconds: number) => void
  readonly item: (outcome: string) => void
  readonly job: (status: string) => void
}

export function ingestMetrics(registry: Registry): IngestMetrics {
  const registers = [registry]
  const fed = new Counter({
    name: 'memory_engine_fed_total',
    help: 'Memories that the service sent to the engine, by outcome.',
    labelNames: ['outcome'],
    registers,
  })
  const duration = new Histogram({
    name: 'memory_engine_feed_duration_seconds',
    help: 'Time until the engine answered for a memory or for its batch.',
    buckets: [...seconds, 60, 300],
    registers,
  })
  const items = new Counter({
    name: 'memory_ingest_items_total',
    help: 'Attempts to ingest an item of a job, by outcome.',
    labelNames: ['outcome'],
    registers,
  })
  const jobs = new Counter({
    name: 'memory_ingest_jobs_total',
    help: 'Ingest jobs that ended, by status.',
    labelNames: ['status'],
    registers,
  })
  return {
    fed: (outcome, took) => {
      fed.inc({ outcome })
      duration.observe(took)
    },
    item: (outcome) => items.inc({ outcome }),
    job: (status) => jobs.inc({ status }),
  }
}

/** What waits, and what the engine counts: asked for at each scrape. */
export function backlogMetrics(registry: Registry, feed: Feed, engine: RetrievalEngine): void {
  registry.registerMetric(
    new Gauge({
      name: 'memory_feed_waiting',
      help: 'Rows that the engine has not stored or removed yet.',
      labelNames: ['what'],
      registers: [],
      async collect() {
        const { memories, removals } = await feed.waiting()
        this.set({ what: 'memories' }, memories)
        this.set({ what: 'removals' }, removals)
      },
    }),
  )
  registry.registerMetric(
    new Gauge({
      name: 'memory_engine_figures',
      help: 'Counts of the engine since it started. `without_entities` shows an extraction that fails silently.',
      labelNames: ['figure'],
      registers: [],
      async collect() {
        const { stored, duplicates, failed, withoutEntities, removalsQueued, wakes } = await engine.figures()
        const counts = { stored, duplicates, failed, wakes }
        const figures = { ...counts, without_entities: withoutEntities, removals_queued: removalsQueued }
        for (const [figure, value] of Object.entries(figures)) this.set({ figure }, value)
      },
    }),
  )
}
