import { openMemorySql } from './pglite-memory.ts'
import { overlapContract } from '../overlap-contract.ts'
import { sqlContract } from '../sql-contract.ts'

sqlContract('PGlite in memory', openMemorySql)
overlapContract('PGlite in memory', openMemorySql)
