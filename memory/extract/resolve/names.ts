/**
 * What a name means at a place. It follows scopes, imports, declared types, what `new` makes and what functions say that they
 * return; it knows no overloads, no generics and no control flow. What it is sure of is said by a number (`confidence`).
 */
import {
  classItself,
  each,
  item,
  made,
  type Chain,
  type Definition,
  type Import,
  type Returned,
  type TypeParameter,
} from '../facts.ts'
import { confidence } from '../graph.ts'
import type { Language } from '../language.ts'
import { languageNamed } from '../languages.ts'
import { containerOf, containerStep, isMark } from './containers.ts'
import { Members } from './members.ts'
import type { At, Kind, Meaning, Location } from './meaning.ts'
import { holders, indexFile, key, type FileIndex, type NamedImport } from './file-index.ts'
import {
  dirOf,
  grouped,
  type External,
  type Module,
  type ModuleFinder,
  type Repository,
  type Target,
} from './modules.ts'

/** Names lead to names; whoever writes `a = b; b = a` ends here. */
const mostHops = 24
const wholeExport = '='

export class Names {
  readonly members: Members
  readonly #files: ReadonlyMap<string, FileIndex>
  readonly #finder: ModuleFinder
  readonly #neighbours: ReadonlyMap<string, readonly string[]>
  readonly #targets = new Map<string, Target>()
  readonly #known = new Map<string, Meaning | undefined>()
  readonly #offers = new Map<string, Meaning | undefined>()
  #hops = 0

