/** Opens what the memory service works over: its store, its engine, and the store of its code graphs. */
import { join } from 'node:path'
import type { Logger } from '../../http/operational/logging.ts'
import type { Fetch } from '../../http/ports.ts'
import { createEmbeddedEngine } from '../../memory/engine/embedded/engine.ts'
import { createLightRagEngine } from '../../memory/engine/lightrag/engine.ts'
import { createEmbedder } from '../../memory/engine/embeddings/embedder.ts'
import type { RetrievalEngine } from '../../memory/engine/port.ts'
import { Foreground } from '../../memory/foreground.ts'
import type { GraphStore } from '../../memory/graph/port.ts'
import { PostgresGraph } from '../../memory/graph/postgres/store.ts'
import { instanceOf } from '../../memory/store/instance.ts'
import { memoryMigrations } from '../../memory/store/migrations.ts'
import type { Clock } from '../../runtime/clock.ts'
import { migrate } from '../../runtime/store/migrate.ts'
import { openPgSql } from '../../runtime/store/postgres/pg-sql.ts'
import { openFolderSql } from '../../runtime/store/pglite/pglite-folder.ts'
import type { Random } from '../../runtime/random.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import { closingOnFailure, type Opened } from '../../runtime/closing.ts'
import type { MemoryStoreSettings } from './settings.ts'

interface PartPorts {
  readonly clock: Clock
  readonly random: Random
  readonly fetch: Fetch
  readonly logger: Logger
}

interface MemoryParts {
  readonly sql: Sql
  /** Of an embedded store. */
  readonly foreground: Foreground | undefined
  readonly engine: RetrievalEngine
  readonly graph: GraphStore
  close(): Promise<void>
}

/** Of an opening that fails nothing stays open, within the limit of `closing.ts`. */
export function openParts(settings: MemoryStoreSettings, ports: PartPorts): Promise<MemoryParts> {
  return closingOnFailure(ports.clock, (opened) => open(settings, ports, opened))
}

async function open(settings: MemoryStoreSettings, ports: PartPorts, opened: Opened): Promise<MemoryParts> {
  const sql =
    settings.databaseUrl === ''
      ? await openFolderSql(join(settings.stateDir, 'database'), ['vector'])
      : await openPgSql({ url: settings.databaseUrl, answerMs: settings.databaseAnswerMs })
  opened(() => sql.close())
  await migrate(sql, memoryMigrations)
  const foreground = settings.databaseUrl === '' ? new Foreground(ports.clock) : undefined
  const engine = openEngine(settings, ports, foreground?.behind(sql) ?? sql)
  const graph = await openGraph(settings, ports, sql)
  return {
    sql,
    foreground,
    engine,
    graph,
    async close() {
      await graph.close()
      await sql.close()
    },
  }
}

function openEngine({ engine, embeddings }: MemoryStoreSettings, ports: PartPorts, sql: Sql): RetrievalEngine {
  const { clock, random, fetch, logger } = ports
  const given = (text: string): string | undefined => (text === '' ? undefined : text)
  if (engine.url !== '')
    return createLightRagEngine({ url: engine.url, apiKey: given(engine.apiKey), sql, clock, random, fetch, logger })
  const { url, model, apiKey } = embeddings
  const embedder = url === '' ? undefined : createEmbedder({ url, model, apiKey: given(apiKey), fetch, clock })
  return createEmbeddedEngine({ sql, clock, random, logger, embedder })
}

async function openGraph(
  { databaseUrl, graph: { url, space } }: MemoryStoreSettings,
  { clock, random, logger }: PartPorts,
  sql: Sql,
): Promise<GraphStore> {
  const truth = new PostgresGraph(sql, { isOnlyWriter: databaseUrl === '' })
  if (url === '') return truth
  const owner = await instanceOf(sql)
  // Loaded for who has such a server: the driver is 400 modules.
  const { openBolt } = await import('../../memory/graph/neo4j/bolt.ts')
  const { Neo4jGraph } = await import('../../memory/graph/neo4j/store.ts')
  return new Neo4jGraph({ truth, bolt: openBolt({ url }), space, owner, clock, random, logger })
}
