import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openFolderSql } from '../store/pglite/pglite-folder.ts'
import { overlapContract } from '../store/contract/overlap-contract.ts'
import { sqlContract } from '../store/contract/sql-contract.ts'
import { retentionContract } from './retention-contract.ts'
import { runtimeContract } from './runtime-contract.ts'

async function newFolder(): ReturnType<typeof openFolderSql> {
  const folder = await mkdtemp(join(tmpdir(), 'statewright-store-'))
  const sql = await openFolderSql(join(folder, 'db'))
  return { ...sql, close: () => sql.close().finally(() => rm(folder, { recursive: true })) }
}

sqlContract('PGlite in a worker thread', newFolder)
overlapContract('PGlite in a worker thread', newFolder)
runtimeContract('PGlite in a worker thread', newFolder)
retentionContract('PGlite in a worker thread', newFolder)
