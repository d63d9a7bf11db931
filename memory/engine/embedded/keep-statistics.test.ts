import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { silentLogger } from '../../../runtime/logger.ts'
import type { Sql } from '../../../runtime/store/sql.ts'
import { openMemoryStore } from '../../testing/service.ts'
import { createStatisticsKeeper } from './keep-statistics.ts'

let sql: Sql
let observed: Sql
/** What the store was asked, each of them the only thing that it did meanwhile. */
let asked: string[]

beforeAll(async () => {
  sql = await openMemoryStore()
  observed = {
    ...sql,
    exec: (text) => {
      asked.push(text)
      return sql.exec(text)
    },
  }
}, 120_000)
afterAll(() => sql?.close())
beforeEach(() => void (asked = []))

test('an index that has doubled is vacuumed table by table, and others have the store between two of them', async () => {
  const keeper = createStatisticsKeeper(observed, silentLogger)
  await keeper.grown(299)
  expect(asked).toEqual([])
  const vacuums = async (): Promise<number> =>
    (
      await sql.query<{ n: number }>(
        "select sum(vacuum_count)::int as n from pg_stat_user_tables where relname ~ '^(engine|knowledge)_'",
      )
    ).rows[0]!.n
  const before = await vacuums()
  await keeper.grown(1)
  expect(asked.length).toBeGreaterThan(5)
  for (const text of asked) expect(text).toMatch(/^vacuum \(analyze\) \w+$/)
  expect((await vacuums()) - before).toBe(asked.length)
  asked = []
  await keeper.grown(299)
  expect(asked).toEqual([])
  await keeper.grown(1)
  expect(asked).not.toEqual([])
})

test('a vacuum that the store refuses is logged, and the memory stays stored', async () => {
  const warned: unknown[] = []
  const logger = { ...silentLogger, warn: (fields: unknown) => void warned.push(fields) }
  const refusing = { ...observed, exec: () => Promise.reject(new Error('no room')) }
  await createStatisticsKeeper(refusing, logger).grown(1_000)
  expect(warned).toMatchObject([{ err: { message: 'no room' } }])
})
