/** Requests at random from an OpenAPI document: of the right shape, with values that no store or walk of values bears. */
import { readFileSync } from 'node:fs'
import fc from 'fast-check'

interface Schema {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
}

interface Parameter {
  readonly in: string
  readonly name: string
  readonly required?: boolean
  readonly schema: Schema
}

interface DocumentedOperation {
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
}

export interface Operation {
  readonly method: string
  readonly path: string
  readonly parameters: readonly Parameter[]
  readonly body: Schema | undefined
}

export interface HostileRequest {
  readonly method: string
  readonly path: string
  readonly body: string | undefined
}

export function operationsOf(document: {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>
}): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], requestBody }]) => ({
      method: method.toUpperCase(),
      path,
      parameters,
      body: requestBody?.content['application/json']?.schema,
    })),
  )
}

export function hostileRequest({ method, path, parameters, body }: Operation): fc.Arbitrary<HostileRequest> {
  const given = fc.record(
    Object.fromEntries(
      parameters.map(({ name, schema }) => [
        name,
        name === 'cursor' ? fc.constantFrom(...cursors) : valueOf(schema, 0),
      ]),
    ),
    {
      requiredKeys: parameters
        .filter(({ required, in: place }) => required || place === 'path')
        .map(({ name }) => name),
    },
  ) as fc.Arbitrary<Record<string, unknown>>
  const sent =
    body === undefined ? fc.constant(undefined) : valueOf(body, 0).map((value) => deepened(JSON.stringify(value)))
  return fc.record({ given, sent }).map(({ given: values, sent: text }) => ({
    method,
    path: addressOf(path, parameters, values),
    body: text,
  }))
}

function addressOf(path: string, parameters: readonly Parameter[], values: Record<string, unknown>): string {
  const spelled = parameters
    .filter(({ name }) => name in values)
    .map(({ in: place, name }) => ({ place, name, text: spelling(values[name]) }))
  const at = spelled
    .filter(({ place }) => place === 'path')
    .reduce((rest, { name, text }) => rest.replace(`{${name}}`, text || 'a'), path)
  const query = spelled.filter(({ place }) => place === 'query').map(({ name, text }) => `${name}=${text}`)
  return query.length === 0 ? at : `${at}?${query.join('&')}`
}

/** As an address has it; half of a pair as the three bytes that some clients send. */
function spelling(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return [...text].map((one) => (one.isWellFormed() ? encodeURIComponent(one) : '%ED%A0%80')).join('')
}

/** The values, and requests that once made a 5xx: one list, which .ci/schemathesis_hooks.py reads too. */
const hostile = JSON.parse(readFileSync(new URL('hostile-inputs.json', import.meta.url), 'utf8')) as {
  readonly texts: readonly string[]
  readonly longTexts: readonly { readonly of: string; readonly times: number }[]
  readonly numbers: readonly number[]
  readonly levels: readonly number[]
  /** What a cursor hides, as JSON. */
  readonly cursors: readonly string[]
  readonly requests: readonly KnownRequest[]
}

interface KnownRequest {
  readonly operation: string
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
}

export const knownRequests: readonly HostileRequest[] = hostile.requests.map(({ operation, path, query, body }) => {
  const [method = '', template = ''] = operation.split(' ')
  const at = Object.entries(path ?? {}).reduce(
    (rest, [name, value]) => rest.replace(`{${name}}`, spelling(value)),
    template,
  )
  const asked = Object.entries(query ?? {}).map(([name, value]) => `${name}=${spelling(value)}`)
  return {
    method,
    path: asked.length === 0 ? at : `${at}?${asked.join('&')}`,
    body: body === undefined ? undefined : deepened(JSON.stringify(body)),
  }
})

/** In the spelling that the service gives. */
const cursors = hostile.cursors.map((key) => Buffer.from(key).toString('base64url'))

const text = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('a', 'b', 'calls', 'main') },
  { weight: 3, arbitrary: fc.constantFrom(...hostile.texts) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
  { weight: 1, arbitrary: fc.constantFrom(...hostile.longTexts.map(({ of, times }) => of.repeat(times))) },
)
const number = fc.constantFrom(...hostile.numbers)
/** Stands for a value of so many levels: the value itself would end the stack of whoever prints it. */
const deep = fc.constantFrom(...hostile.levels).map((levels) => `<${levels} levels>`)
function deepened(body: string): string {
  return body.replaceAll(/"<(\d+) levels>"/g, (_all, levels: string) => {
    const half = Number(levels) / 2
    return `${'[{"a":'.repeat(half)}1${'}]'.repeat(half)}`
  })
}
const anything = fc.oneof(text, number, fc.constant(null), fc.constant(true), deep)
const deepest = 6

function valueOf(schema: Schema, depth: number): fc.Arbitrary<unknown> {
  const fitting = fittingValue(schema, depth)
  return fc.oneof({ weight: 30, arbitrary: fitting }, { weight: 1, arbitrary: anything })
}

function fittingValue(schema: Schema, depth: number): fc.Arbitrary<unknown> {
  if (depth > deepest) return anything
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  const branches = schema.anyOf ?? schema.oneOf
  if (branches !== undefined) return fc.oneof(...branches.map((branch) => fittingValue(branch, depth)))
  switch (schema.type) {
    case 'string':
      return text
    case 'integer':
    case 'number':
      return number
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array':
      return fc.array(valueOf(schema.items ?? {}, depth + 1), { maxLength: 3 })
    case 'object':
      return objectOf(schema, depth + 1)
    default:
      return anything
  }
}

function objectOf(schema: Schema, depth: number): fc.Arbitrary<unknown> {
  const { properties = {}, required = [], patternProperties = {}, additionalProperties } = schema
  const known = fc.record(
    Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, valueOf(inner, depth)])),
    { requiredKeys: Object.keys(properties).filter((name) => required.includes(name)) },
  )
  const [others] = Object.values(patternProperties)
  const open = others ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined)
  if (open === undefined) return known
  const more = fc.dictionary(text, valueOf(open, depth), { maxKeys: 3 })
  return fc.tuple(known, more).map(([fixed, free]) => ({ ...free, ...fixed }))
}