  constructor(repository: Repository, finder: ModuleFinder) {
    this.#files = new Map([...repository.files].map(([path, facts]) => [path, indexFile(path, facts)]))
    this.#finder = finder
    this.#neighbours = grouped(repository.files.keys(), (path) => this.#neighbourhood(path))
    this.members = new Members(this.#files, (location, chain) => this.type(location, chain))
    this.members.findOwners()
  }

  file(path: string): FileIndex {
    return this.#files.get(path) as FileIndex
  }

  definition({ file, index }: Pick<At, 'file' | 'index'>): Definition {
    return this.file(file).facts.definitions[index] as Definition
  }

  target(file: string, { source, system }: Pick<Import, 'source' | 'system'>): Target {
    const at = `${file}\n${system === true ? '<' : ''}${source}`
    if (!this.#targets.has(at))
      this.#targets.set(at, this.#finder.find(file, { source, ...(system === undefined ? {} : { system }) }))
    return this.#targets.get(at)
  }

  evaluate(location: Location, chain: Chain, as: Kind = 'value'): Meaning | undefined {
    const [first = '', ...rest] = chain
    if (first === '' || first === '?') return undefined
    const at = `${location.file}\n${location.scope} ${location.within} ${as} ${chain.join(' ')}`
    if (this.#known.has(at)) return this.#known.get(at)
    if (this.#hops > mostHops) return undefined
    // Until there is an answer, who asks for the same again on the way is in a circle.
    this.#known.set(at, undefined)
    const found = this.#follow(location, first, rest, as)
    this.#known.set(at, found)
    return found
  }

  #follow(location: Location, first: string, rest: readonly string[], as: Kind): Meaning | undefined {
    this.#hops += 1
    try {
      for (const start of this.#starts(location, first, as)) {
        let meaning: Meaning | undefined = start
        for (const [index, step] of rest.entries())
          meaning = meaning === undefined ? undefined : this.#step(meaning, step, first, index, as)
        if (meaning !== undefined) return meaning
      }
      return undefined
    } finally {
      this.#hops -= 1
    }
  }

  /** One meaning; of `super` each base, because the first that has a member gives it. */
  #starts(location: Location, name: string, as: Kind): readonly Meaning[] {
    if (this.#language(location.file).base.includes(name)) return this.#bases(location)
    const found = this.#lookup(location, name, as)
    return found === undefined ? [] : [found]
  }

  /** What has a type: an instance; a list or a map of such; of `type[A]` the class. */
  #typed(location: Location, chain: Chain): Meaning | undefined {
    const found = this.evaluate(location, chain, 'type')
    if (found?.is === 'container') return found.kind === classItself ? found.of : found
    return found?.is === 'definition' ? { ...found, is: 'instance' } : undefined
  }

  /** What a type's name means: the class itself. */
  type(location: Location, chain: Chain): At | undefined {
    const meaning = this.evaluate(location, chain, 'type')
    return meaning?.is === 'definition' ? meaning : undefined
  }

  isTypeParameter({ file, scope }: Location, name: string): boolean {
    const { facts, typeParameters, lexical } = this.file(file)
    for (let at = scope; at >= 0; at = facts.scopes[at]?.parent ?? -1) {
      if (typeParameters.has(key(at, name))) return true
      if (lexical.has(key(at, name))) return false
    }
    return false
  }

  moduleMember(module: Module, name: string, as: Kind = 'value', seen?: Set<string>): Meaning | undefined {
    const at = seen === undefined ? `${module.path ?? ''}\n${module.files.join('\n')}\n${as} ${name}` : ''
    if (seen === undefined && this.#offers.has(at)) return this.#offers.get(at)
    if (this.#hops > mostHops) return undefined
    this.#hops += 1
    try {
      const found = this.#moduleMember(module, name, as, seen ?? new Set())
      if (seen === undefined) this.#offers.set(at, found)
      return found
    } finally {
      this.#hops -= 1
    }
  }

  #moduleMember(module: Module, name: string, as: Kind, seen: Set<string>): Meaning | undefined {
    for (const file of module.files) {
      const at = `${file} ${name}`
      if (seen.has(at) || !this.#files.has(file)) continue
      seen.add(at)
      const found = this.#offered(this.file(file), name, as, seen)
      if (found !== undefined) return found
    }
    const below = this.#finder.below?.(module, name)
    return below === undefined ? undefined : { is: 'module', module: below, sure: 1 }
  }

  #language(file: string): Language {
    return languageNamed(this.file(file).facts.language)
  }

  #neighbourhood(path: string): string {
    const facts = this.file(path).facts
    const { shared } = languageNamed(facts.language)
    if (shared === 'directory') return dirOf(path)
    return shared === 'package' ? `package ${facts.package ?? ''}` : path
  }

  #lookup(location: Location, name: string, as: Kind): Meaning | undefined {
    const { self, implicitSelf } = this.#language(location.file)
    if (self.includes(name)) return this.#self(location, name === 'Self' || name === 'cls' ? 'definition' : 'instance')
    return (
      this.#lexical(location, name, as) ??
      (implicitSelf === true ? this.#implicit(location, name) : undefined) ??
      this.#neighbour(location.file, name) ??
      this.#throughWildcards(location.file, name) ??
      this.#asModule(location.file, name)
    )
  }

  #enclosing({ file, within }: Location): At | undefined {
    for (let index = within; index >= 0; index = this.definition({ file, index }).container) {
      const { type } = this.definition({ file, index })
      if (holders.has(type) && type !== 'impl') return { file, index, sure: 1 }
      const holder = this.members.holder({ file, index })
      if (holder !== undefined) return holder
      // A function that makes instances: what it puts on `this` are fields.
      if (
        this.#language(file).family === 'ecmascript' &&
        type === 'function' &&
        this.members.has({ file, index, sure: 1 })
      )
        return { file, index, sure: 1 }
    }
    return undefined
  }

  #self(location: Location, is: 'definition' | 'instance'): Meaning | undefined {
    const found = this.#enclosing(location)
    return found === undefined ? undefined : { ...found, is }
  }

