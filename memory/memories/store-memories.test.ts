import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Queryable, Sql } from '../../runtime/store/sql.ts'
import { openMemoryStore } from '../testing/service.ts'
import { memoryIdentity } from './identity.ts'
import { maxMetadataKeys, type Metadata } from './memory.ts'
import { storeMemories } from './store-memories.ts'
import { storeMemory, type Draft, type Stored } from './store-memory.ts'

let sql: Sql
beforeAll(async () => {
  sql = await openMemoryStore()
}, 120_000)
afterAll(() => sql?.close())

interface Write {
  readonly content: string
  readonly key: string | undefined
  readonly metadata: Metadata
}

const full = Object.fromEntries(Array.from({ length: maxMetadataKeys }, (_, at) => [`key ${at}`, 'x']))
// Few of each, so that writes meet in texts and keys.
const writes = fc.array(
  fc.record({
    content: fc.constantFrom('one', 'two', 'three', 'it\'s "four",\n{null}'),
    key: fc.constantFrom(undefined, 'k1', 'k2', 'k3'),
    metadata: fc.constantFrom<Metadata>({}, {}, { at: '1' }, { at: '2' }, full),
  }),
  { minLength: 1, maxLength: 8 },
)

/** A store of its own within the one store: nothing of one world meets anything of another. */
class World {
  readonly #name: string
  #count = 0

  constructor(name: string) {
    this.#name = name
  }

  draftOf({ content, key, metadata }: Write): Draft {
    return {
      id: `${this.#name}-${++this.#count}`,
      identity: memoryIdentity(`${this.#name} ${content}`, {}),
      content,
      metadata,
      repo: this.#name,
      file: null,
      key: key === undefined ? undefined : { repo: this.#name, text: key },
      job: null,
    }
  }

  async all(stored: readonly Stored[]): Promise<unknown> {
    const ask = async (text: string): Promise<unknown> => (await sql.query(text, [this.#name])).rows
    const found = [
      stored.map(({ row, ...more }) => ({ id: row.id, metadata: row.metadata, track: row.track_id, ...more })),
      await ask(`select id, content, metadata, status, file, job, track_id, feed_at, created_at, updated_at, is_unkeyed
        from memory where repo = $1 order by id`),
      await ask('select key, memory_id from memory_key where repo = $1 order by key'),
      await ask(`select memory_id from memory_removal where memory_id like $1 || '-%' order by memory_id`),
    ]
    return JSON.parse(JSON.stringify(found).replaceAll(this.#name, 'world'))
  }
}

async function oneByOne(tx: Queryable, drafts: readonly Draft[], now: number): Promise<readonly Stored[]> {
  const stored: Stored[] = []
  for (const draft of drafts) stored.push(await storeMemory(tx, draft, now))
  return stored
}

test('memories that are stored together come out as if one were stored after the other (MEMORIES-16, MEMORIES-17)', async () => {
  let run = 0
  await fc.assert(
    fc.asyncProperty(writes, writes, async (before, after) => {
      run += 1
      const outcomes = []
      for (const [name, store] of [
        ['one', oneByOne],
        ['together', storeMemories],
      ] as const) {
        const world = new World(`${name}${run}`)
        const [earlier, later] = [before, after].map((some) => some.map((write) => world.draftOf(write)))
        await sql.tx((tx) => oneByOne(tx, earlier!, 1000))
        await sql.query(`update memory set status = 'failed' where id = $1`, [earlier![0]!.id])
        outcomes.push(await world.all(await sql.tx((tx) => store(tx, later!, 2000))))
      }
      expect(outcomes[1]).toEqual(outcomes[0])
    }),
    { seed: 57, numRuns: 40 },
  )
}, 120_000)
