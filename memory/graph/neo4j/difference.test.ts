import fc from 'fast-check'
import { expect, it } from 'vitest'
import { aHyperedge, anEdge, anEntity } from '../contract/builders.ts'
import type { Contribution } from '../model.ts'
import { Fold } from '../resolved/fold.ts'
import { edgeAt, type ResolvedGraph } from '../resolved/graph.ts'
import { difference, sizeOf, type Changes } from './difference.ts'

const id = fc.constantFrom('a', 'b', 'c', 'd')
const line = fc.integer({ min: 1, max: 2 })
const contribution: fc.Arbitrary<Contribution> = fc.record({
  entities: fc.array(fc.tuple(id, line).map(([name, at]) => anEntity(name, { line: at }))),
  edges: fc.array(
    fc.tuple(id, id, line).map(([from, to, at]) => anEdge(from, to, { metadata: { at }, confidence: 1 / at })),
  ),
  hyperedges: fc.array(fc.tuple(id, id).map(([name, member]) => aHyperedge(name, [member]))),
})

function fold(given: Contribution): ResolvedGraph {
  const folded = new Fold()
  folded.add('a.ts', given)
  return folded.finish()
}

function applied<T>(before: readonly T[], { gone, come }: Changes<T>): Set<string> {
  const texts = new Set(before.map((each) => JSON.stringify(each)))
  for (const each of gone) expect(texts.delete(JSON.stringify(each))).toBe(true)
  for (const each of come) texts.add(JSON.stringify(each))
  return texts
}

function textsOf(given: readonly unknown[]): Set<string> {
  return new Set(given.map((each) => JSON.stringify(each)))
}

function edgesOf(graph: ResolvedGraph): ReturnType<typeof edgeAt>[] {
  return Array.from(graph.from, (_, place) => edgeAt(graph, place))
}

it('makes the later graph of the earlier one, and touches nothing that stays', () => {
  fc.assert(
    fc.property(contribution, contribution, (one, other) => {
      const [before, after] = [fold(one), fold(other)]
      const { entities, edges, hyperedges } = difference(before, after)
      expect(applied(before.entities, entities)).toEqual(textsOf(after.entities))
      expect(applied(edgesOf(before), edges)).toEqual(textsOf(edgesOf(after)))
      expect(applied(before.hyperedges, hyperedges)).toEqual(textsOf(after.hyperedges))
      for (const { gone, come } of [entities, edges, hyperedges] as Changes<unknown>[])
        expect([...textsOf(gone)].filter((text) => textsOf(come).has(text))).toEqual([])
      expect(sizeOf(difference(after, fold(other)))).toBe(0)
    }),
    { seed: 6, numRuns: 200 },
  )
})
