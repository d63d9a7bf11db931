/** A world as the explorer sees it: how it begins, what may happen next, and what is asked of its future. */
import type { World } from '../machines/world/world.ts'
import type { StateKeys } from './state-key.ts'

export interface Move {
  readonly says: string
  /** 0: what is next by itself. */
  readonly cost: 0 | 1
  readonly act: (world: World) => void
}

/** Asked once for each thing that `about` names. */
export interface Future {
  readonly law: number
  readonly says: string
  readonly about: (world: World, keys: StateKeys) => string
  readonly judge: (world: World) => readonly string[]
}

export interface WorldModel {
  readonly name: string
  readonly says: string
  readonly begin: () => World
  readonly moves: (world: World) => readonly Move[]
  readonly futures: readonly Future[]
}
