import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { communities } from './communities.ts'
import { linkedGraph, type EdgeList } from './links.ts'

function tiesOf(nodes: number, pairs: readonly (readonly [number, number, number?])[]): EdgeList {
  return {
    nodes,
    from: Int32Array.from(pairs, ([from]) => from),
    to: Int32Array.from(pairs, ([, to]) => to),
    weight: Float64Array.from(pairs, ([, , weight = 1]) => weight),
  }
}

function modularity({ nodes, from, to, weight }: EdgeList, community: Int32Array): number {
  const degree = new Float64Array(nodes)
  let [total, within] = [0, 0]
  for (let at = 0; at < from.length; at++) {
    degree[from[at]!]! += weight[at]!
    degree[to[at]!]! += weight[at]!
    total += weight[at]!
    if (community[from[at]!] === community[to[at]!]) within += weight[at]!
  }
  const sums = new Map<number, number>()
  for (let node = 0; node < nodes; node++) sums.set(community[node]!, (sums.get(community[node]!) ?? 0) + degree[node]!)
  return within / total - [...sums.values()].reduce((sum, one) => sum + (one / (2 * total)) ** 2, 0)
}

function partitionOf(ties: EdgeList): Int32Array {
  return communities(linkedGraph(ties), 0).communityOf
}

describe('communities', () => {
  it('of two triangles with a bridge are the two triangles', () => {
    const partition = partitionOf(
      tiesOf(6, [
        [0, 1],
        [1, 2],
        [2, 0],
        [3, 4],
        [4, 5],
        [5, 3],
        [2, 3],
      ]),
    )
    expect([...partition]).toEqual([0, 0, 0, 1, 1, 1])
  })

  it('of a ring of cliques are the cliques', () => {
    const pairs: [number, number][] = []
    for (let clique = 0; clique < 8; clique++) {
      for (let one = 0; one < 5; one++)
        for (let other = one + 1; other < 5; other++) pairs.push([clique * 5 + one, clique * 5 + other])
      pairs.push([clique * 5, ((clique + 1) % 8) * 5 + 1])
    }
    const partition = partitionOf(tiesOf(40, pairs))
    expect([...partition]).toEqual(Array.from({ length: 40 }, (_, at) => Math.floor(at / 5)))
  })

  it('leave nodes without ties alone', () => {
    expect([...partitionOf(tiesOf(3, []))]).toEqual([0, 1, 2])
  })

  it('are never worse than everybody alone or everybody together, and the same each time', () => {
    const node = fc.integer({ min: 0, max: 14 })
    const pairs = fc.array(fc.tuple(node, node, fc.integer({ min: 1, max: 5 })), { minLength: 1, maxLength: 60 })
    fc.assert(
      fc.property(pairs, (given) => {
        const ties = tiesOf(
          15,
          given.filter(([one, other]) => one !== other),
        )
        if (ties.from.length === 0) return
        const partition = partitionOf(ties)
        const found = modularity(ties, partition)
        expect(found).toBeGreaterThanOrEqual(
          modularity(
            ties,
            Int32Array.from({ length: 15 }, (_, at) => at),
          ) - 1e-9,
        )
        expect(found).toBeGreaterThanOrEqual(modularity(ties, new Int32Array(15)) - 1e-9)
        expect(partitionOf(ties)).toEqual(partition)
      }),
    )
  })
})
