import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../runtime/clock.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import { openMemoryStore } from '../testing/service.ts'
import { takingFeed } from '../testing/taking-feed.ts'
import { storeItems, type ItemResult } from './store-items.ts'

let sql: Sql
beforeAll(async () => {
  sql = await openMemoryStore()
}, 120_000)
afterAll(() => sql?.close())

let ids = 0

/** Stores items of a job that reconciles their files, two items each; gives how often the store was asked meanwhile. */
async function stored(job: string, count: number): Promise<{ asked: number; results: readonly ItemResult[] }> {
  await sql.query(`insert into ingest_job (id, created_at, is_staged, repo, total) values ($1, 1, false, 'r', $2)`, [
    job,
    count,
  ])
  await sql.query(
    `insert into ingest_item (job, index, idempotency_key, content, metadata, file)
    select $1, i, 'key ' || i, $1 || i, '{"repo": "r"}', 'f' || (i / 2) from generate_series(0, $2 - 1) i`,
    [job, count],
  )
  await sql.query('insert into ingest_file (job, file) select distinct job, file from ingest_item where job = $1', [
    job,
  ])
  let asked = 0
  const counting: Sql = {
    ...sql,
    query: (text, params) => ((asked += 1), sql.query(text, params)),
    tx: (run) =>
      sql.tx((tx) => run({ exec: tx.exec, query: (text, params) => ((asked += 1), tx.query(text, params)) })),
  }
  const results = await storeItems(
    {
      sql: counting,
      feed: takingFeed,
      clock: systemClock,
      ids: { next: () => `m-${++ids}` },
      logActionFor: () => undefined,
      keptMs: 0,
    },
    job,
    'r',
    Array.from({ length: count }, (_, index) => index),
    new AbortController().signal,
  )
  return { asked, results }
}

test('the store is asked as often for sixteen items as for two, so that nobody beside them waits longer', async () => {
  await stored('earlier', 16)
  const few = await stored('few', 2)
  const many = await stored('many', 16)
  expect(many.asked).toBe(few.asked)
})

test('the first item of each file says how many memories of it went', async () => {
  await stored('before', 6)
  const { results } = await stored('after', 6)
  expect(results.map((result) => result.outcome === 'stored' && result.purged)).toEqual([2, 0, 2, 0, 2, 0])
  const { rows } = await sql.query('select content from memory where file in ($1, $2, $3) order by content', [
    'f0',
    'f1',
    'f2',
  ])
  expect(rows.map((row) => row['content'])).toEqual([0, 1, 2, 3, 4, 5].map((at) => `after${at}`))
})
