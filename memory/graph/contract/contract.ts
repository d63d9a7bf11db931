/** What `port.ts` promises (G1 to G5), as tests that every store of graphs passes. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { GraphPart, GraphStore, GraphView, ReachQuery } from '../port.ts'
import { aHyperedge, anEdge, anEntity, aPush, contributionOf, dump, edgeOfTier } from './builders.ts'
import { lawRuns, rebuildLaw, staleMutant } from './rebuild-law.ts'

export interface StoreUnderTest {
  readonly store: GraphStore
  close(): Promise<void>
}

const patience = 120_000

export function graphContract(name: string, open: () => Promise<StoreUnderTest>, runs = lawRuns): void {
  describe(`a code graph in ${name}`, { timeout: patience }, () => {
    let under: StoreUnderTest
    let store: GraphStore
    let repo = ''
    let count = 0

    beforeAll(async () => {
      under = await open()
      store = under.store
    }, patience)
    afterAll(() => under?.close(), patience)
    beforeEach(() => {
      repo = `repo-${++count}`
    })

    function read<T>(ask: (view: GraphView) => Promise<T>): Promise<T | undefined> {
      return store.read(repo, ask)
    }

    async function reached(query: Partial<ReachQuery> & { readonly from: readonly string[] }): Promise<string[]> {
      const found = await read((view) => view.reach({ direction: 'out', depth: 1, limit: 100, ...query }))
      return (found?.items ?? []).map(({ entity, distance }) => `${entity.id}@${distance}`)
    }

    async function way(from: string, to: string, more: object = {}): Promise<readonly string[] | undefined> {
      const found = await read((view) => view.path({ from, to, direction: 'out', maxDepth: 12, ...more }))
      return found?.entities.map(({ id }) => id)
    }

    it('is unknown before its first push', async () => {
      expect(await store.head(repo)).toBeUndefined()
      expect(await read((view) => view.sizes())).toBeUndefined()
      expect(await store.misses(repo, [])).toBeUndefined()
    })

    it('tells in each view from which commit and version it is', async () => {
      await store.push(aPush(repo, { 'a.ts': contributionOf(anEntity('a')) }, { commit: 'c1' }))
      const first = await read(async (view) => view.head)
      const head = await store.push(aPush(repo, {}, { commit: 'c2', pushedAt: 5 }))
      expect(first).toMatchObject({ repo, commit: 'c1' })
      expect(head).toEqual({ repo, version: (first?.version ?? 0) + 1, commit: 'c2', pushedAt: 5 })
      expect(await read(async (view) => view.head)).toEqual(head)
      expect(await store.repos()).toContainEqual(head)
    })

    it('gives entities back as they came, whatever their text', async () => {
      const odd = anEntity('src/"x"\\\n𝄞 é.ts#f<T>', {
        name: "it's `odd`",
        file: 'dir with space/𝄞.ts',
        line: 7,
        language: 'typescript',
        metadata: { nested: { list: [1, null, 'x'] }, exported: true },
      })
      await store.push(aPush(repo, { 'dir with space/𝄞.ts': contributionOf(odd) }))
      expect(await read((view) => view.entity(odd.id))).toEqual(odd)
      expect(await read((view) => view.entity('nobody'))).toBeUndefined()
      expect(await read((view) => view.entities(['nobody', odd.id]))).toEqual([odd])
    })

    it('replaces a snapshot whole (CODE-PUSH-3)', async () => {
      await store.push(aPush(repo, { 'a.ts': contributionOf(anEntity('a'), anEdge('a', 'b')) }))
      await store.push(aPush(repo, { 'c.ts': contributionOf(anEntity('c')) }))
      expect(await read(dump)).toEqual({ entities: [anEntity('c')], edges: [], hyperedges: [] })
    })

    it('replaces by file what came from that file, and nothing else (CODE-PUSH-4)', async () => {
      await store.push(
        aPush(repo, {
          'a.ts': contributionOf(anEntity('a', { file: 'a.ts' }), anEdge('a', 'b'), anEdge('a', 'old')),
          'b.ts': contributionOf(anEntity('b', { file: 'b.ts' }), anEdge('b', 'a')),
        }),
      )
      const again = contributionOf(anEntity('a', { file: 'a.ts', line: 2 }), anEdge('a', 'new'))
      await store.push(aPush(repo, { 'a.ts': again }, { mode: 'files' }))
      const found = await read(dump)
      expect(found?.entities.map(({ id }) => id)).toEqual(['a', 'b', 'new'])
      expect(found?.entities[0]?.line).toBe(2)
      expect(found?.edges).toEqual([anEdge('a', 'new'), anEdge('b', 'a')])
    })

    it('keeps the stored commit where files are pushed without one (CODE-PUSH-24)', async () => {
      const files = { 'a.ts': contributionOf(anEntity('a')) }
      await store.push(aPush(repo, files, { commit: 'c1' }))
      const without = await store.push(aPush(repo, files, { mode: 'files', commit: undefined }))
      expect(without).toMatchObject({ commit: 'c1', version: 2 })
      expect(await read(async (view) => view.head.commit)).toBe('c1')
      expect(await store.push(aPush(repo, files, { mode: 'files', commit: 'c2' }))).toMatchObject({ commit: 'c2' })
      expect(await store.push(aPush(repo, files, { mode: 'files', commit: null }))).toMatchObject({ commit: null })
    })

    it('takes away what a file contributed that is gone (CODE-PUSH-5)', async () => {
      await store.push(aPush(repo, { 'a.ts': contributionOf(anEntity('a')), 'b.ts': contributionOf(anEdge('b', 'a')) }))
      await store.push(aPush(repo, {}, { mode: 'files', files: [{ file: 'a.ts', sha: '' }] }))
      expect((await read(dump))?.entities).toEqual([
        { id: 'a', type: 'external', name: 'a' },
        { id: 'b', type: 'external', name: 'b' },
      ])
      expect(await store.misses(repo, [{ file: 'a.ts', sha: 'sha of a.ts' }])).toHaveLength(1)
    })

    it('begins with files where no snapshot was pushed', async () => {
      await store.push(aPush(repo, { 'a.ts': contributionOf(anEntity('a')) }, { mode: 'files' }))
      expect((await read(dump))?.entities).toEqual([anEntity('a')])
    })

    it('says which files are not indexed as they are now (CODE-PUSH-26)', async () => {
      await store.push(aPush(repo, { 'a.ts': contributionOf(anEntity('a')), 'b.ts': contributionOf() }))
      const asked = [
        { file: 'a.ts', sha: 'sha of a.ts' },
        { file: 'b.ts', sha: 'changed' },
        { file: 'new.ts', sha: 'x' },
      ]
      expect(await store.misses(repo, asked)).toEqual(asked.slice(1))
    })

    it('keeps of two edges of one pair and relation the surer one (G3)', async () => {
      await store.push(
        aPush(repo, {
          'a.ts': contributionOf(edgeOfTier('a', 'b', 'AMBIGUOUS')),
          'b.ts': contributionOf(edgeOfTier('a', 'b', 'INFERRED'), anEdge('a', 'b', { relation: 'imports' })),
        }),
      )
      expect((await read(dump))?.edges).toEqual([
        edgeOfTier('a', 'b', 'INFERRED'),
        anEdge('a', 'b', { relation: 'imports' }),
      ])
    })

    it("takes an entity of several files from the first, and falls back when that one's is gone (G3)", async () => {
      const files = {
        'b.ts': contributionOf(anEntity('pkg', { line: 2 })),
        'a.ts': contributionOf(anEntity('pkg', { line: 1 })),
      }
      await store.push(aPush(repo, files))
      expect(await read((view) => view.entity('pkg'))).toMatchObject({ line: 1 })
      await store.push(aPush(repo, {}, { mode: 'files', files: [{ file: 'a.ts', sha: '' }] }))
      expect(await read((view) => view.entity('pkg'))).toMatchObject({ line: 2 })
    })

    it('keeps an end that nobody declares as an external entity (G4) (CODE-PUSH-12)', async () => {
      const part = contributionOf(anEntity('a'), anEdge('a', 'npm:left-pad'), aHyperedge('h', ['a', 'ghost', 'b']))
      await store.push(aPush(repo, { 'a.ts': part }))
      const external = (id: string): object => ({ id, type: 'external', name: id })
      expect((await read(dump))?.entities).toEqual([
        anEntity('a'),
        external('b'),
        external('ghost'),
        external('npm:left-pad'),
      ])
    })

    describe('searched', () => {
      it('finds parts of names and ids, the nearest first', async () => {
        const named = (id: string, name: string): ReturnType<typeof anEntity> => anEntity(id, { name })
        await store.push(
          aPush(repo, {
            'a.ts': contributionOf(
              named('1', 'reparse'),
              named('2', 'parseAll'),
              named('3', 'Parse'),
              named('parse.ts', 'other'),
              named('5', 'unrelated'),
              named('6', 'parseX'),
            ),
          }),
        )
        const found = await read((view) => view.search({ q: 'PARSE', limit: 10 }))
        expect(found?.items.map(({ id }) => id)).toEqual(['3', '6', '2', '1', 'parse.ts'])
        expect(found?.truncated).toBe(false)
        expect((await read((view) => view.search({ q: 'parse', limit: 2 })))?.truncated).toBe(true)
      })

      it('finds what has all words of several, in any order, behind what has them as they stand (CODE-GRAPH-1)', async () => {
        const named = (id: string, name: string): ReturnType<typeof anEntity> => anEntity(id, { name })
        await store.push(
          aPush(repo, {
            'a.ts': contributionOf(
              named('1', 'optionsToParse'),
              named('2', 'ParseOptions'),
              named('3', 'parse options'),
              named('4', 'parse'),
              named('parse.ts#options', 'other'),
            ),
          }),
        )
        const found = await read((view) => view.search({ q: ' Parse  options', limit: 10 }))
        expect(found?.items.map(({ id }) => id)).toEqual(['2', '3', '1', 'parse.ts#options'])
        expect((await read((view) => view.search({ q: 'parse options', limit: 10 })))?.items[0]?.id).toBe('3')
        expect((await read((view) => view.search({ q: 'parse nothing', limit: 10 })))?.items).toEqual([])
      })

      it('takes what means something to a pattern by the letter', async () => {
        await store.push(aPush(repo, { 'a.ts': contributionOf(anEntity('a%b_c'), anEntity('aXbYc'), anEntity('.*')) }))
        expect((await read((view) => view.search({ q: 'a%b_', limit: 10 })))?.items).toEqual([anEntity('a%b_c')])
        expect((await read((view) => view.search({ q: '.*', limit: 10 })))?.items).toEqual([anEntity('.*')])
      })

      it('lists by type and by file, in pages by id', async () => {
        const entities = ['e', 'a', 'd', 'b', 'c'].map((id) =>
          anEntity(id, { type: id < 'c' ? 'class' : 'function', file: `${id}.ts` }),
        )
        await store.push(aPush(repo, { 'x.ts': contributionOf(...entities) }))
        const page = (query: object): Promise<readonly string[] | undefined> =>
          read(async (view) => (await view.search({ limit: 2, ...query })).items.map(({ id }) => id))
        expect(await page({})).toEqual(['a', 'b'])
        expect(await page({ after: 'b' })).toEqual(['c', 'd'])
        expect(await page({ type: 'function', after: 'c' })).toEqual(['d', 'e'])
        expect(await page({ file: 'd.ts' })).toEqual(['d'])
        expect(await page({ after: 'e' })).toEqual([])
      })
    })

    describe('walked', () => {
      it('goes in either direction, or both', async () => {
        await store.push(aPush(repo, { 'a.ts': contributionOf(anEdge('b', 'x'), anEdge('x', 'a'), anEdge('c', 'a')) }))
        expect(await reached({ from: ['x'] })).toEqual(['a@1'])
        expect(await reached({ from: ['x'], direction: 'in' })).toEqual(['b@1'])
        expect(await reached({ from: ['x'], direction: 'both' })).toEqual(['a@1', 'b@1'])
        expect(await reached({ from: ['x'], direction: 'both', depth: 2 })).toEqual(['a@1', 'b@1', 'c@2'])
      })

      it('never comes back to where it began, also on a cycle', async () => {
        await store.push(
          aPush(repo, {
            'a.ts': contributionOf(anEdge('a', 'b'), anEdge('b', 'c'), anEdge('c', 'a'), anEdge('a', 'a')),
          }),
        )
        expect(await reached({ from: ['a'], depth: 4 })).toEqual(['b@1', 'c@2'])
      })

      it('tells the last edge of a shortest way, the first in order of several', async () => {
        await store.push(
          aPush(repo, {
            'a.ts': contributionOf(
              anEdge('a', 'z'),
              anEdge('a', 'b'),
              anEdge('z', 'x'),
              anEdge('b', 'x', { relation: 'uses' }),
              anEdge('b', 'x'),
            ),
          }),
        )
        const found = await read((view) => view.reach({ from: ['a'], direction: 'out', depth: 2, limit: 10 }))
        expect(found?.items.at(-1)).toEqual({
          entity: { id: 'x', type: 'external', name: 'x' },
          edge: anEdge('b', 'x'),
          distance: 2,
        })
      })

      it('takes only edges that pass the filter', async () => {
        await store.push(
          aPush(repo, {
            'a.ts': contributionOf(
              anEdge('a', 'calls'),
              anEdge('a', 'imports', { relation: 'imports' }),
              edgeOfTier('a', 'inferred', 'INFERRED'),
              edgeOfTier('a', 'ambiguous', 'AMBIGUOUS'),
            ),
          }),
        )
        const from = ['a']
        expect(await reached({ from, relations: ['imports'] })).toEqual(['imports@1'])
        expect(await reached({ from, relations: [] })).toEqual([])
        expect(await reached({ from, minConfidence: 0.75 })).toEqual(['calls@1', 'imports@1', 'inferred@1'])
        expect(await reached({ from, tiers: ['AMBIGUOUS', 'INFERRED'] })).toEqual(['ambiguous@1', 'inferred@1'])
        expect(await reached({ from, tiers: ['INFERRED'], minConfidence: 0.8 })).toEqual([])
      })

      it('stops at its limit and says so (CODE-QUERY-12)', async () => {
        const edges = ['b', 'c', 'd', 'e'].map((id) => anEdge('a', id))
        await store.push(aPush(repo, { 'a.ts': contributionOf(...edges) }))
        const found = await read((view) => view.reach({ from: ['a'], direction: 'out', depth: 2, limit: 3 }))
        expect(found?.items.map(({ entity }) => entity.id)).toEqual(['b', 'c', 'd'])
        expect(found?.truncated).toBe(true)
      })

      it('spends no more hops of a tier than it may, and goes round where that is cheaper (CODE-QUERY-10)', async () => {
        await store.push(
          aPush(repo, {
            'a.ts': contributionOf(
              edgeOfTier('a', 'b', 'INFERRED'),
              edgeOfTier('b', 'c', 'INFERRED'),
              anEdge('a', 'x'),
              anEdge('x', 'b'),
              edgeOfTier('c', 'd', 'AMBIGUOUS'),
            ),
          }),
        )
        const asked = { from: ['a'], depth: 4 }
        expect(await reached({ ...asked, maxHops: { INFERRED: 1 } })).toEqual(['b@1', 'x@1', 'c@3', 'd@4'])
        expect(await reached({ ...asked, maxHops: { INFERRED: 2, AMBIGUOUS: 0 } })).toEqual(['b@1', 'x@1', 'c@2'])
        expect(await reached({ ...asked, maxHops: { EXTRACTED: 0 } })).toEqual(['b@1', 'c@2', 'd@3'])
      })
    })

    describe('asked for a way', () => {
      it('gives a shortest one, with its edges', async () => {
        await store.push(
          aPush(repo, {
            'a.ts': contributionOf(
              anEdge('a', 'b'),
              anEdge('b', 'c'),
              anEdge('c', 'd'),
              anEdge('a', 'c', { relation: 'uses' }),
            ),
          }),
        )
        const found = await read((view) => view.path({ from: 'a', to: 'd', direction: 'out', maxDepth: 12 }))
        expect(found?.entities.map(({ id }) => id)).toEqual(['a', 'c', 'd'])
        expect(found?.edges).toEqual([anEdge('a', 'c', { relation: 'uses' }), anEdge('c', 'd')])
        expect(await way('a', 'd', { relations: ['calls'] })).toEqual(['a', 'b', 'c', 'd'])
        expect(await way('a', 'd', { relations: ['calls'], maxDepth: 2 })).toBeUndefined()
        expect(await way('a', 'd', { relations: ['calls'], maxDepth: 3 })).toHaveLength(4)
      })

      it('goes as edges point, against it, or either way (CODE-GRAPH-19)', async () => {
        await store.push(aPush(repo, { 'a.ts': contributionOf(anEdge('a', 'b'), anEdge('c', 'b')) }))
        expect(await way('a', 'c')).toBeUndefined()
        expect(await way('b', 'a')).toBeUndefined()
        expect(await way('b', 'a', { direction: 'in' })).toEqual(['b', 'a'])
        expect(await way('a', 'c', { direction: 'both' })).toEqual(['a', 'b', 'c'])
      })

      it('is there already when both ends are the same', async () => {
        await store.push(aPush(repo, { 'a.ts': contributionOf(anEdge('a', 'a')) }))
        expect(await read((view) => view.path({ from: 'a', to: 'a', direction: 'out', maxDepth: 1 }))).toEqual({
          entities: [{ id: 'a', type: 'external', name: 'a' }],
          edges: [],
        })
      })

      it('is undefined where an end is unknown', async () => {
        await store.push(aPush(repo, { 'a.ts': contributionOf(anEntity('a')) }))
        expect(await way('a', 'nobody')).toBeUndefined()
        expect(await way('nobody', 'a')).toBeUndefined()
      })

      it('keeps to a budget of hops', async () => {
        await store.push(
          aPush(repo, {
            'a.ts': contributionOf(
              edgeOfTier('a', 'c', 'AMBIGUOUS'),
              anEdge('a', 'b'),
              anEdge('b', 'c'),
              anEdge('c', 'd'),
            ),
          }),
        )
        expect(await way('a', 'd', { maxHops: { AMBIGUOUS: 1 } })).toEqual(['a', 'c', 'd'])
        expect(await way('a', 'd', { maxHops: { AMBIGUOUS: 0 } })).toEqual(['a', 'b', 'c', 'd'])
        expect(await way('a', 'd', { maxHops: { AMBIGUOUS: 0, EXTRACTED: 2 } })).toBeUndefined()
      })
    })

    it('lists edges, the least sure first, by what is asked of them', async () => {
      const from = anEntity('a', { file: 'a.ts' })
      const edges = [
        anEdge('a', 'b'),
        edgeOfTier('b', 'c', 'AMBIGUOUS'),
        anEdge('c', 'a', { tier: 'INFERRED', confidence: 0.4 }),
        edgeOfTier('a', 'c', 'INFERRED'),
      ]
      await store.push(aPush(repo, { 'a.ts': contributionOf(from, ...edges) }))
      const asked = async (query: object): Promise<string[]> =>
        ((await read((view) => view.edges({ limit: 10, ...query })))?.items ?? []).map(
          ({ edge }) => edge.from + edge.to,
        )
      expect(await asked({})).toEqual(['bc', 'ca', 'ac', 'ab'])
      expect(await asked({ either: { tier: 'AMBIGUOUS', lessThan: 0.5 } })).toEqual(['bc', 'ca'])
      expect(await asked({ fromFile: 'a.ts' })).toEqual(['ac', 'ab'])
      expect(await asked({ of: 'b' })).toEqual(['bc', 'ab'])
      expect(await asked({ of: 'b', minConfidence: 0.5 })).toEqual(['ab'])
      const first = await read((view) => view.edges({ limit: 1 }))
      expect(first).toMatchObject({ truncated: true, items: [{ from: { id: 'b' }, to: { id: 'c' } }] })
      const own = await read((view) => view.edges({ fromFile: 'a.ts', limit: 1 }))
      expect(own?.items[0]?.from).toEqual(from)
    })

    it('keeps metadata of edges', async () => {
      const edge = anEdge('a', 'b', { metadata: { line: 3, how: ['x'] } })
      await store.push(aPush(repo, { 'a.ts': contributionOf(edge) }))
      expect((await read(dump))?.edges).toEqual([edge])
    })

    it('finds hyperedges by id and by member', async () => {
      const [one, two] = [
        aHyperedge('h1', ['a', 'b', 'c']),
        aHyperedge('h2', ['b', 'd', 'e'], { tier: 'INFERRED', confidence: 0.75, metadata: { x: 1 } }),
      ]
      await store.push(aPush(repo, { 'a.ts': contributionOf(two, one) }))
      expect(await read((view) => view.hyperedge('h2'))).toEqual(two)
      expect(await read((view) => view.hyperedge('h3'))).toBeUndefined()
      expect((await read((view) => view.hyperedges({ limit: 10 })))?.items).toEqual([one, two])
      expect((await read((view) => view.hyperedges({ member: 'd', limit: 10 })))?.items).toEqual([two])
      expect((await read((view) => view.hyperedges({ member: 'b', tiers: ['EXTRACTED'], limit: 10 })))?.items).toEqual([
        one,
      ])
      expect((await read((view) => view.hyperedges({ limit: 1 })))?.truncated).toBe(true)
    })

    it('counts what it holds, and gives it as arrays', async () => {
      await store.push(
        aPush(repo, {
          'a.ts': contributionOf(
            anEntity('b'),
            anEntity('a', { type: 'class' }),
            anEdge('b', 'a'),
            edgeOfTier('a', 'z', 'AMBIGUOUS'),
            aHyperedge('h', ['a']),
          ),
        }),
      )
      expect(await read((view) => view.sizes())).toEqual({
        nodes: 3,
        edges: 2,
        pairs: 2,
        hyperedges: 1,
        byType: { class: 1, external: 1, function: 1 },
        byRelation: { calls: 2 },
        byTier: { EXTRACTED: 1, INFERRED: 0, AMBIGUOUS: 1 },
      })
      const arrays = await read((view) => view.arrays())
      expect(arrays?.ids).toEqual(['a', 'b', 'z'])
      expect(arrays?.entities.map(({ id }) => id)).toEqual(['a', 'b', 'z'])
      expect(arrays?.relations).toEqual(['calls'])
      expect([...(arrays?.from ?? [])]).toEqual([0, 1])
      expect([...(arrays?.to ?? [])]).toEqual([2, 0])
      expect([...(arrays?.tier ?? [])]).toEqual([2, 0])
      expect([...(arrays?.confidence ?? [])]).toEqual([0.2, 1])
    })

    it('counts a pair of nodes once, however many edges it has, and no loop', async () => {
      const edges = [anEdge('a', 'b'), anEdge('a', 'b', { relation: 'uses' }), anEdge('b', 'a'), anEdge('a', 'a')]
      await store.push(aPush(repo, { 'a.ts': contributionOf(anEntity('a'), anEntity('b'), ...edges) }))
      expect(await read((view) => view.sizes())).toMatchObject({ nodes: 2, edges: 4, pairs: 2 })
    })

    it('links repositories by ends that one declares and another needs, and by what both use', async () => {
      const other = `${repo}-lib`
      await store.push(
        aPush(other, { 'lib.ts': contributionOf(anEntity('lib#f', { file: 'lib.ts' }), anEdge('lib#f', 'both')) }),
      )
      await store.push(
        aPush(repo, {
          'app.ts': contributionOf(anEntity('app#main'), anEdge('app#main', 'lib#f'), anEdge('app#main', 'both')),
        }),
      )
      const links = (of: string, id: string): Promise<unknown> =>
        store.read(of, async (view) => (await view.crossRepo(id, { limit: 10 })).items)
      const edge = anEdge('app#main', 'lib#f')
      const declared = anEntity('lib#f', { file: 'lib.ts' })
      expect(await links(repo, 'app#main')).toEqual([{ repo: other, direction: 'out', entity: declared, edge }])
      expect(await links(other, 'lib#f')).toEqual([{ repo, direction: 'in', entity: anEntity('app#main'), edge }])
      expect(await links(repo, 'lib#f')).toEqual([{ repo: other, direction: 'out', entity: declared, edge }])
      const used = { repo: other, direction: 'in', entity: declared, edge: anEdge('lib#f', 'both') }
      expect(await links(repo, 'both')).toEqual([used])
      expect(await links(repo, 'nobody')).toEqual([])
    })

    describe('in parts', () => {
      function aPart(part: number, more: Partial<GraphPart> = {}): GraphPart {
        const { mode: _, ...push } = aPush(repo, {})
        return {
          ...push,
          snapshotId: 's',
          part,
          final: false,
          unsettled: { entities: [], edges: [], hyperedges: [] },
          ...more,
        }
      }
      function holding(id: string): Pick<GraphPart, 'contributions'> {
        return { contributions: new Map([[`${id}.ts`, contributionOf(anEntity(id, { file: `${id}.ts` }))]]) }
      }
      const ids = async (): Promise<readonly string[] | undefined> => (await read(dump))?.entities.map(({ id }) => id)

      it('is not seen before the final one', async () => {
        await store.push(aPush(repo, { 'old.ts': contributionOf(anEntity('old')) }))
        expect(await store.stage(aPart(1, holding('a')))).toEqual({ status: 'staged', parts: [1] })
        expect(await ids()).toEqual(['old'])
        const outcome = await store.stage(aPart(2, { ...holding('b'), final: true, commit: 'c9' }))
        expect(outcome).toMatchObject({ status: 'pushed', head: { commit: 'c9' } })
        expect(await ids()).toEqual(['a', 'b'])
      })

      it('is refused with gaps, and accepted when they are filled (CODE-PUSH-20)', async () => {
        await store.stage(aPart(0, holding('a')))
        expect(await store.stage(aPart(2, { ...holding('c'), final: true }))).toEqual({
          status: 'incomplete',
          missing: [1],
        })
        expect(await ids()).toBeUndefined()
        await store.stage(aPart(1, holding('b')))
        await store.stage(aPart(2, { ...holding('c'), final: true }))
        expect(await ids()).toEqual(['a', 'b', 'c'])
      })

      it('takes a part that comes again in the place of the first', async () => {
        await store.stage(aPart(1, holding('a')))
        await store.stage(aPart(1, holding('z')))
        await store.stage(aPart(2, { ...holding('b'), final: true }))
        expect(await ids()).toEqual(['b', 'z'])
        // Whoever did not hear the answer asks again.
        const again = await store.stage(aPart(2, { ...holding('b'), final: true }))
        expect(again).toEqual({ status: 'pushed', head: await store.head(repo) })
        expect(await ids()).toEqual(['b', 'z'])
      })

      it('gives an edge to the file of its ends, also where those came in other parts', async () => {
        const unsettled = {
          entities: [anEntity('pkg', { type: 'package' })],
          edges: [anEdge('a', 'pkg')],
          hyperedges: [],
        }
        await store.stage(aPart(1, { unsettled }))
        await store.stage(aPart(2, { ...holding('a'), final: true }))
        expect(await ids()).toEqual(['a', 'pkg'])
        await store.push(aPush(repo, {}, { mode: 'files', files: [{ file: 'a.ts', sha: '' }] }))
        expect(await read(dump)).toEqual({ entities: [], edges: [], hyperedges: [] })
      })
    })

    it('shows a reader one version whole, while pushes replace it (G1) (CODE-PUSH-3, CODE-QUERY-14)', async () => {
      const ring = (mark: string, size: number): ReturnType<typeof aPush> => {
        const nodes = Array.from({ length: size }, (_, at) => anEntity(`n${at}`, { metadata: { mark } }))
        const edges = nodes.map((_, at) => anEdge(`n${at}`, `n${(at + 1) % size}`, { metadata: { mark } }))
        return aPush(repo, { [`${mark}.ts`]: contributionOf(...nodes, ...edges) }, { commit: mark })
      }
      await store.push(ring('even', 12))
      const state = { isPushing: true }
      const seen = new Set<string | null>()
      const reading = (async () => {
        while (state.isPushing) {
          const marks = await read(async (view) => {
            const first = await view.entity('n0')
            const steps = await view.reach({ from: ['n0'], direction: 'out', depth: 4, limit: 100 })
            const round = await view.path({ from: 'n1', to: 'n0', direction: 'out', maxDepth: 12 })
            const { nodes } = await view.sizes()
            return {
              commit: view.head.commit,
              marks: [first, ...steps.items.flatMap((each) => [each.entity, each.edge]), ...(round?.edges ?? [])].map(
                (each) => each?.metadata?.['mark'],
              ),
              sizes: [nodes, round?.entities.length],
            }
          })
          seen.add(marks?.commit ?? null)
          expect(new Set(marks?.marks)).toEqual(new Set([marks?.commit]))
          expect(marks?.sizes).toEqual(marks?.commit === 'even' ? [12, 12] : [9, 9])
        }
      })()
      for (let turn = 0; turn < 6; turn++) await store.push(turn % 2 === 0 ? ring('odd', 9) : ring('even', 12))
      state.isPushing = false
      await reading
      expect(seen.size).toBeGreaterThan(0)
    })

    it('is after any sequence of pushes what one push of everything makes (G2) (CODE-PUSH-4)', async () => {
      await rebuildLaw(store, repo, runs)
    })

    it('would be found out if it kept what a file contributed before', async () => {
      await expect(rebuildLaw(staleMutant(store), repo, { ...runs, numRuns: 60 })).rejects.toThrow()
    })
  })
}
