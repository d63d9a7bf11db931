/** Second pass: facts of all files become one graph, in pieces by file. */
import { made, type Definition, type FileFacts, type Import, type Use } from './facts.ts'
import { confidence, tierOf, type CodeEdge, type CodeEntity, type FilePiece } from './graph.ts'
import { languageNamed } from './languages.ts'
import { MethodsByName } from './resolve/by-name.ts'
import { finders } from './resolve/finders.ts'
import { Implementations } from './resolve/implementations.ts'
import { dirOf, grouped, type Module } from './resolve/modules.ts'
import type { Meaning } from './resolve/meaning.ts'
import { Names } from './resolve/names.ts'

export interface ParsedFile {
  readonly path: string
  readonly sha: string
  readonly facts: FileFacts
}

/** What calls can lead to. */
const callable: ReadonlySet<string> = new Set([
  'function',
  'method',
  'constructor',
  'macro',
  'class',
  'struct',
  'enum',
  'record',
  'union',
  'trait',
  'interface',
])
const types: ReadonlySet<string> = new Set(['class', 'interface', 'struct', 'enum', 'record', 'union', 'trait', 'type'])
/** What is no thing of its own: an import looks like a variable, an implementation belongs to its type. */
const silent: ReadonlySet<string> = new Set(['import', 'impl'])

/** `manifests`: texts of package.json, tsconfig.json, go.mod and Cargo.toml, by path. */
export function buildGraph(files: readonly ParsedFile[], manifests: ReadonlyMap<string, string>): FilePiece[] {
  const families = grouped(files, ({ facts }) => languageNamed(facts.language).family)
  const pieces = new Map<string, FilePiece>()
  for (const [family, members] of families)
    for (const piece of new FamilyGraph(family, members, manifests).pieces()) pieces.set(piece.file, piece)
  return files.flatMap(({ path }) => pieces.get(path) ?? [])
}

function fileId(path: string): string {
  return path
}

class FamilyGraph {
  readonly #files: readonly ParsedFile[]
  readonly #names: Names
  readonly #byName: MethodsByName
  readonly #implementations: Implementations | undefined
  readonly #ids = new Map<string, readonly (string | undefined)[]>()
  readonly #functions: ReadonlyMap<string, readonly { file: string; index: number }[]>
  readonly #family: string

  constructor(family: string, files: readonly ParsedFile[], manifests: ReadonlyMap<string, string>) {
    const repository = { files: new Map(files.map(({ path, facts }) => [path, facts])), manifests }
    const finder = finders[family]
    if (finder === undefined) throw new Error(`nothing finds modules of ${family}`)
    this.#family = family
    this.#files = files
    this.#names = new Names(repository, finder(repository))
    this.#byName = new MethodsByName(this.#names, repository.files.keys())
    this.#implementations = family === 'go' ? new Implementations(this.#names, [...repository.files.keys()]) : undefined
    this.#functions = functionsByName(files)
    for (const { path, facts } of files) this.#ids.set(path, this.#idsOf(path, facts.definitions))
  }

