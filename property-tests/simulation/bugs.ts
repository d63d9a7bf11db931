/** Negative controls: each of these systems is wrong in one place, and the simulation has to find out. */
import type { CrashFault, Plan } from './plan.ts'

export interface PlantedBug {
  readonly name: string
  readonly does: string
  /** What must be broken, among other things. */
  readonly law: RegExp
  /** From the root; `find` must be there. */
  readonly edits: readonly { readonly file: string; readonly find: RegExp; readonly replace: string }[]
}

export const plantedBugs: readonly PlantedBug[] = []

export type { CrashFault, Plan }
