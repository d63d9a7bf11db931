/** Which rows the tests of a run hold: a test holds the rows that its title cites, if it passed. */
import { Type, type Static } from 'typebox'
import type { Row } from './pages.ts'

/** Of vitest's JSON report. */
export const Report = Type.Object({
  testResults: Type.Array(
    Type.Object({
      /** The file, absolute. */
      name: Type.String(),
      assertionResults: Type.Array(Type.Object({ fullName: Type.String(), status: Type.String() })),
    }),
  ),
})
export type Report = Static<typeof Report>

/**
 * Rows that no test of `npm test` holds, each with its reason. Another command of `.ci/run` holds those of
 * `heldElsewhere`.
 */
export const Unheld = Type.Record(
  Type.String(),
  Type.Object(
    {
      why: Type.Union([
        Type.Literal('untested'),
        Type.Literal('wrong'),
        Type.Literal('missing'),
        Type.Literal('measured'),
        Type.Literal('cluster'),
        Type.Literal('neo4j'),
      ]),
      note: Type.String({ minLength: 1 }),
    },
    { additionalProperties: false },
  ),
)
export type Unheld = Static<typeof Unheld>

/** By why they are listed the test files of which one cites the row. */
export const heldElsewhere = {
  /** Of test:kubernetes and test:chart. */
  cluster: ['**/*.kubernetes.system.test.ts', 'deploy/*.system.test.ts'],
  /** Of test:memory -- --only neo4j. */
  neo4j: ['memory/graph/neo4j/*.system.test.ts'],
} as const

export function isHeldElsewhere(why: string): why is keyof typeof heldElsewhere {
  return Object.hasOwn(heldElsewhere, why)
}

export function heldBy({ testResults }: Report, find: (text: string) => readonly string[]): ReadonlySet<string> {
  const passed = testResults.flatMap((file) => file.assertionResults.filter(({ status }) => status === 'passed'))
  return new Set(passed.flatMap(({ fullName }) => find(fullName)))
}

/** A sentence for each row that is neither held nor listed, and for each listed one that is held or gone. */
export function faultsOf(rows: readonly Row[], held: ReadonlySet<string>, unheld: Unheld): readonly string[] {
  const known = new Set(rows.map(({ id }) => id))
  return [
    ...rows
      .filter(({ id }) => !held.has(id) && !Object.hasOwn(unheld, id))
      .map(({ id, page, line }) => `${page}:${line} ${id}: no test that passed in this run cites it`),
    ...Object.keys(unheld).flatMap((id) => {
      if (!known.has(id)) return [`${id} is listed as unheld, and no page has it`]
      return held.has(id) ? [`${id} is held now: take it out of the list`] : []
    }),
  ]
}
