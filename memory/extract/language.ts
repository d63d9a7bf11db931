/** One language as data: which nodes mean what. `read-facts.ts` is the one program that reads them. */
import type { Node } from 'web-tree-sitter'
import type { Chain, Import } from './facts.ts'

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
}

export interface TypeRules {
  /** Generic types that pass for what they hold. */
  readonly transparent: readonly string[]
  /** What parts of a path are separated by. */
  readonly separator: '.' | '::'
}

/**
 * Captures that `queries` may use:
 * - `@def.TYPE` with `@name`, and perhaps `@owner`, `@returns`, `@declared`, `@property`; `@exported` says that importers
 *   see it.
 * - `@scope`: what is bound inside is not seen outside.
 * - `@bind` (a name) with perhaps `@type` and `@value`; `@field` likewise, a name that instances hold.
 * - `@call`, `@new` with `@callee`; `@ref`: a name handed on as a value.
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
  /** Rewrites an owner, a base or a type path, e.g. to drop `crate`. */
  readonly ownerOf?: (text: string) => Chain
}

export type ImportAtNode = Omit<Import, 'line' | 'scope'>
