/** Reads the facts of one parsed file by the queries of its language: one program for all languages. */
import type { Node, Query, QueryMatch, Tree } from 'web-tree-sitter'
import { chainOf, typeChain, typeNames, valueType } from './chain.ts'
import {
  each,
  item,
  keyed,
  listed,
  made,
  type Binding,
  type Chain,
  type Definition,
  type Export,
  type Field,
  type FileFacts,
  type Import,
  type Returned,
  type Scope,
  type TypeParameter,
  type Use,
} from './facts.ts'
import type { Language } from './language.ts'
import { innermost, inOrder, parents, type Range } from './ranges.ts'

type Captures = ReadonlyMap<string, Node>

interface RawDefinition extends Range {
  readonly node: Node
  readonly type: string
  readonly name: string
  readonly captures: Captures
}

const callable: ReadonlySet<string> = new Set(['function', 'method', 'constructor', 'macro'])
const holders: ReadonlySet<string> = new Set(['class', 'interface', 'struct', 'enum', 'trait', 'record', 'union'])

export function readFacts(tree: Tree, query: Query, language: Language): FileFacts {
  return new FactReader(tree, query, language).read()
}

class FactReader {
  readonly #language: Language
  readonly #tree: Tree
  readonly #matches: readonly Captures[]
  readonly #definitions: readonly RawDefinition[]
  readonly #around: readonly number[]
  readonly #scopes: readonly (Range & Pick<Scope, 'closed'>)[]
  readonly #scopesAround: readonly number[]

