import { afterAll, beforeAll, expect, it } from 'vitest'
import { pendingInbox } from './pending-inbox.ts'
import { openSharedSql } from '../testing/shared-store.ts'
import type { Sql } from '../sql.ts'

const rows = 12_000
const all = Array.from({ length: rows }, (_, index) => index + 1)
let sql: Sql
beforeAll(async () => {
  sql = await openSharedSql()
  await sql.query(
    `insert into inbox (id, actor, shard, key, body, at)
      select n, 'task:t', n % 2, 'k' || n, '{}', n from generate_series(1, $1::int) n`,
    [rows],
  )
})
afterAll(() => sql.close())

interface Query {
  readonly shards: readonly number[]
  readonly except: readonly number[]
  readonly limit: number
  readonly bytes?: number
  readonly apart?: readonly string[]
}

async function idsOf({ limit: size, bytes = 1_000_000, apart = [], ...query }: Query): Promise<readonly number[]> {
  return (await pendingInbox(sql, { ...query, apart, limit: { size, bytes } })).map((row) => row.id)
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

it('gives no more bytes than there is room for, and one row however large', async () => {
  const query = { shards: [0, 1], except: [], limit: 100 }
  expect(await idsOf({ ...query, bytes: 6 })).toEqual([1, 2, 3])
  expect(await idsOf({ ...query, bytes: 5 })).toEqual([1, 2, 3])
  expect(await idsOf({ ...query, bytes: 1 })).toEqual([1])
})

it('passes over actors that are left alone, however many of their rows come first', async () => {
  await sql.exec(`insert into inbox (id, actor, shard, key, body, at) values (20001, 'task:u', 1, 'k', '{}', 0)`)
  expect(await idsOf({ shards: [0, 1], except: [], limit: 100, apart: ['task:t'] })).toEqual([20_001])
  expect(await idsOf({ shards: [0, 1], except: all, limit: 100, apart: ['task:u'] })).toEqual([])
})
