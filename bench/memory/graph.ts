/**
 * The code graph: the embedded store as `statewright up` has it (PGlite in a thread over a folder), the same rows by plain
 * SQL in that store, and Neo4j asked directly over the same graph. They take turns, question by question, so that what the
 * machine does meanwhile meets all.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { seeded } from '../../runtime/random.ts'
import { Neo4jGraph } from '../../memory/graph/neo4j/store.ts'
import { openBolt, type Bolt } from '../../memory/graph/neo4j/bolt.ts'
import { readShown } from '../../memory/graph/neo4j/projection.ts'
import type { GraphStore } from '../../memory/graph/port.ts'
import { PostgresGraph } from '../../memory/graph/postgres/store.ts'
import { memoryMigrations } from '../../memory/store/migrations.ts'
import { systemClock } from '../../runtime/clock.ts'
import { silentLogger } from '../../runtime/logger.ts'
import { migrate } from '../../runtime/store/migrate.ts'
import { openFolderSql } from '../../runtime/store/pglite/pglite-folder.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import type { Goal } from '../kit/measure/goals.ts'
import { interleave } from '../kit/measure/interleave.ts'
import { median, percentile } from '../kit/measure/percentile.ts'
import { graphGoals } from './graph-goals.ts'
import { askDirectly, startNeo4j, type DirectQuestions } from './graph-neo4j.ts'
import { rawGraph, type RawGraph } from './graph-raw.ts'
import { large, usual, type GraphRow } from './graph-rows.ts'
import { sampleGraph, type Sample, type SampleSize } from './graph-sample.ts'

export interface GraphResults {
  readonly rows: readonly GraphRow[]
  readonly goals: readonly Goal[]
  /** What could not be measured, and why. */
  readonly left: readonly string[]
}

interface Question {
  readonly name: string
  readonly embedded: (graph: GraphStore) => Promise<number | undefined>
  readonly direct: (direct: DirectQuestions | RawGraph) => Promise<number | undefined>
}

export async function measureGraph({ quick }: { readonly quick: boolean }): Promise<GraphResults> {
  const folder = await mkdtemp(join(tmpdir(), 'statewright-bench-graph-'))
  const sql = await openFolderSql(join(folder, 'store'), ['vector'])
  try {
    await migrate(sql, memoryMigrations)
    const sample = sampleGraph('usual', usual)
    await new PostgresGraph(sql, { isOnlyWriter: true }).push(sample.push)
    const raw = await rawGraph(sql, sample)
    const loads = await measureLoads(sql, sample, raw, { rounds: quick ? 3 : 7, size: usual })
    const asked = await measureQuestions(sql, sample, raw, quick ? 100 : 500)
    await raw.drop()
    const million = quick ? [] : await measureMillion(sql)
    const rows = [...loads, ...asked.rows, ...million]
    return {
      rows,
      goals: graphGoals(rows),
      left: [...asked.left, ...(quick ? ['1,000,000 edges (quick)'] : [])],
    }
  } finally {
    await sql.close()
    await rm(folder, { recursive: true, force: true })
  }
}

interface Loads {
  readonly rounds: number
  readonly size: SampleSize
}

async function measureLoads(sql: Sql, sample: Sample, raw: RawGraph, { rounds, size }: Loads): Promise<GraphRow[]> {
  const graph = new PostgresGraph(sql, { isOnlyWriter: true })
  const own: [push: number, first: number][] = []
  const plain: [push: number, first: number][] = []
  const sides = [
    async () => own.push([await timed(() => graph.push(sample.push)), await timed(() => firstAnswer(graph, sample))]),
    async () => plain.push([await timed(() => raw.write()), await timed(() => raw.read())]),
  ]
  await interleave(rounds, sides, async (side) => void (await side()))
  const parts: readonly (readonly [string, (one: readonly [number, number]) => number])[] = [
    ['push of a snapshot', ([push]) => push],
    ['first answer after a push', ([, first]) => first],
    ['push and first answer', ([push, first]) => push + first],
  ]
  return parts.flatMap(([question, of]) => againstSql(question, own.map(of), plain.map(of), size))
}

/** Turn by turn, so that both met the same machine. */
function againstSql(question: string, own: readonly number[], plain: readonly number[], size = usual): GraphRow[] {
  const toSql = median(own.map((each, at) => each / plain[at]!))
  return [{ ...rowOf('embedded', question, own, size), toSql }, rowOf('plain SQL', question, plain, size)]
}

function firstAnswer(graph: GraphStore, { push, ids }: Sample): Promise<unknown> {
  return graph.read(push.repo, (view) => view.reach({ from: [ids[0] ?? ''], direction: 'out', depth: 1, limit: 500 }))
}

