import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { modelMarks } from '../../../standins/lightrag/model.ts'
import { apiKey, startLightRag, type LightRagStandin } from '../../../standins/lightrag/server.ts'
import type { Fetch } from '../../../http/ports.ts'
import { systemClock } from '../../../runtime/clock.ts'
import { silentLogger } from '../../../runtime/logger.ts'
import type { Sql } from '../../../runtime/store/sql.ts'
import { emptyMemoryStore, openMemoryStore } from '../../testing/service.ts'
import { aMemory, engineContract } from '../contract/engine-contract.ts'
import { EngineError, type RetrievalEngine } from '../port.ts'
import { claimDocument } from './documents.ts'
import { createLightRagEngine } from './engine.ts'
import { lightRagUnderTest } from './testing/engine.ts'

let sql: Sql

beforeAll(async () => {
  sql = await openMemoryStore()
})
afterAll(() => sql?.close())

for (const generation of ['1.4', '1.5'] as const) {
  describe(`the adapter over a server that answers as LightRAG ${generation}`, () => {
    engineContract(async () => {
      await emptyMemoryStore(sql)
      const server = await startLightRag(generation)
      return lightRagUnderTest(sql, server.url, server.close)
    })
  })

  describe(`LightRAG ${generation}`, () => {
    let server: LightRagStandin
    let engine: RetrievalEngine

    beforeEach(async () => {
      await emptyMemoryStore(sql)
      server = await startLightRag(generation)
      engine = engineAt(server.url)
    })
    afterEach(async () => {
      await engine.stop()
      await server.close()
    })

    function texts(): string[] {
      return server.state.processed().map((record) => record.text)
    }

    async function found(text: string): Promise<string[]> {
      const { chunks } = await engine.retrieve({ mode: 'naive', text, topK: 10 })
      return chunks.map((chunk) => chunk.memoryId)
    }

    it('holds a text that was sent before the process died for the same text, and sends it no second time (KNOWLEDGE-24, KNOWLEDGE-23)', async () => {
      const memory = aMemory('The SessionStore was sent already.')
      const { row } = await claimDocument(sql, memory, 1)
      server.state.add(row.source, memory.content, server.state.newTrack())
      expect(await engine.upsert([memory])).toEqual([{ id: memory.id, status: 'stored' }])
      expect(await engine.upsert([memory])).toEqual([{ id: memory.id, status: 'stored' }])
      expect(texts()).toEqual([memory.content])
      expect(await found('SessionStore')).toEqual([memory.id])
    })

    it('holds a text that somebody else stored there for a success, finds it, and leaves no debris (KNOWLEDGE-24)', async () => {
      server.state.add('somebody-elses.md', 'The SessionStore of somebody else.', server.state.newTrack())
      const memory = aMemory('The SessionStore of somebody else.')
      const [outcome] = await engine.upsert([memory])
      expect(outcome).toMatchObject({ id: memory.id, status: 'stored' })
      expect(await found('SessionStore')).toEqual([memory.id])
      await settled()
      // It deletes later than it says so, and nothing waits for what a refusal left.
      const debris = (): string[] => [...server.state.records.keys()].filter((id) => id.startsWith('dup-'))
      await expect.poll(debris, { timeout: 30_000 }).toEqual([])
    })

    it('is told that a second memory of a text is a duplicate of the first (INGEST-17, MEMORY-RULE-2)', async () => {
      const [first, second] = [aMemory('The SessionStore, twice.'), aMemory('  The SessionStore, twice.\n')]
      await engine.upsert([first])
      expect(await engine.upsert([second])).toEqual([{ id: second.id, status: 'duplicate', of: first.id }])
      expect(texts()).toHaveLength(1)
    })

    it('sends every text again after a rebuild where LightRAG has lost all that it had (KNOWLEDGE-18)', async () => {
      // More than one round of removals looks at.
      const memories = Array.from({ length: 60 }, (_, index) => aMemory(`The Session${index} is kept.`))
      await engine.upsert(memories)
      server.state.records.clear()
      await engine.clear()
      await engine.upsert(memories)
      expect(texts().toSorted()).toEqual(memories.map(({ content }) => content).toSorted())
    })

    it('never names a source by its path: two files of one name are two texts', async () => {
      const [one, other] = [
        aMemory('The AlphaIndex.', { file: 'a/index.ts' }),
        aMemory('The BetaIndex.', { file: 'b/index.ts' }),
      ]
      await engine.upsert([one, other])
      expect(texts().toSorted()).toEqual(['The AlphaIndex.', 'The BetaIndex.'])
      for (const record of server.state.processed()) expect(record.source).toMatch(/^mem-[\w-]+\.md$/)
    })

    it('hides a removed memory while the pipeline is busy, and takes it out once it is not', async () => {
      const memory = aMemory('The SessionStore shall go.')
      await engine.upsert([memory])
      server.state.isHeld = true
      server.state.add('long.md', 'A text that takes long.', server.state.newTrack())
      expect(await engine.remove([memory.id])).toEqual([{ id: memory.id, status: 'queued' }])
      expect(await found('SessionStore')).toEqual([])
      expect((await engine.figures()).removalsQueued).toBe(1)
      expect(texts()).toContain(memory.content)
      server.state.isHeld = false
      server.state.work()
      engine.start()
      await expect.poll(texts, { timeout: 30_000 }).toEqual(['A text that takes long.'])
      await expect.poll(async () => (await engine.figures()).removalsQueued, { timeout: 30_000 }).toBe(0)
    })

    it('sends a text again only when the deletion of its earlier record is seen to be done', async () => {
      const before = aMemory('The SessionStore comes back.')
      await engine.upsert([before])
      server.state.deletionMs = 400
      expect(await engine.remove([before.id])).toEqual([{ id: before.id, status: 'queued' }])
      const after = aMemory('The SessionStore comes back.')
      expect(await engine.upsert([after])).toEqual([{ id: after.id, status: 'stored' }])
      expect(texts()).toEqual([after.content])
      expect(await found('SessionStore')).toEqual([after.id])
    })

    it('wakes a server that died in its work and came back to do nothing', async () => {
      server.state.isHeld = true
      const storing = engine.upsert([aMemory('The SessionStore waits.')])
      await expect.poll(() => server.state.records.size, { timeout: 30_000 }).toBe(1)
      server.state.isStopped = true
      server.state.isHeld = false
      expect(await storing).toMatchObject([{ status: 'stored' }])
      expect((await engine.figures()).wakes).toBeGreaterThan(0)
    })

    it('does not wake one that works', async () => {
      server.state.isHeld = true
      const storing = engine.upsert([aMemory('The SessionStore takes its time.')])
      await expect
        .poll(() => server.state.calls.filter((call) => call === 'GET /documents/pipeline_status').length, {
          timeout: 30_000,
        })
        .toBeGreaterThan(1)
      server.state.isHeld = false
      server.state.work()
      expect(await storing).toMatchObject([{ status: 'stored' }])
      expect(server.state.calls).not.toContain('POST /documents/reprocess_failed')
    })

    it('counts texts in which the model found nothing, because an extraction that can not be read fails in silence (KNOWLEDGE-22)', async () => {
      const memory = aMemory(`The SessionStore. ${modelMarks.prose}`)
      expect(await engine.upsert([memory])).toMatchObject([{ status: 'stored' }])
      expect(await found('SessionStore')).toEqual([memory.id])
      expect(await engine.figures()).toMatchObject({ stored: 1, withoutEntities: 1 })
    })

    it('says that most texts give no entities, once there are enough of them to judge by (KNOWLEDGE-22)', async () => {
      const texts = Array.from({ length: 20 }, (_, at) => aMemory(`Text ${at}. ${modelMarks.prose}`))
      await engine.upsert(texts)
      const { ready, degraded } = await engine.ready()
      expect(ready).toBe(true)
      expect(degraded.join()).toContain('no entities')
    })

    it('tells why a text failed, and clears the failed record away before it tries again', async () => {
      const memory = aMemory(`The SessionStore. ${modelMarks.refuse}`)
      const [first] = await engine.upsert([memory])
      expect(first).toMatchObject({
        status: 'failed',
        retryable: true,
        message: expect.stringContaining('the model refuses'),
      })
      expect(await engine.holds([memory.id])).toEqual(new Set())
      const [again] = await engine.upsert([memory])
      expect(again).toMatchObject({ status: 'failed', message: expect.stringContaining('the model refuses') })
      server.state.isModelBroken = false
      expect(await engine.upsert([memory])).toEqual([{ id: memory.id, status: 'stored' }])
      expect(server.state.records.size).toBe(1)
      expect(await found('SessionStore')).toEqual([memory.id])
    })

    it('stops waiting when told to, and goes on with the same record when asked again', async () => {
      server.state.isHeld = true
      const memory = aMemory('The SessionStore is late.')
      const [late] = await engine.upsert([memory], AbortSignal.timeout(300))
      expect(late).toMatchObject({ status: 'failed', retryable: true })
      server.state.isHeld = false
      server.state.work()
      expect(await engine.upsert([memory])).toEqual([{ id: memory.id, status: 'stored' }])
      expect(server.state.calls.filter((call) => call === 'POST /documents/text')).toHaveLength(1)
    })

    it('is not ready when it refuses our key, nor once it has gone away, and is again when it is back (MEMORY-HEALTH-4)', async () => {
      await expect(engineAt(server.url, 'wrong').ready()).resolves.toMatchObject({
        ready: false,
        reasons: ['LightRAG answered 403 to /documents/pipeline_status'],
      })
      let isAway = false
      const goes = engineAt(server.url, apiKey, (url, init) =>
        isAway ? Promise.reject(new TypeError('fetch failed')) : fetch(url, init),
      )
      await expect(goes.ready()).resolves.toMatchObject({ ready: true })
      isAway = true
      await expect(goes.ready()).resolves.toMatchObject({
        ready: false,
        reasons: ['LightRAG did not answer /documents/pipeline_status'],
      })
      isAway = false
      await expect(goes.ready()).resolves.toMatchObject({ ready: true })
    })

    it('asks for no more at once than LightRAG gives, however few pass a filter (QUERIES-4)', async () => {
      const [first, last] = [aMemory('The SessionStore is kept.', { repo: 'one' }), aMemory('Another SessionStore.')]
      await engine.upsert([first, last])
      const query = { mode: 'naive', text: 'SessionStore', filter: { repos: ['one'] } } as const
      for (const topK of [10, 200]) {
        const { chunks } = await engine.retrieve({ ...query, topK })
        expect(chunks.map((chunk) => chunk.memoryId)).toEqual([first.id])
      }
    })

    it('gives the model a part of each passage where all of them together are more than LightRAG takes (QUERIES-12)', async () => {
      const passages = Array.from({ length: 200 }, (_, at) => ({
        score: 1,
        content: `Passage${at} ${'🙂'.repeat(2_000)}`,
        file: `src/${'deep/'.repeat(100)}file-${at}.ts`,
      }))
      const { summary, generatedBy } = await engine.describe('a'.repeat(32_768), passages)
      expect(generatedBy).toBe('llm')
      expect(summary.match(/Passage\d+ 🙂/g)).toHaveLength(200)
      expect(summary.isWellFormed()).toBe(true)
    })

    it('asks a query of one letter in a form that is not refused', async () => {
      await expect(engine.retrieve({ mode: 'naive', text: 'x', topK: 5 })).resolves.toMatchObject({ chunks: [] })
    })

    it('lets the model describe the passages that it is given and no others, filtered or not (QUERIES-14, QUERIES-15)', async () => {
      const [stays, goes] = [
        aMemory('The SessionStore stays. It keeps its tokens well.', { repo: 'one' }),
        aMemory('The SessionStore goes and has a secret.', { repo: 'two' }),
      ]
      await engine.upsert([stays, goes])
      const filter = { repos: ['one'] }
      const { chunks } = await engine.retrieve({ mode: 'naive', text: 'SessionStore', topK: 5, filter })
      const description = await engine.describe('SessionStore', chunks)
      expect(description).toEqual({
        summary: 'What the model says of [1]: The SessionStore stays. It keeps its tokens well.',
        generatedBy: 'llm',
        uses: [0],
      })
      expect(await engine.describe('SessionStore', [])).toEqual({ summary: '', generatedBy: 'extractive', uses: [] })
    })

    it('learns the names that a search is for from the graph, when our rows have lost them', async () => {
      const memory = aMemory('The SessionStore stands in the RedisCluster.')
      await engine.upsert([memory])
      await sql.exec('delete from knowledge_entity')
      await engine.learnEntities('session', 10)
      const { rows } = await sql.query<{ name: string }>('select name from knowledge_entity order by name')
      expect(rows.map((row) => row.name)).toEqual(['RedisCluster', 'SessionStore'])
      await expect(sql.query('select from knowledge_edge')).resolves.toMatchObject({ rowCount: 1 })
    })

    it('says of which version it is and which model embeds (ENGINE-2, KNOWLEDGE-20)', async () => {
      expect(await engine.info()).toMatchObject({
        engine: 'lightrag',
        version: generation === '1.5' ? '1.5.7' : '1.4.9.11',
        llm: true,
        embeddingModel: 'scripted',
      })
    })

    it('is not ready, and throws an engine error, when nobody answers or the key is wrong', async () => {
      const refused = engineAt(server.url, 'wrong')
      await expect(refused.retrieve({ mode: 'naive', text: 'SessionStore', topK: 1 })).rejects.toThrow(EngineError)
      expect(await refused.upsert([aMemory('The SessionStore.')])).toMatchObject([
        { status: 'failed', retryable: true },
      ])
      const nobody = engineAt('http://127.0.0.1:1')
      await expect(nobody.ready()).resolves.toMatchObject({ ready: false })
      await expect(nobody.info()).resolves.toMatchObject({ version: null })
      expect(await nobody.upsert([aMemory('The QueryPlanner.')])).toMatchObject([{ status: 'failed', retryable: true }])
    })

    async function settled(): Promise<void> {
      engine.start()
      await expect.poll(async () => (await engine.figures()).removalsQueued, { timeout: 30_000 }).toBe(0)
    }
  })
}

function engineAt(url: string, key = apiKey, through: Fetch = fetch): RetrievalEngine {
  return createLightRagEngine({
    random: Math.random,
    url,
    apiKey: key,
    sql,
    clock: systemClock,
    fetch: through,
    logger: silentLogger,
    stoppedAfterMs: 300,
    sweepEveryMs: 50,
  })
}
