/**
 * The code graph: the embedded store as `statewright up` has it (PGlite in a thread over a folder), and Neo4j asked
 * directly over the same graph, question by question in turn, so that what the machine does meanwhile meets both.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { seeded } from '../../memory/communities/seeded.ts'
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
import type { Goal } from '../kit/goals.ts'
import { median, percentile } from '../kit/percentile.ts'
import { askDirectly, startNeo4j, type DirectQuestions } from './graph-neo4j.ts'
import { sampleGraph, type Sample } from './graph-sample.ts'

export interface GraphRow {
  readonly section: 'graph'
  readonly store: 'embedded' | 'neo4j directly' | 'neo4j by the service'
  readonly question: string
  readonly nodes: number
  readonly edges: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly count: number
}

export interface GraphResults {
  readonly rows: readonly GraphRow[]
  readonly goals: readonly Goal[]
  /** What could not be measured, and why. */
  readonly left: readonly string[]
}

const usual = { nodes: 20_000, edges: 100_000 }
const large = { nodes: 200_000, edges: 1_000_000 }

interface Question {
  readonly name: string
  readonly embedded: (graph: GraphStore) => Promise<number | undefined>
  readonly direct: (direct: DirectQuestions) => Promise<number | undefined>
}

export async function measureGraph({ quick }: { readonly quick: boolean }): Promise<GraphResults> {
  const folder = await mkdtemp(join(tmpdir(), 'statewright-bench-graph-'))
  const sql = await openFolderSql(join(folder, 'store'), ['vector'])
  try {
    await migrate(sql, memoryMigrations)
    const sample = sampleGraph('usual', usual)
    const loads = await measureLoads(sql, sample, quick ? 3 : 7)
    const asked = await measureQuestions(sql, sample, quick ? 100 : 500)
    const million = quick ? [] : await measureMillion(sql)
    return {
      rows: [...loads, ...asked.rows, ...million],
      goals: goalsOf([...loads, ...asked.rows, ...million]),
      left: [...asked.left, ...(quick ? ['1,000,000 edges (quick)'] : [])],
    }
  } finally {
    await sql.close()
    await rm(folder, { recursive: true, force: true })
  }
}

async function measureLoads(sql: Sql, sample: Sample, rounds: number): Promise<GraphRow[]> {
  const graph = new PostgresGraph(sql, { isOnlyWriter: true })
  const pushed: number[] = []
  const first: number[] = []
  for (let round = 0; round < rounds; round++) {
    pushed.push(await timed(() => graph.push(sample.push)))
    first.push(await timed(() => firstAnswer(graph, sample)))
  }
  return [
    rowOf('embedded', 'push of a snapshot', pushed),
    rowOf('embedded', 'first answer after a push', first),
    rowOf(
      'embedded',
      'push and first answer',
      pushed.map((each, at) => each + (first[at] ?? 0)),
    ),
  ]
}

function firstAnswer(graph: GraphStore, { push, ids }: Sample): Promise<unknown> {
  return graph.read(push.repo, (view) => view.reach({ from: [ids[0] ?? ''], direction: 'out', depth: 1, limit: 500 }))
}

async function measureQuestions(
  sql: Sql,
  sample: Sample,
  count: number,
): Promise<{ readonly rows: readonly GraphRow[]; readonly left: readonly string[] }> {
  const server = await startNeo4j()
  const embedded = new PostgresGraph(sql, { isOnlyWriter: true })
  if (typeof server === 'string') {
    const rows = await measureInTurn(questions(sample, count), [embeddedSide(embedded)])
    return { rows, left: [server] }
  }
  const space = `bench-${process.pid}`
  const bolt = openBolt({ url: server.url })
  const served = new Neo4jGraph({
    truth: new PostgresGraph(sql),
    bolt,
    space,
    clock: systemClock,
    logger: silentLogger,
  })
  try {
    const filled = await timed(() => served.rebuild())
    const direct = askDirectly(server.url, await shownGraph(bolt, space, sample.push.repo))
    const sides = [
      embeddedSide(embedded),
      { store: 'neo4j directly', ask: (question: Question) => question.direct(direct) },
      { store: 'neo4j by the service', ask: (question: Question) => question.embedded(served) },
    ] as const
    const rows = await measureInTurn(questions(sample, count), sides)
    await direct.close()
    await bolt.alone('MATCH (n) WHERE n.graph STARTS WITH $space CALL (n) { DETACH DELETE n } IN TRANSACTIONS', {
      space,
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
  return [...times].map(([key, own]) => {
    const [store, name] = key.split('\n') as [GraphRow['store'], string]
    return rowOf(store, name, own)
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
  const pushed = await timed(() => graph.push(sample.push))
  const first = await timed(() => firstAnswer(graph, sample))
  const asked: number[] = []
  for (const question of questions(sample, 60)) asked.push(await timed(() => question.embedded(graph)))
  return [
    rowOf('embedded', 'push of a snapshot', [pushed], large),
    rowOf('embedded', 'first answer after a push', [first], large),
    rowOf('embedded', 'any question', asked, large),
  ]
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

function goalsOf(rows: readonly GraphRow[]): Goal[] {
  const p50 = (store: GraphRow['store'], question: string, edges = usual.edges): number | undefined =>
    rows.find((row) => row.store === store && row.question === question && row.edges === edges)?.p50Ms
  const toNeo4j = (question: string): number | undefined => {
    const [own, other] = [p50('embedded', question), p50('neo4j directly', question)]
    return own === undefined || other === undefined ? undefined : own / other
  }
  const lower = (name: string, value: number | undefined, unit: string, goal: number): Goal => ({
    name,
    value,
    unit,
    better: 'lower',
    gate: goal,
    goal,
  })
  const seconds = (milliseconds: number | undefined): number | undefined =>
    milliseconds === undefined ? undefined : milliseconds / 1000
  const asked = ['neighbours, depth 1', 'neighbours, depth 4', 'shortest path']
  return [
    lower(
      'graph: push of 100,000 edges and the first answer',
      seconds(p50('embedded', 'push and first answer')),
      's',
      5,
    ),
    lower('graph: neighbours, depth 1, p50', p50('embedded', 'neighbours, depth 1'), 'ms', 1),
    lower('graph: neighbours, depth 4, p50', p50('embedded', 'neighbours, depth 4'), 'ms', 10),
    lower('graph: shortest path, p50', p50('embedded', 'shortest path'), 'ms', 10),
    ...asked.map((question) => lower(`graph: ${question}, p50, to Neo4j asked directly`, toNeo4j(question), '×', 1)),
    lower('graph: push of 1,000,000 edges', seconds(p50('embedded', 'push of a snapshot', large.edges)), 's', 60),
    lower('graph: any question of 1,000,000 edges, p50', p50('embedded', 'any question', large.edges), 'ms', 10),
  ]
}
