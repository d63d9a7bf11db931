/** A server's view of a status, for tests: what the generated CRD keeps of it. Test code only. */
import { kindNamed } from '../kinds.ts'
import { customResourceDefinition } from '../manifest.ts'

interface Schema {
  readonly type?: string
  readonly format?: string
  readonly nullable?: boolean
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
}

/** Fields that a server would prune or refuse: none is declared twice, none is declared as something else. */
export function lostBy(kind: string, status: object): readonly string[] {
  const { spec } = customResourceDefinition(kindNamed(kind)!) as unknown as {
    readonly spec: { readonly versions: readonly [{ readonly schema: { readonly openAPIV3Schema: Schema } }] }
  }
  const schema = spec.versions[0].schema.openAPIV3Schema.properties?.['status']
  return schema === undefined ? ['/'] : faultsAt(schema, status, '')
}

function faultsAt(schema: Schema, value: unknown, path: string): readonly string[] {
  if (value === null) return schema.nullable === true ? [] : [`${path} is null`]
  if (typeOf(value) !== schema.type) return [`${path} is no ${schema.type}`]
  if (schema.format === 'date-time' && Number.isNaN(Date.parse(String(value)))) return [`${path} is no time`]
  if (Array.isArray(value)) return value.flatMap((one, index) => faultsAt(schema.items ?? {}, one, `${path}/${index}`))
  if (typeof value !== 'object') return []
  return Object.entries(value as object).flatMap(([name, inner]) => {
    const known = schema.properties?.[name]
    return known === undefined ? [`${path}/${name} is pruned`] : faultsAt(known, inner, `${path}/${name}`)
  })
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}
