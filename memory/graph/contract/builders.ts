/** Small graphs for tests of stores. */
import type { CodeEdge, CodeEntity, Contribution, Hyperedge, Tier } from '../model.ts'
import type { GraphPush, GraphView } from '../port.ts'

export function anEntity(id: string, more: Partial<CodeEntity> = {}): CodeEntity {
  return { id, type: 'function', name: id, ...more }
}

export function anEdge(from: string, to: string, more: Partial<CodeEdge> = {}): CodeEdge {
  return { from, to, relation: 'calls', confidence: 1, tier: 'EXTRACTED', ...more }
}

/** An edge of a tier, with a confidence that fits it. */
export function edgeOfTier(from: string, to: string, tier: Tier): CodeEdge {
  return anEdge(from, to, { tier, confidence: { EXTRACTED: 1, INFERRED: 0.75, AMBIGUOUS: 0.2 }[tier] })
}

export function aHyperedge(id: string, members: readonly string[], more: Partial<Hyperedge> = {}): Hyperedge {
  return { id, relation: 'participate_in', label: id, members, confidence: 1, tier: 'EXTRACTED', ...more }
}

export function contributionOf(...parts: readonly (CodeEntity | CodeEdge | Hyperedge)[]): Contribution {
  return {
    entities: parts.filter((part): part is CodeEntity => 'name' in part),
    edges: parts.filter((part): part is CodeEdge => 'from' in part),
    hyperedges: parts.filter((part): part is Hyperedge => 'members' in part),
  }
}

/** `files` by name: what each contributes. Its hash is its name unless told. */
export function aPush(
  repo: string,
  files: Readonly<Record<string, Contribution>>,
  more: Partial<GraphPush> = {},
): GraphPush {
  return {
    repo,
    commit: null,
    pushedAt: 1_700_000_000_000,
    mode: 'snapshot',
    files: Object.keys(files)
      .filter((file) => file !== '')
      .map((file) => ({ file, sha: `sha of ${file}` })),
    contributions: new Map(Object.entries(files)),
    ...more,
  }
}

/** Everything that a reader can learn of a graph, in one order. */
export interface Dump {
  readonly entities: readonly CodeEntity[]
  readonly edges: readonly CodeEdge[]
  readonly hyperedges: readonly Hyperedge[]
}

export async function dump(view: GraphView): Promise<Dump> {
  const { ids } = await view.arrays()
  const all = { limit: 1_000_000 }
  return {
    entities: await view.entities(ids),
    edges: (await view.edges(all)).items.map(({ edge }) => edge).toSorted((a, b) => compare(edgeKey(a), edgeKey(b))),
    hyperedges: (await view.hyperedges(all)).items,
  }
}

function edgeKey({ from, to, relation }: CodeEdge): string {
  return JSON.stringify([from, to, relation])
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
