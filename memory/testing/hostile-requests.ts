/** Requests at random from an OpenAPI document: of the right shape, with values that no store or walk of values bears. */
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

/** What a cursor hides, in the spelling that the service gives. */
const cursors = [1e300, -1, 1.5, 2 ** 53, '\u0000', '\ud800', '', null, [], {}, ['a', 'b'], { id: '\u0000' }].map(
  (key) => Buffer.from(JSON.stringify(key)).toString('base64url'),
)

const text = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('a', 'b', 'calls', 'main') },
  {
    weight: 2,
    arbitrary: fc.constantFrom('\u0000', 'a\u0000b', '\ud800', 'a\udc00b', '\ud83d\ude00', '\ufeff', '\\', "'", '%'),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
  { weight: 1, arbitrary: fc.constantFrom('', ' ', 'x'.repeat(5_000), '9'.repeat(400), '__proto__', 'constructor') },
)
const number = fc.constantFrom(0, 1, 2, 0.5, -1, 100, 500, 501, 2 ** 31, 2 ** 53, 1e300, -1e300)
/** Stands for a value of so many levels: the value itself would end the stack of whoever prints it. */
const deep = fc.constantFrom(10, 64, 65, 100_000).map((levels) => `<${levels} levels>`)
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
