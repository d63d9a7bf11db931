/** The last resort for a method whose receiver nothing is known of: how many methods of that name there are. */
import { confidence } from '../graph.ts'
import { grouped } from './modules.ts'
import type { Names } from './names.ts'

export interface Candidate {
  readonly file: string
  readonly index: number
  readonly sure: number
}

/** Names that standard libraries have on lists, maps, strings, promises and streams: of those a guess is mostly wrong. */
const everywhere: ReadonlySet<string> = new Set(
  `add all any append apply assert at bind call catch clear clone close code collect concat contains copy count create data default delete
  destroy disconnect each emit encode decode end entries equal equals error every exec exit expect extend fill filter finally find findIndex first flat
  flatMap flush for forEach format from get getAll getName has hasNext hash hashCode id includes index indexOf info init insert int is isEmpty isNone isSome items iter
  join json keys kill last len length list listen load lock log lower map mark match max merge message min name new next next_back now off ok on once only open or parse path pause pipe
  pop print push put query raise read readFile reduce ref register reject remove removeListener render replace request reset resolve resume return reverse
  run save search seek send serialize set setTimeout shift size skip slice some sort split splice start startsWith status stop str string strip sub substring
  swap sync tell test text then throw to toBe toEqual toJSON toString trim truncate type type_ unlock unshift unwrap update upper use using value valueOf values wait warn with
  wrap write writeFile`.split(/\s+/),
)
const shortestTelling = 4
const mostCandidates = 3

export class MethodsByName {
  readonly #names: Names
  readonly #methods: ReadonlyMap<string, readonly { readonly file: string; readonly index: number }[]>

  constructor(names: Names, files: Iterable<string>) {
    this.#names = names
    const found: { name: string; file: string; index: number }[] = []
    for (const file of files)
      for (const [index, { name, type, declared }] of names.file(file).facts.definitions.entries())
        if (type === 'method' && declared !== true) found.push({ name, file, index })
    this.#methods = grouped(found, ({ name }) => name)
  }

  candidates(file: string, name: string): readonly Candidate[] {
    // Every object of Python has `__init__` and its like.
    if (name.length < shortestTelling || everywhere.has(name) || name.startsWith('__')) return []
    const found = this.#methods.get(name) ?? []
    if (found.length === 0 || found.length > mostCandidates) return []
    if (found.length > 1) {
      const sure = found.length === 2 ? confidence.oneOfTwo : confidence.oneOfThree
      return found.map((each) => ({ ...each, sure }))
    }
    return found.map((each) => ({
      ...each,
      sure: each.file === file || this.#imports(file, each.file) ? confidence.importedName : confidence.onlyName,
    }))
  }

  #imports(file: string, other: string): boolean {
    return this.#names.file(file).facts.imports.some((each) => {
      const target = this.#names.target(file, each)
      return target !== undefined && 'module' in target && target.module.files.includes(other)
    })
  }
}
