import type { Direction, EdgeFilter } from '../port.ts'
import { neighboursOf, opposite, passes, type EachNeighbour } from './filter.ts'
import type { ResolvedGraph } from './graph.ts'

interface PositionPath {
  readonly nodes: readonly number[]
  readonly edges: readonly number[]
}

interface PositionPathQuery extends EdgeFilter {
  readonly from: number
  readonly to: number
  readonly direction: Direction
  readonly maxDepth: number
}

/** Where a side came to a node from; the start has the edge -1. */
interface Arrival {
  readonly node: number
  readonly edge: number
}

interface Side {
  readonly arrivals: Map<number, Arrival>
  readonly each: EachNeighbour
  level: readonly number[]
}

/**
 * One of the shortest ways, searched from both ends, a level of the smaller side at a time: in a code graph a level is
 * some twenty times the one before, so two halves cost a fraction of the whole.
 */
export function shortestPath(graph: ResolvedGraph, query: PositionPathQuery): PositionPath | undefined {
  if (query.from === query.to) return { nodes: [query.from], edges: [] }
  const pass = passes(graph, query)
  const forward = side(query.from, neighboursOf(graph, query.direction, pass))
  const backward = side(query.to, neighboursOf(graph, opposite(query.direction), pass))
  for (let depth = 0; depth < query.maxDepth; depth++) {
    const [near, far] = forward.level.length <= backward.level.length ? [forward, backward] : [backward, forward]
    const meeting = advance(near, far)
    if (meeting !== undefined) return joined(forward, backward, meeting)
    if (near.level.length === 0) return undefined
  }
  return undefined
}

function side(start: number, each: EachNeighbour): Side {
  return { arrivals: new Map([[start, { node: start, edge: -1 }]]), each, level: [start] }
}

/** The smallest node where the two sides meet with this level: any of them lies on a shortest way. */
function advance(near: Side, far: Side): number | undefined {
  const next: number[] = []
  let meeting: number | undefined
  for (const node of near.level)
    near.each(node, (reached, edge) => {
      if (near.arrivals.has(reached)) return
      near.arrivals.set(reached, { node, edge })
      next.push(reached)
      if (far.arrivals.has(reached) && (meeting === undefined || reached < meeting)) meeting = reached
    })
  near.level = next
  return meeting
}

function joined(forward: Side, backward: Side, meeting: number): PositionPath {
  const [before, after] = [trace(forward, meeting), trace(backward, meeting)]
  return {
    nodes: [...before.nodes.toReversed(), meeting, ...after.nodes],
    edges: [...before.edges.toReversed(), ...after.edges],
  }
}

/** From the meeting back to the side's start; the meeting itself is left out. */
function trace({ arrivals }: Side, meeting: number): PositionPath {
  const nodes: number[] = []
  const edges: number[] = []
  for (let arrival = arrivals.get(meeting); arrival !== undefined && arrival.edge >= 0;) {
    nodes.push(arrival.node)
    edges.push(arrival.edge)
    arrival = arrivals.get(arrival.node)
  }
  return { nodes, edges }
}
