/**
 * Communities of a weighted, undirected graph after Blondel et al. 2008, over typed arrays. No chance is involved: nodes
 * are visited in their order and ties keep the lower community, so one graph always gives one partition.
 */
export interface Ties {
  readonly nodes: number
  readonly from: Int32Array
  readonly to: Int32Array
  readonly weight: Float64Array
}

/** Graphs settle in a few; beyond these, single nodes swap for no gain worth having. */
const mostPasses = 12
const mostLevels = 8
const leastGain = 1e-9

/** The community of each node, numbered from 0 in order of their first nodes. */
export function louvain(ties: Ties): Int32Array {
  let partition = Int32Array.from({ length: ties.nodes }, (_, node) => node)
  let graph = neighboursOf(ties)
  for (let level = 0; level < mostLevels; level++) {
    const { community, hasMoved } = moveNodes(graph)
    if (!hasMoved) break
    const dense = renumbered(community)
    partition = partition.map((node) => dense.numbers[node]!)
    graph = folded(graph, dense.numbers, dense.size)
  }
  return renumbered(partition).numbers
}

/** Compressed rows: the ties of node n stand at `starts[n]` to `starts[n + 1]`. A tie to itself stands once, doubled. */
interface Rows {
  readonly nodes: number
  readonly starts: Int32Array
  readonly others: Int32Array
  readonly weights: Float64Array
}

function neighboursOf({ nodes, from, to, weight }: Ties): Rows {
  const starts = new Int32Array(nodes + 1)
  for (let at = 0; at < from.length; at++) {
    starts[from[at]! + 1]! += 1
    if (from[at] !== to[at]) starts[to[at]! + 1]! += 1
  }
  for (let node = 0; node < nodes; node++) starts[node + 1]! += starts[node]!
  const next = starts.slice()
  const others = new Int32Array(starts[nodes]!)
  const weights = new Float64Array(starts[nodes]!)
  const put = (node: number, other: number, value: number): void => {
    const place = next[node]!++
    others[place] = other
    weights[place] = value
  }
  for (let at = 0; at < from.length; at++) {
    const [one, other, value] = [from[at]!, to[at]!, weight[at]!]
    if (one === other) put(one, one, 2 * value)
    else {
      put(one, other, value)
      put(other, one, value)
    }
  }
  return { nodes, starts, others, weights }
}

/** Each node goes where modularity gains most, until nobody moves. */
function moveNodes(rows: Rows): { community: Int32Array; hasMoved: boolean } {
  const { nodes, starts, others, weights } = rows
  const community = Int32Array.from({ length: nodes }, (_, node) => node)
  const degree = degreesOf(rows)
  const total = degree.slice()
  const twice = degree.reduce((sum, one) => sum + one, 0)
  const toCommunity = new Float64Array(nodes)
  let hasMoved = false
  if (twice === 0) return { community, hasMoved }
  for (let pass = 0; pass < mostPasses; pass++) {
    let moves = 0
    for (let node = 0; node < nodes; node++) {
      const home = community[node]!
      const seen: number[] = [home]
      for (let at = starts[node]!; at < starts[node + 1]!; at++) {
        const [other, value] = [others[at]!, weights[at]!]
        if (other === node) continue
        const where = community[other]!
        if (toCommunity[where] === 0 && where !== home) seen.push(where)
        toCommunity[where]! += value
      }
      total[home]! -= degree[node]!
      const gain = (where: number): number => toCommunity[where]! - (total[where]! * degree[node]!) / twice
      let best = home
      for (const where of seen) {
        const more = gain(where) - gain(best)
        if (more > leastGain || (more > -leastGain && where < best && best !== home)) best = where
      }
      total[best]! += degree[node]!
      for (const where of seen) toCommunity[where] = 0
      if (best !== home) {
        community[node] = best
        moves += 1
      }
    }
    if (moves === 0) break
    hasMoved = true
  }
  return { community, hasMoved }
}

function degreesOf({ nodes, starts, weights }: Rows): Float64Array {
  const degree = new Float64Array(nodes)
  for (let node = 0; node < nodes; node++) {
    for (let at = starts[node]!; at < starts[node + 1]!; at++) degree[node]! += weights[at]!
  }
  return degree
}

function renumbered(community: Int32Array): { numbers: Int32Array; size: number } {
  const known = new Map<number, number>()
  const numbers = community.map((old) => {
    const number = known.get(old) ?? known.size
    known.set(old, number)
    return number
  })
  return { numbers, size: known.size }
}

/** Each community becomes one node; what was tied within becomes its tie to itself. */
function folded({ nodes, starts, others, weights }: Rows, community: Int32Array, size: number): Rows {
  const sums = Array.from({ length: size }, () => new Map<number, number>())
  for (let node = 0; node < nodes; node++) {
    const row = sums[community[node]!]!
    for (let at = starts[node]!; at < starts[node + 1]!; at++) {
      const other = community[others[at]!]!
      row.set(other, (row.get(other) ?? 0) + weights[at]!)
    }
  }
  const newStarts = new Int32Array(size + 1)
  for (const [node, row] of sums.entries()) newStarts[node + 1] = newStarts[node]! + row.size
  const all = sums.flatMap((row) => [...row].toSorted(([one], [other]) => one - other))
  return {
    nodes: size,
    starts: newStarts,
    others: Int32Array.from(all, ([other]) => other),
    weights: Float64Array.from(all, ([, value]) => value),
  }
}