  pieces(): FilePiece[] {
    return this.#files.map((file) => ({
      file: file.path,
      sha: file.sha,
      entities: this.#entities(file),
      edges: new EdgesOfFile(this.#edges(file)).all,
    }))
  }

  /** What is declared here and defined elsewhere is no second thing: its uses lead to the definition. */
  #isOnlyDeclared(path: string, index: number, { declared, type, name, container, scope }: Definition): boolean {
    if (declared !== true) return false
    if (type === 'method') {
      const holder = this.#names.members.holder({ file: path, index })
      const found = holder && this.#names.members.member(holder, name)
      return found !== undefined && (found.file !== path || found.index !== index)
    }
    const here = this.#names.file(path).lexical.get(`${scope} ${name}`)
    if (here !== undefined && here !== index) return true
    return this.#family === 'c' && container < 0 && (this.#functions.get(name)?.length ?? 0) > 0
  }

  #idsOf(path: string, definitions: readonly Definition[]): readonly (string | undefined)[] {
    const taken = new Map<string, number>()
    return definitions.map((definition, index) => {
      if (silent.has(definition.type) || this.#isOnlyDeclared(path, index, definition)) return undefined
      const id = `${path}#${this.#qualified(path, index)}`
      const count = (taken.get(id) ?? 0) + 1
      taken.set(id, count)
      return count === 1 ? id : `${id}~${count}`
    })
  }

  #qualified(path: string, index: number): string {
    const { name, container } = this.#names.definition({ file: path, index })
    const holder = this.#names.members.holder({ file: path, index })
    if (holder !== undefined && (holder.file !== path || holder.index !== container))
      return `${this.#names.definition(holder).name}.${name}`
    return container < 0 ? name : `${this.#qualified(path, container)}.${name}`
  }

  #id(path: string, index: number): string | undefined {
    return this.#ids.get(path)?.[index]
  }

  #entities({ path, facts }: ParsedFile): CodeEntity[] {
    const name = path.slice(path.lastIndexOf('/') + 1)
    const { language } = facts
    const entities: CodeEntity[] = [
      {
        id: fileId(path),
        type: 'file',
        name,
        file: path,
        line: 1,
        language,
        ...(facts.broken === true ? { metadata: { parsed: 'partly' } } : {}),
      },
    ]
    for (const [index, definition] of facts.definitions.entries()) {
      const id = this.#id(path, index)
      if (id !== undefined)
        entities.push({ id, type: definition.type, name: definition.name, file: path, line: definition.line, language })
    }
    return entities
  }

  *#edges(file: ParsedFile): Generator<CodeEdge> {
    yield* this.#structure(file)
    for (const each of file.facts.imports) yield* this.#import(file.path, each)
    for (const each of file.facts.uses) yield* this.#use(file.path, each)
  }

  *#structure({ path, facts }: ParsedFile): Generator<CodeEdge> {
    for (const [index, definition] of facts.definitions.entries()) {
      const id = this.#id(path, index)
      if (definition.type === 'impl') yield* this.#implementation(path, index, definition)
      if (id === undefined) continue
      yield edge(this.#around(path, index, definition), id, 'contains', 1)
      const location = { file: path, scope: definition.scope, within: definition.container }
      for (const relation of ['extends', 'implements'] as const)
        for (const chain of definition[relation] ?? []) {
          const meaning = this.#names.evaluate(location, chain)
          const to = this.#idOf(meaning) ?? (meaning?.is === 'external' ? meaning.name : undefined)
          if (to !== undefined) yield edge(id, to, relation, meaning?.sure ?? 1, definition.line)
        }
      for (const each of this.#implementations?.of({ file: path, index }) ?? []) {
        const to = this.#id(each.file, each.index)
        if (to !== undefined) yield edge(id, to, 'implements', confidence.declared, definition.line)
      }
    }
  }

  /** Rust's `impl Trait for Type`. */
  *#implementation(path: string, index: number, { name, scope, container, line }: Definition): Generator<CodeEdge> {
    const type = this.#names.members.holder({ file: path, index })
    const trait = this.#names.type({ file: path, scope, within: container }, [name])
    const from = type && this.#id(type.file, type.index)
    const to = trait && this.#id(trait.file, trait.index)
    if (from !== undefined && to !== undefined) yield edge(from, to, 'implements', 1, line)
  }

  #around(path: string, index: number, { container }: Definition): string {
    const holder = this.#names.members.holder({ file: path, index })
    const held = holder !== undefined && holder.file === path ? this.#id(path, holder.index) : undefined
    return held ?? (container < 0 ? undefined : this.#id(path, container)) ?? fileId(path)
  }

  *#import(path: string, each: Import): Generator<CodeEdge> {
    const target = this.#names.target(path, each)
    if (target === undefined) return
    const marks = {
      ...(each.typeOnly === true ? { type_only: 'true' } : {}),
      ...(each.dynamic === true ? { dynamic: 'true' } : {}),
    }
    if ('external' in target)
      return yield edge(fileId(path), target.external, 'imports', target.sure ?? 1, each.line, marks)
    for (const file of this.#importedFiles(target.module, each))
      if (file !== path) yield edge(fileId(path), fileId(file), 'imports', 1, each.line, marks)
    for (const { name } of each.names.filter((one) => one.name !== '*'))
      for (const as of ['value', 'type'] as const) {
        const symbol = this.#idOf(this.#names.moduleMember(target.module, name, as))
        if (symbol !== undefined) yield edge(fileId(path), symbol, 'imports', 1, each.line, marks)
      }
  }

  /** Of a package of many files only those that have the names; all of them when nothing says which. */
  #importedFiles(module: Module, { names }: Import): readonly string[] {
    const wanted = names.filter(({ name }) => name !== '*')
    const found = wanted.map(({ name }) => this.#names.moduleMember(module, name))
    const having = found.flatMap((each) => (each?.is === 'definition' ? [each.file] : []))
    if (module.files.length > 1 && wanted.length > 0) return [...new Set(having)]
    // `from . import a`: the package, and a file of its own.
    const below = found.flatMap((each) =>
      each?.is === 'module' && each.module.path !== undefined && dirOf(each.module.path) === module.path
        ? each.module.files
        : [],
    )
    return [...new Set([...module.files, ...below])]
  }

  #idOf(meaning: Meaning | undefined): string | undefined {
    return meaning?.is === 'definition' ? this.#id(meaning.file, meaning.index) : undefined
  }

  *#use(path: string, use: Use): Generator<CodeEdge> {
    const from = (use.within < 0 ? undefined : this.#id(path, use.within)) ?? fileId(path)
    if (use.kind === 'uses') return yield* this.#usedType(path, from, use)
    const making = use.path.at(-1) === made
    const way = making ? use.path.slice(0, -1) : use.path
    const meaning = this.#called(
      this.#names.evaluate({ file: path, scope: use.scope, within: use.within }, way),
      way.length === 1 && /^(?:super|this)$/.test(way[0] ?? ''),
    )
    if (meaning?.is === 'definition') {
      const { type } = this.#names.definition(meaning)
      const elsewhere = this.#definedElsewhere(meaning)
      if (elsewhere !== undefined) return yield edge(from, elsewhere, use.kind, confidence.declared, use.line)
      if (use.kind === 'calls' && !callable.has(type)) return yield* this.#usedType(path, from, { ...use, path: way })
      const to = this.#id(meaning.file, meaning.index)
      if (to === undefined || !callable.has(type) || (use.kind === 'references' && to === from)) return
      return yield edge(from, to, use.kind, meaning.sure, use.line)
    }
    if (use.kind !== 'calls' || making || meaning !== undefined) return
    for (const { file, index, sure } of this.#guesses(path, way)) {
      const to = this.#id(file, index)
      if (to !== undefined) yield edge(from, to, 'calls', sure, use.line)
    }
  }

  /** What a type holds names it, too, and a file what it declares: that says nothing. */
  *#usedType(path: string, from: string, { path: name, scope, within, line }: Use): Generator<CodeEdge> {
    const location = { file: path, scope, within }
    if (this.#names.isTypeParameter(location, name[0] ?? '')) return
    // `Color.Red` names a type by its member.
    const found = this.#names.type(location, name) ?? this.#names.type(location, name.slice(0, -1))
    if (found === undefined || !types.has(this.#names.definition(found).type)) return
    const to = this.#id(found.file, found.index)
    const isOwn = from === fileId(path) ? found.file === path : to === this.#holderOf(path, within)
    if (to !== undefined && to !== from && !isOwn) yield edge(from, to, 'uses', found.sure, line)
  }

  #holderOf(path: string, within: number): string {
    return this.#around(path, within, this.#names.definition({ file: path, index: within }))
  }

  /** C: a prototype leads to the one definition of that name. */
  #definedElsewhere({ file, index }: { readonly file: string; readonly index: number }): string | undefined {
    if (this.#family !== 'c' || this.#id(file, index) !== undefined) return undefined
    const [only, ...others] = this.#functions.get(this.#names.definition({ file, index }).name) ?? []
    return only === undefined || others.length > 0 ? undefined : this.#id(only.file, only.index)
  }

  /** A module that is called is the one thing that it exports; `super(...)` and `this(...)` are constructors of their class. */
  #called(meaning: Meaning | undefined, constructing: boolean): Meaning | undefined {
    if (meaning?.is === 'module')
      return (
        this.#names.moduleMember(meaning.module, '=') ?? this.#names.moduleMember(meaning.module, 'default') ?? meaning
      )
    return meaning?.is === 'instance' && constructing ? { ...meaning, is: 'definition' } : meaning
  }

  #guesses(path: string, way: readonly string[]): readonly { file: string; index: number; sure: number }[] {
    const name = way.at(-1) ?? ''
    if (way.length > 1) return this.#byName.candidates(path, name)
    if (this.#family !== 'c') return []
    const [only, ...others] = this.#functions.get(name) ?? []
    return only === undefined || others.length > 0 ? [] : [{ ...only, sure: confidence.nearby }]
  }
}

