import type { Module } from './modules.ts'

/** In TypeScript an interface and a value may share a name: what is asked for decides. */
export type Kind = 'value' | 'type'

export interface At {
  readonly file: string
  readonly index: number
  readonly sure: number
}
export type Meaning =
  | ({ readonly is: 'definition' | 'instance' } & At)
  | { readonly is: 'module'; readonly module: Module; readonly sure: number }
  | { readonly is: 'external'; readonly name: string; readonly sure: number }
  | Container
  /** A method of a list or a map: what its call gives. */
  | { readonly is: 'giver'; readonly gives: Meaning; readonly sure: number }
  /** Bound here, and nothing says to what. */
  | { readonly is: 'local'; readonly sure: number }

export interface Container {
  readonly is: 'container'
  /** A mark of facts.ts. */
  readonly kind: string
  readonly of: Meaning
  readonly sure: number
}

export interface Location {
  readonly file: string
  readonly scope: number
  readonly within: number
}
