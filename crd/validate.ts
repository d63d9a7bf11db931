/**
 * Manifests against the six kinds. Servers prune unknown keys silently (RESOURCES-6); the client is strict, as
 * `kubectl apply --validate=strict` is: an unknown key is refused with the nearest known one, a removed key is a warning.
 * A bad value is refused on both sides.
 */
import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { kindNamed, kinds, NamespaceName, ResourceName, resourceNamePattern, SecretData, type Kind } from './kinds.ts'
import { forgeAddressPattern } from './forge-address.ts'
import type { ManifestFault } from './manifest-fault.ts'
import { nearest } from './nearest.ts'
import { faultyNames, isTooDeep } from './plain-values.ts'

export type { ManifestFault }

interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly namespace: string
  readonly spec: Record<string, unknown>
}

interface SecretManifest {
  readonly name: string
  readonly namespace: string
  readonly data: Readonly<Record<string, string>>
}

export type Checked =
  | {
      readonly sort: 'resource'
      readonly manifest: Manifest
      readonly faults: readonly ManifestFault[]
      readonly warnings: readonly ManifestFault[]
    }
  | {
      readonly sort: 'secret'
      readonly secret: SecretManifest
      readonly faults: readonly ManifestFault[]
      readonly warnings: readonly ManifestFault[]
    }

type Document = Record<string, unknown>

