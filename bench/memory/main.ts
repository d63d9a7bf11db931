/** `npm run bench -- memory`: the knowledge service, its retrieval engines and its code graph. */
import type { BenchArguments } from '../kit/arguments.ts'
import { markdownTable } from '../kit/markdown.ts'
import { numberText } from '../kit/number-text.ts'
import { runBench, type Measured } from '../kit/run-bench.ts'
import { goalTable } from '../kit/report.ts'
import { measureEngine, type EngineResults } from './engine.ts'
import { measureGraph, type GraphResults } from './graph.ts'

const sections = ['engine', 'graph']

interface Results {
  readonly engine: EngineResults | undefined
  readonly graph: GraphResults | undefined
}

async function measure(asked: BenchArguments): Promise<Measured> {
  const has = (section: string): boolean => asked.only.size === 0 || asked.only.has(section)
  const engine = has('engine') ? await measureEngine(asked) : undefined
  const graph = has('graph') ? await measureGraph(asked) : undefined
  const results: Results = { engine, graph }
  const goals = [...(engine?.goals ?? []), ...(graph?.goals ?? [])]
  return {
    rows: [...(engine?.rows ?? []), ...(graph?.rows ?? [])],
    goals,
    tables: () => [tablesOf(results), goalTable(goals), leftOf(results).join('\n')].filter(Boolean).join('\n\n'),
    heading: 'Memory',
    about,
  }
}

function leftOf({ engine, graph }: Results): string[] {
  return [...(engine?.left ?? []), ...(graph?.left ?? [])].map((what) => `not measured: ${what}`)
}

function tablesOf({ engine, graph }: Results): string {
  const engineTable = markdownTable(
    ['engine', 'p50 ms', 'p95 ms', 'n', 'times the other'],
    (engine?.rows ?? []).map((row) => [
      row.question,
      numberText(row.p50Ms),
      numberText(row.p95Ms),
      String(row.count),
      ratioText(row.toOther),
    ]),
  )
  const graphTable = markdownTable(
    ['code graph', 'store', 'nodes / edges', 'p50 ms', 'p99 ms', 'n', 'times plain SQL'],
    (graph?.rows ?? []).map((row) => [
      row.question,
      row.store,
      `${row.nodes} / ${row.edges}`,
      numberText(row.p50Ms),
      numberText(row.p99Ms),
      String(row.count),
      ratioText(row.toSql),
    ]),
  )
  return [...(engine ? [engineTable] : []), ...(graph ? [graphTable] : [])].join('\n\n')
}

function ratioText(ratio: number | undefined): string {
  return ratio === undefined ? '–' : numberText(ratio)
}

const about = `What is asked of the knowledge service: its embedded engine, what it adds in front of LightRAG, and its code graph against Neo4j.
The embedded store is PGlite in a thread over a folder. Who is compared is asked in turn, so that what the machine does meanwhile
meets all alike. Plain SQL has the same rows in the same store, and nothing of what the service adds: the words of a question looked up
in the postings, a text in one row, edges asked level by level.`

process.exitCode = await runBench({ name: 'memory', parts: sections, measure })
