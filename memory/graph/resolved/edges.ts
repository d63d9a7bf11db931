import { tiers } from '../model.ts'
import type { Bounded, EdgeQuery, EdgeWithEnds } from '../port.ts'
import { passes } from './filter.ts'
import { edgeAt, entityAt, type ResolvedGraph } from './graph.ts'
import { bounded } from './search.ts'

export function edgesOf(graph: ResolvedGraph, query: EdgeQuery): Bounded<EdgeWithEnds> {
  const pass = passes(graph, query)
  const either = query.either && {
    tier: tiers.indexOf(query.either.tier),
    lessThan: query.either.lessThan,
  }
  const found = candidates(graph, query).filter(
    (edge) =>
      pass(edge) &&
      (either === undefined || graph.tier[edge] === either.tier || (graph.confidence[edge] ?? 0) < either.lessThan),
  )
  found.sort((a, b) => (graph.confidence[a] ?? 0) - (graph.confidence[b] ?? 0) || a - b)
  const { items, truncated } = bounded(found, query.limit)
  return { items: items.map((edge) => withEnds(graph, edge)), truncated }
}

function candidates(graph: ResolvedGraph, { of, fromFile }: EdgeQuery): number[] {
  const all = of === undefined ? [...graph.from.keys()] : touching(graph, of)
  if (fromFile === undefined) return all
  return all.filter((edge) => graph.entities[graph.from[edge] ?? 0]?.file === fromFile)
}

function touching(graph: ResolvedGraph, id: string): number[] {
  const node = graph.positionOf.get(id)
  if (node === undefined) return []
  const rows = [graph.out, graph.in].flatMap(({ starts, edges }) => [...edges.subarray(starts[node], starts[node + 1])])
  return [...new Set(rows)]
}

function withEnds(graph: ResolvedGraph, edge: number): EdgeWithEnds {
  return {
    edge: edgeAt(graph, edge),
    from: entityAt(graph, graph.from[edge] ?? 0),
    to: entityAt(graph, graph.to[edge] ?? 0),
  }
}