function isObject(value: unknown): value is Document {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What becomes of a key that no schema has. */
type UnknownKeys = 'refused' | 'pruned'

/** One YAML document, judged whole: every fault and warning at once, with JSON pointers. */
export function checkManifest(document: unknown, unknownKeys: UnknownKeys = 'refused'): Checked {
  if (isTooDeep(document)) return tooDeep
  const given = isObject(document) ? document : {}
  const metadata = isObject(given['metadata']) ? given['metadata'] : {}
  const name = typeof metadata['name'] === 'string' ? metadata['name'] : ''
  const namespace =
    metadata['namespace'] === undefined
      ? 'default'
      : typeof metadata['namespace'] === 'string'
        ? metadata['namespace']
        : ''
  const faults: ManifestFault[] = isObject(document) ? [] : [{ path: '', message: 'must be a mapping' }]
  if (!Value.Check(ResourceName, name)) {
    const words = `${nameWords}, at most 52`
    faults.push({ path: '/metadata/name', message: name === '' ? `is required: ${words}` : `must be ${words}` })
  }
  if (!Value.Check(NamespaceName, namespace))
    faults.push({ path: '/metadata/namespace', message: `must be ${nameWords}, at most 63` })
  if (given['apiVersion'] === 'v1' && given['kind'] === 'Secret') return checkSecret(given, name, namespace, faults)
  const kind = typeof given['kind'] === 'string' ? kindNamed(given['kind']) : undefined
  const spec = isObject(given['spec']) ? given['spec'] : {}
  if (kind === undefined || kind.kind !== given['kind']) faults.push(unknownKind(given['kind']))
  else faults.push(...checkHead(given, kind, unknownKeys))
  const judged = kind === undefined ? { faults: [], warnings: [], value: spec } : judgeSpec(kind, spec, unknownKeys)
  const manifest = { apiVersion: kind?.apiVersion ?? '', kind: kind?.kind ?? '', name, namespace, spec: judged.value }
  return { sort: 'resource', manifest, faults: [...faults, ...judged.faults], warnings: judged.warnings }
}

const nameWords = 'lower case letters, digits and dashes'

/** A pattern is for machines. */
const patternWords: ReadonlyMap<string, string> = new Map([
  [forgeAddressPattern, 'must be an https address, such as https://github.com/acme/lib.git'],
  [resourceNamePattern, `must be ${nameWords}`],
])

const tooDeep: Checked = {
  sort: 'resource',
  manifest: { apiVersion: '', kind: '', name: '', namespace: '', spec: {} },
  faults: [{ path: '', message: 'must not nest deeper than 64 levels' }],
  warnings: [],
}

function unknownKind(given: unknown): ManifestFault {
  const known = kinds.map((kind) => kind.kind)
  const hint = typeof given === 'string' ? nearest(given, [...known, 'Secret']) : undefined
  return { path: '/kind', message: `must be one of ${known.join(', ')}${hint ? `; did you mean ${hint}?` : ''}` }
}

function checkHead(given: Document, kind: Kind, unknownKeys: UnknownKeys): ManifestFault[] {
  const faults: ManifestFault[] = []
  if (given['apiVersion'] !== kind.apiVersion)
    faults.push({ path: '/apiVersion', message: `must be ${kind.apiVersion}` })
  if (!isObject(given['spec'])) faults.push({ path: '/spec', message: 'is required' })
  if (!kind.writable) faults.push({ path: '/kind', message: onlyOrchestratorWrites(kind.kind) })
  for (const key of Object.keys(given)) {
    if (unknownKeys === 'refused' && !['apiVersion', 'kind', 'metadata', 'spec', 'status'].includes(key))
      faults.push({ path: `/${key}`, message: 'is not a known field' })
  }
  return faults
}

export function onlyOrchestratorWrites(kind: string): string {
  return `only the orchestrator writes ${kind} resources`
}

function checkSecret(given: Document, name: string, namespace: string, faults: ManifestFault[]): Checked {
  const data = given['stringData'] ?? {}
  if (!Value.Check(SecretData, data)) faults.push({ path: '/stringData', message: 'must map names to text' })
  faults.push(...faultyNames(data, '/stringData'))
  for (const key of Object.keys(given)) {
    if (!['apiVersion', 'kind', 'metadata', 'type', 'stringData'].includes(key)) {
      faults.push({ path: `/${key}`, message: `is not accepted here: put secrets into stringData` })
    }
  }
  return { sort: 'secret', secret: { name, namespace, data: data as Record<string, string> }, faults, warnings: [] }
}

/** The spec of one kind: what is unknown, removed or wrong; `value` has defaults and no unknown key. */
function judgeSpec(
  kind: Kind,
  spec: Document,
  unknownKeys: UnknownKeys,
): { faults: readonly ManifestFault[]; warnings: readonly ManifestFault[]; value: Document } {
  const faults: ManifestFault[] = []
  const warnings: ManifestFault[] = []
  const given = withoutNulls(kind.spec, structuredClone(spec)) as Document
  warnDeprecated(kind.spec, given, '', warnings)
  const value = prune(kind.spec, given, '', (path, key, known) => {
    if (unknownKeys === 'pruned') return
    const removed = kind.removed[`${path}/${key}`]
    if (removed !== undefined)
      warnings.push({ path: `/spec${path}/${key}`, message: `no longer exists and is ignored: ${removed}` })
    else {
      const hint = nearest(key, known)
      faults.push({
        path: `/spec${path}/${key}`,
        message: `is not a known field${hint ? `; did you mean ${hint}?` : ''}`,
      })
    }
  }) as Document
  const filled = withWellFormed(Value.Default(kind.spec, value) as Document, kind.texts)
  faults.push(...faultyNames(filled, '/spec'))
  for (const { path, message } of [...specErrors(kind, filled), ...kind.faults(filled)])
    faults.push({ path: `/spec${path}`, message })
  return { faults, warnings, value: filled }
}

/** A server takes a null for a field that is not there, so that its default counts; one in a list is a fault. */
function withoutNulls(schema: unknown, value: unknown): unknown {
  const { items, properties } = schema as SchemaShape
  if (Array.isArray(value)) return items === undefined ? value : value.map((item) => withoutNulls(items, item))
  if (properties === undefined || !isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, inner]) => inner !== null || properties[key] === undefined)
      .map(([key, inner]) => [key, withoutNulls(properties[key] ?? {}, inner)]),
  )
}

/** U+FFFD takes the place of half a surrogate pair in a text; a name with one is refused. */
function withWellFormed(spec: Document, texts: readonly string[]): Document {
  const mended = texts.flatMap((key) => (typeof spec[key] === 'string' ? [[key, spec[key].toWellFormed()]] : []))
  return { ...spec, ...Object.fromEntries(mended) }
}

