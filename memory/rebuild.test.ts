import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { systemClock } from '../runtime/clock.ts'
import { silentLogger } from '../runtime/logger.ts'
import type { Queryable, Sql } from '../runtime/store/sql.ts'
import { createEmbeddedEngine } from './engine/embedded/engine.ts'
import type { EngineMemory, RetrievalEngine, UpsertOutcome } from './engine/port.ts'
import { fastClock } from './ingest/testing/jobs.ts'
import { memoryIdentity } from './memories/identity.ts'
import { storeMemory } from './memories/store-memory.ts'
import { rebuildMemory, type Rebuilt } from './rebuild.ts'
import { emptyMemoryStore, openMemoryStore, openTestMemory } from './testing/service.ts'

const clock = fastClock(100)
let sql: Sql
beforeAll(async () => {
  sql = await openMemoryStore()
}, 120_000)
afterAll(() => sql?.close())
beforeEach(() => emptyMemoryStore(sql))

const many = 80
const idOf = (index: number): string => `m-${String(index).padStart(3, '0')}`

/** Rows that an engine had accepted before. */
async function readyRows(): Promise<void> {
  for (let index = 0; index < many; index += 1) {
    const content = `text ${index}`
    const draft = { content, metadata: {}, repo: '', file: null, key: undefined, job: null }
    await sql.tx((tx) =>
      storeMemory(tx, { id: idOf(index), identity: memoryIdentity(content, {}), ...draft }, clock.now()),
    )
  }
  await sql.query("update memory set status = 'ready', attempts = 7, feed_at = 9e15")
}

/** Rebuilds with an engine that answers each memory as `answer` says, by how often it was given before. */
async function rebuilt(
  answer: (memory: EngineMemory, before: number) => UpsertOutcome,
  name = 'embedded',
): Promise<{
  readonly result: Rebuilt
  readonly statuses: Record<string, number>
  readonly given: Map<string, number>
}> {
  const given = new Map<string, number>()
  const engine = {
    start: () => undefined,
    info: async () => ({ engine: name }),
    clear: (also: (tx: Queryable) => Promise<unknown>) => sql.tx(also),
    upsert: async (memories: readonly EngineMemory[]) =>
      memories.map((memory) => {
        const before = given.get(memory.id) ?? 0
        given.set(memory.id, before + 1)
        return answer(memory, before)
      }),
  } as unknown as RetrievalEngine
  const graph = { rebuild: async () => undefined } as never
  const result = await rebuildMemory({ sql, engine, graph, clock, logger: silentLogger })
  const { rows } = await sql.query<{ status: string; count: number }>(
    'select status, count(*) as count from memory group by status',
  )
  return { result, statuses: Object.fromEntries(rows.map(({ status, count }) => [status, count])), given }
}

const stored = ({ id }: EngineMemory): UpsertOutcome => ({ id, status: 'stored' })
const refused = ({ id }: EngineMemory, retryable: boolean): UpsertOutcome => {
  return { id, status: 'failed', message: 'current transaction is aborted', retryable }
}

test('a rebuild gives again what the engine refused for now, until all is there (KNOWLEDGE-19)', async () => {
  await readyRows()
  const { result, statuses, given } = await rebuilt((memory, before) =>
    Number(memory.id.slice(2)) % 3 === 0 && before < 3 ? refused(memory, true) : stored(memory),
  )
  expect(result).toEqual({ fed: many, failed: 0, waiting: 0 })
  expect(statuses).toEqual({ ready: many })
  expect([given.get(idOf(0)), given.get(idOf(1))]).toEqual([4, 1])
})

test('a rebuild ends where the engine refuses a memory each time, and leaves it to the feed, not `failed` (KNOWLEDGE-19)', async () => {
  await readyRows()
  const { result, statuses, given } = await rebuilt((memory) =>
    memory.id === idOf(40) ? refused(memory, true) : stored(memory),
  )
  expect(result).toEqual({ fed: many - 1, failed: 0, waiting: 1 })
  expect(statuses).toEqual({ ready: many - 1, processing: 1 })
  expect(given.get(idOf(40))).toBe(6)
  const { rows } = await sql.query<{ attempts: number; isDue: boolean }>(
    'select attempts, feed_at <= $2 as "isDue" from memory where id = $1',
    [idOf(40), clock.now()],
  )
  expect(rows).toEqual([{ attempts: 0, isDue: true }])
})

test('a rebuild gives once what the engine refuses for good', async () => {
  await readyRows()
  const { result, statuses, given } = await rebuilt((memory) =>
    memory.id === idOf(40) ? refused(memory, false) : stored(memory),
  )
  expect(result).toEqual({ fed: many - 1, failed: 1, waiting: 0 })
  expect(statuses).toEqual({ ready: many - 1, failed: 1 })
  expect(given.get(idOf(40))).toBe(1)
})

/** What a service with an engine of that name feeds it from its start on, until every memory is ready. */
async function fedByServiceOf(name: 'embedded' | 'lightrag'): Promise<readonly string[]> {
  const fed: string[] = []
  const engine = (own: Sql): RetrievalEngine => {
    const real = createEmbeddedEngine({ sql: own, clock: systemClock, random: Math.random, logger: silentLogger })
    return {
      ...real,
      info: async () => ({ ...(await real.info()), engine: name }),
      async upsert(memories, signal) {
        fed.push(...memories.map(({ id }) => id))
        return real.upsert(memories, signal)
      },
    }
  }
  const memory = await openTestMemory({ sql, engine })
  try {
    const ready = async (): Promise<number> =>
      (await sql.query<{ count: number }>("select count(*) as count from memory where status = 'ready'")).rows[0]!.count
    await expect.poll(ready, { timeout: 60_000 }).toBe(many)
    return fed.toSorted()
  } finally {
    await memory.close()
  }
}

test('a service whose engine is another one than was fed last feeds it every memory, once (KNOWLEDGE-26)', async () => {
  await readyRows()
  const all = Array.from({ length: many }, (_, index) => idOf(index))
  expect(await fedByServiceOf('embedded')).toEqual([])
  expect(await fedByServiceOf('lightrag')).toEqual(all)
  expect(await fedByServiceOf('lightrag')).toEqual([])
  expect(await fedByServiceOf('embedded')).toEqual(all)
})

test('a service does not feed anew what a rebuild has fed to the same engine (KNOWLEDGE-26)', async () => {
  await readyRows()
  expect(await fedByServiceOf('embedded')).toEqual([])
  await rebuilt(stored, 'lightrag')
  expect(await fedByServiceOf('lightrag')).toEqual([])
})
