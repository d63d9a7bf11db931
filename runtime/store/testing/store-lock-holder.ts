/** The process that `pglite-folder.system.test.ts` kills while it has the store. */
import { openFolderSql } from '../pglite/pglite-folder.ts'

const folder = process.argv[2]
if (!folder) throw new Error('usage: store-lock-holder.ts FOLDER')
const sql = await openFolderSql(folder)
await sql.exec('create table held (n int); insert into held values (1)')
process.send?.('has it')
process.on('message', () => undefined)
