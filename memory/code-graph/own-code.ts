/** What of a graph is the project's own code: a ranking leaves out what others wrote, and tests (CODE-GRAPH-34). */
import { externalType, type CodeEntity } from '../graph/model.ts'

export const aside = ['externals', 'tests'] as const
export type Aside = (typeof aside)[number]

/** Where the runners of each language look for tests, and what they keep beside them. */
const testPaths = [
  /(?:^|\/)(?:tests?|test-d|__tests__|__mocks__|__fixtures__|testdata|e2e)\//,
  /(?:^|[/._-])tests?\.(?:[cm]?[jt]sx?|rs)$/,
  /[._-]spec\.[cm]?[jt]sx?$/,
  /\.test-d\.tsx?$/,
  /(?:^|\/)(?:test_[^/]*|[^/]*_tests?|tests?|conftest)\.py$/,
  /_test\.(?:go|c|cc|cpp|cxx)$/,
  /[a-z\d]Tests?\.java$/,
]

/** Places of the entities that are not of these sorts. */
export function placesWithout(entities: readonly CodeEntity[], sorts: readonly Aside[]): Int32Array {
  const [externals, tests] = aside.map((sort) => sorts.includes(sort))
  const places: number[] = []
  // Entities are in the order of ids, which begin with their file: most have the file of the one before.
  let last: string | undefined
  let isTest = false
  for (const [place, { type, file }] of entities.entries()) {
    if (file !== last) isTest = file !== undefined && testPaths.some((path) => path.test(file))
    last = file
    if (!(externals && type === externalType) && !(tests && isTest)) places.push(place)
  }
  return Int32Array.from(places)
}
