/** PGlite over a copy of a server's store, and nothing else of the product: the least that a server with these rows can hold. */
import { openFolderSql } from '../../runtime/store/pglite/pglite-folder.ts'

const { folder, extensions } = JSON.parse(process.argv[2] ?? '{}') as {
  readonly folder: string
  readonly extensions: readonly 'vector'[]
}
const sql = await openFolderSql(folder, extensions)
const { rows } = await sql.query<{ tables: number }>(
  `select count(*)::int as tables from pg_tables where schemaname = 'public'`,
)
console.log(JSON.stringify(rows[0]))
setInterval(() => undefined, 60_000)
