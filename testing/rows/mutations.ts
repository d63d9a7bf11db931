/** Breaks of the product, each of which a test that cites its row has to see. */
import { Type, type Static } from 'typebox'
import { seeded } from '../../runtime/random.ts'
import type { Report } from './held.ts'

export const Mutation = Type.Object(
  {
    id: Type.String(),
    file: Type.String(),
    /** Stands once in the file. */
    old: Type.String({ minLength: 1 }),
    new: Type.String(),
  },
  { additionalProperties: false },
)
export type Mutation = Static<typeof Mutation>

/** `count` of them in an order that the seed decides (mulberry32). */
export function drawn(mutations: readonly Mutation[], count: number, seed: number): readonly Mutation[] {
  const next = seeded(seed)
  const left = [...mutations]
  return Array.from(
    { length: Math.min(count, left.length) },
    () => left.splice(Math.floor(next() * left.length), 1)[0]!,
  )
}

/** @throws unless the text to replace stands in the file once. */
export function mutate({ id, file, old, new: text }: Mutation, source: string): string {
  const times = source.split(old).length - 1
  if (times !== 1) throw new Error(`${id}: what is to be replaced stands ${times} times in ${file}`)
  return source.replace(old, () => text)
}

/** The files whose tests cite the row. */
export function filesOf(
  { testResults }: Report,
  id: string,
  find: (text: string) => readonly string[],
): readonly string[] {
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.some(({ fullName }) => find(fullName).includes(id)) ? [name] : [],
  )
}
