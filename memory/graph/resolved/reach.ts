import type { Direction, EdgeFilter } from '../port.ts'
import { neighboursOf, passes } from './filter.ts'
import type { ResolvedGraph } from './graph.ts'

interface ReachedPosition {
  readonly node: number
  readonly edge: number
  readonly distance: number
}

interface PositionReach extends EdgeFilter {
  readonly from: readonly number[]
  readonly direction: Direction
  readonly depth: number
}

/** Who is reached, by distance, then id, at least `enough` of them if there are so many: a level is never cut here. */
export function reach(graph: ResolvedGraph, query: PositionReach, enough: number): ReachedPosition[] {
  const each = neighboursOf(graph, query.direction, passes(graph, query))
  const seen = new Set(query.from)
  const found: ReachedPosition[] = []
  let level: readonly number[] = query.from
  for (let distance = 1; distance <= query.depth && level.length > 0 && found.length < enough; distance++) {
    // Of several edges to one node the first in the order of edges, which is the order of their places.
    const lastEdge = new Map<number, number>()
    for (const node of level)
      each(node, (next, edge) => {
        if (!seen.has(next) && edge < (lastEdge.get(next) ?? Infinity)) lastEdge.set(next, edge)
      })
    level = [...lastEdge.keys()].toSorted((a, b) => a - b)
    for (const node of level) {
      seen.add(node)
      found.push({ node, edge: lastEdge.get(node) ?? 0, distance })
    }
  }
  return found
}
