import { retentionContract } from '../contract/retention-contract.ts'
import { openMemorySql } from '../store/pglite/pglite-memory.ts'

retentionContract('PGlite in memory', openMemorySql)
