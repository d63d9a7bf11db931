/** The memory service, wired: everything but what opens stores, engines and sockets, which whoever composes it brings. */
import { Registry } from 'prom-client'
import type { Authenticate } from '../http/auth/authenticate.ts'
import type { Logger } from '../http/operational/logging.ts'
import type { Fetch, Ids } from '../http/ports.ts'
import type { Readiness } from '../http/operational/readiness.ts'
import type { HttpServer } from '../http/server.ts'
import { memoryMachines } from '../machines/registry.ts'
import type { Clock } from '../runtime/clock.ts'
import { createRuntime } from '../runtime/create-runtime.ts'
import type { RuntimeObserver } from '../runtime/observer.ts'
import type { RuntimeOptions } from '../runtime/options.ts'
import type { Random } from '../runtime/random.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { Sql } from '../runtime/store/sql.ts'
import { actionLog, actionLogFor } from './action-log.ts'
import type { MemoryDeps } from './deps.ts'
import type { RetrievalEngine } from './engine/port.ts'
import { createFeed } from './feed/feed.ts'
import { feedAnotherEngine } from './rebuild.ts'
import { engineReadiness } from './routes/engine.ts'
import type { Foreground } from './foreground.ts'
import type { GraphStore } from './graph/port.ts'
import { createIngest, type Ingest } from './ingest/ingest.ts'
import { backlogMetrics, ingestMetrics } from './metrics.ts'
import { createMemoryServer } from './server.ts'

export const readinessChecks = ['store', 'engine', 'graph'] as const
export type ReadinessCheck = (typeof readinessChecks)[number]

export interface MemoryServiceOptions {
  /** Migrated. The service closes neither this nor the graph. */
  readonly sql: Sql
  readonly engine: RetrievalEngine
  readonly graph: GraphStore
  /** Of a store with one session: writes stand back for who asks. The engine is over the same. */
  readonly foreground: Foreground | undefined
  readonly clock: Clock
  readonly random: Random
  readonly ids: Ids
  readonly fetch: Fetch
  readonly logger: Logger
  readonly version: string
  readonly authenticate: Authenticate
  /** Names this process among those that share the store. */
  readonly owner: string
  /** MEMORY-LIMITS-4, MEMORY-LIMITS-5: `ingestItemTimeout`, `workerPoolSize`. */
  readonly itemTimeoutMs?: number
  readonly poolSize?: number
  /** Which backends `/readyz` asks; all unless told. */
  readonly checks?: readonly ReadinessCheck[]
  readonly openDocuments?: boolean
  readonly basePath?: string
  readonly metrics?: Registry
  readonly observer?: RuntimeObserver
  readonly pace?: Pick<RuntimeOptions, 'shards' | 'leaseMs' | 'pollMs'>
  readonly hint?: RuntimeOptions['hint']
}

export interface MemoryService {
  readonly server: HttpServer
  readonly runtime: Runtime
  readonly deps: MemoryDeps
  /** Begins the work that waits; the server answers from before it. */
  start(): Promise<void>
  stop(how?: { readonly graceMs?: number }): Promise<void>
}

export const serviceDefaults = { itemTimeoutMs: 60_000, poolSize: 4 }

