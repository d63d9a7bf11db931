/** The same contract on a server, whose SQL is older than PGlite's and whose sessions are really apart. */
import { migrate } from '../../../runtime/store/migrate.ts'
import { openPgSql } from '../../../runtime/store/postgres/pg-sql.ts'
import { describeRequiring } from '../../../testing/requires.ts'
import { memoryMigrations } from '../../store/migrations.ts'
import { graphContract } from '../contract/contract.ts'
import { PostgresGraph } from './store.ts'

describeRequiring('postgres', 'a Postgres server', () => {
  graphContract('Postgres', async () => {
    const { name, url } = await ownDatabase(process.env['DATABASE_URL'] ?? '')
    const sql = await openPgSql({ url })
    await migrate(sql, memoryMigrations)
    return {
      store: new PostgresGraph(sql),
      async close() {
        await sql.close()
        await administer(`drop database ${name} with (force)`)
      },
    }
  })
})

async function ownDatabase(server: string): Promise<{ readonly name: string; readonly url: string }> {
  const name = `code_graph_${process.pid}_${Date.now()}`
  await administer(`create database ${name}`)
  return { name, url: Object.assign(new URL(server), { pathname: `/${name}` }).href }
}

async function administer(statement: string): Promise<void> {
  const sql = await openPgSql({ url: process.env['DATABASE_URL'] ?? '', connections: 1 })
  await sql.exec(statement)
  await sql.close()
}
