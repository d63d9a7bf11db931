/** What the code graph is after, as ratios within one run: to plain SQL over the same rows in the same store, and to Neo4j. */
import type { Goal } from '../kit/measure/goals.ts'
import { large, usual, type GraphRow } from './graph-rows.ts'

type Bounds = readonly [question: string, name: string, gate: number, goal: number]

/**
 * Plain SQL is asked by statements that PGlite has prepared, as the service's own are: since then it takes three quarters of
 * the time. Two gates of before, 0.04 and 0.05, were of the slower peer (2026-11-30: 0.065 times plain SQL, 0.051 times
 * the same unprepared, where the own answer took 0.058 ms both times).
 */
const ofUsual: readonly Bounds[] = [
  ['push and first answer', 'push of 100,000 edges and the first answer', 2.2, 1.5],
  ['neighbours, depth 1', 'neighbours, depth 1, p50', 0.08, 0.03],
  ['neighbours, depth 4', 'neighbours, depth 4, p50', 0.1, 0.06],
  ['shortest path', 'shortest path, p50', 0.005, 0.003],
]
const ofLarge: readonly Bounds[] = [
  ['push of a snapshot', 'push of 1,000,000 edges', 2.2, 1.5],
  ['any question', 'any question of 1,000,000 edges, p50', 0.08, 0.03],
]

export function graphGoals(rows: readonly GraphRow[]): Goal[] {
  const find = (store: GraphRow['store'], question: string, edges: number): GraphRow | undefined =>
    rows.find((row) => row.store === store && row.question === question && row.edges === edges)
  const toSql = (bounds: readonly Bounds[], edges: number): Goal[] =>
    bounds.map(([question, name, gate, goal]) =>
      lower(`graph: ${name}, to plain SQL in its store`, find('embedded', question, edges)?.toSql, gate, goal),
    )
  const toNeo4j = (question: string): number | undefined => {
    const [own, other] = [find('embedded', question, usual.edges), find('neo4j directly', question, usual.edges)]
    return own === undefined || other === undefined ? undefined : own.p50Ms / other.p50Ms
  }
  const asked = ['neighbours, depth 1', 'neighbours, depth 4', 'shortest path']
  return [
    ...toSql(ofUsual, usual.edges),
    ...asked.map((question) => lower(`graph: ${question}, p50, to Neo4j asked directly`, toNeo4j(question), 1, 1)),
    ...toSql(ofLarge, large.edges),
  ]
}

function lower(name: string, value: number | undefined, gate: number, goal: number): Goal {
  return { name, value, unit: '×', better: 'lower', gate, goal }
}
