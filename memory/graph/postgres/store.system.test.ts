/** The same contract on a server, whose SQL is older than PGlite's and whose sessions are really apart. */
import { migrate } from '../../../runtime/store/migrate.ts'
import { openPgSql } from '../../../runtime/store/postgres/pg-sql.ts'
import { ownDatabase } from '../../../testing/own-database.ts'
import { describeRequiring } from '../../../testing/requires.ts'
import { memoryMigrations } from '../../store/migrations.ts'
import { graphContract } from '../contract/contract.ts'
import { PostgresGraph } from './store.ts'

describeRequiring('postgres', 'a Postgres server', () => {
  graphContract('Postgres', async () => {
    const { url, drop } = await ownDatabase()
    const sql = await openPgSql({ url })
    await migrate(sql, memoryMigrations)
    return {
      store: new PostgresGraph(sql),
      async close() {
        await sql.close()
        await drop()
      },
    }
  })
})
