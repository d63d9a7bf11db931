import type { CellResult } from '../kit/measure/cell.ts'
import type { ContenderInfo, ContenderName } from './contenders/contenders.ts'

/** What is measured once a round. */
export interface Cell {
  readonly contender: ContenderInfo
  readonly clients: number
}

export interface Measured {
  readonly contender: ContenderName
  readonly clients: number
  readonly round: number
  readonly result: CellResult
}
