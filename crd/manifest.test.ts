import { Type, type TSchema } from 'typebox'
import { describe, expect, test } from 'vitest'
import { columnsOf } from './columns.ts'
import { kinds } from './kinds.ts'
import { customResourceDefinition, structural } from './manifest.ts'
import { taskResource } from './status/task.ts'
import { newTask, withChanges } from '../machines/task/context.ts'

interface Node {
  readonly [keyword: string]: unknown
  readonly properties?: Readonly<Record<string, Node>>
  readonly items?: Node
}

/** What apiextensions v1 calls structural: one type at every node, and nothing that chooses between shapes. */
const allowed =
  /^(type|format|description|default|enum|pattern|minimum|maximum|minLength|maxLength|minItems|maxItems|required|nullable|properties|items|x-kubernetes-(preserve-unknown-fields|list-type|list-map-keys|validations))$/

function walk(node: Node, path: string, visit: (node: Node, path: string) => void): void {
  visit(node, path)
  for (const [name, inner] of Object.entries(node.properties ?? {})) walk(inner, `${path}.${name}`, visit)
  if (node.items !== undefined) walk(node.items, `${path}[]`, visit)
}

function definitionOf(kind: (typeof kinds)[number]): {
  readonly names: Node
  readonly version: Node
  readonly schema: Node
} {
  const { spec } = customResourceDefinition(kind) as unknown as {
    spec: { names: Node; versions: readonly [Node & { schema: { openAPIV3Schema: Node } }] }
  }
  const [version] = spec.versions
  return { names: spec.names, version, schema: version.schema.openAPIV3Schema }
}

function specOf(kind: (typeof kinds)[number]): Node {
  const { spec } = definitionOf(kind).schema.properties ?? {}
  if (spec === undefined) throw new Error(`${kind.kind} has no spec`)
  return spec
}

/** Read from the source by itself, so that a converter that drops something is noticed. */
function said(node: Node, keyword: 'default' | 'enum'): Record<string, unknown> {
  const found: Record<string, unknown> = {}
  walk(node, '', (at, path) => {
    const words = (at['anyOf'] as readonly { readonly const: unknown }[] | undefined)?.map((option) => option.const)
    const value = keyword === 'enum' ? (at['enum'] ?? words) : at[keyword]
    if (value !== undefined) found[path] = value
  })
  return found
}

test('field selectors are those of the contract, each of a field that is declared (RESOURCES-38)', () => {
  const selected = kinds.map((kind) => {
    const { version, schema } = definitionOf(kind)
    const paths = (version['selectableFields'] as readonly { readonly jsonPath: string }[]).map(
      ({ jsonPath }) => jsonPath,
    )
    for (const path of paths) {
      const found = path
        .split('.')
        .slice(1)
        .reduce<Node | undefined>((at, name) => at?.properties?.[name], schema)
      expect(found, `${kind.kind} ${path}`).toBeDefined()
    }
    return `${kind.kind} ${paths.join(' ')}`
  })
  expect(selected).toEqual([
    'Project .spec.scm.provider',
    'Repository .spec.projectRef',
    'Task .spec.projectRef .spec.kind .status.stage',
    'QueuedEvent .spec.projectRef .status.state',
    'Issue .spec.repositoryRef',
    'MergeRequest .spec.repositoryRef',
  ])
})

describe.each(kinds.map((kind) => [kind.kind, kind] as const))('%s as Kubernetes takes it', (_name, kind) => {
  test('has one type at every field and no keyword that a structural schema may not have (RESOURCES-7)', () => {
    walk(definitionOf(kind).schema, '', (node, path) => {
      expect(node['type'], path).toMatch(/^(object|array|string|integer|boolean)$/)
      expect(
        Object.keys(node).filter((keyword) => !allowed.test(keyword)),
        path,
      ).toEqual([])
      if (node['type'] === 'array') expect(node.items, path).toBeDefined()
    })
  })

  test('explains every field of its spec and of its status (RESOURCES-37)', () => {
    const { spec, status } = definitionOf(kind).schema.properties ?? {}
    const unexplained: string[] = []
    for (const [name, root] of Object.entries({ spec, status }))
      walk(root ?? {}, name, (node, path) => {
        if (!path.endsWith('[]') && !node['description']) unexplained.push(path)
      })
    expect(unexplained).toEqual([])
  })

  test('keeps every default, enumeration and required field', () => {
    const source = kind.spec as unknown as Node
    expect(said(specOf(kind), 'default')).toEqual(said(source, 'default'))
    expect(said(specOf(kind), 'enum')).toEqual(said(source, 'enum'))
    const required = (from: Node): unknown[] => {
      const found: unknown[] = []
      walk(from, '', (node, path) => node['required'] && found.push([path, node['required']]))
      return found
    }
    expect(required(specOf(kind))).toEqual(required(source))
  })

  test('every default is a value that its own field takes: the API server refuses the kind otherwise (RESOURCES-7)', () => {
    walk(specOf(kind), '', (node, path) => {
      if (node['default'] === undefined) return
      expect(typeof node['default'], path).toBe(node['type'] === 'integer' ? 'number' : node['type'])
      if (node['enum'] !== undefined) expect(node['enum'], path).toContain(node['default'])
    })
  })

  test('shows columns of fields that exist with the type that they say, and its status is a subresource', () => {
    const { version, schema } = definitionOf(kind)
    expect(version['subresources']).toEqual({ status: {} })
    for (const { path, type } of columnsOf(kind.kind)) {
      // Of a list of conditions its filter leads to one of them.
      const [, ...steps] = path.replaceAll(/\[\?[^\]]*\]/g, '.*').split('.')
      const field = steps.reduce<Node | undefined>(
        (at, step) => (step === '*' ? at?.items : at?.properties?.[step]),
        schema,
      )
      expect(field?.['type'], path).toBe(type)
    }
  })
})

