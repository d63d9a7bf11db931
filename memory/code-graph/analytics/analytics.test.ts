/** Analytics against the definitions, computed the slow way over random graphs. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { betweenness, sourcesFor } from './betweenness.ts'
import { bridges } from './bridges.ts'
import { communities } from '../../communities/communities.ts'
import { work } from './jobs.ts'
import { linkedGraph, type EdgeList } from '../../communities/links.ts'

type Pair = readonly [from: number, to: number]

function listOf(nodes: number, pairs: readonly Pair[], weight = 1): EdgeList {
  return {
    nodes,
    from: Int32Array.from(pairs, ([from]) => from),
    to: Int32Array.from(pairs, ([, to]) => to),
    weight: new Float64Array(pairs.length).fill(weight),
  }
}

const graph = fc.integer({ min: 1, max: 9 }).chain((nodes) => {
  const node = fc.integer({ min: 0, max: nodes - 1 })
  return fc.record({ nodes: fc.constant(nodes), pairs: fc.array(fc.tuple(node, node), { maxLength: 16 }) })
})

function neighbours(pairs: readonly Pair[], node: number): number[] {
  return pairs.flatMap(([a, b]) => (a === b ? [] : a === node ? [b] : b === node ? [a] : []))
}

/** Distances from a node, and all shortest ways to each other one. */
function shortestWays(nodes: number, pairs: readonly Pair[], from: number): Map<number, number[][]> {
  const ways = new Map([[from, [[from]]]])
  let level = [from]
  while (level.length > 0) {
    const next = new Map<number, number[][]>()
    for (const node of level)
      for (const other of new Set(neighbours(pairs, node)))
        if (!ways.has(other))
          next.set(other, [...(next.get(other) ?? []), ...(ways.get(node) ?? []).map((way) => [...way, other])])
    for (const [node, found] of next) ways.set(node, found)
    level = [...next.keys()]
  }
  return ways
}

function slowBetweenness(nodes: number, pairs: readonly Pair[]): number[] {
  const scores = Array.from({ length: nodes }, () => 0)
  for (let from = 0; from < nodes; from++)
    for (const [to, ways] of shortestWays(nodes, pairs, from)) {
      if (to <= from) continue
      for (const way of ways) for (const node of way.slice(1, -1)) scores[node] = (scores[node] ?? 0) + 1 / ways.length
    }
  return scores
}

function partsOf(nodes: number, pairs: readonly Pair[]): number {
  const seen = new Set<number>()
  let parts = 0
  for (let node = 0; node < nodes; node++) {
    if (seen.has(node)) continue
    parts += 1
    for (const reached of shortestWays(nodes, pairs, node).keys()) seen.add(reached)
  }
  return parts
}

describe('betweenness', () => {
  it('is what counting all shortest ways gives', () => {
    fc.assert(
      fc.property(graph, ({ nodes, pairs }) => {
        const { scores, method } = betweenness(linkedGraph(listOf(nodes, pairs)), 1)
        expect(method).toBe('exact')
        slowBetweenness(nodes, pairs).forEach((score, node) => expect(scores[node]).toBeCloseTo(score, 9))
      }),
      { seed: 1, numRuns: 300 },
    )
  })

  it('sampled from every node is the exact one, and says how it was sampled', () => {
    const pairs: Pair[] = Array.from({ length: 40 }, (_, at) => [at, (at * 7 + 3) % 40])
    const linked = linkedGraph(listOf(40, pairs))
    const exact = betweenness(linked, 1)
    const sampled = betweenness(linked, 5, 39)
    expect(sampled).toMatchObject({ method: 'sampled', k: 39, seed: 5 })
    expect(betweenness(linked, 5, 39).scores).toEqual(sampled.scores)
    const total = (scores: Float64Array): number => scores.reduce((sum, each) => sum + each, 0)
    expect(total(sampled.scores) / total(exact.scores)).toBeCloseTo(1, 1)
  })

  it('takes as many sources as the work may cost', () => {
    expect(sourcesFor(3_000, 1e6)).toBe(3_000)
    expect(sourcesFor(20_000, 100_000)).toBe(500)
    expect(sourcesFor(200_000, 1_000_000)).toBe(83)
    expect(sourcesFor(5_000_000, 50_000_000)).toBe(50)
  })
})

describe('bridges', () => {
  it('are the edges whose removal leaves more parts than before', () => {
    fc.assert(
      fc.property(graph, ({ nodes, pairs }) => {
        const found = bridges(linkedGraph(listOf(nodes, pairs)))
        const parts = partsOf(nodes, pairs)
        const expected = pairs.flatMap((_, at) =>
          partsOf(
            nodes,
            pairs.filter((__, other) => other !== at),
          ) > parts
            ? [at]
            : [],
        )
        expect([...found.edges].toSorted((a, b) => a - b)).toEqual(expected)
      }),
      { seed: 1, numRuns: 300 },
    )
  })

  it('come first where they part the most', () => {
    const pairs: Pair[] = [
      [0, 1],
      [1, 2],
      [2, 3],
      [3, 4],
    ]
    const found = bridges(linkedGraph(listOf(5, pairs)))
    expect([...found.edges]).toEqual([1, 2, 0, 3])
    expect([...found.parts]).toEqual([2, 2, 1, 1])
  })

  it('are found along a way of a hundred thousand nodes', () => {
    const pairs = Array.from({ length: 100_000 }, (_, at): Pair => [at, at + 1])
    expect(bridges(linkedGraph(listOf(100_001, pairs))).edges).toHaveLength(100_000)
  })
})

describe('communities', () => {
  const ring = (from: number, size: number): Pair[] =>
    Array.from({ length: size }, (_, a) => Array.from({ length: a }, (__, b): Pair => [from + a, from + b])).flat()

  it('are numbered by size, then by their first node', () => {
    const found = communities(linkedGraph(listOf(11, [...ring(0, 4), ...ring(4, 5), [0, 4]])), 1)
    expect([...found.communityOf]).toEqual([1, 1, 1, 1, 0, 0, 0, 0, 0, 2, 3])
    expect(found.count).toBe(4)
    expect(found.modularity).toBeGreaterThan(0.3)
  })

  it('are the same for the same graph and seed', () => {
    const pairs = Array.from({ length: 300 }, (_, at): Pair => [at % 60, (at * at + 7) % 60])
    const once = communities(linkedGraph(listOf(60, pairs)), 3)
    expect(communities(linkedGraph(listOf(60, pairs)), 3)).toEqual(once)
  })

  it('are each node by itself where nothing is linked', () => {
    expect(communities(linkedGraph(listOf(2, [[0, 0]])), 1)).toMatchObject({ count: 2, modularity: 0 })
    expect(communities(linkedGraph(listOf(2, [[0, 1]], 0)), 1)).toMatchObject({ count: 2, modularity: 0 })
  })
})

it('counts the edges at each node, one to itself at both of its ends', () => {
  const result = work({ kind: 'degree', edges: listOf(3, [[0, 1], [1, 0], [1, 1]]), seed: 1 }) // prettier-ignore
  expect(result).toEqual({ scores: Int32Array.of(2, 4, 0) })
})
