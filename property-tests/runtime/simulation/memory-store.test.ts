import { openMemoryStore } from './memory-store.ts'
import { overlapContract } from '../../../runtime/store/contract/overlap-contract.ts'
import { sqlContract } from '../../../runtime/store/contract/sql-contract.ts'

sqlContract('the store of the simulation', openMemoryStore)
overlapContract('the store of the simulation', openMemoryStore)
