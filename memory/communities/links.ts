import { adjacency, type Adjacency } from '../graph/resolved/adjacency.ts'

/** Edges with their ends as numbers below `nodes`: all that analytics need of a graph. */
export interface EdgeList {
  readonly nodes: number
  readonly from: Int32Array
  readonly to: Int32Array
  readonly weight: Float64Array
}

/** A graph without direction: a link is a pair of nodes with an edge between them, whichever way and however many. */
export interface LinkedGraph {
  readonly nodes: number
  readonly a: Int32Array
  readonly b: Int32Array
  /** Edges between the two, and one of them by its place in the list. */
  readonly edges: Int32Array
  readonly anEdge: Int32Array
  readonly weight: Float64Array
  readonly byEnd: Ends
}

/** For each node its neighbours and the links to them: those of `n` at `starts[n]..starts[n + 1]`. */
export interface Ends {
  readonly starts: Int32Array
  readonly neighbours: Int32Array
  readonly links: Int32Array
}

/** Edges from a node to itself are left out: they link nothing. */
export function linkedGraph({ nodes, from, to, weight }: EdgeList): LinkedGraph {
  const lower = from.map((end, edge) => Math.min(end, to[edge] ?? 0))
  const upper = from.map((end, edge) => Math.max(end, to[edge] ?? 0))
  const order = inPairs(nodes, lower, upper)
  const runs = runsOf(order, lower, upper)
  const a = runs.map((at) => lower[order[at] ?? 0] ?? 0)
  const b = runs.map((at) => upper[order[at] ?? 0] ?? 0)
  const end = (link: number): number => runs[link + 1] ?? order.length
  return {
    nodes,
    a,
    b,
    edges: runs.map((at, link) => end(link) - at),
    anEdge: runs.map((at) => order[at] ?? 0),
    weight: Float64Array.from(runs, (at, link) => {
      let sum = 0
      for (let each = at; each < end(link); each++) sum += weight[order[each] ?? 0] ?? 0
      return sum
    }),
    byEnd: endsOf(nodes, a, b),
  }
}

/** Edges in the order of their pairs. */
function inPairs(nodes: number, lower: Int32Array, upper: Int32Array): Int32Array {
  const distinct = Int32Array.from(lower.keys()).filter((edge) => lower[edge] !== upper[edge])
  const { starts, edges } = adjacency(
    nodes,
    distinct.map((edge) => lower[edge] ?? 0),
  )
  const order = edges.map((at) => distinct[at] ?? 0)
  // In place: each node's own stretch of the one array.
  for (let node = 0; node < nodes; node++) {
    const own = order.subarray(starts[node], starts[node + 1])
    if (own.length > 1) own.set(own.toSorted((x, y) => (upper[x] ?? 0) - (upper[y] ?? 0) || x - y))
  }
  return order
}

/** Where each pair begins. */
function runsOf(order: Int32Array, lower: Int32Array, upper: Int32Array): Int32Array {
  return Int32Array.from(order.keys()).filter((at) => {
    const [edge, before] = [order[at] ?? 0, order[at - 1]]
    return before === undefined || lower[before] !== lower[edge] || upper[before] !== upper[edge]
  })
}

function endsOf(nodes: number, a: Int32Array, b: Int32Array): Ends {
  const both = new Int32Array(a.length * 2)
  both.set(a)
  both.set(b, a.length)
  const { starts, edges }: Adjacency = adjacency(nodes, both)
  return {
    starts,
    neighbours: edges.map((end) => (end < a.length ? b[end] : a[end - a.length]) ?? 0),
    links: edges.map((end) => (end < a.length ? end : end - a.length)),
  }
}
