/** A whole knowledge service for a bench: the embedded store as `statewright up` has it, asked over HTTP. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createLogger } from '../../http/operational/logging.ts'
import { gatherCommits, gatherFiles, type Source } from '../../memory/client/ingest/items.ts'
import { ingest } from '../../memory/client/ingest/run.ts'
import { memoryClient, type MemoryClient } from '../../memory/client/memory-client.ts'
import { createEmbeddedEngine } from '../../memory/engine/embedded/engine.ts'
import { Foreground } from '../../memory/foreground.ts'
import { PostgresGraph } from '../../memory/graph/postgres/store.ts'
import { composeMemory } from '../../memory/service.ts'
import { memoryMigrations } from '../../memory/store/migrations.ts'
import { systemClock } from '../../runtime/clock.ts'
import { silentLogger } from '../../runtime/logger.ts'
import { migrate } from '../../runtime/store/migrate.ts'
import { openFolderSql } from '../../runtime/store/pglite/pglite-folder.ts'

/** Those of `statewright ingest`. */
const mostCommits = 1000
const largestBytes = 512 * 1024

export interface BenchService {
  readonly client: MemoryClient
  /** Resolves when all of it is found. Files and commits go in as `statewright ingest` sends them. */
  ingest(repo: string, sources: readonly Source[]): Promise<void>
  /** Texts of no repository. */
  ingestNotes(notes: ReadonlyMap<string, string>): Promise<void>
  close(): Promise<void>
}

export async function withService<T>(run: (service: BenchService) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'statewright-bench-service-'))
  const service = await openService(join(folder, 'store'))
  try {
    return await run(service)
  } finally {
    await service.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** `folder`: of the store, which is made when it is not there. */
async function openService(folder: string): Promise<BenchService> {
  const sql = await openFolderSql(folder, ['vector'])
  await migrate(sql, memoryMigrations)
  const foreground = new Foreground(systemClock)
  const engine = createEmbeddedEngine({
    sql: foreground.behind(sql),
    clock: systemClock,
    random: Math.random,
    logger: silentLogger,
  })
  const graph = new PostgresGraph(sql)
  const service = await composeMemory({
    sql,
    engine,
    graph,
    foreground,
    clock: systemClock,
    random: Math.random,
    ids: { next: () => crypto.randomUUID() },
    fetch,
    logger: createLogger({ name: 'bench', level: 'silent' }),
    version: 'bench',
    owner: 'bench',
    authenticate: async () => ({ subject: 'bench', issuer: 'bench', claims: {} }),
  })
  const { url } = await service.server.listen({ host: '127.0.0.1', port: 0 })
  await service.start()
  const tokens = { token: async () => 'bench', forget: () => undefined }
  const client = memoryClient({ url, tokens, clock: systemClock, fetch, wait: (ms) => wait(ms) })
  return {
    client,
    ingest: (repo, sources) => send(client, repo, sources),
    ingestNotes: (notes) => ingestNotes(client, notes),
    async close() {
      await service.stop({ graceMs: 0 })
      await graph.close()
      await sql.close()
    },
  }
}

/** Files and commits of a clone, as `statewright ingest` reads them. */
export async function sourcesOf(dir: string, repo: string): Promise<readonly Source[]> {
  const files = await gatherFiles(dir, repo, { commit: 'HEAD', largestBytes })
  const commits = await gatherCommits(dir, repo, { commit: 'HEAD', most: mostCommits, isKnown: () => false })
  return [...files.sources, ...commits.sources]
}

async function ingestNotes(client: MemoryClient, notes: ReadonlyMap<string, string>): Promise<void> {
  const items = [...notes].map(([name, content]) => ({ idempotency_key: name, content, metadata: { name } }))
  const job = (await client.post('/memories:bulk', items)) as { readonly id: string }
  for (;;) {
    const { status, failed } = (await client.get(`/ingest-jobs/${job.id}`)) as { status: string; failed: number }
    if (status === 'failed' || failed > 0) throw new Error('the service did not take every note')
    if (status === 'succeeded') return
    await wait(100)
  }
}

async function send(client: MemoryClient, repo: string, sources: readonly Source[]): Promise<void> {
  const plan = { changed: sources, gone: [], commit: undefined, leftOut: [] }
  const { failed, errors } = await ingest(plan, { client, repo, wait: (ms) => wait(ms) })
  if (failed > 0) throw new Error(`${repo}: ${failed} memories were not taken: ${errors[0] ?? ''}`)
}
