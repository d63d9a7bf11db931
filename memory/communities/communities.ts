import { UndirectedGraph } from 'graphology'
import louvainModule from 'graphology-communities-louvain'
import { seeded } from '../../runtime/random.ts'
import type { LinkedGraph } from './links.ts'

// Its types speak of an ES module, and it is a CommonJS one, whose only export is the default.
const louvain = louvainModule as unknown as typeof louvainModule.default

export interface Communities {
  /** Of each node; 0 is the largest community, among equals the one with the first node. */
  readonly communityOf: Int32Array
  readonly count: number
  readonly modularity: number
}

/** Louvain, links weighing the sum of their edges' confidence. The same graph and seed give the same answer. */
export function communities(graph: LinkedGraph, seed: number): Communities {
  const { nodes, a, b, weight } = graph
  if (weight.every((each) => each === 0))
    return { communityOf: Int32Array.from({ length: nodes }, (_, node) => node), count: nodes, modularity: 0 }
  const linked = new UndirectedGraph()
  for (let node = 0; node < nodes; node++) linked.addNode(node)
  for (let link = 0; link < a.length; link++) linked.addUndirectedEdge(a[link], b[link], { weight: weight[link] })
  const found = louvain.detailed(linked, { rng: seeded(seed), getEdgeWeight: 'weight' })
  const given = Int32Array.from({ length: nodes }, (_, node) => found.communities[node] ?? 0)
  return { ...renamed(given), modularity: found.modularity }
}

function renamed(given: Int32Array): Pick<Communities, 'communityOf' | 'count'> {
  const members = new Map<number, { first: number; size: number }>()
  given.forEach((name, node) => {
    const known = members.get(name)
    if (known === undefined) members.set(name, { first: node, size: 1 })
    else known.size += 1
  })
  const order = [...members].toSorted(([, x], [, y]) => y.size - x.size || x.first - y.first)
  const rank = new Map(order.map(([name], position) => [name, position]))
  return { communityOf: given.map((name) => rank.get(name) ?? 0), count: order.length }
}
