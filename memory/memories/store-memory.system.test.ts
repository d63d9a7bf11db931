/** What only a server shows: writers under keys that really meet. */
import { expect, it } from 'vitest'
import { migrate } from '../../runtime/store/migrate.ts'
import { openPgSql } from '../../runtime/store/postgres/pg-sql.ts'
import type { Queryable, Sql } from '../../runtime/store/sql.ts'
import { ownDatabase } from '../../testing/own-database.ts'
import { describeRequiring } from '../../testing/requires.ts'
import { memoryMigrations } from '../store/migrations.ts'
import { draftOf } from '../testing/drafts.ts'
import { storeMemory, type Stored } from './store-memory.ts'

async function withStore(use: (sql: Sql) => Promise<void>): Promise<void> {
  const { url, drop } = await ownDatabase()
  const sql = await openPgSql({ url })
  try {
    await migrate(sql, memoryMigrations)
    await use(sql)
  } finally {
    await sql.close()
    await drop()
  }
}

function write(tx: Queryable, content: string, key: string): Promise<Stored> {
  return storeMemory(tx, draftOf(content, key), 1000)
}

/** Begins the second write while the first one's transaction is open, and gives both once they have ended. */
async function meeting(
  sql: Sql,
  first: readonly [content: string, key: string],
  second: readonly [content: string, key: string],
): Promise<void> {
  let other: Promise<Stored> | undefined
  await sql.tx(async (tx) => {
    await write(tx, ...first)
    other = sql.tx((own) => write(own, ...second))
    await expect
      .poll(
        async () =>
          (
            await sql.query(
              `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
            )
          ).rowCount,
        { timeout: 20_000 },
      )
      .toBe(1)
  })
  await other
}

async function contents(sql: Sql): Promise<string[]> {
  const { rows } = await sql.query<{ content: string }>('select content from memory order by content')
  return rows.map(({ content }) => content)
}

describeRequiring('postgres', 'keyed writes that meet on a Postgres server', () => {
  it('keep a memory for the key that takes it while another key moves on (MEMORIES-17)', () =>
    withStore(async (sql) => {
      await sql.tx((tx) => write(tx, 'one', 'k1'))
      await meeting(sql, ['one', 'k2'], ['two', 'k1'])
      expect(await contents(sql)).toEqual(['one', 'two'])
    }))

  it('store a memory anew when it goes while another key takes it (MEMORIES-17)', () =>
    withStore(async (sql) => {
      await sql.tx((tx) => write(tx, 'one', 'k1'))
      await meeting(sql, ['two', 'k1'], ['one', 'k2'])
      expect(await contents(sql)).toEqual(['one', 'two'])
    }))

  it('leave one memory for one key, however many write under it at once (MEMORIES-16)', () =>
    withStore(async (sql) => {
      await meeting(sql, ['one', 'k1'], ['two', 'k1'])
      expect(await contents(sql)).toEqual(['two'])
      await meeting(sql, ['three', 'k1'], ['four', 'k1'])
      expect(await contents(sql)).toEqual(['four'])
    }))
})
