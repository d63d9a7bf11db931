import type { PGlite } from '@electric-sql/pglite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { resultParsers } from '../result-types.ts'
import { PreparedStatements } from './prepared-statements.ts'

let db: PGlite
let statements: PreparedStatements

beforeAll(async () => {
  const { PGlite: Database, ...protocol } = await import('@electric-sql/pglite')
  db = await Database.create({ parsers: { ...resultParsers } })
  await db.exec('create table kept (n int primary key, body text)')
  statements = new PreparedStatements(db, protocol)
}, 120_000)
afterAll(() => db?.close())

async function preparedCount(text: string): Promise<number> {
  const { rows } = await db.query('select from pg_prepared_statements where statement = $1', [text])
  return rows.length
}

it('parses a statement once, whatever its parameters', async () => {
  const text = 'select $1::int + 1 as n'
  const answers = [await statements.query(text, [1]), await statements.query(text, [41])]
  expect(answers.map(({ rows }) => rows)).toEqual([[{ n: 2 }], [{ n: 42 }]])
  expect(await preparedCount(text)).toBe(1)
})

it.each<[string, unknown[]]>([
  ['select $1::text[] as a, $2::int[] as b, $3::bigint as c', [['x "y"', null, 'ä,{}\\'], [1, null], 2 ** 40]],
  ['select $1::jsonb as a, $2::json as b, $3::boolean as c', ['{"k": [1]}', '"x"', true]],
  [
    'select $1::timestamptz as a, $2::date as b, $3::uuid as c, $4::float8 as d',
    ['2026-01-02', '2026-01-02', null, 0.1],
  ],
  ['select $1::bytea as a, $2::text as b', [Uint8Array.of(0, 255), undefined]],
  ['select where false', []],
  ['insert into kept select n, $1 from generate_series(1, 3) n on conflict (n) do update set body = $1', ['x']],
  ['update kept set body = $1 where n > 1 returning n, body', ['y']],
])('answers %s as PGlite’s own query does', async (text, params) => {
  const { rows, affectedRows, fields } = await db.query(text, params)
  for (const _ of [1, 2]) expect(await statements.query(text, params)).toMatchObject({ rows, affectedRows, fields })
})

it('goes on after a text that is none, a parameter that does not fit and a row that may not be', async () => {
  await expect(statements.query('selekt $1', [1])).rejects.toMatchObject({ code: '42601' })
  const text = 'select $1::int as n'
  await expect(statements.query(text, ['x'])).rejects.toMatchObject({ code: '22P02' })
  expect((await statements.query(text, [3])).rows).toEqual([{ n: 3 }])
  const insert = 'insert into kept (n) values ($1)'
  await statements.query(insert, [9])
  await expect(statements.query(insert, [9])).rejects.toMatchObject({ code: '23505', constraint: 'kept_pkey' })
  await statements.query(insert, [10])
})

it('has what a transaction prepared also after the transaction was rolled back', async () => {
  const text = 'select $1::int * 3 as n'
  await db.exec('begin')
  await statements.query(text, [1])
  await expect(statements.query('select 1 / $1::int', [0])).rejects.toMatchObject({ code: '22012' })
  await expect(statements.query(text, [1])).rejects.toMatchObject({ code: '25P02' })
  await expect(statements.query('select $1::int as new', [1])).rejects.toMatchObject({ code: '25P02' })
  await db.exec('rollback')
  expect((await statements.query(text, [5])).rows).toEqual([{ n: 15 }])
  expect((await statements.query('select $1::int as new', [1])).rows).toEqual([{ new: 1 }])
})

it('sees a column that came and an index that went', async () => {
  const text = 'select body from kept where n = $1'
  await statements.query(text, [2])
  await db.exec('alter table kept drop constraint kept_pkey, add column more int')
  expect((await statements.query(text, [2])).rows).toEqual([{ body: 'y' }])
})

it('holds four hundred statements; others are answered as well', async () => {
  for (let n = 0; n < 450; n += 1)
    expect((await statements.query(`select $1::int + ${n} as n`, [1])).rows).toEqual([{ n: n + 1 }])
  const { rows } = await db.query<{ n: number }>('select count(*)::int as n from pg_prepared_statements')
  expect(rows[0]!.n).toBe(400)
})