export async function composeMemory(options: MemoryServiceOptions): Promise<MemoryService> {
  const { sql, engine, graph, clock, random, ids, fetch, logger } = options
  const { itemTimeoutMs, poolSize } = { ...serviceDefaults, ...definedOf(options) }
  const metrics = options.metrics ?? new Registry()
  const counted = ingestMetrics(metrics)
  const feed = createFeed({ sql, engine, clock, random, logger, timeoutMs: itemTimeoutMs, fed: counted.fed })
  backlogMetrics(metrics, { feed, engine, sql }, clock)
  const ingest = createIngest({
    sql: options.foreground?.behind(sql) ?? sql,
    feed,
    engine,
    clock,
    ids,
    logger,
    logActionFor: actionLogFor(clock, logger),
    runtime: () => runtime,
    poolSize,
    itemTimeoutMs,
    counted,
  })
  const runtime = runtimeOf(options, ingest)
  const deps: MemoryDeps = {
    sql,
    engine,
    graph,
    runtime,
    feed,
    ingest,
    clock,
    ids,
    random,
    fetch,
    logger,
    metrics,
    logAction: actionLog(clock),
  }
  const state = { isLost: false, isStarted: false }
  void sql.lost?.then(() => (state.isLost = true))
  const server = await createMemoryServer(deps, {
    version: options.version,
    logger,
    authenticate: options.authenticate,
    readiness: () => readinessOf({ ...options, feed }, state),
    foreground: options.foreground,
    ...(options.openDocuments === undefined ? {} : { openDocuments: options.openDocuments }),
    ...(options.basePath === undefined ? {} : { basePath: options.basePath }),
  })
  return {
    server,
    runtime,
    deps,
    async start() {
      await feedAnotherEngine(options)
      await runtime.start(ingest.handlers)
      engine.start()
      await ingest.start()
      feed.start()
      state.isStarted = true
    },
    async stop(how) {
      await server.close(how)
      await ingest.stop()
      await runtime.stop()
      await feed.stop()
      await engine.stop()
    },
  }
}

function runtimeOf(options: MemoryServiceOptions, ingest: Ingest): Runtime {
  const { sql, clock, random, logger, owner } = options
  const runtime = createRuntime({
    sql,
    definitions: memoryMachines,
    clock,
    random,
    logger,
    owner,
    leaseMs: 10_000,
    ...options.pace,
    ...(options.observer ? { observer: options.observer } : {}),
    ...(options.hint ? { hint: options.hint } : {}),
  })
  runtime.subscribe((row) => ingest.stepped(row))
  return runtime
}

function definedOf({ itemTimeoutMs, poolSize }: MemoryServiceOptions): Partial<typeof serviceDefaults> {
  return { ...(itemTimeoutMs === undefined ? {} : { itemTimeoutMs }), ...(poolSize === undefined ? {} : { poolSize }) }
}

/** Every check that fails is told; words for an operator, nothing of an address. */
async function readinessOf(
  { sql, engine, graph, feed, checks = readinessChecks }: MemoryServiceOptions & Pick<MemoryDeps, 'feed'>,
  { isLost, isStarted }: { readonly isLost: boolean; readonly isStarted: boolean },
): Promise<Readiness> {
  if (isLost) return { ready: false, reasons: ['the embedded store failed'] }
  if (!isStarted) return { ready: false, reasons: ['starting'] }
  const asked: Record<ReadinessCheck, () => Promise<Readiness>> = {
    store: () => storeReadiness(sql),
    engine: () => engineReadiness({ engine, feed }),
    graph: () => passes(graph.ready(), 'the graph store does not answer'),
  }
  const answers = await Promise.all(
    checks.map((check) => asked[check]().catch(() => notReady(`the ${check} does not answer`))),
  )
  return {
    ready: answers.every(({ ready }) => ready),
    reasons: answers.flatMap(({ reasons }) => reasons),
    degraded: answers.flatMap(({ degraded = [] }) => degraded),
  }
}

async function storeReadiness(sql: Pick<Sql, 'query' | 'probe'>): Promise<Readiness> {
  const answers = await passes(sql.query('select 1'), 'the store does not answer')
  return answers.ready && sql.probe !== undefined ? passes(sql.probe(), 'the store accepts no writes') : answers
}

async function passes(asked: Promise<unknown>, reason: string): Promise<Readiness> {
  try {
    await asked
    return { ready: true, reasons: [] }
  } catch {
    return notReady(reason)
  }
}

function notReady(reason: string): Readiness {
  return { ready: false, reasons: [reason] }
}
