/** G2: however a graph came about, it is what pushing all contributions anew makes. */
import fc from 'fast-check'
import { expect } from 'vitest'
import type { CodeEdge, CodeEntity, Contribution, Contributions, Hyperedge, IndexedFile } from '../model.ts'
import type { GraphPush, GraphStore } from '../port.ts'
import { aPush, dump } from './builders.ts'

export interface LawRuns {
  readonly seed: number
  readonly numRuns: number
}

export const lawRuns: LawRuns = { seed: 8, numRuns: 40 }

const fileNames = ['a.ts', 'b.ts', 'c/d.ts', '']
// Few names, so that files meet in entities and edges.
const id = fc.constantFrom('p', 'q', 'r', 's', 't')
const sureness = fc.constantFrom(
  { tier: 'EXTRACTED', confidence: 1 } as const,
  { tier: 'INFERRED', confidence: 0.75 } as const,
  { tier: 'INFERRED', confidence: 0.55 } as const,
  { tier: 'AMBIGUOUS', confidence: 0.2 } as const,
)
const metadata = fc.constantFrom({}, {}, { metadata: { at: 1 } }, { metadata: { at: 2 } })
const entity = fc
  .record({ id, line: fc.integer({ min: 1, max: 3 }), type: fc.constantFrom('function', 'class') })
  .map((given): CodeEntity => ({ ...given, name: given.id }))
const edge = fc
  .tuple(fc.record({ from: id, to: id, relation: fc.constantFrom('calls', 'imports') }), sureness, metadata)
  .map(([ends, sure, more]): CodeEdge => ({ ...ends, ...sure, ...more }))
const hyperedge = fc
  .record({ id: fc.constantFrom('h', 'i'), members: fc.array(id, { minLength: 1, maxLength: 3 }) })
  .map((given): Hyperedge => ({ ...given, relation: 'form', label: given.id, tier: 'EXTRACTED', confidence: 1 }))
const contribution = fc.record({
  entities: fc.uniqueArray(entity, { maxLength: 3, selector: (each) => each.id }),
  edges: fc.uniqueArray(edge, { maxLength: 4, selector: (each) => each.from + each.to + each.relation }),
  hyperedges: fc.uniqueArray(hyperedge, { maxLength: 1, selector: (each) => each.id }),
})

type Change =
  | { readonly mode: 'snapshot'; readonly files: Readonly<Record<string, Contribution>> }
  | { readonly mode: 'files'; readonly files: Readonly<Record<string, Contribution | null>> }

const named = fc.constantFrom(...fileNames.filter((file) => file !== ''))
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({
    mode: fc.constant('snapshot' as const),
    files: fc.dictionary(fc.constantFrom(...fileNames), contribution),
  }),
  {
    weight: 4,
    arbitrary: fc.record({
      mode: fc.constant('files' as const),
      files: fc.dictionary(named, fc.option(contribution, { freq: 4 }), { minKeys: 1 }),
    }),
  },
)

/** Rejects with a counterexample. */
export async function rebuildLaw(store: GraphStore, repo: string, runs: LawRuns): Promise<void> {
  let run = 0
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 5 }), async (changes) => {
      const changed = `${repo}-${++run}`
      const rebuilt = `${changed}-rebuilt`
      const model = new Map<string, Contribution>()
      for (const each of changes) {
        apply(model, each)
        await store.push(pushOf(changed, each))
      }
      await store.push(aPush(rebuilt, Object.fromEntries(model)))
      expect(await store.read(changed, dump)).toEqual(await store.read(rebuilt, dump))
    }),
    { ...runs, endOnFailure: true },
  )
}

function apply(model: Map<string, Contribution>, { mode, files }: Change): void {
  if (mode === 'snapshot') model.clear()
  for (const [file, given] of Object.entries(files))
    if (given === null) model.delete(file)
    else model.set(file, given)
}

function pushOf(repo: string, { mode, files }: Change): GraphPush {
  const there = Object.entries(files).filter((entry): entry is [string, Contribution] => entry[1] !== null)
  const gone = Object.keys(files).filter((file) => files[file] === null)
  const push = aPush(repo, Object.fromEntries(there), { mode })
  return { ...push, files: [...push.files, ...gone.map((file): IndexedFile => ({ file, sha: '' }))] }
}

/** A store that forgets to take away what the replaced files contributed before: the law has to notice. */
export function staleMutant(store: GraphStore): GraphStore {
  const kept = new Map<string, Contributions>()
  const mutant: Pick<GraphStore, 'push' | 'read'> = {
    read: (repo, ask) => store.read(repo, ask),
    push: async (push) => {
      const before = push.mode === 'files' ? kept.get(push.repo) : undefined
      const contributions = new Map(push.contributions)
      for (const [file, old] of before ?? []) if (!contributions.has(file)) contributions.set(file, old)
      kept.set(push.repo, contributions)
      const files = [...contributions.keys()].map((file) => ({ file, sha: 'x' }))
      return store.push({ ...push, contributions, files })
    },
  }
  return mutant as GraphStore
}
