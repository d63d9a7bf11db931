/** Specs with one value that is odd: of each field of a kind, whatever its schema has a word about. Test code only. */
import type { Kind } from '../kinds.ts'

interface Schema {
  readonly type?: string
  readonly default?: unknown
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly maxItems?: number
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly { readonly const: string }[]
}

type Path = readonly (string | 0)[]
type Odd = readonly [name: string, value: unknown]

export interface Mutation {
  /** The field, and what is odd of it. */
  readonly name: string
  readonly spec: Readonly<Record<string, unknown>>
}

const bases: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  Project: { scmSecretRef: 's', scm: { provider: 'forge_a', owner: 'acme', botLogin: 'bot' } },
  Repository: { projectRef: 'demo' },
  Task: { projectRef: 'demo', kind: 'implement', goal: 'g', repositories: ['a'] },
  QueuedEvent: { projectRef: 'demo', sort: 'mint', class: 'normal', priority: 1, sequence: 1, kind: 'implement' },
  Issue: { repositoryRef: 'a', number: 1 },
  MergeRequest: { repositoryRef: 'a', number: 1 },
}

const texts = ['claude-x', 'a', 'https://a', '0 0 * * *', '5h', 'a/', '']

function sampleOf(schema: Schema): unknown {
  if (schema.default !== undefined) return schema.default
  if (schema.anyOf) return schema.anyOf[0]?.const
  if (schema.type === 'array') return [sampleOf(schema.items!)]
  if (schema.type === 'object')
    return Object.fromEntries((schema.required ?? []).map((name) => [name, sampleOf(schema.properties![name]!)]))
  if (schema.type === 'boolean') return true
  if (schema.type === 'integer') return schema.minimum ?? 1
  const fits = (text: string): boolean =>
    (!schema.pattern || new RegExp(schema.pattern, 'u').test(text)) && text.length >= (schema.minLength ?? 0)
  return texts.find(fits)
}

function oddTexts(schema: Schema): readonly Odd[] {
  const text = String(sampleOf(schema) || 'a')
  const { maxLength, pattern } = schema
  return [
    ['a number', 5],
    ['a boolean', true],
    ['empty', ''],
    ['a line end', `${text}\n`],
    ['accents', 'ééé'],
    ['a size', '10Gi'],
    ['no size', '-5Gi'],
    ...(maxLength ? ([['too long', text + 'x'.repeat(maxLength)]] as const) : []),
    ...(maxLength ? ([['emoji', text + '😀'.repeat(Math.floor(maxLength / 2))]] as const) : []),
    ...(pattern ? ([['against its pattern', ' ~bad~ ']] as const) : []),
  ]
}

function oddIntegers({ minimum, maximum }: Schema): readonly Odd[] {
  return [
    ['a text', '5'],
    ['a fraction', 1.5],
    ['large', 2 ** 40],
    ['larger', 2 ** 62],
    ['negative', -1],
    ['zero', 0],
    ...(minimum === undefined ? [] : ([['below', minimum - 1]] as const)),
    ...(maximum === undefined ? [] : ([['above', maximum + 1]] as const)),
  ]
}

function oddLists({ items, maxItems }: Schema): readonly Odd[] {
  const one = sampleOf(items!)
  return [
    ['an object', {}],
    ['empty', []],
    ['a null in it', [null]],
    ['the same twice', [one, one]],
    ...(maxItems === undefined ? [] : ([['too many', Array.from({ length: maxItems + 1 }, () => one)]] as const)),
  ]
}

function oddOnes(schema: Schema): readonly Odd[] {
  const always: readonly Odd[] = [
    ['null', null],
    ['as it should be', sampleOf(schema)],
  ]
  if (schema.anyOf)
    return [...always, ['no word of it', 'zzz'], ['a number', 5], ['capitals', String(sampleOf(schema)).toUpperCase()]]
  if (schema.type === 'string') return [...always, ...oddTexts(schema)]
  if (schema.type === 'integer') return [...always, ...oddIntegers(schema)]
  if (schema.type === 'boolean') return [...always, ['a text', 'true'], ['a number', 1]]
  if (schema.type === 'array') return [...always, ...oddLists(schema)]
  return [...always, ['a list', []], ['a text', 'x'], ['empty', {}]]
}

function* fieldsOf(schema: Schema, path: Path = []): Generator<readonly [Path, Schema]> {
  if (path.length > 0) yield [path, schema]
  for (const [name, inner] of Object.entries(schema.properties ?? {})) yield* fieldsOf(inner, [...path, name])
  if (schema.items) yield* fieldsOf(schema.items, [...path, 0])
}

/** On the way to the field everything is as it should be. */
function put(spec: object, path: Path, root: Schema, value: unknown): void {
  let [at, schema] = [spec as Record<string | 0, unknown>, root]
  path.forEach((step, n) => {
    const inner = step === 0 ? schema.items! : schema.properties![step]!
    if (n === path.length - 1) at[step] = value
    else {
      at[step] ??= sampleOf(inner)
      if (inner.type === 'array' && (at[step] as readonly unknown[]).length === 0) at[step] = [sampleOf(inner.items!)]
      at = at[step] as Record<string | 0, unknown>
    }
    schema = inner
  })
}

export function mutationsOf(kind: Kind): readonly Mutation[] {
  const root = kind.spec as Schema
  return [...fieldsOf(root)].flatMap(([path, schema]) =>
    oddOnes(schema).map(([name, value]) => {
      const spec = structuredClone(bases[kind.kind]!)
      put(spec, path, root, value)
      return { name: `${path.join('.')}: ${name}`, spec }
    }),
  )
}