function functionsByName(
  files: readonly ParsedFile[],
): ReadonlyMap<string, readonly { file: string; index: number }[]> {
  const found = files.flatMap(({ path, facts }) =>
    facts.definitions.flatMap(({ type, name, declared, container }, index) =>
      (type === 'function' || type === 'macro') && declared !== true && container < 0
        ? [{ name, file: path, index }]
        : [],
    ),
  )
  return grouped(found, ({ name }) => name)
}

function edge(
  from: string,
  to: string,
  relation: string,
  sure: number,
  line?: number,
  marks: Readonly<Record<string, string>> = {},
): CodeEdge {
  const metadata = { ...(line === undefined ? {} : { line: String(line) }), ...marks }
  return {
    from,
    to,
    relation,
    confidence: sure,
    tier: tierOf(sure),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
  }
}

/** Whoever calls, extends or imports a type uses it. */
const impliesUse: ReadonlySet<string> = new Set(['calls', 'references', 'extends', 'implements', 'imports'])

/** One edge for each pair and relation: the surest, with the first line. Of a pair that another relation joins none of `uses`. */
class EdgesOfFile {
  readonly #edges = new Map<string, CodeEdge>()
  readonly #joined = new Set<string>()

  constructor(edges: Iterable<CodeEdge>) {
    for (const each of edges) {
      const pair = `${each.from}\n${each.to}`
      const at = `${pair}\n${each.relation}`
      if (impliesUse.has(each.relation)) this.#joined.add(pair)
      const known = this.#edges.get(at)
      if (known === undefined || known.confidence < each.confidence) this.#edges.set(at, each)
    }
  }

  get all(): CodeEdge[] {
    return [...this.#edges.values()].filter(
      ({ from, to, relation }) => relation !== 'uses' || !this.#joined.has(`${from}\n${to}`),
    )
  }
}
