/** The facts of one file, arranged for lookups. */
import type { Binding, Definition, Export, Field, FileFacts, Import, ImportedName, TypeParameter } from '../facts.ts'
import { grouped } from './modules.ts'

export interface NamedImport {
  readonly of: Import
  /** Absent: the module as a whole. */
  readonly name?: ImportedName
}

export interface FileIndex {
  readonly path: string
  readonly facts: FileFacts
  /** By scope and name, as `key` makes it. */
  readonly bindings: ReadonlyMap<string, Binding>
  readonly typeParameters: ReadonlyMap<string, TypeParameter>
  readonly lexical: ReadonlyMap<string, number>
  /** Interfaces and aliases: in TypeScript a value may have the same name. */
  readonly lexicalTypes: ReadonlyMap<string, number>
  readonly imports: ReadonlyMap<string, NamedImport>
  readonly wildcards: readonly Import[]
  /** By container and name. */
  readonly members: ReadonlyMap<string, number>
  readonly fields: ReadonlyMap<number, readonly Field[]>
  readonly exported: ReadonlyMap<string, number>
  readonly exportedTypes: ReadonlyMap<string, number>
  readonly exports: ReadonlyMap<string, Export>
}

export function key(location: number, name: string): string {
  return `${location} ${name}`
}

/** What has members of its own, seen only by way of it. */
export const holders: ReadonlySet<string> = new Set([
  'class',
  'interface',
  'struct',
  'enum',
  'trait',
  'record',
  'union',
  'impl',
  'type',
])

export function indexFile(path: string, facts: FileFacts): FileIndex {
  const { definitions } = facts
  const imports = new Map<string, NamedImport>()
  for (const each of facts.imports) {
    const scope = each.scope ?? 0
    if (each.namespace !== undefined) imports.set(key(scope, each.namespace), { of: each })
    for (const name of each.names) if (name.name !== '*') imports.set(key(scope, name.local), { of: each, name })
  }
  return {
    path,
    facts,
    bindings: new Map(facts.bindings.map((each) => [key(each.scope, each.name), each])),
    typeParameters: new Map((facts.typeParameters ?? []).map((each) => [key(each.scope, each.name), each])),
    lexical: indexed(
      definitions,
      (each) => isLexical(each, definitions),
      ({ scope }) => scope,
    ),
    lexicalTypes: indexed(
      definitions,
      (each) => isType(each) && isLexical(each, definitions),
      ({ scope }) => scope,
    ),
    imports,
    wildcards: facts.imports.filter(({ names }) => names.some(({ name }) => name === '*')),
    members: indexed(
      definitions,
      ({ container, type }) => container >= 0 && type !== 'import',
      ({ container }) => container,
    ),
    fields: new Map(
      [...grouped(facts.fields, ({ owner }) => String(owner))].map(([owner, all]) => [Number(owner), all]),
    ),
    exported: exportedNames(definitions, () => true),
    exportedTypes: exportedNames(definitions, isType),
    exports: new Map(facts.exports.map((each) => [each.name, each])),
  }
}

function isLexical({ type, owner, container }: Definition, definitions: readonly Definition[]): boolean {
  if (type === 'import' || type === 'impl' || type === 'constructor' || owner !== undefined) return false
  return container < 0 || (type !== 'method' && !holders.has(definitions[container]?.type ?? ''))
}

function isType({ type }: Definition): boolean {
  return type === 'interface' || type === 'type'
}

/** A value goes before a type of its name, what is defined before what is only declared. */
function rank(definition: Definition): number {
  return (isType(definition) ? 0 : 2) + (definition.declared === true ? 0 : 1)
}

function exportedNames(
  definitions: readonly Definition[],
  wanted: (definition: Definition) => boolean,
): ReadonlyMap<string, number> {
  const names = new Map<string, number>()
  for (const [index, definition] of definitions.entries()) {
    const { exported } = definition
    if (exported === undefined || !wanted(definition)) continue
    const known = definitions[names.get(exported) ?? -1]
    if (known === undefined || rank(definition) > rank(known)) names.set(exported, index)
  }
  return names
}

/** The best of a name; of equals the first. */
function indexed(
  definitions: readonly Definition[],
  wanted: (definition: Definition) => boolean,
  locationOf: (definition: Definition) => number,
): ReadonlyMap<string, number> {
  const map = new Map<string, number>()
  for (const [index, definition] of definitions.entries()) {
    if (!wanted(definition)) continue
    const at = key(locationOf(definition), definition.name)
    const known = definitions[map.get(at) ?? -1]
    if (known === undefined || rank(definition) > rank(known)) map.set(at, index)
  }
  return map
}

/** What is put on `this` within a method is a field of the method's class. */
export function fieldsByHolder(
  files: Iterable<FileIndex>,
  holderOf: (at: {
    readonly file: string
    readonly index: number
  }) => { readonly file: string; readonly index: number } | undefined,
): ReadonlyMap<string, readonly Field[]> {
  const all = new Map<string, Field[]>()
  for (const { path, facts, fields } of files)
    for (const [owner, found] of fields) {
      const own = { file: path, index: owner }
      const holder = holders.has(facts.definitions[owner]?.type ?? '') ? own : (holderOf(own) ?? own)
      if (holder.file !== path) continue
      const at = key(holder.index, path)
      all.set(at, [...(all.get(at) ?? []), ...found])
    }
  return all
}
