import { retentionContract } from '../contract/retention-contract.ts'
import { openSharedSql } from '../store/testing/shared-store.ts'

retentionContract('PGlite in memory', openSharedSql)
