import { afterAll, beforeAll, expect, it } from 'vitest'
import { migrate } from './migrate.ts'
import { pendingInbox } from './pending-inbox.ts'
import { openMemorySql } from './pglite-memory.ts'
import type { Sql } from './sql.ts'

const rows = 12_000
const all = Array.from({ length: rows }, (_, index) => index + 1)
let sql: Sql
beforeAll(async () => {
  sql = await openMemorySql()
  await migrate(sql)
  await sql.query(
    `insert into inbox (id, actor, shard, key, body, at)
      select n, 'task:t', n % 2, 'k' || n, '{}', n from generate_series(1, $1::int) n`,
    [rows],
  )
})
afterAll(() => sql.close())

async function idsOf(query: Parameters<typeof pendingInbox>[1]): Promise<readonly number[]> {
  return (await pendingInbox(sql, query)).map((row) => row.id)
}

it('gives the oldest rows of the shards that it is asked for, no more than there is room for', async () => {
  expect(await idsOf({ shards: [1], except: [], limit: 3 })).toEqual([1, 3, 5])
  expect(await idsOf({ shards: [0, 1], except: [], limit: 3 })).toEqual([1, 2, 3])
  expect(await idsOf({ shards: [], except: [], limit: 3 })).toEqual([])
})

it('leaves out what is in hand, be it nearly everything, and whatever its order', async () => {
  const inHand = all.filter((id) => id !== 7 && id !== 8 && id !== 11_000).toReversed()
  expect(await idsOf({ shards: [0, 1], except: inHand, limit: 100 })).toEqual([7, 8, 11_000])
  expect(await idsOf({ shards: [1], except: inHand, limit: 100 })).toEqual([7])
  expect(await idsOf({ shards: [0, 1], except: all, limit: 100 })).toEqual([])
})
