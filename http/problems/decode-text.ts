import type { TSchema } from 'typebox'

interface Described {
  readonly type?: string
  readonly properties?: Readonly<Record<string, TSchema>>
  readonly items?: TSchema
}

/**
 * Text of a path, query or header as the value that the schema wants. Only what is exactly such a value is taken:
 * `5.5` is no integer, `yes` no boolean; the text then stays and the schema says what is wrong with it.
 */
export function decodeText(schema: TSchema, value: unknown): unknown {
  const described = schema as Described
  if (described.properties !== undefined) return decodeProperties(described.properties, value)
  if (described.type === 'array') return decodeItems(described.items ?? {}, value)
  return typeof value === 'string' ? decodeScalar(described.type, value) : value
}

function decodeProperties(properties: Readonly<Record<string, TSchema>>, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, text]) => {
      const schema = Object.hasOwn(properties, name) ? properties[name] : undefined
      return [name, schema === undefined ? text : decodeText(schema, text)]
    }),
  )
}

/** A key that is given once is a list of one. */
function decodeItems(items: TSchema, value: unknown): unknown {
  if (value === undefined) return value
  return (Array.isArray(value) ? value : [value]).map((item) => decodeText(items, item))
}

function decodeScalar(type: string | undefined, text: string): unknown {
  if (type === 'integer' && /^-?\d{1,16}$/.test(text)) return exactOr(text, Number.isSafeInteger)
  if (type === 'number' && /^-?\d{1,16}(\.\d{1,40})?(e[+-]?\d{1,3})?$/i.test(text))
    return exactOr(text, Number.isFinite)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

function exactOr(text: string, holds: (value: unknown) => boolean): unknown {
  const value = Number(text)
  return holds(value) ? value : text
}