  constructor(tree: Tree, query: Query, language: Language) {
    this.#tree = tree
    this.#language = language
    this.#matches = query.matches(tree.rootNode).map(byName)
    this.#definitions = inOrder(this.#findDefinitions())
    this.#around = parents(this.#definitions)
    const scopes = this.#all('scope').map((captures) => ({
      ...range(captures, 'scope'),
      ...(captures.has('closed') ? { closed: true } : {}),
    }))
    this.#scopes = inOrder([rangeOf(tree.rootNode), ...scopes])
    this.#scopesAround = parents(this.#scopes)
  }

  read(): FileFacts {
    const imports = this.#imports()
    const imported = new Set(
      imports.flatMap(({ names, namespace, scope = 0 }) =>
        [...names.map(({ local }) => local), namespace ?? ''].map((name) => `${scope} ${name}`),
      ),
    )
    const own = this.#definitions.map((_, index) => index)
    const definitions = own.map((index) => this.#definition(index))
    const typeParameters = this.#typeParameters()
    const [packageNode] = this.#all('package').map((captures) => captures.get('package'))
    return {
      language: this.#language.name,
      ...(packageNode === undefined ? {} : { package: packageNode?.text ?? '' }),
      // `const a = require('a')` is an import, whatever else it looks like. An index is a place, so the entry stays.
      definitions: definitions.map((each) =>
        each.type === 'variable' && imported.has(`${each.scope} ${each.name}`) ? { ...each, type: 'import' } : each,
      ),
      scopes: this.#scopes.map((scope, index): Scope => ({ ...scope, parent: this.#scopesAround[index] ?? -1 })),
      bindings: this.#bindings().filter(({ scope, name }) => !imported.has(`${scope} ${name}`)),
      ...(typeParameters.length === 0 ? {} : { typeParameters }),
      fields: this.#fields(),
      uses: this.#uses(),
      imports,
      exports: this.#exports(),
      ...(this.#tree.rootNode.hasError ? { broken: true } : {}),
    }
  }

  #all(name: string): readonly Captures[] {
    return this.#matches.filter((captures) => captures.has(name))
  }

  #chain(node: Node | undefined): Chain {
    return chainOf(node ?? null, this.#language.chains)
  }

  #type(node: Node | undefined): Chain {
    return node === undefined ? [] : typeChain(node.text, this.#language.types)
  }

  #valueType(node: Node | undefined, ...marks: readonly string[]): Chain {
    const type = node === undefined ? [] : valueType(node.text, this.#language.types)
    return type.length === 0 ? [] : [...type, ...marks]
  }

  #typeIn(captures: Captures): Chain {
    const [ofList, ofMap] = [captures.get('type.listed'), captures.get('type.keyed')]
    if (ofList !== undefined) return this.#valueType(ofList, listed)
    return ofMap === undefined ? this.#valueType(captures.get('type')) : this.#valueType(ofMap, keyed)
  }

  #valueIn(captures: Captures): Chain {
    const [ofEach, ofItem] = [captures.get('each'), captures.get('item')]
    const whole = this.#chain(captures.get('value') ?? ofEach ?? ofItem)
    if (whole.length === 0) return []
    if (captures.has('value')) return whole
    return [...whole, ofEach === undefined ? item : each]
  }

  #findDefinitions(): RawDefinition[] {
    const found = new Map<number, RawDefinition>()
    for (const captures of this.#matches)
      for (const [capture, node] of captures) {
        if (!capture.startsWith('def.')) continue
        const type = capture.slice('def.'.length)
        const known = found.get(node.id)
        if (known !== undefined && !isRicher(type, captures, known)) continue
        const name = plainName(captures.get('name')?.text ?? '')
        if (name !== '') found.set(node.id, { ...rangeOf(node), node, type, name, captures })
      }
    return [...found.values()]
  }

  /** The innermost scope around a place, which begins before it: a function's name is bound outside of the function. */
  #scopeAround({ start, end }: Range): number {
    let scope = innermost(this.#scopes, this.#scopesAround, start, end)
    while (scope > 0 && this.#scopes[scope]?.start === start && this.#scopes[scope]?.end === end)
      scope = this.#scopesAround[scope] ?? 0
    return Math.max(scope, 0)
  }

  #scopeAt(node: Node): number {
    return Math.max(innermost(this.#scopes, this.#scopesAround, node.startIndex, node.endIndex), 0)
  }

  #definitionAt(node: Node, types: ReadonlySet<string>): number {
    let at = innermost(this.#definitions, this.#around, node.startIndex, node.endIndex)
    while (at >= 0 && !types.has(this.#definitions[at]?.type ?? '')) at = this.#around[at] ?? -1
    return at
  }

  #definition(index: number): Definition {
    const raw = this.#definitions[index] as RawDefinition
    const { captures, name, start, end } = raw
    const type = this.#typeOf(raw, index)
    const owner = captures.get('owner')
    const returns = this.#valueType(captures.get('returns'))
    const holds = this.#valueType(captures.get('holds'))
    const returned = returns.length === 0 ? this.#returnedBy(index) : []
    const bases = this.#basesOf(index)
    const signature = this.#language.signatureOf?.(raw.node)
    const exported = this.#exportedAs(raw, this.#around[index] ?? -1)
    return {
      name,
      type,
      line: (captures.get('name')?.startPosition.row ?? 0) + 1,
      start,
      end,
      container: this.#around[index] ?? -1,
      scope: this.#scopeAround(raw),
      ...(owner === undefined ? {} : { owner: this.#owner(owner) }),
      ...(returns.length === 0 ? {} : { returns }),
      ...(holds.length === 0 ? {} : { holds }),
      ...(signature === undefined ? {} : { signature }),
      ...(returned.length === 0 ? {} : { returned }),
      ...bases,
      ...(captures.has('declared') ? { declared: true } : {}),
      ...(captures.has('property') ? { property: true } : {}),
      ...(exported === undefined ? {} : { exported }),
    }
  }

  /** A function of a class is a method, also where the grammar has one node for both. */
  #typeOf({ type }: RawDefinition, index: number): string {
    const around = this.#definitions[this.#around[index] ?? -1]?.type ?? ''
    return type === 'function' && holders.has(around) ? 'method' : type
  }

  #returns: Map<number, Returned[]> | undefined

  #returnedBy(index: number): readonly Returned[] {
    if (this.#returns === undefined) {
      this.#returns = new Map()
      for (const captures of this.#all('returned')) {
        const node = captures.get('returned') as Node
        const at = this.#definitionAt(node, callable)
        const value = this.#chain(node)
        // A callback's `return` is not that of the function around it.
        if (at < 0 || value.length === 0 || functionAround(node)?.endIndex !== this.#definitions[at]?.end) continue
        this.#returns.set(at, [...(this.#returns.get(at) ?? []), { value, scope: this.#scopeAt(node) }])
      }
    }
    return this.#returns.get(index) ?? []
  }

  #owner(node: Node): Chain {
    const chain = this.#language.ownerOf?.(node.text) ?? this.#chain(node)
    return chain.length === 0 ? this.#type(node) : chain
  }

  #bases: Map<number, { extends: Chain[]; implements: Chain[] }> | undefined

  #basesOf(index: number): Pick<Definition, 'extends' | 'implements'> {
    this.#bases ??= this.#readBases()
    const found = this.#bases.get(index)
    if (found === undefined) return {}
    return {
      ...(found.extends.length === 0 ? {} : { extends: found.extends }),
      ...(found.implements.length === 0 ? {} : { implements: found.implements }),
    }
  }

  #readBases(): Map<number, { extends: Chain[]; implements: Chain[] }> {
    const bases = new Map<number, { extends: Chain[]; implements: Chain[] }>()
    for (const kind of ['extends', 'implements'] as const)
      for (const captures of this.#all(kind)) {
        const node = captures.get(kind) as Node
        const at = this.#definitionAt(node, holders)
        const type = this.#type(node)
        if (at < 0) continue
        const entry = bases.get(at) ?? { extends: [], implements: [] }
        // That there is a base counts, also where it is no name.
        entry[kind].push(type.length === 0 ? ['?'] : type)
        bases.set(at, entry)
      }
    return bases
  }

  #exportRanges: readonly (Range & { readonly isDefault: boolean })[] | undefined

  #exportedAs({ start, end, name }: RawDefinition, container: number): string | undefined {
    if (container !== -1) return undefined
    this.#exportRanges ??= [
      ...this.#all('exported').map((captures) => ({ ...range(captures, 'exported'), isDefault: false })),
      ...this.#all('exported.default').map((captures) => ({
        ...range(captures, 'exported.default'),
        isDefault: true,
      })),
    ]
    const around = this.#exportRanges.filter((each) => each.start <= start && each.end >= end)
    if (around.length === 0) return undefined
    return around.some(({ isDefault }) => isDefault) ? 'default' : name
  }

  #bindings(): Binding[] {
    const known = new Map<string, Binding>()
    for (const captures of this.#matches) {
      const node = captures.get('bind') ?? captures.get('bind.member')
      if (node === undefined) continue
      const type = this.#typeIn(captures)
      const whole = this.#valueIn(captures)
      const member = captures.has('bind.member') ? node.text : captures.get('member')?.text
      const value = member === undefined || whole.length === 0 ? whole : [...whole, member]
      const scope = this.#scopeAt(node)
      const binding = {
        name: node.text,
        scope,
        ...(type.length === 0 ? {} : { type }),
        ...(value.length === 0 ? {} : { value }),
      }
      const key = `${scope} ${node.text}`
      const before = known.get(key)
      if (before === undefined || knowledge(binding) > knowledge(before)) known.set(key, binding)
    }
    return [...known.values()]
  }

  #typeParameters(): TypeParameter[] {
    return this.#all('parameter').map((captures) => {
      const node = captures.get('parameter') as Node
      const type = this.#type(captures.get('type'))
      return { name: node.text, scope: this.#scopeAt(node), ...(type.length === 0 ? {} : { type }) }
    })
  }

  #fields(): Field[] {
    return this.#all('field').flatMap((captures) => {
      const node = captures.get('field') as Node
      const given = captures.get('owner')
      const owner = this.#definitionAt(node, given === undefined ? fieldHolders : callable)
      const type = this.#valueType(captures.get('type'))
      const value = this.#chain(captures.get('value'))
      if (owner < 0 || (type.length === 0 && value.length === 0)) return []
      return [
        {
          owner,
          name: plainName(node.text),
          ...(type.length === 0 ? {} : { type }),
          ...(value.length === 0 ? {} : { value }),
        },
      ]
    })
  }

  #uses(): Use[] {
    const uses: Use[] = []
    const seen = new Set<number>()
    const add = (kind: Use['kind'], node: Node, path: Chain): void => {
      if (path.length === 0 || seen.has(node.id)) return
      seen.add(node.id)
      uses.push({ kind, path, ...locationOf(node, callers) })
    }
    const locationOf = (node: Node, around: ReadonlySet<string>): Omit<Use, 'kind' | 'path'> => ({
      line: node.startPosition.row + 1,
      scope: this.#scopeAt(node),
      within: this.#definitionAt(node, around),
    })
    const declared = new Set(this.#definitions.flatMap(({ captures }) => captures.get('name')?.id ?? []))
    for (const captures of this.#matches) {
      const [call, making, ref, type] = ['call', 'new', 'ref', 'uses'].map((name) => captures.get(name))
      if (call !== undefined) add('calls', call, this.#callee(captures))
      else if (making !== undefined) add('calls', making, [...this.#callee(captures), made])
      else if (ref !== undefined && !isInType(ref)) add('references', ref, this.#chain(ref))
      else if (type !== undefined && !declared.has(type.id) && !partOfPath.test(type.parent?.type ?? ''))
        for (const path of typeNames(type.text, this.#language.types))
          uses.push({ kind: 'uses', path, ...locationOf(type, typed) })
    }
    return uses
  }

  /** Where the way to the name can't be followed, the name itself still says something. */
  #callee(captures: Captures): Chain {
    const node = captures.get('callee')
    const whole = captures.get('receiver')
    const chain = this.#chain(node)
    if (whole !== undefined && chain.length > 0) {
      const receiver = this.#chain(whole)
      return [...(receiver.length === 0 ? ['?'] : receiver), ...chain]
    }
    if (chain.length > 0 || node === undefined) return chain
    const type = this.#type(node)
    if (type.length > 0) return type
    const last = lastName(node, this.#language)
    return last === undefined ? [] : ['?', last]
  }

  #imports(): Import[] {
    return this.#all('import').flatMap((captures) => {
      const node = captures.get('import') as Node
      const line = node.startPosition.row + 1
      return this.#language
        .readImport(node, (each) => each.text)
        .map((each) => ({ ...each, line, scope: this.#scopeAt(node) }))
    })
  }

  #exports(): Export[] {
    return this.#matches.flatMap((captures) => {
      const named = captures.get('export')
      const value = captures.get('value')
      const whole = captures.has('export.default') ? 'default' : captures.has('export.all') ? '=' : undefined
      if (named === undefined && whole === undefined && !captures.has('export.same')) return []
      const local = this.#chain(captures.get('export.same') ?? value)
      if (local.length === 0) return []
      return [{ name: whole ?? named?.text ?? captures.get('export.same')?.text ?? '', local }]
    })
  }
}

const fieldHolders: ReadonlySet<string> = new Set([...holders, 'type'])
/** What is both a variable and a function is a function; else the pattern that knows more of it wins: owner, result. */
function isRicher(type: string, captures: Captures, known: RawDefinition): boolean {
  if (type !== known.type && (type === 'variable' || type === 'type')) return false
  const isPoor = type !== known.type && (known.type === 'variable' || known.type === 'type')
  return isPoor || captures.size > known.captures.size
}

/** A declared type goes before an initial value. */
function knowledge({ type, value }: Binding): number {
  if (type !== undefined) return 2
  return value === undefined ? 0 : 1
}

/** What a call stands in: what can be called, and classes, whose fields are set when one is made. */
const callers: ReadonlySet<string> = new Set([...callable, ...holders])

/** What a type is written in: aliases are made of others, too. */
const typed: ReadonlySet<string> = new Set([...callers, 'type'])
/** A node of several steps, whose last name alone would be another type. */
const partOfPath = /^(?:nested|scoped|qualified)_/

/** `Callable[[A], B]` has a list in a type. */
function isInType(node: Node): boolean {
  let at = node.parent
  while (at?.type === 'list' || at?.type === 'tuple' || at?.type === 'subscript') at = at.parent
  return at?.type === 'type'
}

function lastName(node: Node, { chains }: Language): string | undefined {
  const member = chains.members[node.type]
  const part = member === undefined ? null : node.childForFieldName(member[1])
  return part !== null && chains.names.includes(part.type) ? part.text : undefined
}

function functionAround(node: Node): Node | null {
  let at = node.parent
  while (at !== null && !/function|method|lambda/.test(at.type)) at = at.parent
  return at
}

function byName({ captures }: QueryMatch): Captures {
  return new Map(captures.map(({ name, node }) => [name, node]))
}

function rangeOf(node: Node): Range {
  return { start: node.startIndex, end: node.endIndex }
}

function range(captures: Captures, name: string): Range {
  return rangeOf(captures.get(name) as Node)
}

/** Names come as `'a-b'` and `["a"]` too, and computed: those are nobody's. */
function plainName(text: string): string {
  const bare = text.replace(/^['"`](.*)['"`]$/s, '$1')
  return /^[\w$#~.-]{1,200}$/.test(bare) ? bare : ''
}
