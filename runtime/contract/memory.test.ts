import { openSharedSql } from '../store/testing/shared-store.ts'
import { rearmContract } from './rearm-contract.ts'
import { inboxContract } from './inbox-contract.ts'
import { runtimeContract } from './runtime-contract.ts'
import { sharingContract } from './sharing-contract.ts'
import { unheardContract } from './unheard-contract.ts'

inboxContract('PGlite in memory', openSharedSql)
runtimeContract('PGlite in memory', openSharedSql)
rearmContract('PGlite in memory', openSharedSql)
sharingContract('PGlite in memory', openSharedSql)
unheardContract('PGlite in memory', openSharedSql)
