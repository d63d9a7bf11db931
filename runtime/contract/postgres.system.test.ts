import { describe, it } from 'vitest'
import { openPgSql } from '../store/postgres/pg-sql.ts'
import { overlapContract } from '../store/contract/overlap-contract.ts'
import { sqlContract } from '../store/contract/sql-contract.ts'
import { rearmContract } from './rearm-contract.ts'
import { inboxContract } from './inbox-contract.ts'
import { retentionContract } from './retention-contract.ts'
import { runtimeContract } from './runtime-contract.ts'
import { sharingContract } from './sharing-contract.ts'
import { unheardContract } from './unheard-contract.ts'

const url = process.env['DATABASE_URL']

if (url) {
  sqlContract('Postgres', () => openPgSql({ url }))
  overlapContract('Postgres', () => openPgSql({ url }))
  inboxContract('Postgres', () => openPgSql({ url }))
  runtimeContract('Postgres', () => openPgSql({ url }))
  retentionContract('Postgres', () => openPgSql({ url }))
  rearmContract('Postgres', () => openPgSql({ url }))
  sharingContract('Postgres', () => openPgSql({ url }))
  unheardContract('Postgres', () => openPgSql({ url }))
} else {
  describe('the runtime over Postgres', () => {
    it.skip('needs DATABASE_URL', () => undefined)
  })
}
