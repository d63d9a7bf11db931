import { openMemorySql } from '../store/pglite/pglite-memory.ts'
import { rearmContract } from './rearm-contract.ts'
import { inboxContract } from './inbox-contract.ts'
import { runtimeContract } from './runtime-contract.ts'
import { sharingContract } from './sharing-contract.ts'
import { unheardContract } from './unheard-contract.ts'

inboxContract('PGlite in memory', openMemorySql)
runtimeContract('PGlite in memory', openMemorySql)
rearmContract('PGlite in memory', openMemorySql)
sharingContract('PGlite in memory', openMemorySql)
unheardContract('PGlite in memory', openMemorySql)
