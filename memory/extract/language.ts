/** One language as data: which nodes mean what. `read-facts.ts` is the one program that reads them. */
import type { Node } from 'web-tree-sitter'
import type { Chain, Import, Signature } from './facts.ts'

export interface ChainRules {
  /** Nodes that are one name. */
  readonly names: readonly string[]
  /** Member access: node, field of the whole, field of the part. */
  readonly members: Readonly<Record<string, readonly [whole: string, part: string]>>
  /** Calls: node, field of what is called. */
  readonly calls: Readonly<Record<string, string>>
  /** Calls whose receiver and name are fields of the call itself (Java). */
  readonly methodCalls?: Readonly<Record<string, readonly [whole: string, part: string]>>
  /** What makes an instance: node, field of the type. */
  readonly news: Readonly<Record<string, string>>
  /** Nodes that mean what they hold: parentheses, await, casts. The field, or the first named child. */
  readonly wrappers: Readonly<Record<string, string | null>>
  /** Access by key or index: node, field of the whole. */
  readonly items?: Readonly<Record<string, string>>
  /** A wrapper that begins with a sign gives an element of what it holds (Go's channels). */
  readonly receives?: readonly [node: string, sign: string]
  /** Functions that give their first argument, or what an iteration over it gives. */
  readonly passing?: Readonly<Record<string, 'whole' | 'each'>>
}

export interface TypeRules {
  /** Generic types that pass for what they hold. */
  readonly transparent: readonly string[]
  /** Generic types that hold others, as Python's `list` and `dict`; `type[A]` is the class A. */
  readonly listed?: readonly string[]
  readonly keyed?: readonly string[]
  readonly classItself?: readonly string[]
  /** Of types that are written in another way: what they hold, and how. */
  readonly held?: (type: string) => readonly [of: string, mark: string] | undefined
  /** What in a type's text is a text only, and names nothing. */
  readonly texts?: RegExp
  /** What parts of a path are separated by. */
  readonly separator: '.' | '::'
}

/**
 * Captures that `queries` may use:
 * - `@def.TYPE` with `@name`, and perhaps `@owner`, `@returns`, `@declared`, `@property`; `@exported` says that importers
 *   see it.
 * - `@scope`: what is bound inside is not seen outside; with `@closed` not by scopes inside either.
 * - `@bind` (a name) with perhaps `@type` and `@value`; `@field` likewise, a name that instances hold. `@each` and `@item`
 *   are values that it is an element of; `@type.listed` and `@type.keyed` are types of its elements.
 * - `@holds`: the type of a named list or map.
 * - `@call`, `@new` with `@callee`; `@ref`: a name handed on as a value; `@uses`: a type, of whose text each name counts.
 * - `@parameter` (a name) with perhaps `@type`: a type parameter and what it has at least.
 * - `@extends`, `@implements`: types that the definition around them builds on.
 * - `@import`: a statement for `readImport`; `@export` (a name) with `@value`.
 * - `@package`: the name of the package that the file belongs to.
 */
export interface Language {
  readonly name: string
  readonly extensions: readonly string[]
  /** Its grammar: package and file of the WebAssembly. */
  readonly grammar: string
  /** Languages of one family see each other's definitions. */
  readonly family: string
  readonly queries: string
  readonly chains: ChainRules
  readonly types: TypeRules
  /** Names of the instance, and of its base. */
  readonly self: readonly string[]
  readonly base: readonly string[]
  /** Members are seen inside the class without naming the instance. */
  readonly implicitSelf?: boolean
  /** Files that see each other's definitions without an import. */
  readonly shared?: 'directory' | 'package'
  /** A call of a class makes an instance. */
  readonly callMakesInstance?: boolean
  /** Without marks, everything at the top of a file is offered to importers. */
  readonly exportsAll?: boolean
  readonly readImport: (node: Node, text: (node: Node) => string) => readonly ImportAtNode[]
  /** Definitions whose outer scope does not see them. */
  readonly memberTypes: readonly string[]
  /** Where a type implements what it has the methods of: those of a definition's node. */
  readonly signatureOf?: (node: Node) => Signature | undefined
  /** Rewrites an owner, a base or a type path, e.g. to drop `crate`. */
  readonly ownerOf?: (text: string) => Chain
}

export type ImportAtNode = Omit<Import, 'line' | 'scope'>
