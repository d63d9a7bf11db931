/** What every store gives alike, whatever its driver's habits (see `sql.ts`). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ColumnArray } from '../columns.ts'
import type { Sql } from '../sql.ts'

export function sqlContract(store: string, open: () => Promise<Sql>): void {
  describe(`queries on ${store}`, () => {
    let sql: Sql
    beforeAll(async () => {
      sql = await open()
      await sql.exec('drop table if exists sql_contract; create table sql_contract (id bigint primary key, body text)')
    })
    afterAll(async () => {
      await sql.exec('drop table sql_contract')
      await sql.close()
    })

    it('give each type one form', async () => {
      const { rows } =
        await sql.query(`select 5::int8 as small, 9007199254740991::int8 as large, '{"a":[1]}'::jsonb as b, '{"a":1}'::json as j,
        true as t, 1.5::float8 as f, '2026-01-02'::date as d, '2026-01-02 03:04:05'::timestamp as ts, null as n, array['x', null] as texts, array[1, 2]::int[] as ints`)
      expect(rows).toEqual([
        {
          small: 5,
          large: 9007199254740991,
          b: { a: [1] },
          j: { a: 1 },
          t: true,
          f: 1.5,
          d: '2026-01-02',
          ts: '2026-01-02 03:04:05',
          n: null,
          texts: ['x', null],
          ints: [1, 2],
        },
      ])
    })

    it('say as often as they are asked that they take writes', async () => {
      for (let time = 0; time < 3; time += 1) expect(await sql.probe?.()).toBeUndefined()
    })

    it('refuse an int8 that a number does not hold exactly', async () => {
      await expect(sql.query('select 9007199254740993::int8 as x')).rejects.toThrow(/9007199254740993/)
    })

    it('take arrays of every column type, with odd text and nulls', async () => {
      const texts = ['a,b', '{"x":"\\u0000 y\\\\"}', "it's", null, '']
      const { rows } = await sql.query('select * from unnest($1::text[], $2::bigint[], $3::boolean[]) as r(t, n, b)', [
        texts,
        [1, 2, 3, 4, 5e12],
        [true, false, true, false, true],
      ])
      expect(rows.map((row) => row['t'])).toEqual(texts)
      expect(rows.at(-1)).toMatchObject({ n: 5e12, b: true })
      expect((await sql.query('select * from unnest($1::text[]) as r(t)', [[]])).rows).toEqual([])
    })

    it('take columns of rows, of every type, as they take arrays', async () => {
      const texts = ['a,b', '{"x":"\\u0000 y\\\\"}', null, '', 'é𝄞'.repeat(40_000)]
      const numbers = [0, -1, null, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]
      const { rows } = await sql.query(
        'select * from unnest($1::text[], $2::bigint[], $3::int[], $4::boolean[]) as r(t, n, i, b)',
        [
          new ColumnArray('text', texts),
          new ColumnArray('bigint', numbers),
          new ColumnArray('int', [0, 1, -1, 2_147_483_647, -2_147_483_648]),
          new ColumnArray('boolean', [true, false, null, true, false]),
        ],
      )
      expect(rows.map((row) => row['t'])).toEqual(texts)
      expect(rows.map((row) => row['n'])).toEqual(numbers)
      expect(rows.map((row) => row['i'])).toEqual([0, 1, -1, 2_147_483_647, -2_147_483_648])
      expect(rows.map((row) => row['b'])).toEqual([true, false, null, true, false])
      expect((await sql.query('select * from unnest($1::int[]) as r(n)', [new ColumnArray('int', [])])).rows).toEqual(
        [],
      )
    })

    it('count the rows that were read or changed', async () => {
      await sql.query('insert into sql_contract select n, $1 from generate_series(1, 3) n', ['x'])
      expect((await sql.query('update sql_contract set body = $1 where id < 3', ['y'])).rowCount).toBe(2)
      expect((await sql.query('select id from sql_contract')).rowCount).toBe(3)
      expect((await sql.query('delete from sql_contract')).rowCount).toBe(3)
    })

    it('say what was wrong by SQLSTATE and constraint', async () => {
      await sql.query('insert into sql_contract values (1, null)')
      await expect(sql.query('insert into sql_contract values (1, null)')).rejects.toMatchObject({
        name: 'SqlError',
        code: '23505',
        constraint: 'sql_contract_pkey',
      })
      await expect(sql.query('select $1::text', ['\u0000'])).rejects.toMatchObject({ code: '22021' })
      expect((await sql.query('select id from sql_contract')).rows).toEqual([{ id: 1 }])
    })

    it('commit a transaction as a whole, or nothing of one that threw', async () => {
      await sql.exec('delete from sql_contract')
      const failing = sql.tx(async (tx) => {
        await tx.query('insert into sql_contract values (1, $1)', ['lost'])
        throw new Error('no')
      })
      await expect(failing).rejects.toThrow('no')
      expect(
        await sql.tx(
          async (tx) => (await tx.query('insert into sql_contract values (2, $1) returning id', ['kept'])).rows,
        ),
      ).toEqual([{ id: 2 }])
      expect((await sql.query('select id from sql_contract')).rows).toEqual([{ id: 2 }])
    })

    it('keep a transaction apart from what others do meanwhile', async () => {
      await sql.exec('delete from sql_contract')
      const inside = sql.tx(async (tx) => {
        await tx.query('insert into sql_contract values (1, null)')
        throw new Error('undone')
      })
      const outside = sql.query('insert into sql_contract values (2, null)')
      await Promise.allSettled([inside, outside])
      expect((await sql.query('select id from sql_contract')).rows).toEqual([{ id: 2 }])
    })
  })
}
