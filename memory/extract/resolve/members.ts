/** Which class a definition belongs to, and what a class has: own members, those that stand outside of it, inherited ones. */
import type { Chain, Definition, Field } from '../facts.ts'
import { confidence } from '../graph.ts'
import type { Language } from '../language.ts'
import { languageNamed } from '../languages.ts'
import { fieldsByHolder, holders, key, type FileIndex } from './file-index.ts'
import type { At, Location } from './meaning.ts'

/** Bases lead to bases; whoever extends himself ends here. */
const mostHops = 24

export class Members {
  readonly #files: ReadonlyMap<string, FileIndex>
  readonly #type: (location: Location, chain: Chain) => At | undefined
  readonly #owned = new Map<string, At>()
  readonly #ownerOf = new Map<string, At>()
  readonly #basesOf = new Map<string, readonly At[]>()

  /** `type`: what the name of a type means at a place. */
  constructor(files: ReadonlyMap<string, FileIndex>, type: (location: Location, chain: Chain) => At | undefined) {
    this.#files = files
    this.#type = type
  }

  /** The class that a definition belongs to. */
  holder({ file, index }: Pick<At, 'file' | 'index'>): At | undefined {
    const owned = this.#ownerOf.get(key(index, file))
    if (owned !== undefined) return owned
    const { container } = this.#definition({ file, index })
    if (container < 0) return undefined
    const around = this.#definition({ file, index: container })
    if (around.type === 'impl') return this.#ownerOf.get(key(container, file))
    return holders.has(around.type) || around.type === 'variable' || around.type === 'namespace'
      ? { file, index: container, sure: 1 }
      : undefined
  }

  /** A member by name, of a class or of what it builds on. */
  member(of: At, name: string, seen: Set<string> = new Set()): At | undefined {
    const at = key(of.index, of.file)
    if (seen.has(at) || seen.size > mostHops) return undefined
    seen.add(at)
    const own = this.#file(of.file).members.get(key(of.index, name))
    if (own !== undefined && this.#definition({ file: of.file, index: own }).declared !== true)
      return { file: of.file, index: own, sure: of.sure }
    const owned = this.#owned.get(`${at} ${name}`)
    if (owned !== undefined) return { ...owned, sure: of.sure }
    if (own !== undefined) return { file: of.file, index: own, sure: of.sure }
    for (const base of this.bases(of)) {
      const found = this.member(base, name, seen)
      if (found !== undefined) return { ...found, sure: Math.min(of.sure, confidence.declared) }
    }
    return undefined
  }

  bases(of: At): readonly At[] {
    const at = key(of.index, of.file)
    const known = this.#basesOf.get(at)
    if (known !== undefined) return known
    const { extends: extended = [], implements: implemented = [], scope, container } = this.#definition(of)
    const location = { file: of.file, scope, within: container }
    this.#basesOf.set(at, [])
    const found = [...extended, ...implemented].flatMap((chain) => this.#type(location, chain) ?? [])
    this.#basesOf.set(at, found)
    return found
  }

  /** Methods that stand outside of their class: found once, because classes are asked for them. */
  findOwners(): void {
    for (const [file, { facts }] of this.#files)
      for (const [index, { owner, scope, container, name }] of facts.definitions.entries()) {
        if (owner === undefined || owner.length === 0) continue
        const self = this.#language(file).self.includes(owner[0] ?? '') && owner.length === 1
        const around = container < 0 ? undefined : { file, index: container, sure: 1 }
        const found = self
          ? around && (this.holder(around) ?? around)
          : this.#type({ file, scope, within: container }, owner)
        if (found === undefined) continue
        this.#ownerOf.set(key(index, file), found)
        this.#owned.set(`${key(found.index, found.file)} ${name}`, { file, index, sure: 1 })
      }
  }

  has(at: At): boolean {
    return this.#file(at.file).fields.has(at.index) || this.#isOwner(at)
  }

  #owners: ReadonlySet<string> | undefined

  #isOwner({ file, index }: At): boolean {
    this.#owners ??= new Set([...this.#ownerOf.values()].map((each) => key(each.index, each.file)))
    return this.#owners.has(key(index, file))
  }

  #fieldsByHolder: ReadonlyMap<string, readonly Field[]> | undefined

  fields({ file, index }: At): readonly Field[] {
    this.#fieldsByHolder ??= fieldsByHolder(this.#files.values(), (at) => this.holder(at))
    return this.#fieldsByHolder.get(key(index, file)) ?? []
  }

  #file(path: string): FileIndex {
    return this.#files.get(path) as FileIndex
  }

  #definition({ file, index }: Pick<At, 'file' | 'index'>): Definition {
    return this.#file(file).facts.definitions[index] as Definition
  }

  #language(file: string): Language {
    return languageNamed(this.#file(file).facts.language)
  }
}
