/** What the engines are after, as ratios within one run: to plain SQL in the same store, and to LightRAG asked directly. */
import type { Goal } from '../kit/measure/goals.ts'
import type { EngineRow } from './engine-rows.ts'

/** Plain SQL reads every posting again, which costs it the more the longer the lists are. */
const naiveBounds: ReadonlyMap<number, readonly [gate: number, goal: number]> = new Map([
  [1_000, [1.8, 1]],
  [10_000, [0.5, 0.3]],
])

export function engineGoals(rows: readonly EngineRow[], chunks: number): Goal[] {
  const [naiveGate, naiveGoal] = naiveBounds.get(chunks) ?? [1, 1]
  const of = (question: string): number | undefined => rows.find((row) => row.question === question)?.toOther
  return [
    lower(
      `embedded naive at ${chunks.toLocaleString('en-US')} chunks, to plain SQL over the same postings`,
      of('embedded, naive'),
      naiveGate,
      naiveGoal,
    ),
    lower('embedded insert until found, to a row by plain SQL', of('embedded, insert until found'), 21, 8),
    lower('naive by the service, to LightRAG itself', of('/queries:data, naive, by the service'), 1.4, 1.15),
  ]
}

function lower(name: string, value: number | undefined, gate: number, goal: number): Goal {
  return { name, value, unit: '×', better: 'lower', gate, goal }
}
