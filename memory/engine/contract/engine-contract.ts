/** What any retrieval engine does, P1 to P4 of the port included. Run over each adapter, and over each store behind it. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Sql } from '../../../runtime/store/sql.ts'
import { assertEdge, deleteEdge, listEdges } from '../knowledge/edges.ts'
import { findEntity, patchEntity } from '../knowledge/entities.ts'
import { queryModes, type EngineMemory, type EngineQuery, type RetrievalEngine } from '../port.ts'

export interface EngineUnderTest {
  readonly engine: RetrievalEngine
  readonly sql: Sql
  /** Resolves when nothing that was asked for is still to be done behind the engine. */
  settle(): Promise<void>
  close(): Promise<void>
}

/** Wordings that rules, and the scripted model of the tests, find entities in: `SessionStore`, `RedisCluster`, ... */
const texts = {
  sessions: 'The SessionStore keeps login tokens in the RedisCluster. The SessionStore expires tokens after one hour.',
  billing: 'The InvoicePrinter renders a monthly bill from the LedgerTable. Customers read the bill as a document.',
  search:
    'The QueryPlanner chooses an index for each lookup. The QueryPlanner asks the LedgerTable for its statistics.',
}

let number = 0

export function aMemory(content: string, more: Partial<EngineMemory> = {}): EngineMemory {
  number += 1
  return { id: `m-${process.pid}-${number}`, content, metadata: {}, repo: '', file: null, ...more }
}

