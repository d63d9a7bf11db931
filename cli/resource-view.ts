/** A resource as the orchestrator shows it, and the kinds as people name them. */
import { Type, type Static, type TOptional, type TSchema, type TNull, type TUnion } from 'typebox'
import { kindNamed, kinds, type Kind } from '../crd/kinds.ts'
import { UsageError } from './args.ts'

const fields = Type.Record(Type.String(), Type.Unknown())

export const View = Type.Object({
  kind: Type.String(),
  metadata: Type.Object({
    name: Type.String(),
    namespace: Type.String(),
    creationTimestamp: Type.Optional(Type.String()),
  }),
  spec: fields,
  status: fields,
})
export type View = Static<typeof View>

/** A field of a status that may have no value: a resource leaves it out then (RESOURCES-33), other answers have a null. */
export function unset<S extends TSchema>(schema: S): TOptional<TUnion<[S, TNull]>> {
  return Type.Optional(Type.Union([schema, Type.Null()]))
}

export const plurals = kinds.map((kind) => kind.plural).join(', ')

/** @throws UsageError: in two lines for what is no kind, with the usage where none is given. */
export function requireKind(name: string, usage: string): Kind {
  const kind = kindNamed(name)
  if (kind !== undefined) return kind
  if (name === '') throw new UsageError(usage)
  const isSecret = name.toLowerCase().startsWith('secret')
  throw new UsageError(isSecret ? 'secrets are never shown' : `there is no kind ${name}\nkinds: ${plurals}`)
}

/** RFC 1123, as names of resources are. */
export const subdomain = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/

/** @throws UsageError for what is no name: its dots and slashes would lead to another resource. */
export function resourcePath({ plural }: Pick<Kind, 'plural'>, namespace: string, name: string): string {
  const odd = [namespace, name].find((text) => !subdomain.test(text))
  if (odd !== undefined)
    throw new UsageError(`${JSON.stringify(odd)} is no name: it takes lower-case letters, digits, - and .`)
  return `/resources/${plural}/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`
}
