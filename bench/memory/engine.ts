/**
 * The retrieval engines: the embedded one as `statewright up` has it (PGlite in a thread over a folder), at 10,000 chunks;
 * and what the service adds in front of a real LightRAG server.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEmbeddedEngine } from '../../memory/engine/embedded/engine.ts'
import { queryModes, type RetrievalEngine } from '../../memory/engine/port.ts'
import { memoryMigrations } from '../../memory/store/migrations.ts'
import { systemClock } from '../../runtime/clock.ts'
import { silentLogger } from '../../runtime/logger.ts'
import { migrate } from '../../runtime/store/migrate.ts'
import { openFolderSql } from '../../runtime/store/pglite/pglite-folder.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import type { Goal } from '../kit/goals.ts'
import { median, percentile } from '../kit/percentile.ts'
import { corpusOf, type Corpus } from './engine-corpus.ts'
import { measureFront } from './engine-front.ts'
import { timed, type EngineRow } from './engine-rows.ts'

export interface EngineResults {
  readonly rows: readonly EngineRow[]
  readonly goals: readonly Goal[]
  /** What could not be measured, and why. */
  readonly left: readonly string[]
}

export async function measureEngine({ quick }: { readonly quick: boolean }): Promise<EngineResults> {
  const chunks = quick ? 1_000 : 10_000
  const rows = await withStore((sql) => measureEmbedded(sql, corpusOf(chunks, quick ? 60 : 300), quick ? 10 : 50))
  const front = await withStore((sql) => measureFront(sql, quick))
  return {
    rows: [...rows, ...front.rows],
    left: [...front.left, ...(quick ? [`10,000 chunks (quick: ${chunks})`] : [])],
    goals: [
      lower('embedded naive p50 at 10,000 chunks', quick ? undefined : p50Of(rows, 'naive'), 30, 15),
      lower('embedded insert until found p50', p50Of(rows, 'insert until found'), 300, 100),
      lower('added to /query/data of LightRAG p50', front.overheadMs.get('naive'), 15, 8),
    ],
  }
}

async function withStore<T>(run: (sql: Sql) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'statewright-bench-engine-'))
  const sql = await openFolderSql(join(folder, 'store'), ['vector'])
  try {
    await migrate(sql, memoryMigrations)
    return await run(sql)
  } finally {
    await sql.close()
    await rm(folder, { recursive: true, force: true })
  }
}

async function measureEmbedded(sql: Sql, corpus: Corpus, inserts: number): Promise<EngineRow[]> {
  const engine = createEmbeddedEngine({ sql, clock: systemClock, logger: silentLogger })
  const loads: number[] = []
  const group = 200
  for (let from = 0; from < corpus.memories.length; from += group) {
    const ms = await timed(() => engine.upsert(corpus.memories.slice(from, from + group)))
    loads.push(ms / group)
  }
  const asked: EngineRow[] = []
  for (const mode of queryModes) {
    for (const text of corpus.queries.slice(0, 5)) await engine.retrieve({ mode, text, topK: 10 })
    const ms: number[] = []
    for (const text of corpus.queries) ms.push(await timed(() => engine.retrieve({ mode, text, topK: 10 })))
    asked.push(row(mode, ms))
  }
  return [row('bulk load, each text', loads), ...asked, row('insert until found', await insertAndFind(engine, inserts))]
}

async function insertAndFind(engine: RetrievalEngine, count: number): Promise<number[]> {
  const times: number[] = []
  for (let at = 0; at < count; at++) {
    const id = `inserted-${at}`
    const content = `${corpusOf(1, 0).memories[0]!.content} marker${'abcdefghij'[at % 10]}${at}`
    times.push(
      await timed(async () => {
        await engine.upsert([{ id, content, metadata: {}, repo: '', file: null }])
        const { chunks } = await engine.retrieve({ mode: 'naive', text: content.split(' ').at(-1)!, topK: 1 })
        if (chunks[0]?.memoryId !== id) throw new Error('what was inserted is not found')
      }),
    )
  }
  return times
}

function p50Of(rows: readonly EngineRow[], question: string): number | undefined {
  return rows.find((one) => one.question === `embedded, ${question}`)?.p50Ms
}

function row(question: string, ms: readonly number[]): EngineRow {
  return {
    section: 'engine',
    question: `embedded, ${question}`,
    p50Ms: median(ms) ?? Number.NaN,
    p95Ms: percentile(ms, 0.95) ?? Number.NaN,
    count: ms.length,
  }
}

function lower(name: string, value: number | undefined, gate: number, goal: number): Goal {
  return { name, value, unit: 'ms', better: 'lower', gate, goal }
}
