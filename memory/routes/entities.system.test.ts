/** What only a server shows: its sessions are really apart, where the embedded store runs one transaction at a time. */
import { expect, it } from 'vitest'
import { migrate } from '../../runtime/store/migrate.ts'
import { openPgSql } from '../../runtime/store/postgres/pg-sql.ts'
import { ownDatabase } from '../../testing/own-database.ts'
import { describeRequiring } from '../../testing/requires.ts'
import { memoryMigrations } from '../store/migrations.ts'
import { openTestMemory, type TestMemory } from '../testing/service.ts'

async function withMemory(use: (memory: TestMemory) => Promise<void>): Promise<void> {
  const { url, drop } = await ownDatabase()
  const sql = await openPgSql({ url })
  try {
    await migrate(sql, memoryMigrations)
    const memory = await openTestMemory({ sql })
    await use(memory).finally(() => memory.close())
  } finally {
    await sql.close()
    await drop()
  }
}

async function entityOf(memory: TestMemory, text: string, name: string): Promise<string> {
  const made = await memory.ask('POST', '/memories', { text })
  await memory.service.deps.feed.put([((await made.json()) as { readonly id: string }).id])
  const { items } = (await (await memory.ask('GET', `/entities?q=${name}`)).json()) as {
    readonly items: readonly { readonly id: string }[]
  }
  return items[0]!.id
}

describeRequiring('postgres', 'an entity on a Postgres server', () => {
  it('has both of two patches that come at once (ENTITIES-10)', () =>
    withMemory(async (memory) => {
      const id = await entityOf(memory, 'The SessionStore keeps login tokens.', 'SessionStore')
      const patch = (metadata: object): Promise<Response> => memory.ask('PATCH', `/entities/${id}`, { metadata })
      const waiting = async (): Promise<number> =>
        (
          await memory.sql.query(
            `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
          )
        ).rowCount
      // Whoever does not wait for the row before it reads has read by the time both wait.
      let patches: readonly Promise<Response>[] = []
      await memory.sql.tx(async (tx) => {
        await tx.query('select from knowledge_entity where id::text = $1 for update', [id])
        patches = [patch({ owner: 'ann' }), patch({ room: '7' })]
        await expect.poll(waiting, { timeout: 20_000 }).toBe(2)
      })
      expect((await Promise.all(patches)).map(({ status }) => status)).toEqual([200, 200])
      expect(await (await memory.ask('GET', `/entities/${id}`)).json()).toMatchObject({
        metadata: { owner: 'ann', room: '7' },
      })
    }))
})
