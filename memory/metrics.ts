/** The series of the memory service (MEMORY-METRICS-1; docs/metrics.md lists them, and a test compares). */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { HttpApp } from '../http/app.ts'
import { withDeadline } from '../http/deadline.ts'
import { Problem } from '../http/problems/problem.ts'
import type { Queryable } from '../runtime/store/sql.ts'
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

/** Of all databases, since they share a volume. */
async function storedBytes(sql: Queryable): Promise<Figures> {
  const { rows } = await sql.query<{ database: string; seesLog: boolean }>(
    `select sum(pg_database_size(oid)) as database, has_function_privilege('pg_ls_waldir()', 'execute') as "seesLog"
       from pg_database where has_database_privilege(oid, 'connect')`,
  )
  const [{ database, seesLog } = { database: '0', seesLog: false }] = rows
  if (!seesLog) return { database: Number(database) }
  const log = await sql.query<{ wal: string }>('select coalesce(sum(size), 0) as wal from pg_ls_waldir()')
  return { database: Number(database), wal: Number(log.rows[0]?.wal) }
}

/** A scraper waits for 10 s; what answers at all does so in milliseconds. */
const scrapeMs = 2_000

/**
 * What waits, and what the engine counts: asked for at each scrape. While the store is away or hangs, the scrape leaves
 * these series out, and a gauge says so: the other series are needed most then (MEMORY-HEALTH-6).
 */
export function backlogMetrics(
  registry: Registry,
  { feed, engine, sql }: { readonly feed: Feed; readonly engine: RetrievalEngine; readonly sql: Queryable },
  clock: Clock,
): void {
  const series: readonly ScrapedSeries[] = [
    {
      name: 'memory_store_bytes',
      help: 'Bytes of the PostgreSQL server: its databases, and its write-ahead log where this service may see it.',
      label: 'what',
      ask: () => storedBytes(sql),
    },
    {
      name: 'memory_feed_waiting',
      help: 'Rows that the engine has not stored or removed yet.',
      label: 'what',
      ask: async () => ({ ...(await feed.waiting()) }),
    },
    {
      name: 'memory_engine_figures',
      help: 'Counts of the engine since it started. `without_entities` shows an extraction that fails silently.',
      label: 'figure',
      async ask() {
        const { stored, duplicates, failed, withoutEntities, removalsQueued, wakes } = await engine.figures()
        const counts = { stored, duplicates, failed, wakes }
        return { ...counts, without_entities: withoutEntities, removals_queued: removalsQueued }
      },
    },
  ]
  const asked = series.map((one) => ({ ...one, figures: askedAtScrape(clock, one.ask) }))
  for (const { name, help, label, figures } of asked)
    registry.registerMetric(
      new Gauge({
        name,
        help,
        labelNames: [label],
        registers: [],
        async collect() {
          this.reset()
          for (const [figure, value] of Object.entries((await figures()) ?? {})) this.set({ [label]: figure }, value)
        },
      }),
    )
  registry.registerMetric(
    new Gauge({
      name: 'memory_series_left_out',
      help: '1 if this scrape leaves the series out, because the store or the engine does not answer. Otherwise 0.',
      labelNames: ['series'],
      registers: [],
      async collect() {
        await Promise.all(
          asked.map(async ({ name, figures }) => this.set({ series: name }, (await figures()) === undefined ? 1 : 0)),
        )
      },
    }),
  )
}

type Figures = Readonly<Record<string, number>>

interface ScrapedSeries {
  readonly name: string
  readonly help: string
  readonly label: string
  readonly ask: () => Promise<Figures>
}

/** Nothing where the answer fails or takes too long. A store that hangs gets one question, however many scrapes come. */
function askedAtScrape(clock: Clock, ask: () => Promise<Figures>): () => Promise<Figures | undefined> {
  let answer: Promise<Figures> | undefined
  return async () => {
    answer ??= ask().finally(() => (answer = undefined))
    const running = answer
    return withDeadline(clock, scrapeMs, () => running).catch(() => undefined)
  }
}
