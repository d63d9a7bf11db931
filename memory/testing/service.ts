/** A memory service for tests: real parts over Postgres in memory, a real server, and a token that is believed. */
import { Problem } from '../../http/problems/problem.ts'
import { captureLog, type LogCapture } from '../../http/testing/fixture.ts'
import { systemClock } from '../../runtime/clock.ts'
import { emptiedTables } from '../../runtime/store/testing/pristine-store.ts'
import { openSharedSql } from '../../runtime/store/testing/shared-store.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import { createEmbeddedEngine } from '../engine/embedded/engine.ts'
import type { RetrievalEngine } from '../engine/port.ts'
import type { GraphStore } from '../graph/port.ts'
import { PostgresGraph } from '../graph/postgres/store.ts'
import { composeMemory, type MemoryService, type MemoryServiceOptions } from '../service.ts'
import { memoryMigrations } from '../store/migrations.ts'

/** A migrated store in memory. A file of tests opens one and empties it between tests. */
export function openMemoryStore(): Promise<Sql> {
  return openSharedSql(memoryMigrations, ['vector'])
}

/** Every table as it is before anything was stored, and the rows that migrations put in. `truncate` takes 77 ms, this 16. */
export async function emptyMemoryStore(sql: Sql): Promise<void> {
  await sql.exec(`create temp table applied on commit preserve rows as table migration;
    ${emptiedTables};
    insert into migration table applied; drop table applied;
    insert into engine_index default values;
    select setval(quote_ident(sequencename), start_value, false) from pg_sequences where schemaname = 'public'`)
}

export interface TestMemory {
  readonly sql: Sql
  readonly engine: RetrievalEngine
  readonly graph: GraphStore
  readonly service: MemoryService
  readonly url: string
  readonly log: LogCapture
  /** Asks with the believed token; a body that is an object is sent as JSON. */
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>
  close(): Promise<void>
}

export interface TestMemoryOptions extends Partial<
  Omit<MemoryServiceOptions, 'sql' | 'engine' | 'graph' | 'logger' | 'ids'>
> {
  /** One that the test opened itself and closes itself. */
  readonly sql?: Sql
  readonly engine?: (sql: Sql) => RetrievalEngine
  readonly graph?: (sql: Sql) => GraphStore
}

let opened = 0

export async function openTestMemory(options: TestMemoryOptions = {}): Promise<TestMemory> {
  const { sql: given, engine: makeEngine, graph: makeGraph, ...others } = options
  const sql = given ?? (await openMemoryStore())
  const log = captureLog()
  const { logger } = log
  const engine = makeEngine?.(sql) ?? createEmbeddedEngine({ sql, clock: systemClock, random: Math.random, logger })
  const graph = makeGraph?.(sql) ?? new PostgresGraph(sql)
  const run = ++opened
  let count = 0
  const service = await composeMemory({
    sql,
    engine,
    graph,
    foreground: undefined,
    logger,
    clock: systemClock,
    random: Math.random,
    ids: { next: () => `${run}-${++count}` },
    fetch,
    version: '1.2.3',
    owner: 'test',
    authenticate: async (request) => {
      if (request.headers.authorization !== 'Bearer good') throw new Problem('unauthenticated')
      return { subject: 'tester', issuer: 'test', claims: {} }
    },
    ...others,
  })
  const { url } = await service.server.listen({ host: '127.0.0.1', port: 0 })
  await service.start()
  return {
    sql,
    engine,
    graph,
    service,
    url,
    log,
    ask: (method, path, body, headers = {}) =>
      fetch(`${url}${path}`, {
        method,
        headers: {
          authorization: 'Bearer good',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: isRaw(body) ? body : JSON.stringify(body) }),
      }),
    async close() {
      await service.stop({ graceMs: 0 })
      await graph.close()
      if (given === undefined) await sql.close()
    },
  }
}

function isRaw(body: unknown): body is string | Uint8Array<ArrayBuffer> {
  return typeof body === 'string' || body instanceof Uint8Array
}
