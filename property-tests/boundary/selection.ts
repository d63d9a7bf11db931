import type { Attack, Suite, Wall } from './attack.ts'

/** What of the catalogue is run, and how. */
export interface Selection {
  /** Names of classes; none: all. */
  readonly classes: readonly string[]
  /** Only attacks whose name contains it. */
  readonly only?: string
  readonly isShort: boolean
  readonly jobs: number
  /** Only attacks whose walls none but root takes down. */
  readonly wantsRoot?: boolean
}

/** Mount wants user id 0 to take them down (attack.ts). */
const mounted: readonly Wall[] = ['read-only', 'nosymfollow']

function wantsRoot({ walls }: Pick<Attack<never>, 'walls'>): boolean {
  return walls.some((wall) => mounted.includes(wall))
}

export function selected(suites: readonly Suite[], selection: Selection): readonly Suite[] {
  const { classes, only = '' } = selection
  return suites
    .filter((suite) => classes.length === 0 || classes.includes(suite.class))
    .map((suite) => {
      const attacks = suite.attacks.filter(
        (attack) => attack.name.includes(only) && (selection.wantsRoot !== true || wantsRoot(attack)),
      )
      return { ...suite, attacks }
    })
}
