/** Go: a type implements every interface whose methods it has, and says so nowhere. */
import type { Signature } from '../facts.ts'
import { key } from './file-index.ts'
import type { At } from './meaning.ts'
import { dirOf, grouped } from './modules.ts'
import type { Names } from './names.ts'

type Place = Pick<At, 'file' | 'index'>

interface Method {
  readonly name: string
  readonly file: string
  readonly signature: Signature
}
type MethodSet = ReadonlyMap<string, Method>

const errorMethod: Method = { name: 'Error', file: '', signature: { parameters: [], results: ['string'] } }
/** By the key of a type, the interfaces of the repository that it implements; only those that have a method at all. */
export class Implementations {
  readonly #names: Names
  readonly #methods: ReadonlyMap<string, readonly Method[]>
  readonly #sets = new Map<string, MethodSet | undefined>()
  readonly #interfacesOf = new Map<string, Place[]>()

  constructor(names: Names, files: readonly string[]) {
    this.#names = names
    const places = files.flatMap((file) => names.file(file).facts.definitions.map((_, index) => ({ file, index })))
    this.#methods = this.#methodsByHolder(places)
    const concrete = places
      .filter((place) => ['struct', 'type'].includes(names.definition(place).type))
      .map((place) => ({ place, methods: this.#methodSet(place) ?? new Map<string, Method>() }))
    const byMethod = grouped(
      concrete.flatMap((each) => [...each.methods.keys()].map((name) => ({ name, ...each }))),
      ({ name }) => name,
    )
    for (const place of places) {
      if (names.definition(place).type !== 'interface') continue
      const wanted = [...(this.#methodSet(place)?.values() ?? [])]
      const [rarest] = wanted
        .map(({ name }) => byMethod.get(name) ?? [])
        .toSorted((one, other) => one.length - other.length)
      for (const { place: type, methods } of rarest ?? [])
        if (wanted.every((method) => this.#has(methods, method))) this.#add(type, place)
    }
  }

  of({ file, index }: Place): readonly Place[] {
    return this.#interfacesOf.get(key(index, file)) ?? []
  }

  #add({ file, index }: Place, implemented: Place): void {
    const at = key(index, file)
    this.#interfacesOf.set(at, [...(this.#interfacesOf.get(at) ?? []), implemented])
  }

  #methodsByHolder(places: readonly Place[]): ReadonlyMap<string, readonly Method[]> {
    const found = places.flatMap((place) => {
      const { name, signature } = this.#names.definition(place)
      const holder = signature === undefined ? undefined : this.#names.members.holder(place)
      return signature === undefined || holder === undefined
        ? []
        : [{ at: key(holder.index, holder.file), name, file: place.file, signature }]
    })
    return grouped(found, ({ at }) => at)
  }

  /** Its own methods and those of what it embeds; undefined for an interface that embeds what the repository does not have. */
  #methodSet(place: Place): MethodSet | undefined {
    const at = key(place.index, place.file)
    if (!this.#sets.has(at)) {
      // Who embeds himself, at any distance, gets nothing from there.
      this.#sets.set(at, new Map())
      this.#sets.set(at, this.#collected(place))
    }
    return this.#sets.get(at)
  }

  #collected(place: Place): MethodSet | undefined {
    const { type, extends: embedded = [] } = this.#names.definition(place)
    const bases = this.#names.members.bases({ ...place, sure: 1 })
    const sets = bases.map((base) => this.#methodSet(base))
    const errors = embedded.filter((chain) => chain.length === 1 && chain[0] === 'error').map(() => errorMethod)
    if (type === 'interface' && (bases.length + errors.length < embedded.length || sets.includes(undefined)))
      return undefined
    const own = this.#methods.get(key(place.index, place.file)) ?? []
    const inherited = sets.flatMap((set) => [...(set?.values() ?? [])])
    return new Map([...errors, ...inherited, ...own].map((method) => [method.name, method]))
  }

  #has(methods: MethodSet, { name, file, signature }: Method): boolean {
    const found = methods.get(name)
    if (found === undefined || !(isExported(name) || this.#packageOf(found.file) === this.#packageOf(file)))
      return false
    return (
      areAlike(found.signature.parameters, signature.parameters) && areAlike(found.signature.results, signature.results)
    )
  }

  #packageOf(file: string): string {
    return `${dirOf(file)} ${this.#names.file(file).facts.package ?? ''}`
  }
}

function isExported(name: string): boolean {
  return /^\p{Lu}/u.test(name)
}

function areAlike(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((type, at) => type === other[at] || type === '?' || other[at] === '?')
}
