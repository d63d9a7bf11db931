/** The sorts of fields of a spec, each with the words that `kubectl explain` shows (RESOURCES-37), blocks with who reads their fields. All but OneOf are optional. */
import {
  Type,
  type TArray,
  type TArrayOptions,
  type TBoolean,
  type TInteger,
  type TNumberOptions,
  type TObject,
  type TOptional,
  type TProperties,
  type TSchema,
  type TSchemaOptions,
  type TString,
  type TStringOptions,
  type TUnsafe,
} from 'typebox'
import type { Annotations, FieldUse } from './readers.ts'

export const closed = { additionalProperties: false } as const

/** A spec whole; its words are those of the kind. */
export function Spec<P extends TProperties>(description: string, use: FieldUse, properties: P): TObject<P> {
  return Type.Object(properties, { ...closed, use, description })
}

export function Block<P extends TProperties>(description: string, use: FieldUse, properties: P): TOptional<TObject<P>> {
  return Type.Optional(Spec(description, use, properties))
}

export function Text(description: string, options: TStringOptions & Annotations = {}): TOptional<TString> {
  return Type.Optional(Type.String({ ...options, description }))
}

export function Whole(description: string, options: TNumberOptions & Annotations = {}): TOptional<TInteger> {
  return Type.Optional(Type.Integer({ ...options, description }))
}

export function AtLeast(
  minimum: number,
  fallback: number,
  description: string,
  options: Annotations = {},
): TOptional<TInteger> {
  return Whole(description, { ...options, minimum, default: fallback })
}

export function Percent(fallback: number, description: string): TOptional<TInteger> {
  return Whole(description, { minimum: 0, maximum: 100, default: fallback })
}

export const Deprecated = Whole('accepted and ignored', { deprecated: true, use: 'deprecated' })

export function Flag(fallback: boolean, description: string, options: Annotations = {}): TOptional<TBoolean> {
  return Type.Optional(Type.Boolean({ ...options, default: fallback, description }))
}

export function OneOf<W extends string>(
  words: readonly W[],
  description: string,
  options: TSchemaOptions & Annotations = {},
): TUnsafe<W> {
  return Type.Unsafe<W>(
    Type.Union(
      words.map((word) => Type.Literal(word)),
      { ...options, description },
    ),
  )
}

export function Choice<W extends string>(
  words: readonly W[],
  description: string,
  options: TSchemaOptions & Annotations = {},
): TOptional<TUnsafe<W>> {
  return Type.Optional(OneOf(words, description, options))
}

export function List<T extends TSchema>(
  description: string,
  items: T,
  options: TArrayOptions & Annotations = {},
): TOptional<TArray<T>> {
  return Type.Optional(Type.Array(items, { ...options, description }))
}
