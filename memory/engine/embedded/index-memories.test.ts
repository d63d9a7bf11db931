import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { systemClock } from '../../../runtime/clock.ts'
import { silentLogger } from '../../../runtime/logger.ts'
import type { Sql } from '../../../runtime/store/sql.ts'
import { emptyMemoryStore, openMemoryStore } from '../../testing/service.ts'
import { aMemory } from '../contract/engine-contract.ts'
import type { EngineMemory, RetrievalEngine } from '../port.ts'
import { createEmbeddedEngine } from './engine.ts'
import { prepare } from './prepare.ts'

let sql: Sql
let engine: RetrievalEngine
/** Before each transaction of the engine: which one it is, from 1. */
let before: (transaction: number) => void | Promise<void> = () => undefined
let transactions = 0

beforeAll(async () => {
  sql = await openMemoryStore()
  const observed: Sql = {
    ...sql,
    query: (text, params) => sql.query(text, params),
    exec: (text) => sql.exec(text),
    close: () => sql.close(),
    tx: async (run) => {
      await before((transactions += 1))
      return sql.tx(run)
    },
  }
  engine = createEmbeddedEngine({ sql: observed, clock: systemClock, random: Math.random, logger: silentLogger })
}, 120_000)
afterAll(async () => {
  await engine?.stop()
  await sql?.close()
})
beforeEach(async () => {
  ;[before, transactions] = [() => undefined, 0]
  await emptyMemoryStore(sql)
})

/** Of 48 chunks, each with names of its own and names of all: transactions 2 and 3 write entities, 4 to 7 edges, 8 to 10 chunks. */
function aLargeMemory(more: Partial<EngineMemory> = {}): EngineMemory {
  const lines = Array.from(
    { length: 800 },
    (_, at) =>
      `The SessionStore${at % 300} asks the LedgerTable for [its tokens](docs/${at % 40}.md), once an hour at least.`,
  )
  return aMemory(lines.join('\n'), { file: 'docs/large.md', ...more })
}

/** What the index counts, and what of it is not so. */
async function counted(): Promise<object> {
  const { rows } = await sql.query(
    `select i.memories::int, i.chunks::int, i.length::int, (select count(*)::int from engine_chunk) as rows_of_chunks,
      (select count(*)::int from engine_term t
        where t.chunks <> (select count(*) from engine_posting p where p.term_id = t.id)) as wrong_terms,
      (select count(*)::int from engine_posting p
        where not exists (select from engine_chunk c where c.no = p.chunk_no)) as orphans,
      (select count(*)::int from knowledge_entity) as entities, (select count(*)::int from knowledge_edge) as edges,
      (select coalesce(sum(mentions), 0)::int from knowledge_entity_source) as mentions,
      (select coalesce(sum(weight), 0)::int from knowledge_edge) as weight,
      (select count(*)::int from engine_mention) as mentioning
    from engine_index i`,
  )
  return rows[0]!
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0)

function expectedOf(memory: EngineMemory): object {
  const { chunks, entities, edges } = prepare(memory)
  return {
    memories: 1,
    chunks: chunks.length,
    length: sum(chunks.map((chunk) => chunk.length)),
    rows_of_chunks: chunks.length,
    wrong_terms: 0,
    orphans: 0,
    entities: entities.length,
    edges: edges.length,
    mentions: sum(entities.map((one) => one.mentions)),
    weight: sum(edges.map((one) => one.mentions)),
    mentioning: sum(chunks.map((chunk) => chunk.mentions.length)),
  }
}

test('a large memory is written in transactions between which others have the store, and is whole after the last', async () => {
  const memory = aLargeMemory()
  const seen: number[] = []
  before = async () => {
    const { rows } = await sql.query<{ chunks: number }>('select chunks::int from engine_index')
    seen.push(rows[0]!.chunks)
  }
  expect(await engine.upsert([memory])).toMatchObject([{ status: 'stored' }])
  expect(new Set(seen).size).toBeGreaterThan(2)
  expect(await counted()).toEqual(expectedOf(memory))
  transactions = 0
  expect(await engine.upsert([memory])).toMatchObject([{ status: 'stored' }])
  expect([transactions, await counted()]).toEqual([1, expectedOf(memory)])
})

test('small memories share transactions, as many as none of them is long of', async () => {
  const text = aLargeMemory().content
  const memories = Array.from({ length: 30 }, (_, at) => aMemory(text.slice(at * 1_000, (at + 1) * 1_000)))
  const outcomes = await engine.upsert(memories)
  expect(outcomes.map(({ status }) => status)).toEqual(memories.map(() => 'stored'))
  expect(transactions).toBeGreaterThan(2)
  expect(transactions).toBeLessThan(15)
  expect(await counted()).toMatchObject({ memories: 30, wrong_terms: 0, orphans: 0 })
})

test.each([2, 4, 9])('a large memory whose transaction %i failed is whole after the next attempt', async (fatal) => {
  const memory = aLargeMemory()
  before = (transaction) => {
    if (transaction === fatal) throw new Error('the store went away')
  }
  expect(await engine.upsert([memory])).toMatchObject([{ status: 'failed', message: 'the store went away' }])
  expect(await engine.upsert([memory])).toMatchObject([{ status: 'stored' }])
  expect(await counted()).toEqual(expectedOf(memory))
})

test('a large memory that another text replaces leaves nothing of itself', async () => {
  const memory = aLargeMemory()
  await engine.upsert([memory])
  const next = aLargeMemory({ id: memory.id, content: `${memory.content.slice(9_000)}\nThe PaymentQueue is new.` })
  expect(await engine.upsert([next])).toMatchObject([{ status: 'stored' }])
  expect(await counted()).toEqual(expectedOf(next))
})

test.each([2, 4, 9])('a large memory that is removed before its transaction %i stays away', async (place) => {
  const memory = aLargeMemory()
  let isRemoved = false
  before = async (transaction) => {
    if (isRemoved || transaction !== place) return
    isRemoved = true
    await engine.remove([memory.id])
  }
  expect(await engine.upsert([memory])).toMatchObject([
    { status: 'failed', message: 'the memory was taken out of the index while it was put in', retryable: true },
  ])
  expect([...(await engine.holds([memory.id]))]).toEqual([])
  expect(await counted()).toMatchObject({ memories: 0, chunks: 0, length: 0, wrong_terms: 0, entities: 0, edges: 0 })
})
