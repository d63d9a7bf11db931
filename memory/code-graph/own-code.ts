/** What of a graph is the project's own code: a ranking leaves out what others wrote, and tests (CODE-GRAPH-34). */
import { isTestFile } from '../engine/text/test-files.ts'
import { externalType, type CodeEntity } from '../graph/model.ts'

export const aside = ['externals', 'tests'] as const
export type Aside = (typeof aside)[number]

/** Places of the entities that are not of these sorts. */
export function placesWithout(entities: readonly CodeEntity[], sorts: readonly Aside[]): Int32Array {
  const [externals, tests] = aside.map((sort) => sorts.includes(sort))
  const places: number[] = []
  // Entities are in the order of ids, which begin with their file: most have the file of the one before.
  let last: string | undefined
  let isTest = false
  for (const [place, { type, file }] of entities.entries()) {
    if (file !== last) isTest = file !== undefined && isTestFile(file)
    last = file
    if (!(externals && type === externalType) && !(tests && isTest)) places.push(place)
  }
  return Int32Array.from(places)
}