test('an entry of the queue may come without Task and payload (QUEUED-EVENT-2)', () => {
  const { schema } = definitionOf(kinds.find(({ kind }) => kind === 'QueuedEvent')!)
  const { properties, required } = schema.properties!['spec']! as Node & { readonly required: readonly string[] }
  expect(Object.keys(properties ?? {})).toEqual(expect.arrayContaining(['taskRef', 'payload']))
  expect(required.filter((name) => ['taskRef', 'payload'].includes(name))).toEqual([])
})

test('RESOURCES-1: six kinds, in one namespaced group and version (RESOURCES-1)', () => {
  expect(kinds.map(({ kind }) => kind).toSorted()).toEqual(
    ['Project', 'Repository', 'Task', 'QueuedEvent', 'Issue', 'MergeRequest'].toSorted(),
  )
  for (const kind of kinds) {
    const { spec } = customResourceDefinition(kind) as unknown as { spec: Node & { versions: readonly Node[] } }
    expect([spec['group'], spec['scope'], spec.versions.map((one) => one['name'])]).toEqual([
      'platform.dev',
      'Namespaced',
      ['v1alpha1'],
    ])
  }
})

test('the Project’s defaults and words are there, down to its cron blocks', () => {
  const project = kinds.find(({ kind }) => kind === 'Project')
  if (project === undefined) throw new Error('there is no Project')
  expect(said(specOf(project), 'default')).toMatchObject({
    '.triggerLabel': 'platform',
    '.maxConcurrentAgents': 3,
    '.scm.cron.upgrade.maxOpenUpgrades': 1,
  })
  expect(said(specOf(project), 'enum')).toMatchObject({ '.scm.provider': ['forge_a', 'forge_b'] })
})

test('the columns of issues and merge requests, and the age of everything (RESOURCES-24)', () => {
  const columnsShown = (kind: (typeof kinds)[number]): readonly unknown[] =>
    definitionOf(kind).version['additionalPrinterColumns'] as readonly unknown[]
  for (const kind of kinds)
    expect(columnsShown(kind).at(-1), kind.kind).toEqual({
      name: 'Age',
      type: 'date',
      jsonPath: '.metadata.creationTimestamp',
    })
  for (const kind of kinds.filter((one) => ['Issue', 'MergeRequest'].includes(one.kind)))
    expect(columnsShown(kind).slice(0, -1)).toEqual([
      { name: 'Repository', type: 'string', jsonPath: '.spec.repositoryRef' },
      { name: 'Number', type: 'integer', jsonPath: '.spec.number' },
      { name: 'Status', type: 'string', jsonPath: '.status.status' },
      { name: 'Owner', type: 'string', jsonPath: '.status.ownerTask' },
    ])
})

test('the wide list of Repositories shows whether the memory holds each (RESOURCES-24)', () => {
  const repository = kinds.find(({ kind }) => kind === 'Repository')!
  expect(definitionOf(repository).version['additionalPrinterColumns']).toContainEqual({
    name: 'Indexed',
    type: 'string',
    jsonPath: '.status.conditions[?(@.type=="Indexed")].status',
    priority: 1,
  })
})

test('a Task’s status carries every field that a column of its kind shows (TASK-RESOURCE-6, TASK-RESOURCE-15)', () => {
  const blank = newTask('default/t')
  const config = { ...blank.config, project: 'default/demo' }
  const context = withChanges(blank, { config }, { stage: { reason: 'ci-red' } })
  const { status } = taskResource({ id: 'default/t', path: 'stage', seq: 1, context })!
  const shown = columnsOf('Task').flatMap(({ path }) => (path.startsWith('.status.') ? [path.split('.')[2] ?? ''] : []))
  expect(Object.keys(status)).toEqual(expect.arrayContaining(shown))
})

test.each<[title: string, schema: TSchema, complaint: string]>([
  ['a choice between shapes', Type.Object({ a: Type.Union([Type.String(), Type.Integer()]) }), '/a is a choice'],
  ['an open map', Type.Object({ a: Type.Record(Type.String(), Type.String()) }), '/a uses patternProperties'],
  ['a single literal', Type.Object({ a: Type.Literal('x') }), '/a uses const'],
])('%s is refused, not dropped', (_title, schema, complaint) => {
  expect(() => structural(schema as never)).toThrow(complaint)
})

test('a deprecated field says so, because Kubernetes has no other word for it', () => {
  expect(structural(Type.Integer({ deprecated: true, description: 'accepted and ignored' }) as never)).toEqual({
    type: 'integer',
    description: 'deprecated: accepted and ignored',
  })
})

test('a retired field of a Project’s status is pruned, while a Task shows whatever its snapshot holds (RESOURCES-25, PROJECT-STATUS-12)', () => {
  const openStatus = kinds.filter(
    (kind) => definitionOf(kind).schema.properties?.['status']?.['x-kubernetes-preserve-unknown-fields'] === true,
  )
  expect(openStatus.map(({ kind }) => kind)).toEqual(['Task', 'QueuedEvent', 'Issue', 'MergeRequest'])
})
