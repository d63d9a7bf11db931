import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Sql } from '../../../runtime/store/sql.ts'
import { ThreadError } from '../../threads/asked-thread.ts'
import { emptyMemoryStore, openMemoryStore } from '../../testing/service.ts'
import { createCommunities } from './communities.ts'
import { membersOf } from './members.ts'

let sql: Sql
let starts = 0
beforeAll(async () => {
  sql = await openMemoryStore()
}, 120_000)
afterAll(() => sql?.close())
beforeEach(async () => {
  starts = 0
  await emptyMemoryStore(sql)
})

const deadThread = (): Worker => new Worker('process.exit(3)', { eval: true })
const goodThread = (): Worker => new Worker(new URL('./communities-worker.ts', import.meta.url))

/** Rings of ten entities; the first two of each are tied twice as often as others. */
async function storeRings(rings: number): Promise<void> {
  await sql.query(
    `insert into knowledge_entity (id, key, name, type)
    select md5('e' || n)::uuid, 'e' || n, 'e' || n, 'name' from generate_series(0, $1::int * 10 - 1) n`,
    [rings],
  )
  await sql.query(
    `insert into knowledge_edge (id, from_id, to_id, relation, tier, weight)
    select md5('k' || n)::uuid, md5('e' || n)::uuid, md5('e' || case n % 10 when 9 then n - 9 else n + 1 end)::uuid,
      'mentioned_with', 'INFERRED', case n % 10 when 0 then 2 else 1.5 end
    from generate_series(0, $1::int * 10 - 1) n`,
    [rings],
  )
  await sql.exec('update engine_index set version = 1')
}

async function stored(): Promise<readonly object[]> {
  const { rows } = await sql.query(
    'select entity_id as id, community, centrality from engine_community order by entity_id',
  )
  return rows
}

/** As they are found without a thread. */
async function expected(): Promise<readonly object[]> {
  const { rows } = await sql.query<{ line: string }>(
    `select concat_ws(' ', from_id, to_id, weight) as line from knowledge_edge`,
  )
  const { ids, communities, centralities } = membersOf(rows.map(({ line }) => line))
  return ids.map((id, at) => ({ id, community: communities[at], centrality: centralities[at] }))
}

function counted(start: () => Worker): () => Worker {
  return () => {
    starts += 1
    return start()
  }
}

describe('the communities of an index', () => {
  test('are found here where the graph is small, and each ring is one', async () => {
    await storeRings(4)
    await createCommunities(sql, counted(deadThread)).refresh()
    const members = await stored()
    expect(starts).toBe(0)
    expect(members).toEqual(await expected())
    expect(new Set(members.map((one) => (one as { community: number }).community))).toEqual(new Set([0, 1, 2, 3]))
  })

  test('are found in a thread where the graph is large, and are the same', async () => {
    await storeRings(300)
    await createCommunities(sql, counted(goodThread)).refresh()
    expect(starts).toBe(1)
    const members = await stored()
    expect(members).toHaveLength(3_000)
    expect(members).toEqual(await expected())
  })

  test('are found by a second thread where the first dies, and stay as they were where both do', async () => {
    await storeRings(300)
    const dying = createCommunities(sql, counted(deadThread))
    await expect(dying.refresh()).rejects.toBeInstanceOf(ThreadError)
    expect([starts, await stored()]).toEqual([2, []])
    const reviving = createCommunities(sql, () => ((starts += 1) === 3 ? deadThread() : goodThread()))
    await reviving.refresh()
    expect([starts, (await stored()).length]).toEqual([4, 3_000])
  })

  test('of an index without ties are none', async () => {
    await sql.exec('update engine_index set version = 1')
    await createCommunities(sql, counted(deadThread)).refresh()
    expect([starts, await stored()]).toEqual([0, []])
  })
})
