import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Sql } from '../../runtime/store/sql.ts'
import { draftOf } from '../testing/drafts.ts'
import { emptyMemoryStore, openMemoryStore } from '../testing/service.ts'
import { storeMemory, type Stored } from './store-memory.ts'

let sql: Sql
let count = 0

beforeAll(async () => {
  sql = await openMemoryStore()
}, 120_000)
afterAll(() => sql?.close())
beforeEach(() => emptyMemoryStore(sql))

function write(content: string, key?: string): Promise<Stored> {
  count += 1
  return sql.tx((tx) => storeMemory(tx, draftOf(content, key), 1000 + count))
}

async function contents(): Promise<string[]> {
  const { rows } = await sql.query<{ content: string }>('select content from memory order by content')
  return rows.map(({ content }) => content)
}

describe('a keyed write of other content', () => {
  test('takes away the memory that its key alone stood for (MEMORIES-16)', async () => {
    const before = await write('one', 'k1')
    expect(await write('two', 'k1')).toMatchObject({ how: 'new', replaced: [before.row.id] })
    expect(await contents()).toEqual(['two'])
    const { rows } = await sql.query('select memory_id from memory_removal')
    expect(rows).toEqual([{ memory_id: before.row.id }])
  })

  test('leaves a memory that another key stands for, until that moves on too (MEMORIES-17)', async () => {
    const { row } = await write('one', 'k1')
    expect(await write('one', 'k2')).toMatchObject({ how: 'same', row: { id: row.id } })
    expect(await write('two', 'k2')).toMatchObject({ replaced: [] })
    expect(await contents()).toEqual(['one', 'two'])
    expect(await write('one', 'k1')).toMatchObject({ how: 'skipped', row: { id: row.id } })
    expect(await write('two', 'k1')).toMatchObject({ how: 'same', replaced: [row.id] })
    expect(await contents()).toEqual(['two'])
  })

  test.each([
    ['first', [undefined, 'k1']],
    ['afterwards', ['k1', undefined]],
  ])('leaves a memory that was written without a key %s (MEMORIES-17)', async (_, keys) => {
    for (const key of keys) await write('one', key)
    expect(await write('two', 'k1')).toMatchObject({ how: 'new', replaced: [] })
    expect(await write('three', 'k1')).toMatchObject({ how: 'new' })
    expect(await contents()).toEqual(['one', 'three'])
  })
})
