/** What a schema cannot say of a call: which argument goes with which word. The routes and the tools ask the same. */
import type { Fault } from '../../http/problems/problem.ts'

type Input = Readonly<Record<string, unknown>>

/** What a table says of a caller's word; `constructor` is no entry of it. */
export function entryOf(table: Readonly<Record<string, readonly string[]>>, word: unknown): readonly string[] {
  return typeof word === 'string' && Object.hasOwn(table, word) ? (table[word] ?? []) : []
}

export function required(input: Input, names: readonly string[], where: string): readonly Fault[] {
  return names
    .filter((name) => input[name] === undefined)
    .map((name) => ({ path: `/${name}`, message: `is required for ${where}` }))
}

export function misplaced(input: Input, names: readonly string[], message: string): readonly Fault[] {
  return names.filter((name) => input[name] !== undefined).map((name) => ({ path: `/${name}`, message }))
}

/** Arguments that the table asks for with this `action`. */
export function requiredByAction(table: Readonly<Record<string, readonly string[]>>, wanted: Input): readonly Fault[] {
  return required(wanted, entryOf(table, wanted['action']), String(wanted['action']))
}
