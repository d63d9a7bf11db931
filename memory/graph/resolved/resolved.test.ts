/** The graph in memory against the definitions, computed the slow way. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anEdge, edgeOfTier } from '../contract/builders.ts'
import { tiers, type CodeEdge, type Tier } from '../model.ts'
import { Fold } from './fold.ts'
import { edgeAt, type ResolvedGraph } from './graph.ts'
import { resolvedView } from './view.ts'

const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')
const edge = fc
  .record({ from: id, to: id, tier: fc.constantFrom<Tier>(...tiers) })
  .map(({ from, to, tier }) => edgeOfTier(from, to, tier))
const edges = fc.array(edge, { maxLength: 14 })
const direction = fc.constantFrom('in' as const, 'out' as const, 'both' as const)

function fold(given: readonly CodeEdge[]): ResolvedGraph {
  const folded = new Fold()
  folded.add('a.ts', { entities: [], edges: given, hyperedges: [] })
  return folded.finish()
}

function viewOf(graph: ResolvedGraph): ReturnType<typeof resolvedView> {
  const head = { repo: 'r', version: 1, commit: null, pushedAt: 0 }
  return resolvedView(head, graph, async () => ({ items: [], truncated: false }))
}

type Step = readonly [at: string, next: string, tier: Tier]

function stepsOf(graph: ResolvedGraph, way: 'in' | 'out' | 'both'): Step[] {
  return Array.from(graph.from, (_, place) => edgeAt(graph, place)).flatMap(({ from, to, tier }): Step[] => [
    ...(way === 'in' ? [] : [[from, to, tier] as const]),
    ...(way === 'out' ? [] : [[to, from, tier] as const]),
  ])
}

/** Least hops to each node by trying every way of at most `depth` hops within the budget. */
function slowDistances(
  steps: readonly Step[],
  start: string,
  depth: number,
  budget: Readonly<Record<Tier, number>>,
): Map<string, number> {
  const best = new Map<string, number>()
  const seen = new Set<string>()
  const follow = (at: string, hops: number, left: Readonly<Record<Tier, number>>): void => {
    const state = JSON.stringify([at, hops, left])
    if (seen.has(state)) return
    seen.add(state)
    if (at !== start && hops < (best.get(at) ?? Infinity)) best.set(at, hops)
    if (hops === depth) return
    for (const [from, next, tier] of steps)
      if (from === at && left[tier] > 0) follow(next, hops + 1, { ...left, [tier]: left[tier] - 1 })
  }
  follow(start, 0, budget)
  return best
}

const plenty = { EXTRACTED: 99, INFERRED: 99, AMBIGUOUS: 99 }

describe('ways in a graph in memory', () => {
  it('reach every node by its least number of hops, with a budget or without', async () => {
    const hops = fc.integer({ min: 0, max: 2 })
    const budget = fc.option(fc.record({ EXTRACTED: hops, INFERRED: hops, AMBIGUOUS: hops }), { nil: undefined })
    await fc.assert(
      fc.asyncProperty(edges, direction, fc.integer({ min: 1, max: 4 }), budget, async (given, way, depth, maxHops) => {
        const graph = fold([...given, anEdge('a', 'a', { relation: 'self' })])
        const asked = { from: ['a'], direction: way, depth, limit: 100, ...(maxHops && { maxHops }) }
        const { items } = await viewOf(graph).reach(asked)
        const expected = slowDistances(stepsOf(graph, way), 'a', depth, maxHops ?? plenty)
        expect(new Map(items.map(({ entity, distance }) => [entity.id, distance]))).toEqual(expected)
      }),
      { seed: 2, numRuns: 300 },
    )
  })

  it('are shortest, hang together, and are there whenever there is one', async () => {
    await fc.assert(
      fc.asyncProperty(edges, direction, id, fc.integer({ min: 1, max: 6 }), async (given, way, to, maxDepth) => {
        fc.pre(to !== 'a')
        const graph = fold([...given, anEdge('a', 'a'), anEdge(to, to)])
        const found = await viewOf(graph).path({ from: 'a', to, direction: way, maxDepth })
        const steps = stepsOf(graph, way)
        expect(found?.edges.length).toBe(slowDistances(steps, 'a', maxDepth, plenty).get(to))
        found?.edges.forEach((each, at) => {
          const ends = [found.entities[at]?.id, found.entities[at + 1]?.id]
          const along = [each.from, each.to]
          expect(
            way === 'out' ? [along] : way === 'in' ? [along.toReversed()] : [along, along.toReversed()],
          ).toContainEqual(ends)
        })
      }),
      { seed: 3, numRuns: 400 },
    )
  })
})

describe('a fold', () => {
  it('is the same in whatever order files are added', () => {
    const files = fc.uniqueArray(fc.tuple(fc.constantFrom('a.ts', 'b.ts', 'c.ts'), edges), {
      selector: ([file]) => file,
    })
    fc.assert(
      fc.property(files, (given) => {
        const add = (order: typeof given): ResolvedGraph => {
          const folded = new Fold()
          for (const [file, own] of order)
            folded.add(file, {
              entities: [{ id: 'a', type: 'function', name: file }],
              edges: own,
              hyperedges: [{ id: 'h', relation: 'r', label: file, members: ['a'], confidence: 1, tier: 'EXTRACTED' }],
            })
          return folded.finish()
        }
        expect(add(given.toReversed())).toEqual(add(given))
      }),
      { seed: 4, numRuns: 100 },
    )
  })

  it('has every edge once, in order, under both of its ends', () => {
    fc.assert(
      fc.property(edges, (given) => {
        const graph = fold(given)
        const all = Array.from(graph.from, (_, place) => edgeAt(graph, place))
        const keys = all.map(({ from, to }) => from + to)
        expect(keys).toEqual([...new Set(given.map(({ from, to }) => from + to))].toSorted())
        for (const [node, nodeId] of graph.ids.entries()) {
          const under = (adjacency: typeof graph.out): (string | undefined)[] =>
            [...adjacency.edges.subarray(adjacency.starts[node], adjacency.starts[node + 1])].map(
              (place) => keys[place],
            )
          expect(under(graph.out)).toEqual(keys.filter((key) => key[0] === nodeId))
          expect(under(graph.in)).toEqual(keys.filter((key) => key[1] === nodeId))
        }
      }),
      { seed: 5, numRuns: 200 },
    )
  })
})

describe('many names of relations', () => {
  it('keep an edge each, in the order of their names (CODE-PUSH-15)', () => {
    const count = 70_000
    const graph = fold(Array.from({ length: count }, (_, at) => anEdge('a', 'b', { relation: `r${at}` })))
    expect([graph.relations.length, graph.from.length]).toEqual([count, count])
    const names = Array.from(graph.relation, (_, place) => edgeAt(graph, place).relation)
    expect(new Set(names).size).toBe(count)
    expect(names).toEqual(names.toSorted())
  })

  it('cost no more than in proportion (CODE-PUSH-15)', () => {
    const cost = (count: number): number => {
      const given = Array.from({ length: count }, (_, at) => anEdge('a', 'b', { relation: `r${at}` }))
      const times = Array.from({ length: 3 }, () => {
        const before = process.cpuUsage()
        fold(given)
        const { user, system } = process.cpuUsage(before)
        return user + system
      })
      return Math.min(...times)
    }
    cost(10_000)
    // Eight times the names: linear is 8 and the sort a little more, quadratic is 64.
    expect(cost(80_000) / cost(10_000)).toBeLessThan(32)
  })
})
