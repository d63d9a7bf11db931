/**
 * The six kinds as Kubernetes takes them (apiextensions v1): structural schemas, which the API server demands before it
 * prunes and defaults. Unknown fields are pruned there, not refused; `statewright apply` refuses them (`validate.ts`).
 */
import { celKeyword, labelName } from './cel.ts'
import { columnsOf } from './columns.ts'
import { kinds, type Kind } from './kinds.ts'
import { conditions, statusFields } from './status-fields.ts'

type Schema = Readonly<Record<string, unknown>>

/** What a structural schema may carry of what ours do; any other keyword is a mistake to look at, not to drop. */
const carried = [
  'type',
  'description',
  'default',
  'pattern',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'required',
  celKeyword,
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
] as const
/** Kubernetes has no word for these: closed objects are pruned, and that a field is deprecated is said in its description. */
const dropped = new Set(['additionalProperties', 'deprecated', 'use', 'whole'])
const nested = new Set(['properties', 'items', 'anyOf'])

const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as const

/** Their description stands before what nests, as in the clusters that have them; that of every other field after it. */
const explainedFirst: readonly string[] = ['/spending', '/scm/protectedPaths']

/** @throws when a schema holds what no structural schema can say. */
export function structural(schema: Schema, path = ''): Schema {
  const options = schema['anyOf'] as readonly Schema[] | undefined
  if (options !== undefined) return literals(schema, options, path)
  const result: Record<string, unknown> = {}
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'description' && !explainedFirst.includes(path)) continue
    if ((carried as readonly string[]).includes(keyword)) result[keyword] = value
    else if (!dropped.has(keyword) && !nested.has(keyword))
      throw new Error(`${path || '(the root)'} uses ${keyword}, which a CRD cannot say`)
  }
  const properties = Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, Schema>>)
  if (properties.length > 0)
    result['properties'] = Object.fromEntries(
      properties.map(([name, inner]) => [name, structural(inner, `${path}/${name}`)]),
    )
  if (schema['type'] === 'object' && properties.length === 0) Object.assign(result, open)
  if (schema['items'] !== undefined) result['items'] = structural(schema['items'] as Schema, `${path}/*`)
  return { ...result, ...explained(schema) }
}

function explained({ description, deprecated }: Schema): Schema {
  const words = deprecated === true ? ['deprecated', description].filter(Boolean).join(': ') : description
  return words === undefined ? {} : { description: words }
}

/** A choice among words is an enumeration; no other choice has one type, and a structural schema wants one. */
function literals(schema: Schema, options: readonly Schema[], path: string): Schema {
  const words = options.map((option) => option['const'])
  if (!words.every((word) => typeof word === 'string'))
    throw new Error(`${path} is a choice of something else than words`)
  const { anyOf: _, description: __, ...rest } = schema
  return { ...structural({ type: 'string', ...rest }, path), enum: words, ...explained(schema) }
}

/** Their status is a list of fields, and a retired one is pruned (RESOURCES-25). The other kinds show their actor's snapshot, which grows without a new version of the kind. */
const closedStatus: readonly string[] = ['Project', 'Repository']

function statusSchema(kind: string): Schema {
  return {
    ...(closedStatus.includes(kind) ? { type: 'object' } : open),
    properties: { ...statusFields[kind], conditions },
    description: 'What the orchestrator observed. It decides nothing.',
  }
}

const text = { type: 'string' } as const

function rootSchema(kind: Kind): Schema {
  const { description, ...spec } = structural(kind.spec as unknown as Schema)
  const rules = kind.rules.length > 0 ? { [celKeyword]: kind.rules } : {}
  return {
    type: 'object',
    description,
    required: ['spec'],
    properties: {
      apiVersion: { ...text, description: 'Group and version of this form of the resource.' },
      kind: { ...text, description: 'Kind of the resource.' },
      metadata: { type: 'object' },
      spec: { ...spec, ...rules, description: 'What people want.' },
      status: statusSchema(kind.kind),
    },
    // What the orchestrator writes, it names itself.
    ...(kind.writable ? { [celKeyword]: [labelName] } : {}),
  }
}

export function customResourceDefinition(kind: Kind): Schema & { readonly metadata: { readonly name: string } } {
  const [group = '', version = ''] = kind.apiVersion.split('/')
  const names = {
    kind: kind.kind,
    listKind: `${kind.kind}List`,
    plural: kind.plural,
    singular: kind.kind.toLowerCase(),
    categories: ['platform'],
    ...(kind.shortNames.length > 0 ? { shortNames: kind.shortNames } : {}),
  }
  const columns = columnsOf(kind.kind).map(({ name, type, path, wide, wideInKubectl }) => ({
    name,
    type,
    jsonPath: path,
    ...((wide ?? wideInKubectl) ? { priority: 1 } : {}),
  }))
  const age = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${kind.plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names,
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: [...columns, age],
          selectableFields: kind.selectable.map((jsonPath) => ({ jsonPath })),
          schema: { openAPIV3Schema: rootSchema(kind) },
        },
      ],
    },
  }
}

export function customResourceDefinitions(): readonly ReturnType<typeof customResourceDefinition>[] {
  return kinds.map(customResourceDefinition)
}
