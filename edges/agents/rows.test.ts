import { testRowsAreHeld } from '../../testing/contract-rows.ts'
import { contractRows } from './contract-rows.ts'

testRowsAreHeld(contractRows)