async function measureQuestions(
  sql: Sql,
  sample: Sample,
  raw: RawGraph,
  count: number,
): Promise<{ readonly rows: readonly GraphRow[]; readonly left: readonly string[] }> {
  const server = await startNeo4j()
  const embedded = new PostgresGraph(sql, { isOnlyWriter: true })
  if (typeof server === 'string') {
    const rows = await measureInTurn(questions(sample, count), [embeddedSide(embedded), sqlSide(raw)])
    return { rows, left: [server] }
  }
  const space = `bench-${process.pid}`
  const bolt = openBolt({ url: server.url })
  const served = new Neo4jGraph({
    truth: new PostgresGraph(sql),
    bolt,
    space,
    owner: space,
    clock: systemClock,
    random: Math.random,
    logger: silentLogger,
  })
  try {
    const filled = await timed(() => served.rebuild())
    const direct = askDirectly(server.url, await shownGraph(bolt, space, sample.push.repo))
    const sides = [
      embeddedSide(embedded),
      sqlSide(raw),
      { store: 'neo4j directly', ask: (question: Question) => question.direct(direct) },
      { store: 'neo4j by the service', ask: (question: Question) => question.embedded(served) },
    ] as const
    const rows = await measureInTurn(questions(sample, count), sides)
    await direct.close()
    await bolt.alone('MATCH (n) WHERE n.graph STARTS WITH $space CALL (n) { DETACH DELETE n } IN TRANSACTIONS', {
      space,
      owner: space,
    })
    return { rows: [...rows, rowOf('neo4j by the service', 'fill from Postgres', [filled])], left: [] }
  } finally {
    await served.close()
    await server.stop()
  }
}

async function shownGraph(bolt: Bolt, space: string, repo: string): Promise<string> {
  const shown = await bolt.read((query) => readShown(query, space, repo))
  return String(shown?.['graph'])
}

interface Side {
  readonly store: GraphRow['store']
  readonly ask: (question: Question) => Promise<number | undefined>
}

function embeddedSide(graph: GraphStore): Side {
  return { store: 'embedded', ask: (question) => question.embedded(graph) }
}

function sqlSide(raw: RawGraph): Side {
  return { store: 'plain SQL', ask: (question) => question.direct(raw) }
}

/** Every side answers the same: another figure of entities or hops would be another question. */
async function measureInTurn(asked: readonly Question[], sides: readonly Side[]): Promise<GraphRow[]> {
  const times = new Map<string, number[]>()
  for (const side of sides) for (const question of asked.slice(0, 60)) await side.ask(question)
  for (const [turn, question] of asked.entries()) {
    const answers = new Set<number | undefined>()
    for (const side of turn % 2 === 0 ? sides : sides.toReversed()) {
      const key = `${side.store}\n${question.name}`
      const own = times.get(key) ?? []
      times.set(key, own)
      own.push(await timed(async () => void answers.add(await side.ask(question))))
    }
    if (answers.size > 1) throw new Error(`${question.name}: stores disagree: ${[...answers].join(', ')}`)
  }
  return [...times].flatMap(([key, own]) => {
    const [store, name] = key.split('\n') as [GraphRow['store'], string]
    if (store === 'embedded') return againstSql(name, own, times.get(`plain SQL\n${name}`)!)
    return store === 'plain SQL' ? [] : [rowOf(store, name, own)]
  })
}

function questions({ push, ids }: Sample, count: number): Question[] {
  const random = seeded(7)
  const any = (): string => ids[Math.floor(random() * ids.length)] ?? ''
  const reach = (depth: number): Question => {
    const from = any()
    return {
      name: `neighbours, depth ${depth}`,
      embedded: (graph) =>
        graph.read(push.repo, async (view) => {
          const { items } = await view.reach({ from: [from], direction: 'out', depth, limit: 500 })
          return items.length
        }),
      direct: (direct) => direct.neighbours(from, depth),
    }
  }
  const path = (): Question => {
    const [from, to] = [any(), any()]
    return {
      name: 'shortest path',
      embedded: (graph) =>
        graph.read(push.repo, async (view) => {
          const found = await view.path({ from, to, direction: 'out', maxDepth: 12 })
          return found?.edges.length
        }),
      direct: (direct) => direct.path(from, to),
    }
  }
  return Array.from({ length: count }, () => [reach(1), reach(4), path()]).flat()
}

async function measureMillion(sql: Sql): Promise<GraphRow[]> {
  const graph = new PostgresGraph(sql, { isOnlyWriter: true })
  const sample = sampleGraph('large', large)
  await graph.push(sample.push)
  const raw = await rawGraph(sql, sample)
  const loads = await measureLoads(sql, sample, raw, { rounds: 1, size: large })
  const [own, plain]: [number[], number[]] = [[], []]
  await graph.read(sample.push.repo, async () => undefined)
  for (const question of questions(sample, 60)) {
    own.push(await timed(() => question.embedded(graph)))
    plain.push(await timed(() => question.direct(raw)))
  }
  await raw.drop()
  return [...loads, ...againstSql('any question', own, plain, large)]
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await run()
  return performance.now() - begun
}

function rowOf(store: GraphRow['store'], question: string, times: readonly number[], size = usual): GraphRow {
  return {
    section: 'graph',
    store,
    question,
    ...size,
    p50Ms: median(times) ?? 0,
    p99Ms: percentile(times, 0.99) ?? 0,
    count: times.length,
  }
}
