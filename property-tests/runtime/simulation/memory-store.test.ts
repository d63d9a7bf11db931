import { openMemoryStore } from './memory-store.ts'
import { sqlContract } from '../../../runtime/store/sql-contract.ts'

sqlContract('the store of the simulation', openMemoryStore)
