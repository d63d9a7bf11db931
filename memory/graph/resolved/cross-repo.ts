/**
 * What two repositories have to do with each other: an end that is external in one and declared in the other, or external in
 * both, under one id.
 */
import { externalType } from '../model.ts'
import type { CrossRepoLink, EdgeFilter, GraphHead } from '../port.ts'
import { passes, type Passes } from './filter.ts'
import { edgeAt, entityAt, type ResolvedGraph } from './graph.ts'

export interface OtherRepo {
  readonly head: GraphHead
  readonly graph: ResolvedGraph
}

export function crossRepoLinks(
  graph: ResolvedGraph,
  id: string,
  { head, graph: other }: OtherRepo,
  filter: EdgeFilter,
): CrossRepoLink[] {
  const position = graph.positionOf.get(id)
  if (position === undefined) return []
  const seen = new Set<string>()
  const links = [
    ...declaredThere(graph, position, other, passes(graph, filter)),
    ...usedThere(other, id, passes(other, filter)),
  ]
  return links
    .map((link) => ({ repo: head.repo, ...link }))
    .filter(({ direction, entity, edge }) => {
      const key = JSON.stringify([direction, entity.id, edge.from, edge.to, edge.relation])
      return !seen.has(key) && seen.add(key)
    })
}

type Link = Omit<CrossRepoLink, 'repo'>

/** Edges of ours at this entity whose external end, or this entity itself, is declared there. */
function declaredThere(graph: ResolvedGraph, position: number, other: ResolvedGraph, pass: Passes): Link[] {
  return edgesAt(graph, position, pass).flatMap(({ edge, end, direction }): Link[] => {
    const own = isExternal(graph, position) ? position : end
    const there = isExternal(graph, own) ? other.positionOf.get(graph.ids[own] ?? '') : undefined
    if (there === undefined || isExternal(other, there)) return []
    return [
      { direction: own === position ? 'out' : direction, entity: entityAt(other, there), edge: edgeAt(graph, edge) },
    ]
  })
}

/** Their edges at what is external to them, declared here or a package that both use (CODE-GRAPH-15): their side is at the other end. */
function usedThere(other: ResolvedGraph, id: string, pass: Passes): Link[] {
  const there = other.positionOf.get(id)
  if (there === undefined || !isExternal(other, there)) return []
  return edgesAt(other, there, pass).map(({ edge, end, direction }) => ({
    direction,
    entity: entityAt(other, end),
    edge: edgeAt(other, edge),
  }))
}

interface EdgeAt {
  readonly edge: number
  readonly end: number
  readonly direction: 'in' | 'out'
}

function edgesAt(graph: ResolvedGraph, position: number, pass: Passes): EdgeAt[] {
  const at = ({ starts, edges }: ResolvedGraph['out']): number[] =>
    [...edges.subarray(starts[position], starts[position + 1])].filter(pass)
  return [
    ...at(graph.out).map((edge) => ({ edge, end: graph.to[edge] ?? 0, direction: 'out' as const })),
    ...at(graph.in).map((edge) => ({ edge, end: graph.from[edge] ?? 0, direction: 'in' as const })),
  ]
}

function isExternal(graph: ResolvedGraph, position: number): boolean {
  return graph.entities[position]?.type === externalType
}
