import { tiers, type Tier } from '../model.ts'
import type { GraphSizes } from '../port.ts'
import type { ResolvedGraph } from './graph.ts'

export function sizesOf(graph: ResolvedGraph): GraphSizes {
  const byTier: Record<Tier, number> = { EXTRACTED: 0, INFERRED: 0, AMBIGUOUS: 0 }
  for (const tier of graph.tier) byTier[tiers[tier] ?? 'EXTRACTED']++
  return {
    nodes: graph.ids.length,
    edges: graph.from.length,
    pairs: pairsOf(graph),
    hyperedges: graph.hyperedges.length,
    byType: counted(graph.entities.map((entity) => entity.type)),
    byRelation: counted(Array.from(graph.relation, (position) => graph.relations[position] ?? '')),
    byTier,
  }
}

/** Sorted numbers, since a set of a million pairs takes many times their memory. */
function pairsOf({ ids, from, to }: ResolvedGraph): number {
  const ends = Float64Array.from(from, (start, edge) => start * ids.length + (to[edge] ?? start)).toSorted()
  return ends.reduce(
    (count, pair, position) => count + (pair === ends[position - 1] || isLoop(pair, ids.length) ? 0 : 1),
    0,
  )
}

function isLoop(pair: number, nodes: number): boolean {
  return Math.floor(pair / nodes) === pair % nodes
}

/** Names in their order, so that two equal graphs give equal text. */
function counted(names: readonly string[]): Record<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return Object.fromEntries([...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
