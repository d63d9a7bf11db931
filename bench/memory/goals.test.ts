import { describe, expect, it } from 'vitest'
import { isMeasured, verdictOf, type Goal } from '../kit/measure/goals.ts'
import { engineGoals } from './engine-goals.ts'
import type { EngineRow } from './engine-rows.ts'
import { graphGoals } from './graph-goals.ts'
import { large, usual, type GraphRow } from './graph-rows.ts'

function engineRow(question: string, toOther: number): EngineRow {
  return { section: 'engine', question, p50Ms: 1, p95Ms: 1, count: 1, toOther }
}

function graphRow(question: string, size: typeof usual, figures: Partial<GraphRow>): GraphRow {
  return { section: 'graph', store: 'embedded', question, ...size, p50Ms: 1, p99Ms: 1, count: 1, ...figures }
}

function named(goals: readonly Goal[], part: string): Goal {
  const found = goals.filter(({ name }) => name.includes(part))
  if (found.length !== 1) throw new Error(`${found.length} goals are named ${part}`)
  return found[0]!
}

describe('the goals of the knowledge service', () => {
  const goals = [...engineGoals([], 10_000), ...graphGoals([])]

  it('name each thing once, ask for more than the gate or as much, and are not met by a run that measured nothing', () => {
    expect(new Set(goals.map(({ name }) => name)).size).toBe(goals.length)
    for (const { gate, goal } of goals) expect(goal).toBeLessThanOrEqual(gate)
    expect(goals.filter(isMeasured)).toEqual([])
  })
  it('gate no time but against another of the same run', () => {
    expect(goals.filter(({ unit }) => unit !== '×')).toEqual([])
  })
  it('take the ratio of the turns, whatever the milliseconds are', () => {
    const rows = [0.5, 9].map((toOther) =>
      named(engineGoals([engineRow('embedded, naive', toOther)], 1_000), 'embedded naive'),
    )
    expect(rows.map(verdictOf)).toEqual(['goal', 'missed'])
  })
  it('keep the usual graph and the large one apart', () => {
    const goalsOf = graphGoals([
      graphRow('push of a snapshot', usual, { toSql: 99 }),
      graphRow('push of a snapshot', large, { toSql: 1 }),
    ])
    expect(named(goalsOf, 'push of 1,000,000 edges').value).toBe(1)
  })
  it('compare with Neo4j by the medians of the same questions', () => {
    const rows = [
      graphRow('shortest path', usual, { p50Ms: 1, toSql: 0.002 }),
      graphRow('shortest path', usual, { store: 'neo4j directly', p50Ms: 4 }),
    ]
    expect(named(graphGoals(rows), 'shortest path, p50, to Neo4j').value).toBe(0.25)
    expect(named(graphGoals(rows), 'shortest path, p50, to plain SQL').value).toBe(0.002)
  })
})
