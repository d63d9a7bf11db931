import { tiers } from '../model.ts'
import type { Direction, EdgeFilter } from '../port.ts'
import type { ResolvedGraph } from './graph.ts'

/** Whether a filter lets the edge at a place through. */
export type Passes = (edge: number) => boolean

export function passes(graph: ResolvedGraph, filter: EdgeFilter): Passes {
  const { relations, minConfidence = 0, tiers: wanted } = filter
  if (relations === undefined && minConfidence <= 0 && wanted === undefined) return () => true
  const relation = Uint8Array.from(graph.relations, (name) => ((relations?.includes(name) ?? true) ? 1 : 0))
  const tier = Uint8Array.from(tiers, (name) => ((wanted?.includes(name) ?? true) ? 1 : 0))
  return (edge) =>
    relation[graph.relation[edge] ?? 0] === 1 &&
    tier[graph.tier[edge] ?? 0] === 1 &&
    (graph.confidence[edge] ?? 0) >= minConfidence
}

/** The node at the other end of each edge of a node, in the wanted direction. */
export type EachNeighbour = (node: number, visit: (next: number, edge: number) => void) => void

export function neighboursOf(graph: ResolvedGraph, direction: Direction, pass: Passes): EachNeighbour {
  function along(ends: Int32Array, { starts, edges }: ResolvedGraph['out']): EachNeighbour {
    return (node, visit) => {
      const end = starts[node + 1] ?? 0
      for (let at = starts[node] ?? 0; at < end; at++) {
        const edge = edges[at] ?? 0
        if (pass(edge)) visit(ends[edge] ?? 0, edge)
      }
    }
  }
  const outward = along(graph.to, graph.out)
  const inward = along(graph.from, graph.in)
  if (direction === 'out') return outward
  if (direction === 'in') return inward
  return (node, visit) => {
    outward(node, visit)
    inward(node, visit)
  }
}

export function opposite(direction: Direction): Direction {
  return direction === 'both' ? 'both' : direction === 'in' ? 'out' : 'in'
}
