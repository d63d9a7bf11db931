import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../runtime/clock.ts'
import { silentLogger } from '../../runtime/logger.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import { createEmbeddedEngine } from '../engine/embedded/engine.ts'
import type { RetrievalEngine } from '../engine/port.ts'
import { PostgresGraph } from '../graph/postgres/store.ts'
import { fastClock, interfered, type Interference } from '../ingest/testing/jobs.ts'
import { deleteMemories } from '../memories/delete-memories.ts'
import { findMemory } from '../memories/find-memory.ts'
import { memoryIdentity } from '../memories/identity.ts'
import { storeMemory } from '../memories/store-memory.ts'
import { rebuildMemory } from '../rebuild.ts'
import { emptyMemoryStore, openMemoryStore } from '../testing/service.ts'
import { createFeed, type Feed } from './feed.ts'

const clock = fastClock(20)
let sql: Sql
let engine: RetrievalEngine
let before: Interference = () => undefined

beforeAll(async () => {
  sql = await openMemoryStore()
  const embedded = createEmbeddedEngine({ sql, clock: systemClock, random: Math.random, logger: silentLogger })
  engine = interfered(embedded, () => before)
}, 120_000)
afterAll(() => sql?.close())
beforeEach(async () => {
  before = () => undefined
  await emptyMemoryStore(sql)
})

async function withFeed(use: (feed: Feed) => Promise<void>): Promise<void> {
  const feed = createFeed({ sql, engine, clock, random: () => 0, logger: silentLogger, timeoutMs: 600_000 })
  try {
    await use(feed)
  } finally {
    await feed.stop()
  }
}

let number = 0

async function aRow(content: string): Promise<string> {
  number += 1
  const id = `m-${String(number).padStart(3, '0')}`
  const identity = memoryIdentity(content, {})
  const draft = { id, identity, content, metadata: {}, repo: '', file: null, key: undefined, job: null }
  await sql.tx((tx) => storeMemory(tx, draft, clock.now()))
  return id
}

const statusOf = async (id: string): Promise<string | undefined> => (await findMemory(sql, id))?.status
const soon = { timeout: 60_000, interval: 20 }

describe('the feed', () => {
  test('works off what an earlier process left: rows to bring in, and rows to take out (KNOWLEDGE-17)', async () => {
    const stays = await aRow('The Harbour stays')
    const goes = await aRow('The Harbour goes')
    await withFeed(async (feed) => {
      await feed.put([goes])
      await sql.tx((tx) => deleteMemories(tx, { ids: [goes] }, clock.now()))
    })
    await withFeed(async (feed) => {
      feed.start()
      await expect.poll(() => statusOf(stays), soon).toBe('ready')
      await expect.poll(() => feed.waiting(), soon).toEqual({ memories: 0, removals: 0 })
      expect([...(await engine.holds([stays, goes]))]).toEqual([stays])
    })
  })

  test('F4: feeds metadata that came while the memory was fed (INGEST-18)', async () => {
    const id = await aRow('has more metadata soon')
    let times = 0
    before = async () => {
      times += 1
      if (times === 1) await sql.query(`update memory set metadata = '{"team": "blue"}' where id = $1`, [id])
    }
    await withFeed(async (feed) => {
      await feed.put([id])
      await expect.poll(() => statusOf(id), soon).toBe('ready')
      const { rows } = await sql.query('select metadata from engine_memory where memory_id = $1', [id])
      expect(rows).toEqual([{ metadata: { team: 'blue' } }])
    })
  })

  test('F1: tries again what the engine refuses for now, later each time, and says in the row why it waits', async () => {
    const id = await aRow('refused twice')
    let refusals = 0
    before = () => {
      if (refusals++ < 2) throw new Error('busy')
    }
    await withFeed(async (feed) => {
      feed.start()
      await expect.poll(async () => (await findMemory(sql, id))?.fault, soon).toBe('busy')
      await expect.poll(() => statusOf(id), soon).toBe('ready')
      expect((await findMemory(sql, id))?.fault).toBeNull()
    })
    expect(refusals).toBe(3)
  })

  test('F1: after its last try a row is failed, and nothing asks the engine again (MEMORIES-3)', async () => {
    const id = await aRow('never taken')
    await sql.query('update memory set attempts = 11 where id = $1', [id])
    let asked = 0
    before = () => {
      asked += 1
      throw new Error('no')
    }
    await withFeed(async (feed) => {
      feed.start()
      await expect.poll(() => statusOf(id), soon).toBe('failed')
      feed.wake()
      await feed.waiting()
      expect(asked).toBe(1)
    })
  })

  test('F2: a memory that is deleted while it is fed is taken out again', async () => {
    const id = await aRow('The Harbour vanished')
    const gate = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    before = async () => {
      asked.resolve()
      await gate.promise
    }
    await withFeed(async (feed) => {
      const put = feed.put([id])
      await asked.promise
      await sql.tx((tx) => deleteMemories(tx, { ids: [id] }, clock.now()))
      feed.wake()
      gate.resolve()
      await put
      await expect.poll(() => feed.waiting(), soon).toEqual({ memories: 0, removals: 0 })
      expect([...(await engine.holds([id]))]).toEqual([])
    })
  })

  test('F3: two calls for one memory share a round trip, and an unknown one is absent', async () => {
    const id = await aRow('asked for twice')
    let asked = 0
    before = () => void (asked += 1)
    await withFeed(async (feed) => {
      const [[first], [second]] = await Promise.all([feed.put([id]), feed.put([id])])
      expect([first?.status, second?.status, asked]).toEqual(['stored', 'stored', 1])
      expect(await feed.put(['nobody'])).toEqual([{ status: 'absent' }])
    })
  })

  test('a call that is given up leaves the row to be fed again', async () => {
    const id = await aRow('given up')
    before = () => new Promise(() => undefined)
    await withFeed(async (feed) => {
      const signal = AbortSignal.abort(new Error('timed out'))
      expect(await feed.put([id], signal)).toMatchObject([{ status: 'failed', message: 'timed out', retryable: true }])
      before = () => undefined
      feed.start()
      await expect.poll(() => statusOf(id), soon).toBe('ready')
    })
  })
})