export function engineContract(open: () => Promise<EngineUnderTest>): void {
  let under: EngineUnderTest
  let engine: RetrievalEngine

  beforeAll(async () => {
    under = await open()
    ;({ engine } = under)
  })
  afterAll(() => under?.close())
  beforeEach(async () => {
    await engine.clear()
    await under.settle()
  })

  async function found(query: Partial<EngineQuery> & { text: string }): Promise<string[]> {
    const { chunks } = await engine.retrieve({ mode: 'naive', topK: 10, ...query })
    return [...new Set(chunks.map((chunk) => chunk.memoryId))]
  }

  async function store(...memories: EngineMemory[]): Promise<void> {
    for (const outcome of await engine.upsert(memories)) expect(['stored', 'duplicate']).toContain(outcome.status)
  }

  async function entityId(name: string): Promise<string | undefined> {
    await engine.learnEntities(name, 10)
    const { rows } = await under.sql.query<{ id: string }>('select id from knowledge_entity where key = $1', [
      name.toLowerCase(),
    ])
    return rows[0]?.id
  }

  it('says what it is, which modes it has and of which kind its scores are', async () => {
    const info = await engine.info()
    expect(info.modes).toEqual(queryModes)
    for (const mode of queryModes) expect(['cosine', 'bm25', 'fused', 'rank']).toContain(info.scoreKinds[mode])
    await expect(engine.ready()).resolves.toMatchObject({ ready: true, reasons: [] })
  })

  it('finds a memory by its words once its upsert has ended, and tells the text it found (P3)', async () => {
    const memory = aMemory(texts.sessions)
    await store(memory, aMemory(texts.billing))
    const { chunks } = await engine.retrieve({ mode: 'naive', text: 'login tokens SessionStore', topK: 5 })
    expect(chunks[0]).toMatchObject({ memoryId: memory.id, rank: 1 })
    expect(chunks[0]!.content).toContain('RedisCluster')
    expect(await engine.holds([memory.id, 'm-nobody'])).toEqual(new Set([memory.id]))
  })

  it.each(queryModes)(
    'finds in mode %s what the query names, with scores in [0, 1] that descend (P4) (QUERIES-16, QUERIES-20)',
    async (mode) => {
      const memory = aMemory(texts.sessions)
      await store(memory, aMemory(texts.billing), aMemory(texts.search))
      const { chunks, scoreKind } = await engine.retrieve({ mode, text: 'SessionStore and RedisCluster', topK: 10 })
      expect(chunks.map((chunk) => chunk.memoryId)).toContain(memory.id)
      expect(scoreKind).toBe((await engine.info()).scoreKinds[mode])
      const scores = chunks.map((chunk) => chunk.score)
      expect(scores).toEqual(scores.toSorted((a, b) => b - a))
      for (const score of scores) expect(score >= 0 && score <= 1).toBe(true)
      expect(chunks.map((chunk) => chunk.rank)).toEqual(chunks.map((_, at) => at + 1))
    },
  )

  it.each(queryModes)(
    'finds in mode %s what has the words of a query, though it names nothing (QUERIES-21)',
    async (mode) => {
      const memory = aMemory('the meadow is green in spring and the lantern is lit at night')
      await store(memory, aMemory(texts.billing))
      const { chunks } = await engine.retrieve({ mode, text: 'lantern on the meadow', topK: 10 })
      expect(chunks.map((chunk) => chunk.memoryId)).toContain(memory.id)
    },
  )

  it('answers a query that nothing fits, and one to an empty engine, with empty lists', async () => {
    for (const mode of queryModes) {
      const { chunks } = await engine.retrieve({ mode, text: 'zyzzogeton', topK: 10 })
      expect(chunks).toEqual([])
    }
  })

  it('keeps a memory that comes again as one (P1)', async () => {
    const memory = aMemory(texts.sessions)
    await store(memory)
    await store(memory)
    const { chunks } = await engine.retrieve({ mode: 'naive', text: 'SessionStore', topK: 10 })
    expect(chunks).toHaveLength(1)
  })

  it('stores a memory once when two upserts of it meet', async () => {
    const memory = aMemory(texts.sessions)
    await Promise.all([store(memory), store(memory), store(memory)])
    const { chunks } = await engine.retrieve({ mode: 'naive', text: 'SessionStore', topK: 10 })
    expect(chunks).toHaveLength(1)
  })

  it('tells one outcome for each memory, in their order (P2)', async () => {
    const memories = [aMemory(texts.sessions), aMemory(texts.billing), aMemory(texts.search)]
    const outcomes = await engine.upsert(memories)
    expect(outcomes.map((outcome) => outcome.id)).toEqual(memories.map((memory) => memory.id))
    expect(await engine.upsert([])).toEqual([])
    expect(await engine.remove([])).toEqual([])
  })

  it('no longer finds a memory once its removal began, in any mode (P3)', async () => {
    const [memory, other] = [aMemory(texts.sessions), aMemory(texts.search)]
    await store(memory, other)
    const [outcome] = await engine.remove([memory.id])
    expect(['removed', 'queued']).toContain(outcome!.status)
    for (const mode of queryModes)
      expect(await found({ mode, text: 'SessionStore RedisCluster' })).not.toContain(memory.id)
    await under.settle()
    await expect(engine.remove([memory.id])).resolves.toEqual([{ id: memory.id, status: 'absent' }])
    expect(await found({ text: 'QueryPlanner' })).toEqual([other.id])
  })

  it('finds both of two memories with one text, and the other one still when the first has gone', async () => {
    const first = aMemory(texts.sessions, { repo: 'a', file: 'a.md' })
    const second = aMemory(texts.sessions, { repo: 'b', file: 'b.md' })
    await store(first, second)
    expect((await found({ text: 'SessionStore' })).toSorted()).toEqual([first.id, second.id].toSorted())
    await engine.remove([first.id])
    await under.settle()
    expect(await found({ text: 'SessionStore' })).toEqual([second.id])
  })

  it('takes a text again right after the memory that had it was removed', async () => {
    const before = aMemory(texts.sessions)
    await store(before)
    await engine.remove([before.id])
    const after = aMemory(texts.sessions)
    await store(after)
    await under.settle()
    expect(await found({ text: 'SessionStore' })).toEqual([after.id])
  })

  it('lets a filter through by repository and by metadata, however many others rank before', async () => {
    const others = Array.from({ length: 6 }, (_, at) =>
      aMemory(`${texts.sessions} Variant ${at} of the SessionStore.`, { repo: 'loud' }),
    )
    const quiet = aMemory('A note that names the SessionStore.', {
      repo: 'quiet',
      metadata: { team: 'blue', sort: 'note' },
    })
    await store(...others, quiet)
    const text = 'SessionStore login tokens'
    expect(await found({ text, topK: 1, filter: { repos: ['quiet'] } })).toEqual([quiet.id])
    expect(await found({ text, topK: 1, filter: { metadata: { team: 'blue' } } })).toEqual([quiet.id])
    expect(await found({ text, topK: 1, filter: { metadata: { team: 'blue', sort: 'other' } } })).toEqual([])
    expect(await found({ text, topK: 3, filter: { repos: ['nowhere'] } })).toEqual([])
  })

  it('lets through only memories of the kinds that are asked for, however many others rank before (QUERIES-6)', async () => {
    const others = Array.from({ length: 6 }, (_, at) => {
      const metadata = { file: `@commit/${at}`, kind: 'commit', commit: `${at}` }
      return aMemory(`${texts.sessions} Change ${at} of the SessionStore.`, { file: metadata.file, metadata })
    })
    const file = aMemory('A file that names the SessionStore.', { file: 'a.ts', metadata: { file: 'a.ts' } })
    const note = aMemory('A note on the SessionStore of ours.')
    await store(...others, file, note)
    const text = 'SessionStore login tokens'
    for (const mode of queryModes) {
      expect(await found({ mode, text, topK: 1, filter: { kinds: ['files'] } })).toEqual([file.id])
      expect(await found({ mode, text, topK: 1, filter: { kinds: ['notes'] } })).toEqual([note.id])
    }
    expect(await found({ text, topK: 9, filter: { kinds: ['files', 'notes'] } })).toHaveLength(2)
    expect(await found({ text, topK: 9, filter: { kinds: ['changes'] } })).toHaveLength(6)
    expect(await found({ text, topK: 9, filter: { kinds: ['changes'], repos: ['nowhere'] } })).toEqual([])
  })

  it('gives no more chunks than were asked for', async () => {
    await store(...Array.from({ length: 5 }, (_, at) => aMemory(`The SessionStore, part ${at}: number ${at * 7}.`)))
    for (const mode of queryModes) {
      const { chunks } = await engine.retrieve({ mode, text: 'SessionStore', topK: 2 })
      expect(chunks.length).toBeLessThanOrEqual(2)
    }
  })

  it('describes by text and names the memories that it drew on', async () => {
    const memory = aMemory(texts.sessions)
    await store(memory, aMemory(texts.billing))
    const text = 'Where does the SessionStore keep tokens?'
    const { chunks } = await engine.retrieve({ mode: 'naive', text, topK: 3 })
    const description = await engine.describe(text, chunks)
    expect(description.summary).not.toBe('')
    expect(['extractive', 'llm']).toContain(description.generatedBy)
    expect(description.uses.map((at) => chunks[at]!.memoryId)).toContain(memory.id)
  })

  it('tells the entities and relations that it went by, under ids of ours (KNOWLEDGE-20)', async () => {
    await store(aMemory(texts.sessions), aMemory(texts.search))
    const { entities, relations } = await engine.retrieve({ mode: 'local', text: 'SessionStore', topK: 10 })
    expect(entities.map((one) => one.name)).toContain('SessionStore')
    const ids = new Set(entities.map((one) => one.id))
    expect(await entityId('SessionStore')).toSatisfy((id: string) => ids.has(id))
    for (const { from, to, score } of relations) {
      expect(from).not.toBe(to)
      expect(score >= 0 && score <= 1).toBe(true)
    }
  })

  it('keeps an entity as long as one memory speaks of it, and no longer', async () => {
    const [first, second] = [aMemory(texts.billing), aMemory(texts.search)]
    await store(first, second)
    const shared = await entityId('LedgerTable')
    expect(shared).toBeDefined()
    expect(await entityId('InvoicePrinter')).toBeDefined()
    await engine.remove([first.id])
    await under.settle()
    expect(await entityId('InvoicePrinter')).toBeUndefined()
    expect(await entityId('LedgerTable')).toBe(shared)
    await engine.remove([second.id])
    await under.settle()
    expect(await entityId('LedgerTable')).toBeUndefined()
    await expect(under.sql.query('select from knowledge_edge where not is_asserted')).resolves.toMatchObject({
      rowCount: 0,
    })
  })

  it('gives back what people wrote on an entity, and the edges that they asserted, when memories name it again (ENTITIES-11, EDGES-8)', async () => {
    const { sql } = under
    const memory = aMemory(texts.sessions)
    await store(memory)
    const [from, to] = [(await entityId('SessionStore'))!, (await entityId('RedisCluster'))!]
    const written = { metadata: { owner: 'ann' }, description: 'Where sessions live.' }
    await sql.tx((tx) => patchEntity(tx, from, written))
    const draft = { from, to, relation: 'owned_by', description: 'by contract', metadata: { since: '2026' } }
    await sql.tx((tx) => assertEdge(tx, draft))
    const gone = { ...draft, relation: 'was_owned_by' }
    const deleted = await sql.tx((tx) => assertEdge(tx, gone))
    await deleteEdge(sql, deleted!.edge.id)
    await engine.remove([memory.id])
    await under.settle()
    expect(await findEntity(sql, from)).toBeUndefined()
    expect(await listEdges(sql, { from }, 10)).toEqual([])
    await store(aMemory(texts.sessions))
    expect(await entityId('SessionStore')).toBe(from)
    expect(await findEntity(sql, from)).toMatchObject(written)
    const edges = await listEdges(sql, { from }, 10)
    expect(edges.find((edge) => edge.relation === 'owned_by')).toMatchObject(draft)
    expect(edges.map((edge) => edge.relation)).not.toContain('was_owned_by')
  })

  it('gives an entity the id that it had before everything was fed anew', async () => {
    const memory = aMemory(texts.sessions)
    await store(memory)
    const before = await entityId('SessionStore')
    await engine.clear()
    await under.settle()
    expect(await found({ text: 'SessionStore' })).toEqual([])
    await store(memory)
    expect(await entityId('SessionStore')).toBe(before)
  })

  it('takes texts of any script, quotes and control characters, and finds them', async () => {
    const memory = aMemory(
      `Ünïcödé "quotes" \\ 'and' $1 {braces} \u{1f680} \0 nul, 日本語 and العربية around the SessionStore.`,
      {
        file: 'src/odd "name"/файл.md',
        metadata: { 'key "x"': "va'lue" },
      },
    )
    await store(memory)
    expect(await found({ text: 'ünïcödé SessionStore', filter: { metadata: { 'key "x"': "va'lue" } } })).toEqual([
      memory.id,
    ])
  })

  it('counts what it stored', async () => {
    const before = await engine.figures()
    await store(aMemory(texts.sessions), aMemory(texts.billing))
    const after = await engine.figures()
    expect(after.stored - before.stored).toBe(2)
    expect(after.failed).toBe(before.failed)
  })
}
