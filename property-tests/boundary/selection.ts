import type { Suite } from './attack.ts'

/** What of the catalogue is run, and how. */
export interface Selection {
  /** Names of classes; none: all. */
  readonly classes: readonly string[]
  /** Only attacks whose name contains it. */
  readonly only?: string
  readonly isShort: boolean
  readonly jobs: number
}

export function selected(suites: readonly Suite[], { classes, only }: Selection): readonly Suite[] {
  return suites
    .filter((suite) => classes.length === 0 || classes.includes(suite.class))
    .map((suite) =>
      only === undefined ? suite : { ...suite, attacks: suite.attacks.filter(({ name }) => name.includes(only)) },
    )
}