test('F5: what a rebuild empties while it is fed is fed again (KNOWLEDGE-18)', async () => {
  const id = await aRow('The Harbour is fed twice')
  let fed = 0
  const emptied: RetrievalEngine = {
    ...engine,
    upsert: async (memories) => {
      const outcomes = await engine.upsert(memories)
      if (fed++ === 0) await engine.clear((tx) => tx.query(`update memory set status = 'processing', feed_at = 0`))
      return outcomes
    },
  }
  const feed = createFeed({ sql, engine: emptied, clock, random: () => 0, logger: silentLogger, timeoutMs: 600_000 })
  await feed.put([id])
  await expect.poll(() => statusOf(id), soon).toBe('ready')
  expect([fed, [...(await engine.holds([id]))]]).toEqual([2, [id]])
  await feed.stop()
})

test('F5: two feeds of one store do not break each other’s claims, and a late refusal fails no memory that the other fed', async () => {
  const id = await aRow('The Harbour is fed by two')
  const rounds: string[] = []
  const slow = (name: string, refuses: boolean): Feed => {
    const upsert: RetrievalEngine['upsert'] = async (memories) => {
      rounds.push(name)
      if (name === 'one') await other.put([id])
      if (refuses)
        return memories.map((memory) => ({ id: memory.id, status: 'failed', message: 'late', retryable: false }))
      return engine.upsert(memories)
    }
    const random = (): number => (name === 'one' ? 0.2 : 0.8)
    const deps = { sql, clock, random, logger: silentLogger, timeoutMs: 600_000 }
    return createFeed({ ...deps, engine: { ...engine, upsert } })
  }
  const other = slow('other', false)
  for (const refuses of [false, true]) {
    rounds.length = 0
    await sql.query("update memory set status = 'processing', feed_at = 0")
    const one = slow('one', refuses)
    await one.put([id])
    expect([rounds, await statusOf(id)]).toEqual([['one', 'other'], 'ready'])
    await one.stop()
  }
  await other.stop()
})

test('a memory that is deleted while a rebuild feeds it is taken out again (KNOWLEDGE-18)', async () => {
  const id = await aRow('The Harbour goes')
  before = async () => {
    await sql.tx((tx) => deleteMemories(tx, { ids: [id] }, clock.now()))
    await sql.query('delete from memory_removal')
  }
  const rebuilt = await rebuildMemory({ sql, engine, clock, logger: silentLogger, graph: new PostgresGraph(sql) })
  before = () => undefined
  expect(rebuilt).toEqual({ fed: 0, failed: 0, waiting: 0 })
  await withFeed(async (feed) => {
    feed.start()
    await expect.poll(async () => (await engine.holds([id])).size, soon).toBe(0)
  })
})

test('a rebuild that was cut leaves no memory `ready` that the engine has not, says so, and the feed finishes it (KNOWLEDGE-18)', async () => {
  const ids: string[] = []
  for (let index = 0; index < 40; index += 1) ids.push(await aRow(`The Harbour${index} opens`))
  await withFeed(async (feed) => void (await feed.put(ids)))
  await sql.query('update memory set updated_at = 0')
  const cut = rebuildMemory({
    ...{ sql, engine, clock, logger: silentLogger, graph: new PostgresGraph(sql) },
    onProgress: () => {
      throw new Error('killed')
    },
  })
  await expect(cut).rejects.toThrow('killed')
  const held = await engine.holds(ids)
  for (const id of ids) expect([id, await statusOf(id)]).toEqual([id, held.has(id) ? 'ready' : 'processing'])
  await withFeed(async (feed) => {
    expect(await feed.overdue()).toEqual([expect.stringMatching(/^8 stored memories wait for the engine/)])
    feed.start()
    await expect.poll(() => feed.waiting(), soon).toEqual({ memories: 0, removals: 0 })
    expect([(await engine.holds(ids)).size, await feed.overdue()]).toEqual([ids.length, []])
  })
})

test('a rebuild fills the engine from the rows: what only the engine had is gone, what only the rows have is there (KNOWLEDGE-18)', async () => {
  const ids = [await aRow('The Harbour opens'), await aRow('The Lighthouse burns')]
  await engine.upsert([{ id: 'stray', content: 'The Stray was never stored', metadata: {}, repo: '', file: null }])
  const refused = await aRow('refused by the engine')
  before = ({ content }) => {
    if (content.startsWith('refused')) throw new Error('no')
  }
  const graph = new PostgresGraph(sql)
  const told: string[] = []
  const rebuilt = await rebuildMemory({
    sql,
    engine,
    graph,
    clock,
    logger: silentLogger,
    onProgress: (done, total) => told.push(`${done}/${total}`),
  })
  expect(rebuilt).toEqual({ fed: 2, failed: 0, waiting: 1 })
  expect([...(await engine.holds([...ids, refused, 'stray']))].toSorted()).toEqual(ids)
  expect(await Promise.all([...ids, refused].map(statusOf))).toEqual(['ready', 'ready', 'processing'])
  expect(told).toEqual(['3/3'])
  await engine.stop()
})
