import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Sql } from '../../../runtime/store/sql.ts'
import { emptyMemoryStore, openMemoryStore } from '../../testing/service.ts'
import { addEdges, addEntities } from './add-knowledge.ts'
import { assertEdge, listEdges } from './edges.ts'
import { entityIdOf } from './ids.ts'

let sql: Sql
const [from, to] = [entityIdOf('sessionstore'), entityIdOf('rediscluster')]
const draft = { from, to, relation: 'stores_in', description: '', metadata: {} }

beforeAll(async () => {
  sql = await openMemoryStore()
}, 120_000)
afterAll(() => sql?.close())
beforeEach(async () => {
  await emptyMemoryStore(sql)
  await sql.query(
    `insert into engine_memory (memory_id, content_sha, repo, file, metadata) values ('m', 'sha', '', null, '{}')`,
  )
  const names = ['SessionStore', 'RedisCluster']
  await sql.tx((tx) =>
    addEntities(
      tx,
      names.map((name) => ({
        memoryId: 'm',
        key: name.toLowerCase(),
        name,
        type: 'identifier',
        description: '',
        mentions: 1,
      })),
    ),
  )
})

describe('the same edge asserted again', () => {
  test('has its new description and its new metadata beside the earlier ones (EDGES-5)', async () => {
    const metadata = { by: 'ann', since: '2025' }
    const made = await sql.tx((tx) => assertEdge(tx, { ...draft, description: 'first', metadata }))
    expect(made).toMatchObject({ isNew: true, edge: { description: 'first', metadata } })
    const again = await sql.tx((tx) => assertEdge(tx, { ...draft, description: 'second', metadata: { since: '2026' } }))
    const both = { description: 'second', metadata: { by: 'ann', since: '2026' } }
    expect(again).toMatchObject({ isNew: false, edge: { id: made!.edge.id, ...both } })
    expect(await sql.tx((tx) => assertEdge(tx, draft))).toMatchObject({ isNew: false, edge: both })
    expect(await listEdges(sql, { from }, 10)).toMatchObject([both])
  })

  test('keeps what a caller wrote on an edge that memories state (EDGES-5)', async () => {
    const found = { memoryId: 'm', fromKey: 'sessionstore', toKey: 'rediscluster', relation: 'stores_in' }
    const stated = { ...found, description: 'found in a text', tier: 'INFERRED', mentions: 3 } as const
    await sql.tx((tx) => addEdges(tx, [stated]))
    const mine = { description: 'by contract', metadata: { by: 'ann' } }
    expect(await sql.tx((tx) => assertEdge(tx, { ...draft, ...mine }))).toMatchObject({
      isNew: false,
      edge: { ...mine, weight: 3, tier: 'EXTRACTED' },
    })
    await sql.tx((tx) => addEdges(tx, [{ ...stated, description: 'found at much greater length in a text' }]))
    expect(await listEdges(sql, { from }, 10)).toMatchObject([mine])
  })

  test('is refused, and stays as it was, where it would have more than 64 keys (EDGES-5)', async () => {
    const keys = (prefix: string, count: number): Record<string, string> =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`${prefix}${at}`, 'x']))
    await sql.tx((tx) => assertEdge(tx, { ...draft, metadata: keys('a', 60) }))
    const more = sql.tx((tx) => assertEdge(tx, { ...draft, metadata: keys('b', 5) }))
    await expect(more).rejects.toMatchObject({ code: 'invalid-input' })
    expect(await listEdges(sql, { from }, 10)).toMatchObject([{ metadata: keys('a', 60) }])
  })
})
