import { openMemorySql } from './pglite-memory.ts'
import { sqlContract } from '../sql-contract.ts'

sqlContract('PGlite in memory', openMemorySql)
