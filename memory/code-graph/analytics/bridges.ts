import type { LinkedGraph } from '../../communities/links.ts'

export interface Bridges {
  /** Places in the edge list, those first that would part the most. */
  readonly edges: Int32Array
  /** How many nodes the smaller part would have. */
  readonly parts: Int32Array
}

/** Edges without which some two nodes would no longer be connected (Tarjan, without recursion: ways are long). */
export function bridges(graph: LinkedGraph): Bridges {
  const found = findBridges(graph)
  found.sort((x, y) => y.part - x.part || x.edge - y.edge)
  return { edges: Int32Array.from(found, ({ edge }) => edge), parts: Int32Array.from(found, ({ part }) => part) }
}

interface Bridge {
  readonly edge: number
  readonly part: number
}

/** A link below which nothing leads back up, and how many nodes lie below. */
interface Below {
  readonly link: number
  readonly size: number
}

function findBridges(graph: LinkedGraph): Bridge[] {
  const visit = visitor(graph)
  const found: Bridge[] = []
  for (let root = 0; root < graph.nodes; root++) {
    const { size, below } = visit(root)
    for (const { link, size: under } of below)
      found.push({ edge: graph.anEdge[link] ?? 0, part: Math.min(under, size - under) })
  }
  return found
}

interface Component {
  readonly size: number
  readonly below: readonly Below[]
}

function visitor({ nodes, edges, byEnd }: LinkedGraph): (root: number) => Component {
  const { starts, neighbours, links } = byEnd
  const order = new Int32Array(nodes).fill(-1)
  /** The earliest node that the part below a node is linked with. */
  const low = new Int32Array(nodes)
  const size = new Int32Array(nodes)
  const next = starts.slice(0, nodes)
  const throughLink = new Int32Array(nodes).fill(-1)
  let clock = 0

  function enter(node: number, link: number): void {
    order[node] = low[node] = clock++
    size[node] = 1
    throughLink[node] = link
  }

  return (root) => {
    if (order[root] !== -1) return { size: 0, below: [] }
    const below: Below[] = []
    const stack = [root]
    enter(root, -1)
    while (stack.length > 0) {
      const node = stack.at(-1)!
      const position = next[node]!
      if (position < starts[node + 1]!) {
        next[node] = position + 1
        const [other, link] = [neighbours[position]!, links[position]!]
        if (link === throughLink[node]) continue
        if (order[other] === -1) {
          enter(other, link)
          stack.push(other)
        } else low[node] = Math.min(low[node]!, order[other]!)
        continue
      }
      stack.pop()
      const parent = stack.at(-1)
      if (parent === undefined) continue
      low[parent] = Math.min(low[parent]!, low[node]!)
      size[parent] = size[parent]! + size[node]!
      const link = throughLink[node]!
      // Of two parallel edges neither is a bridge: the other one still connects.
      if (low[node]! > order[parent]! && edges[link] === 1) below.push({ link, size: size[node]! })
    }
    return { size: size[root]!, below }
  }
}
