import { PGlite } from '@electric-sql/pglite'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sessionSql } from '../../../runtime/store/session-sql.ts'
import type { Sql } from '../../../runtime/store/sql.ts'
import { preparedSession } from './memory-store.ts'

describe('reads that are remembered', () => {
  const asked: string[] = []
  let sql: Sql

  beforeAll(async () => {
    const session = preparedSession(await PGlite.create(), (text) => asked.push(text))
    sql = sessionSql(session, 'none')
    await sql.exec('create table word (id int primary key, text text); create table other (id int)')
    session.rememberReads(['word', 'other'])
  })
  beforeEach(async () => {
    await sql.exec("truncate word, other; insert into word values (1, 'one'), (2, 'two')")
    asked.length = 0
  })
  afterAll(() => sql.close())

  const read = async (id: number): Promise<unknown> =>
    (await sql.query('select text from word where id = $1', [id])).rows
  const write = (text: string): Promise<unknown> => sql.query('update word set text = $1', [text])

  it('asks the database once for the same row, and again for another', async () => {
    expect([await read(1), await read(1), await read(2)]).toEqual([
      [{ text: 'one' }],
      [{ text: 'one' }],
      [{ text: 'two' }],
    ])
    expect(asked).toHaveLength(2)
  })

  it('asks again once the table was named by a statement that is no reading', async () => {
    await read(1)
    await write('new')
    expect(await read(1)).toEqual([{ text: 'new' }])
  })

  it('goes on remembering what another table holds', async () => {
    await read(1)
    await sql.query('insert into other values (1)')
    asked.length = 0
    await read(1)
    expect(asked).toEqual([])
  })

  it('asks again when a table was written by a statement that begins as a reading does', async () => {
    await read(1)
    await sql.query("with changed as (update word set text = 'cte' returning id) select id from changed")
    expect(await read(1)).toEqual([{ text: 'cte' }])
  })

  it('forgets what was read in a transaction that was taken back', async () => {
    const taken = sql.tx(async (tx) => {
      await tx.query("update word set text = 'never'")
      expect((await tx.query('select text from word where id = $1', [1])).rows).toEqual([{ text: 'never' }])
      throw new Error('back')
    })
    await expect(taken).rejects.toThrow('back')
    expect(await read(1)).toEqual([{ text: 'one' }])
  })

  it('forgets all at a script, whatever it does', async () => {
    await read(1)
    await sql.exec("update word set text = 'by script'")
    expect(await read(1)).toEqual([{ text: 'by script' }])
  })

  it('gives rows of its own to each who asks', async () => {
    const [first] = (await sql.query<{ text: string }>('select text from word where id = 1')).rows
    Object.assign(first!, { text: 'spoilt' })
    expect((await sql.query('select text from word where id = 1')).rows).toEqual([{ text: 'one' }])
  })

  it('asks each time for what is another each time', async () => {
    await sql.query('select random() from word')
    await sql.query('select random() from word')
    expect(asked).toHaveLength(2)
  })
})
