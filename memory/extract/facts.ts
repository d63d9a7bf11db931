/** What one file says by itself, before names are looked up in others. Plain JSON: it crosses threads and is kept in a cache. */

/** An expression as steps: names, `()` for a call, `made` for making an instance. Empty: too involved to follow. */
export type Chain = readonly string[]

/** No name in any language, unlike `new`. */
export const made = '<new>'
/** What an iteration over the whole gives, and what a key or an index gives. */
export const each = '<each>'
export const item = '<item>'
/** A type's end. Lists give elements by iteration and by index, maps by key alone; of a class the class is given. */
export const listed = '<listed>'
export const keyed = '<keyed>'
export const classItself = '<class>'

export interface Definition {
  readonly name: string
  readonly type: string
  /** Of the name, counted from 1. */
  readonly line: number
  readonly start: number
  readonly end: number
  /** The definition around this one; -1: the file. */
  readonly container: number
  readonly scope: number
  /** Where it belongs, when that is said by name: Go's receiver, Rust's impl, C++'s `A::`, JavaScript's prototypes. */
  readonly owner?: Chain
  readonly returns?: Chain
  /** Types as text, without the packages that they are of; `?` for any. Only where they decide what implements what (Go). */
  readonly signature?: Signature
  /** Of a named list or map: its type. */
  readonly holds?: Chain
  /** What `return` statements give, where no type says it. */
  readonly returned?: readonly Returned[]
  readonly extends?: readonly Chain[]
  readonly implements?: readonly Chain[]
  /** Declared and not defined here: a prototype in a header, an overload. */
  readonly declared?: boolean
  /** Its name alone runs it: Python's properties. */
  readonly property?: boolean
  readonly exported?: string
}

export interface Signature {
  readonly parameters: readonly string[]
  readonly results: readonly string[]
}

export interface Returned {
  readonly value: Chain
  readonly scope: number
}

export interface Scope {
  readonly start: number
  readonly end: number
  readonly parent: number
  /** Scopes inside do not see its names: the body of a class in Python. */
  readonly closed?: boolean
}

/** A local name: parameter, variable, loop variable. */
export interface Binding {
  readonly name: string
  readonly scope: number
  readonly type?: Chain
  readonly value?: Chain
}

/** `T extends A`; without a type nothing is known of it, and it hides what has its name further out. */
export type TypeParameter = Omit<Binding, 'value'>

/** What an instance of a definition holds under a name. */
export interface Field {
  readonly owner: number
  readonly name: string
  readonly type?: Chain
  readonly value?: Chain
}

export interface Use {
  /** `uses`: the name of a type. */
  readonly kind: 'calls' | 'references' | 'uses'
  readonly path: Chain
  readonly line: number
  readonly scope: number
  /** The definition that it stands in; -1: the file. */
  readonly within: number
}

export interface ImportedName {
  /** `*` for all of them, `default` for the default export. */
  readonly name: string
  readonly local: string
}

export interface Import {
  readonly source: string
  readonly line: number
  readonly names: readonly ImportedName[]
  /** The local name of the module as a whole. */
  readonly namespace?: string
  /** What it names is offered on. */
  readonly reexport?: boolean
  readonly typeOnly?: boolean
  readonly dynamic?: boolean
  /** C's `<a.h>`. */
  readonly system?: boolean
  readonly scope?: number
}

/** A name offered to importers: ES exports, `module.exports`. */
export interface Export {
  readonly name: string
  readonly local: Chain
}

export interface FileFacts {
  readonly language: string
  readonly package?: string
  readonly definitions: readonly Definition[]
  readonly scopes: readonly Scope[]
  readonly bindings: readonly Binding[]
  readonly typeParameters?: readonly TypeParameter[]
  readonly fields: readonly Field[]
  readonly uses: readonly Use[]
  readonly imports: readonly Import[]
  readonly exports: readonly Export[]
  /** The parser could not follow parts of it. */
  readonly broken?: boolean
}
