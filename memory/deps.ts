/** What the routes of the memory service are given. */
import type { Registry } from 'prom-client'
import type { Fetch, Ids } from '../http/ports.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Logger } from '../runtime/logger.ts'
import type { Random } from '../runtime/random.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { Sql } from '../runtime/store/sql.ts'
import type { LogAction } from './action-log.ts'
import type { RetrievalEngine } from './engine/port.ts'
import type { Feed } from './feed/feed.ts'
import type { GraphStore } from './graph/port.ts'
import type { Ingest } from './ingest/ingest.ts'

export interface MemoryDeps {
  /** Memories, jobs, entities and edges: the truth, from which engine and graph can be filled anew. */
  readonly sql: Sql
  readonly engine: RetrievalEngine
  readonly graph: GraphStore
  /** Works off the ingest jobs. */
  readonly runtime: Runtime
  readonly feed: Feed
  readonly ingest: Ingest
  readonly clock: Clock
  readonly ids: Ids
  readonly random: Random
  readonly fetch: Fetch
  readonly logger: Logger
  /** Series that are registered here are part of /metrics. */
  readonly metrics: Registry
  readonly logAction: LogAction
}
