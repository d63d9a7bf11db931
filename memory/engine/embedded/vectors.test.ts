import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startLightRagModel, vectorOf, type LightRagModel } from '../../../standins/lightrag/model.ts'
import { systemClock } from '../../../runtime/clock.ts'
import { silentLogger } from '../../../runtime/logger.ts'
import type { Sql } from '../../../runtime/store/sql.ts'
import { emptyMemoryStore, openMemoryStore } from '../../testing/service.ts'
import { aMemory } from '../contract/engine-contract.ts'
import { createEmbedder, type Embedder } from '../embeddings/embedder.ts'
import { createVectorFeed } from '../embeddings/vector-feed.ts'
import { storeVectors } from '../embeddings/vectors.ts'
import type { RetrievalEngine } from '../port.ts'
import { createEmbeddedEngine } from './engine.ts'

let sql: Sql

beforeAll(async () => {
  sql = await openMemoryStore()
})
afterAll(() => sql?.close())

describe('the embedded engine with embeddings', () => {
  let model: LightRagModel
  let embedder: Embedder
  let engine: RetrievalEngine

  beforeEach(async () => {
    await emptyMemoryStore(sql)
    model = await startLightRagModel()
    embedder = createEmbedder({ url: model.url, model: 'scripted', fetch, clock: systemClock })
    engine = engineWith(embedder)
  })
  afterEach(() => model.close())

  function engineWith(given: Embedder): RetrievalEngine {
    return createEmbeddedEngine({ sql, clock: systemClock, random: Math.random, logger: silentLogger, embedder: given })
  }

  /** One whose vectors ignore the words: everything is near to everything that names a colour. */
  function byColour(): Embedder {
    const colours = /red|crimson|scarlet/
    return { model: 'colours', embed: async (texts) => texts.map((text) => (colours.test(text) ? [1, 0.1] : [0.1, 1])) }
  }

  it('asks an endpoint of the OpenAI API for one vector a text, in its order', async () => {
    const texts = ['alpha beta', 'gamma']
    expect(await embedder.embed(texts)).toEqual(texts.map((text) => [...vectorOf(text)]))
  })

  it('refuses vectors of more than 2,000 dimensions, and says so (ENGINE-4)', async () => {
    const of = (dimensions: number) => [{ no: 1, vector: Array.from({ length: dimensions }, () => 0.5) }]
    await expect(storeVectors(sql, 'm', of(2_001))).rejects.toThrow(
      'vectors of 2001 dimensions: use a model with 1 to 2000',
    )
    await expect(storeVectors(sql, 'm', of(2_000))).resolves.toBeUndefined()
  })

  it('is not ready from its start with a model of more dimensions than the store indexes, and says so (ENGINE-4)', async () => {
    const large = engineWith({
      model: 'large',
      embed: async (texts) => texts.map(() => Array.from({ length: 3_072 }, () => 0.5)),
    })
    large.start()
    await large.stop()
    await expect(large.ready()).resolves.toMatchObject({
      ready: false,
      reasons: [expect.stringContaining('vectors of 3072 dimensions: use a model with 1 to 2000')],
    })
  })

  it('says which model it embeds with, and that naive scores are fused (ENGINE-2)', async () => {
    expect(await engine.info()).toMatchObject({
      embeddings: 'openai-compatible',
      embeddingModel: 'scripted',
      scoreKinds: { naive: 'fused' },
    })
  })

  it('finds by meaning what shares no word with the query, beside what does (KNOWLEDGE-5, ENGINE-3)', async () => {
    const coloured = engineWith(byColour())
    const [near, literal] = [aMemory('a crimson roof'), aMemory('the word scarlet-red itself')]
    await coloured.upsert([near, literal, aMemory('green grass')])
    const { chunks, scoreKind } = await coloured.retrieve({ mode: 'naive', text: 'red', topK: 2 })
    expect(scoreKind).toBe('fused')
    expect(chunks.map((chunk) => chunk.memoryId).toSorted()).toEqual([near.id, literal.id].toSorted())
  })

  it('filters what is near as it filters what is literal', async () => {
    const coloured = engineWith(byColour())
    const [mine, other] = [aMemory('a crimson roof', { repo: 'mine' }), aMemory('a scarlet door', { repo: 'other' })]
    await coloured.upsert([mine, other])
    const { chunks } = await coloured.retrieve({ mode: 'naive', text: 'red', topK: 5, filter: { repos: ['mine'] } })
    expect(chunks.map((chunk) => chunk.memoryId)).toEqual([mine.id])
  })

  it('finds by meaning within a repository, however many of another are nearer (QUERIES-6)', async () => {
    const shades: Embedder = {
      model: 'shades',
      embed: async (texts) => texts.map((text) => (text.includes('crimson') ? [1, 0.9] : [1, 0.1])),
    }
    const coloured = engineWith(shades)
    const loud = Array.from({ length: 1_100 }, (_, at) => aMemory(`a scarlet door ${at}`, { repo: 'loud' }))
    const quiet = aMemory('a crimson roof beside grass', { repo: 'quiet' })
    await coloured.upsert([quiet, ...loud])
    for (const mode of ['naive', 'hybrid'] as const) {
      const { chunks } = await coloured.retrieve({ mode, text: 'red', topK: 5, filter: { repos: ['quiet'] } })
      expect(chunks.map((chunk) => chunk.memoryId)).toEqual([quiet.id])
    }
  }, 60_000)

  it('stores and finds by words while the model is away, says so, and brings the vectors when it is back (ENGINE-5, QUERIES-19)', async () => {
    let isAway = true
    const real = byColour()
    const moody: Embedder = {
      model: real.model,
      embed: (texts) => (isAway ? Promise.reject(new Error('nobody answers')) : real.embed(texts)),
    }
    const coloured = engineWith(moody)
    const memory = aMemory('a crimson roof')
    expect(await coloured.upsert([memory])).toMatchObject([{ id: memory.id, status: 'partial' }])
    const before = await coloured.retrieve({ mode: 'naive', text: 'roof', topK: 5 })
    expect(before).toMatchObject({ scoreKind: 'bm25', chunks: [{ memoryId: memory.id }] })
    expect((await coloured.info()).scoreKinds.naive).toBe('bm25')
    await expect(coloured.ready()).resolves.toMatchObject({
      ready: true,
      degraded: [expect.stringContaining('nobody answers')],
    })
    isAway = false
    await createVectorFeed({
      sql,
      clock: systemClock,
      random: Math.random,
      embedder: moody,
      logger: silentLogger,
    }).addMissing()
    const after = await coloured.retrieve({ mode: 'naive', text: 'red', topK: 5 })
    expect(after).toMatchObject({ scoreKind: 'fused', chunks: [{ memoryId: memory.id }] })
  })

  it('keeps the vectors of each model apart, of whatever length they are', async () => {
    const memory = aMemory('a crimson roof')
    await engine.upsert([memory])
    const coloured = engineWith(byColour())
    await createVectorFeed({
      sql,
      clock: systemClock,
      random: Math.random,
      embedder: byColour(),
      logger: silentLogger,
    }).addMissing()
    const { chunks } = await coloured.retrieve({ mode: 'naive', text: 'scarlet', topK: 5 })
    expect(chunks.map((chunk) => chunk.memoryId)).toEqual([memory.id])
  })

  it('forgets the vectors of a memory that goes', async () => {
    const memory = aMemory('alpha beta gamma')
    await engine.upsert([memory])
    await engine.remove([memory.id])
    const { chunks } = await engine.retrieve({ mode: 'naive', text: 'alpha beta gamma', topK: 5 })
    expect(chunks).toEqual([])
  })

  it('is told of an endpoint that answers something else, and goes on by words', async () => {
    const odd = createEmbedder({
      url: 'http://127.0.0.1:1/v1',
      model: 'odd',
      clock: systemClock,
      fetch: async () => Response.json({ data: [{ index: 0, embedding: ['no number'] }] }),
    })
    await expect(odd.embed(['alpha'])).rejects.toThrow('breaks its schema')
    const short = createEmbedder({
      url: 'http://127.0.0.1:1/v1',
      model: 'odd',
      clock: systemClock,
      fetch: async () => Response.json({ data: [] }),
    })
    await expect(short.embed(['alpha'])).rejects.toThrow('other vectors')
  })
})
