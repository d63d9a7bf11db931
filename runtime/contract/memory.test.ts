import { openMemorySql } from '../store/pglite-memory.ts'
import { runtimeContract } from './runtime-contract.ts'

runtimeContract('PGlite in memory', openMemorySql)