function specErrors({ spec: schema, meant }: Kind, value: unknown): ManifestFault[] {
  const byPath = new Map<string, string>()
  for (const error of Value.Errors(schema, value)) {
    if (error.keyword === 'required') {
      for (const name of error.params.requiredProperties) byPath.set(`${error.instancePath}/${name}`, 'is required')
    } else if (allowed(schema, error.instancePath).length > 0)
      byPath.set(error.instancePath, notOneOf(schema, error.instancePath, value, meant[error.instancePath]))
    else if (error.keyword !== 'const' && !byPath.has(error.instancePath))
      byPath.set(error.instancePath, (wordsOf(error) ?? error.message) + unquoted(error, value))
  }
  return [...byPath].map(([path, message]) => ({ path, message }))
}

function wordsOf(error: { readonly keyword: string; readonly params: object }): string | undefined {
  return 'pattern' in error.params ? patternWords.get(String(error.params.pattern)) : undefined
}

/** `off`, `yes` and `5` are words to people and no texts to YAML, as kubectl reads it. */
function unquoted(
  error: { readonly keyword: string; readonly params: object; readonly instancePath: string },
  spec: unknown,
): string {
  if (error.keyword !== 'type' || (error.params as { readonly type?: unknown }).type !== 'string') return ''
  return isBareWord(valueAt(spec, error.instancePath)) ? `: ${inQuotes}` : ''
}

const inQuotes = 'write it in quotes'

function isBareWord(value: unknown): boolean {
  return typeof value === 'boolean' || typeof value === 'number'
}

function valueAt(spec: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((inner, name) => (inner as Document)[name], spec)
}

interface SchemaShape {
  readonly type?: string
  readonly deprecated?: boolean
  readonly description?: string
  readonly properties?: Record<string, SchemaShape>
  readonly additionalProperties?: boolean
  readonly items?: SchemaShape
  readonly anyOf?: readonly { readonly const?: unknown }[]
}

function notOneOf(
  schema: TSchema,
  pointer: string,
  spec: unknown,
  meant: Readonly<Record<string, string>> = {},
): string {
  const options = allowed(schema, pointer)
  const given = valueAt(spec, pointer)
  const text = typeof given === 'string' ? given : ''
  const word = nearest(text, options.filter((option) => typeof option === 'string' && option !== '') as string[])
  const hint = isBareWord(given)
    ? inQuotes
    : Object.hasOwn(meant, text.toLowerCase())
      ? meant[text.toLowerCase()]
      : word && `did you mean ${word}?`
  return `must be one of ${options.map((option) => JSON.stringify(option)).join(', ')}${hint ? `; ${hint}` : ''}`
}

function allowed(schema: TSchema, pointer: string): readonly unknown[] {
  let at = schema as SchemaShape | undefined
  for (const step of pointer.split('/').slice(1)) at = at?.properties?.[step] ?? at?.items
  return (at?.anyOf ?? []).map((option) => option.const)
}

/** Accepted, and said: what is written down and does nothing misleads (RESOURCES-11). */
function warnDeprecated(schema: unknown, value: unknown, path: string, warnings: ManifestFault[]): void {
  const { properties = {} } = schema as SchemaShape
  if (!isObject(value)) return
  for (const [key, inner] of Object.entries(value)) {
    const property = properties[key]
    if (property === undefined) continue
    if (property.deprecated === true)
      warnings.push({ path: `/spec${path}/${key}`, message: `is deprecated: ${property.description ?? 'ignored'}` })
    warnDeprecated(property, inner, `${path}/${key}`, warnings)
  }
}

function prune(
  schema: unknown,
  value: unknown,
  path: string,
  unknown: (path: string, key: string, known: string[]) => void,
): unknown {
  const shape = schema as SchemaShape
  if (shape.type === 'array' && Array.isArray(value) && shape.items !== undefined) {
    return value.map((item, index) => prune(shape.items, item, `${path}/${index}`, unknown))
  }
  if (shape.type !== 'object' || shape.properties === undefined || !isObject(value)) return value
  const kept: Document = {}
  for (const [key, inner] of Object.entries(value)) {
    const property = shape.properties[key]
    if (property !== undefined) kept[key] = prune(property, inner, `${path}/${key}`, unknown)
    else if (shape.additionalProperties === false) unknown(path, key, Object.keys(shape.properties))
    else kept[key] = inner
  }
  return kept
}
