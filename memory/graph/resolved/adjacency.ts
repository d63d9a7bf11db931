/** Edges by one of their ends (compressed sparse rows): those of node `n` are `edges[starts[n]..starts[n + 1]]`. */
export interface Adjacency {
  readonly starts: Int32Array
  readonly edges: Int32Array
}

/** `ends[e]` is the node that edge `e` is listed under. Within a node the order of edges stays. */
export function adjacency(nodes: number, ends: Int32Array): Adjacency {
  const starts = new Int32Array(nodes + 1)
  for (const end of ends) starts[end + 1] = (starts[end + 1] ?? 0) + 1
  for (let node = 0; node < nodes; node++) starts[node + 1] = (starts[node + 1] ?? 0) + (starts[node] ?? 0)
  const next = starts.slice(0, nodes)
  const edges = new Int32Array(ends.length)
  for (let edge = 0; edge < ends.length; edge++) {
    const node = ends[edge] ?? 0
    const at = next[node] ?? 0
    edges[at] = edge
    next[node] = at + 1
  }
  return { starts, edges }
}