  /** Where no base is of the repository, what it has is not of the repository either. */
  #bases(location: Location): readonly Meaning[] {
    const own = this.#enclosing(location)
    const bases = own === undefined ? [] : this.members.bases(own)
    if (bases.length === 0) return [{ is: 'external', name: 'super', sure: 1 }]
    return bases.map((base) => ({ ...base, is: 'instance', sure: Math.min(base.sure, confidence.declared) }))
  }

  #lexical({ file, scope, within }: Location, name: string, as: Kind): Meaning | undefined {
    const index = this.file(file)
    const { scopes } = index.facts
    for (let at = scope; at >= 0; at = scopes[at]?.parent ?? -1) {
      const isHidden = at !== scope && scopes[at]?.closed === true
      if (isHidden && !(as === 'type' && index.typeParameters.has(key(at, name)))) continue
      const found = this.#inScope(index, at, within, name, as)
      if (found !== undefined) return found
    }
    return undefined
  }

  #inScope(index: FileIndex, scope: number, within: number, name: string, as: Kind = 'value'): Meaning | undefined {
    const file = index.path
    const at = key(scope, name)
    const parameter = as === 'type' ? index.typeParameters.get(at) : undefined
    if (parameter !== undefined) return this.#constraint({ file, scope, within }, parameter)
    const type = as === 'type' ? index.lexicalTypes.get(at) : undefined
    if (type !== undefined) return { is: 'definition', file, index: type, sure: 1 }
    const own = index.lexical.get(at)
    const definition: Meaning | undefined =
      own === undefined ? undefined : { is: 'definition', file, index: own, sure: 1 }
    if (own !== undefined && index.facts.definitions[own]?.type !== 'variable') return definition
    const binding = index.bindings.get(at)
    if (binding !== undefined) {
      const bound = this.#bound({ file, scope: index.facts.scopes[scope]?.parent ?? scope, within }, scope, binding)
      if (bound !== undefined) return bound
      return definition ?? { is: 'local', sure: 1 }
    }
    if (definition !== undefined) return definition
    const imported = index.imports.get(at)
    return imported === undefined ? undefined : this.#imported(file, imported, as)
  }

  /** What a type parameter has at least is what its constraint has. */
  #constraint(location: Location, { type }: TypeParameter): Meaning {
    const found = type && this.type(location, type)
    return found === undefined
      ? { is: 'local', sure: 1 }
      : { ...found, is: 'definition', sure: Math.min(found.sure, confidence.declared) }
  }

  #bound(
    location: Location,
    scope: number,
    { type, value, name }: { type?: Chain; value?: Chain; name: string },
  ): Meaning | undefined {
    if (type !== undefined) {
      const found = this.#typed({ ...location, scope }, type)
      return found && { ...found, sure: Math.min(found.sure, confidence.declared) }
    }
    if (value === undefined) return undefined
    // `const a = a()`: its own name would only lead back here, so the scope around it is asked.
    const found = this.evaluate(value[0] === name ? location : { ...location, scope }, value)
    return found?.is === 'local' ? undefined : found
  }

  #implicit(location: Location, name: string): Meaning | undefined {
    let around: At | undefined = this.#enclosing(location)
    while (around !== undefined) {
      const found = this.members.member(around, name) ?? this.#field(around, name)
      if (found !== undefined) return 'is' in found ? (found as Meaning) : { ...found, is: 'definition' }
      around = this.#enclosing({ file: around.file, scope: 0, within: this.definition(around).container })
    }
    return undefined
  }

  #neighbour(file: string, name: string): Meaning | undefined {
    if (this.#language(file).shared === undefined) return undefined
    for (const other of this.#neighbours.get(this.#neighbourhood(file)) ?? []) {
      const index = this.file(other).lexical.get(key(0, name))
      if (index === undefined) continue
      const bound = this.#inScope(this.file(other), 0, -1, name)
      return bound ?? { is: 'definition', file: other, index, sure: 1 }
    }
    return undefined
  }

  #throughWildcards(file: string, name: string): Meaning | undefined {
    for (const each of this.file(file).wildcards) {
      const target = this.target(file, each)
      if (target === undefined || 'external' in target) continue
      const found = this.moduleMember(target.module, name, 'value', new Set([`${file} ${name}`]))
      if (found !== undefined && found.is !== 'module')
        return { ...found, sure: Math.min(found.sure, confidence.declared) }
    }
    return undefined
  }

  /** Rust and Python name modules in expressions, too. */
  #asModule(file: string, name: string): Meaning | undefined {
    if (this.#language(file).family !== 'rust') return undefined
    const target = this.target(file, { source: name })
    return target !== undefined && 'module' in target ? { is: 'module', module: target.module, sure: 1 } : undefined
  }

  #imported(file: string, { of, name }: NamedImport, as: Kind): Meaning | undefined {
    const target = this.target(file, of)
    if (target === undefined) return { is: 'local', sure: 1 }
    if ('external' in target) return external(target)
    if (name === undefined || name.name === '*module') return { is: 'module', module: target.module, sure: 1 }
    const found = this.moduleMember(target.module, name.name, as)
    if (found !== undefined) return found
    if (name.name === 'default')
      return this.moduleMember(target.module, wholeExport) ?? { is: 'module', module: target.module, sure: 1 }
    return { is: 'local', sure: 1 }
  }

  #offered(index: FileIndex, name: string, as: Kind, seen: Set<string>): Meaning | undefined {
    const file = index.path
    const location = { file, scope: 0, within: -1 }
    const type = as === 'type' ? index.exportedTypes.get(name) : undefined
    if (type !== undefined) return { is: 'definition', file, index: type, sure: 1 }
    const exported = index.exported.get(name)
    if (exported !== undefined)
      return (
        this.#inScope(index, 0, -1, this.#nameOf(index, exported)) ?? {
          is: 'definition',
          file,
          index: exported,
          sure: 1,
        }
      )
    const named = index.exports.get(name)
    if (named !== undefined) return this.evaluate(location, named.local, as)
    const all = this.#language(file).exportsAll === true
    if (all) {
      const own = this.#inScope(index, 0, -1, name, as)
      if (own !== undefined && own.is !== 'local') return own
    }
    for (const each of index.facts.imports) {
      if (each.reexport !== true && !all) continue
      const found = this.#reexported(file, each, name, as, seen)
      if (found !== undefined) return found
    }
    const whole = name === wholeExport ? undefined : index.exports.get(wholeExport)
    const value = whole === undefined ? undefined : this.evaluate(location, whole.local)
    return value === undefined ? undefined : this.#step(value, name, '', 0)
  }

  #nameOf(index: FileIndex, definition: number): string {
    return index.facts.definitions[definition]?.name ?? ''
  }

  #reexported(file: string, each: Import, name: string, as: Kind, seen: Set<string>): Meaning | undefined {
    const match = each.names.find((named) => named.local === name || named.name === '*')
    if (match === undefined) return undefined
    const target = this.target(file, each)
    if (target === undefined) return undefined
    if ('external' in target) return match.name === '*' ? undefined : external(target)
    if (match.name === '*module') return { is: 'module', module: target.module, sure: 1 }
    return this.moduleMember(target.module, match.name === '*' ? name : match.name, as, seen)
  }

  #step(meaning: Meaning, step: string, first: string, index: number, as: Kind = 'value'): Meaning | undefined {
    switch (meaning.is) {
      case 'external':
        return meaning
      case 'local':
        return undefined
      case 'module':
        return this.#moduleStep(meaning, step, as)
      case 'definition':
        return this.#definitionStep(meaning, step)
      case 'container':
        return containerStep(meaning, step)
      case 'giver':
        return step === '()' ? meaning.gives : undefined
      default:
        // `super()` in Python is the base itself.
        if (step === '()') return first === 'super' && index === 0 ? meaning : undefined
        return this.#instanceStep(meaning, step)
    }
  }

  #moduleStep({ module }: { module: Module }, step: string, as: Kind): Meaning | undefined {
    if (step !== '()' && step !== made) return this.moduleMember(module, step, as)
    const whole = this.moduleMember(module, wholeExport) ?? this.moduleMember(module, 'default')
    return whole === undefined || whole.is === 'module' ? undefined : this.#step(whole, step, '', 0)
  }

  #definitionStep(at: At & { is: string }, step: string): Meaning | undefined {
    const definition = this.definition(at)
    if (step === made) return { ...at, is: 'instance', sure: Math.min(at.sure, confidence.declared) }
    if (step === '()') {
      if (holders.has(definition.type))
        return this.#language(at.file).callMakesInstance === true
          ? { ...at, is: 'instance', sure: Math.min(at.sure, confidence.declared) }
          : undefined
      return this.#result(at)
    }
    if (isMark(step)) return containerOf({ ...at, is: step === classItself ? 'definition' : 'instance' }, step)
    // `A[int]` is A, and who goes through an enumeration meets its instances.
    if (step === item) return { ...at, is: 'definition' }
    if (step === each)
      return definition.type === 'class' || definition.type === 'enum' ? { ...at, is: 'instance' } : undefined
    const found = this.members.member(at, step)
    if (found !== undefined) return { ...found, is: 'definition' }
    return this.#field(at, step)
  }

  /** What a function says that it returns. */
  #result(at: At): Meaning | undefined {
    const { returns, returned = [], scope, container } = this.definition(at)
    if (returns === undefined) return this.#returned(at, returned)
    const { self } = this.#language(at.file)
    const last = returns.at(-1) ?? ''
    const own = last === 'Self' || (returns.length === 1 && self.includes(last)) ? this.members.holder(at) : undefined
    const found: Meaning | undefined =
      own === undefined ? this.#typed({ file: at.file, scope, within: container }, returns) : { ...own, is: 'instance' }
    return found && { ...found, sure: Math.min(at.sure, found.sure, confidence.inferred) }
  }

  /** What it returns by its `return` statements: the first that leads anywhere. */
  #returned(at: At, returned: readonly Returned[]): Meaning | undefined {
    for (const { value, scope } of returned) {
      const found = this.evaluate({ file: at.file, scope, within: at.index }, value)
      if (found !== undefined && ['instance', 'definition', 'container'].includes(found.is))
        return { ...found, sure: Math.min(at.sure, found.sure, confidence.inferred) }
    }
    return undefined
  }

  #instanceStep(at: At, step: string): Meaning | undefined {
    if (step === each || step === item) return this.#element(at, step)
    const found = this.members.member(at, step)
    if (found === undefined) return this.#field(at, step)
    if (this.definition(found).property === true) return this.#result(found) ?? { is: 'local', sure: 1 }
    return { ...found, is: 'definition' }
  }

  /** Of a named list or map its type says it, of other classes their methods for it. */
  #element(at: At, step: string): Meaning | undefined {
    const { holds, scope, container } = this.definition(at)
    if (holds !== undefined) {
      const whole = this.#typed({ file: at.file, scope, within: container }, holds)
      return whole && this.#step({ ...whole, sure: Math.min(at.sure, whole.sure, confidence.declared) }, step, '', 0)
    }
    const method = this.members.member(at, step === each ? '__iter__' : '__getitem__')
    const result = method && this.#result(method)
    return step === each && result !== undefined ? this.#step(result, each, '', 0) : result
  }

  #field(of: At, name: string, seen: Set<string> = new Set()): Meaning | undefined {
    const at = key(of.index, of.file)
    if (seen.has(at) || seen.size > mostHops) return undefined
    seen.add(at)
    for (const field of this.members.fields(of)) {
      if (field.name !== name) continue
      const owner = this.file(of.file).facts.definitions[field.owner] as Definition
      // A field's value stands in its class, or in the function that sets it.
      const location = { file: of.file, scope: this.#innerScope(of.file, owner), within: field.owner }
      const found = this.#bound(location, location.scope, field)
      if (found !== undefined) return { ...found, sure: Math.min(of.sure, found.sure, confidence.declared) }
    }
    for (const base of this.members.bases(of)) {
      const found = this.#field(base, name, seen)
      if (found !== undefined) return found
    }
    return undefined
  }

  #innerScope(file: string, { start, end, scope }: Definition): number {
    const { scopes } = this.file(file).facts
    const own = scopes.findIndex((each) => each.start >= start && each.end <= end)
    return own < 0 ? scope : own
  }
}

function external({ external: name, sure = 1 }: External): Meaning {
  return { is: 'external', name, sure }
}
