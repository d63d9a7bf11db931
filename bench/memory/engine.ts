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
import type { Goal } from '../kit/measure/goals.ts'
import { interleave } from '../kit/measure/interleave.ts'
import { median, percentile } from '../kit/measure/percentile.ts'
import { corpusOf, type Corpus } from './engine-corpus.ts'
import { measureFront } from './engine-front.ts'
import { engineGoals } from './engine-goals.ts'
import { rawEngine, type RawEngine } from './engine-raw.ts'
import { timed, type EngineRow } from './engine-rows.ts'

const topK = 10

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
    goals: engineGoals([...rows, ...front.rows], chunks),
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
  const engine = createEmbeddedEngine({ sql, clock: systemClock, random: Math.random, logger: silentLogger })
  const loads: number[] = []
  const group = 200
  for (let from = 0; from < corpus.memories.length; from += group) {
    const ms = await timed(() => engine.upsert(corpus.memories.slice(from, from + group)))
    loads.push(ms / group)
  }
  const raw = await rawEngine(sql)
  const asked: EngineRow[] = []
  for (const mode of queryModes) {
    for (const text of corpus.queries.slice(0, 5)) await engine.retrieve({ mode, text, topK })
    const [own, plain]: [number[], number[]] = [[], []]
    for (const [turn, text] of corpus.queries.entries()) {
      const asOurs = async (): Promise<void> => void own.push(await timed(() => engine.retrieve({ mode, text, topK })))
      const asSql = async (): Promise<void> => void plain.push(await timed(() => raw.best(text, topK)))
      const sides = mode === 'naive' ? [asOurs, asSql] : [asOurs]
      for (const ask of turn % 2 === 0 ? sides : sides.toReversed()) await ask()
    }
    asked.push(...(mode === 'naive' ? againstSql(mode, own, plain) : [row(mode, own)]))
  }
  const [own, plain] = await insertAndFind(engine, raw, inserts)
  return [row('bulk load, each text', loads), ...asked, ...againstSql('insert until found', own, plain)]
}

async function insertAndFind(
  engine: RetrievalEngine,
  raw: RawEngine,
  count: number,
): Promise<readonly [own: number[], plain: number[]]> {
  const [own, plain]: [number[], number[]] = [[], []]
  const content = corpusOf(1, 0).memories[0]!.content
  const textOf = (round: number): string => `${content} marker${'abcdefghij'[round % 10]}${round}`
  const ours = async (round: number): Promise<void> => {
    const [id, text] = [`inserted-${round}`, textOf(round)]
    await engine.upsert([{ id, content: text, metadata: {}, repo: '', file: null }])
    const { chunks } = await engine.retrieve({ mode: 'naive', text: text.split(' ').at(-1)!, topK: 1 })
    if (chunks[0]?.memoryId !== id) throw new Error('what was inserted is not found')
  }
  const sides = [
    async (round: number) => own.push(await timed(() => ours(round))),
    async (round: number) => plain.push(await timed(() => raw.insertAndRead(`inserted-${round}`, textOf(round)))),
  ]
  await interleave(count, sides, async (side, round) => void (await side(round)))
  return [own, plain]
}

/** Turn by turn, so that both met the same machine. */
function againstSql(question: string, own: readonly number[], plain: readonly number[]): EngineRow[] {
  const toOther = median(own.map((ms, at) => ms / plain[at]!))
  return [
    { ...row(question, own), toOther },
    { ...row(question, plain), question: `plain SQL, ${question}` },
  ]
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
