/**
 * What callers of one store may rely on while others use it: transactions and plain statements side by side, whatever the
 * store itself does between them. PGlite has one session for all of them, a server one for each.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Queryable, Sql } from '../sql.ts'

/** Above the 64 MiB of WAL after which the store in files checkpoints and vacuums (`pglite/pglite-session.ts`). */
const rowsToCheckpoint = 70_000
const fill = 'insert into overlap_bulk select repeat(md5(n::text), 32) from generate_series(1, $1::int) n'

export function overlapContract(store: string, open: () => Promise<Sql>, manyRows = rowsToCheckpoint): void {
  describe(`callers that overlap on ${store}`, () => {
    let sql: Sql
    beforeAll(async () => {
      sql = await open()
      await sql.exec(`drop table if exists overlap, overlap_bulk, overlap_worn;
        create table overlap (caller int, n int, unique (caller, n));
        create table overlap_bulk (body text);
        create table overlap_worn (n int) with (autovacuum_enabled = off)`)
    })
    beforeEach(() => sql.exec('truncate overlap, overlap_bulk'))
    afterAll(async () => {
      await sql.exec('drop table overlap, overlap_bulk, overlap_worn')
      await sql.close()
    })

    const insert = (on: Queryable, caller: number, n: number): Promise<unknown> =>
      on.query('insert into overlap values ($1::int, $2::int)', [caller, n])
    const countOf = async (on: Queryable, caller: number): Promise<number> =>
      (await on.query<{ n: number }>('select count(*) as n from overlap where caller = $1::int', [caller])).rows[0]!.n
    const callers = async (): Promise<Readonly<Record<string, number>>> => {
      const { rows } = await sql.query<{ caller: number; n: number }>(
        'select caller, count(*) as n from overlap group by caller order by caller',
      )
      return Object.fromEntries(rows.map(({ caller, n }) => [caller, n]))
    }

    it('each have their whole transaction, however many run at once', async () => {
      const seen = await Promise.all(
        Array.from({ length: 12 }, (_, caller) =>
          sql.tx(async (tx) => {
            for (let n = 0; n < 5; n += 1) await insert(tx, caller, n)
            return countOf(tx, caller)
          }),
        ),
      )
      expect(seen).toEqual(Array.from({ length: 12 }, () => 5))
      expect(Object.values(await callers())).toEqual(seen)
    })

    it('see of a transaction all or nothing', async () => {
      const writing = sql.tx(async (tx) => {
        for (let n = 0; n < 8; n += 1) await insert(tx, 1, n)
      })
      const seen = await Promise.all(Array.from({ length: 8 }, () => countOf(sql, 1)))
      await writing
      expect(seen.filter((n) => n !== 0 && n !== 8)).toEqual([])
      expect(await countOf(sql, 1)).toBe(8)
    })

    it('lose nothing by a transaction beside them that failed', async () => {
      const settled = await Promise.allSettled(
        [1, 2, 3, 4, 5, 6].map((caller) =>
          sql.tx(async (tx) => {
            await insert(tx, caller, 1)
            if (caller % 2 === 0) await insert(tx, caller, 1)
          }),
        ),
      )
      await insert(sql, 7, 1)
      expect(settled.map(({ status }) => status)).toEqual([1, 2, 3].flatMap(() => ['fulfilled', 'rejected']))
      expect(await callers()).toEqual({ 1: 1, 3: 1, 5: 1, 7: 1 })
    })

    it('are refused on the handle of a transaction that has ended, however it ended (STORE-FACT-4)', async () => {
      const ended: Queryable[] = []
      await sql.tx(async (tx) => void ended.push(tx))
      const undone = sql.tx(async (tx) => {
        ended.push(tx)
        throw new Error('undone')
      })
      await expect(undone).rejects.toThrow('undone')
      for (const tx of ended) {
        await expect(insert(tx, 1, 1)).rejects.toMatchObject({ name: 'SqlError', code: '25P01' })
        await expect(tx.exec('insert into overlap values (1, 2)')).rejects.toMatchObject({ code: '25P01' })
      }
      expect(await callers()).toEqual({})
    })

    it('write nothing into the transaction of another one by a handle of their own that has ended (STORE-FACT-4)', async () => {
      const ended: Queryable[] = []
      await sql.tx(async (tx) => void ended.push(tx))
      await sql.tx(async (tx) => {
        await insert(tx, 1, 1)
        await expect(insert(ended[0]!, 2, 1)).rejects.toMatchObject({ code: '25P01' })
        expect(await countOf(tx, 2)).toBe(0)
      })
      expect(await callers()).toEqual({ 1: 1 })
    })

    it('have nothing committed of a transaction whose statement failed, though they went on (STORE-FACT-5)', async () => {
      const goingOn = sql.tx(async (tx) => {
        await insert(tx, 1, 1)
        await expect(insert(tx, 1, 1)).rejects.toMatchObject({ code: '23505' })
        await expect(insert(tx, 2, 1)).rejects.toMatchObject({ name: 'SqlError', code: '25P02' })
        return 'done'
      })
      await expect(goingOn).rejects.toMatchObject({ name: 'SqlError', code: '23505' })
      expect(await callers()).toEqual({})
    })

    it('have the statements that they did not wait for before the commit, and their failures too (STORE-FACT-5)', async () => {
      await sql.tx(async (tx) => void insert(tx, 1, 1))
      expect(await callers()).toEqual({ 1: 1 })
      await expect(sql.tx(async (tx) => void insert(tx, 1, 1).catch(() => undefined))).rejects.toMatchObject({
        code: '23505',
      })
      expect(await callers()).toEqual({ 1: 1 })
    })

    it('get their short statements and transactions done beside a long transaction', async () => {
      const long = sql.tx(async (tx) => {
        await insert(tx, 0, 0)
        for (let n = 1; n < 30; n += 1) {
          await insert(tx, 0, n)
          await new Promise<void>((resolve) => void setImmediate(resolve))
        }
        return countOf(tx, 0)
      })
      const short = [1, 2, 3, 4].map(async (caller) => {
        await insert(sql, caller, 1)
        await sql.tx((tx) => insert(tx, caller, 2))
        return countOf(sql, caller)
      })
      expect(await Promise.all([long, ...short])).toEqual([30, 2, 2, 2, 2])
    })

    it('keep a transaction whole while the store checkpoints and vacuums worn tables (STORE-FACT-3)', async () => {
      await sql.query('insert into overlap_worn select n from generate_series(1, 5000) n')
      await sql.query('delete from overlap_worn')
      await sql.query('select pg_stat_force_next_flush()')
      await sql.query('select 1')
      for (const caller of [1, 2, 3]) {
        await sql.tx(async (tx) => {
          await tx.query(fill, [manyRows])
          await insert(tx, caller, 1)
        })
      }
      expect(await callers()).toEqual({ 1: 1, 2: 1, 3: 1 })
      expect((await sql.query('select count(*) as n from overlap_bulk')).rows).toEqual([{ n: 3 * manyRows }])
    })

    it('may vacuum while others have transactions open', async () => {
      const open = sql.tx(async (tx) => {
        await insert(tx, 1, 1)
        await tx.query('select count(*) from overlap_worn')
        await insert(tx, 1, 2)
      })
      await Promise.all([open, sql.exec('vacuum overlap_bulk'), insert(sql, 2, 1)])
      expect(await callers()).toEqual({ 1: 2, 2: 1 })
    })
  })
}
