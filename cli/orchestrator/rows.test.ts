import { testRowsAreHeld } from '../../testing/contract-rows.ts'
import { contractRows } from './testing/contract-rows.ts'

testRowsAreHeld(contractRows)
