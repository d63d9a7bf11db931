/** What only a server shows: an ingest and a keyed write that really meet. */
import { expect, it } from 'vitest'
import { systemClock } from '../../runtime/clock.ts'
import { migrate } from '../../runtime/store/migrate.ts'
import { openPgSql } from '../../runtime/store/postgres/pg-sql.ts'
import { ownDatabase } from '../../testing/own-database.ts'
import { describeRequiring } from '../../testing/requires.ts'
import { lockKeys, storeMemory } from '../memories/store-memory.ts'
import { memoryMigrations } from '../store/migrations.ts'
import { draftOf } from '../testing/drafts.ts'
import { takingFeed } from '../testing/taking-feed.ts'
import { storeItems } from './store-items.ts'

describeRequiring('postgres', 'an ingest on a Postgres server', () => {
  it('and a write under a key of one of its items do not wait for each other for ever', async () => {
    const { url, drop } = await ownDatabase()
    const sql = await openPgSql({ url })
    try {
      await migrate(sql, memoryMigrations)
      const old = { ...draftOf('old'), repo: 'r', file: 'f', key: { repo: 'r', text: 'k' } }
      await sql.tx((tx) => storeMemory(tx, old, 1000))
      await sql.query(`insert into ingest_job (id, created_at, is_staged, repo, total) values ('j', 1, false, 'r', 1)`)
      await sql.query(
        `insert into ingest_item (job, index, idempotency_key, content, metadata, file)
        values ('j', 0, 'k', 'new', '{"repo": "r"}', 'f')`,
      )
      await sql.query(`insert into ingest_file (job, file) values ('j', 'f')`)
      const deps = {
        sql,
        feed: takingFeed,
        clock: systemClock,
        ids: { next: () => 'm' },
        logActionFor: () => undefined,
        keptMs: 0,
      }
      let ingest: Promise<unknown> = Promise.resolve()
      await sql.tx(async (tx) => {
        await lockKeys(tx, [old.key])
        ingest = storeItems(deps, 'j', old.repo, [0], new AbortController().signal)
        const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
        await expect.poll(async () => (await sql.query(waiting)).rowCount, { timeout: 20_000 }).toBe(1)
        await storeMemory(tx, { ...old, id: 'again' }, 2000)
      })
      expect(await ingest).toMatchObject([{ outcome: 'stored', purged: 1 }])
    } finally {
      await sql.close()
      await drop()
    }
  })
})
