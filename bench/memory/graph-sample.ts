/** A graph like one of code: files of ten functions, calls that favour few, one seed for all runs. */
import { seeded } from '../../runtime/random.ts'
import type { CodeEdge, CodeEntity, Contribution } from '../../memory/graph/model.ts'
import type { GraphPush } from '../../memory/graph/port.ts'

export interface SampleSize {
  readonly nodes: number
  readonly edges: number
}

export interface Sample {
  readonly push: GraphPush
  readonly ids: readonly string[]
}

const functionsPerFile = 10
const relations = ['calls', 'calls', 'calls', 'imports', 'references'] as const

export function sampleGraph(repo: string, { nodes, edges }: SampleSize): Sample {
  const random = seeded(20)
  const ids = Array.from({ length: nodes }, (_, at) => `src/part${at % 97}/file${fileOf(at)}.ts#function${at}`)
  const files = new Map<string, { entities: CodeEntity[]; edges: CodeEdge[]; hyperedges: never[] }>()
  ids.forEach((id, at) => {
    const file = `src/part${at % 97}/file${fileOf(at)}.ts`
    const own = files.get(file) ?? { entities: [], edges: [], hyperedges: [] }
    files.set(file, own)
    own.entities.push({ id, type: 'function', name: `function${at}`, file, line: at % 1000, language: 'typescript' })
  })
  const seen = new Set<number>()
  while (seen.size < edges) {
    const from = Math.floor(random() * nodes)
    // The third power: a few entities that nearly everyone calls.
    const to = Math.floor(random() ** 3 * nodes)
    const relation = Math.floor(random() * relations.length)
    const key = (from * nodes + to) * relations.length + relation
    if (from === to || seen.has(key)) continue
    seen.add(key)
    const [fromId, toId] = [ids[from] ?? '', ids[to] ?? '']
    files.get(fromId.split('#')[0] ?? '')?.edges.push({
      from: fromId,
      to: toId,
      relation: relations[relation] ?? 'calls',
      confidence: 1,
      tier: 'EXTRACTED',
    })
  }
  const contributions: ReadonlyMap<string, Contribution> = files
  const named = [...files.keys()].map((file) => ({ file, sha: 'x' }))
  return { ids, push: { repo, commit: 'sample', pushedAt: 0, mode: 'snapshot', files: named, contributions } }
}

function fileOf(at: number): number {
  return Math.floor(at / (97 * functionsPerFile)) * 97 + (at % 97)
}
