import { seeded } from '../../../runtime/random.ts'
import type { LinkedGraph } from '../../communities/links.ts'

export interface Betweenness {
  /** Shortest ways between two others that lead over a node, each pair counted once. */
  readonly scores: Float64Array
  readonly method: 'exact' | 'sampled'
  /** Nodes that ways were counted from. */
  readonly k: number
  readonly seed: number
}

/** Up to so many nodes every node is a source: that takes about a second. */
const mostExact = 3_000
const mostSources = 500
const leastSources = 50
/** Sources times nodes and links: two seconds of one core at 20,000 nodes, fifteen at 200,000, which no cache holds. */
const workBudget = 100_000_000

export function sourcesFor(nodes: number, links: number): number {
  if (nodes <= mostExact) return nodes
  return Math.min(nodes, Math.max(leastSources, Math.min(mostSources, Math.floor(workBudget / (nodes + links)))))
}

/** Brandes' algorithm without weights; sampled sources stand for all, so their sum is scaled by nodes / k. */
export function betweenness(
  graph: LinkedGraph,
  seed: number,
  k = sourcesFor(graph.nodes, graph.a.length),
): Betweenness {
  const { nodes } = graph
  const scores = new Float64Array(nodes)
  const isExact = k >= nodes
  const scratch = scratchFor(nodes)
  for (const source of isExact ? Array(nodes).keys() : sample(nodes, k, seed)) addSource(graph, source, scores, scratch)
  // Each pair was met from both of its ends.
  const scale = (isExact ? 1 : nodes / k) / 2
  return {
    scores: scores.map((score) => score * scale),
    method: isExact ? 'exact' : 'sampled',
    k: isExact ? nodes : k,
    seed,
  }
}

function sample(nodes: number, k: number, seed: number): Int32Array {
  const random = seeded(seed)
  const order = Int32Array.from({ length: nodes }, (_, node) => node)
  for (let at = 0; at < k; at++) {
    const other = at + Math.floor(random() * (nodes - at))
    const taken = order[other] ?? 0
    order[other] = order[at] ?? 0
    order[at] = taken
  }
  return order.subarray(0, k)
}

interface Scratch {
  readonly distance: Int32Array
  readonly ways: Float64Array
  readonly dependency: Float64Array
  /** Nodes in the order in which they were reached. */
  readonly order: Int32Array
}

function scratchFor(nodes: number): Scratch {
  return {
    distance: new Int32Array(nodes),
    ways: new Float64Array(nodes),
    dependency: new Float64Array(nodes),
    order: new Int32Array(nodes),
  }
}

// Indices lie within the arrays by construction, and this loop is nearly all of the time: `!` instead of a default.
function addSource({ byEnd }: LinkedGraph, source: number, scores: Float64Array, scratch: Scratch): void {
  const { distance, ways, dependency, order } = scratch
  const { starts, neighbours } = byEnd
  distance.fill(-1)
  ways.fill(0)
  dependency.fill(0)
  distance[source] = 0
  ways[source] = 1
  order[0] = source
  let reached = 1
  for (let at = 0; at < reached; at++) {
    const node = order[at]!
    for (let position = starts[node]!; position < starts[node + 1]!; position++) {
      const next = neighbours[position]!
      if (distance[next]! < 0) {
        distance[next] = distance[node]! + 1
        order[reached++] = next
      }
      if (distance[next] === distance[node]! + 1) ways[next] = ways[next]! + ways[node]!
    }
  }
  for (let at = reached - 1; at > 0; at--) {
    const node = order[at]!
    const share = (1 + dependency[node]!) / ways[node]!
    for (let position = starts[node]!; position < starts[node + 1]!; position++) {
      const before = neighbours[position]!
      if (distance[before] === distance[node]! - 1) dependency[before] = dependency[before]! + ways[before]! * share
    }
    scores[node] = scores[node]! + dependency[node]!
  }
}
