/**
 * What was applied is copied field by field into settings and events. A field that nobody copies does nothing, and the
 * compiler is content: here every field of the schemas changes what the orchestrator reads, or its reason stands here.
 */
import { readFileSync } from 'node:fs'
import type { TProperties, TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { expect, test } from 'vitest'
import { RepositorySpec } from '../../crd/kinds.ts'
import { ProjectSpec } from '../../crd/project.ts'
import { fieldsOf as annotated } from '../../crd/readers.ts'
import { createProjectDirectory, type Projects } from '../../edges/forge/project-directory.ts'
import type { Resource, ResourceReader, SecretReader } from '../../edges/ports/resources.ts'
import { agentKinds } from '../../machines/task/events.ts'
import type { Delivery, Runtime } from '../../runtime/runtime.ts'
import { alertingOf } from './alerting.ts'
import type { ResourceViewsDeps } from './resource-deps.ts'
import { notifyProject } from './resources.ts'
import { memoriesOf } from '../testing/memories.ts'

type Path = readonly string[]
type Spec = Readonly<Record<string, unknown>>

const projectSchema: TSchema = ProjectSpec
/** Fields that change nothing here: those that `apply` refuses or warns of, and one that is read elsewhere. */
const unread: readonly string[] = [
  // compose.ts reads it from the resource at each turn.
  'maxBundleBytes',
  ...annotated(projectSchema).flatMap(({ path, use }) =>
    // The block `agent` is passed on whole, and a cluster has sizes of memory stacks.
    typeof use === 'object' && ('refused' in use || 'inert' in use) && !/^(?:agent|memory)\//.test(path)
      ? [path.replaceAll('/', '.')]
      : [],
  ),
]

interface Schema extends TSchema {
  readonly properties?: TProperties
  readonly items?: Schema
  readonly anyOf?: readonly { readonly const: unknown }[]
  readonly deprecated?: boolean
  readonly description?: string
}

const pool: readonly unknown[] = [
  ...[
    '0 5 * * *',
    '0 6 * * *',
    'https://a.invalid/x',
    'https://b.invalid/x',
    'claude-a',
    'a/',
    'b/',
    'claude-b',
    '5h',
    '6h',
    'a',
    'b',
  ],
  ...[7, 8, 60, 61, 300, 301, 50_000, 50_001, 1, 2],
  ...[true, false, {}],
]

/** Accepted and ignored; an alias that still counts is not. */
function isDeprecated(schema: Schema): boolean {
  return schema.deprecated === true && schema.description === 'accepted and ignored'
}

/** Two values of a field. */
function samplesOf(schema: Schema): readonly [unknown, unknown] {
  if (schema.items) return [[filled(schema.items)], []]
  const fitting = (schema.anyOf?.map((one) => one.const) ?? pool).filter((one) => Value.Check(schema, one))
  if (fitting.length < 2) throw new Error(`the pool has no two values of ${JSON.stringify(schema)}`)
  return [fitting[0], fitting[1]]
}

/** Everything that may be given is given. */
function filled(schema: Schema): unknown {
  if (schema.properties === undefined) return Value.Check(schema, {}) ? {} : samplesOf(schema)[0]
  return Object.fromEntries(Object.entries(schema.properties).map(([name, one]) => [name, filled(one)]))
}

function fieldsOf(schema: Schema, path: Path = []): readonly (readonly [Path, Schema])[] {
  if (schema.properties === undefined) return [[path, schema]]
  return Object.entries(schema.properties).flatMap(([name, one]) => fieldsOf(one, [...path, name]))
}

function changed(spec: unknown, [name, ...rest]: Path, value: unknown): unknown {
  return name === undefined ? value : { ...(spec as Spec), [name]: changed((spec as Spec)?.[name], rest, value) }
}

interface Applied {
  readonly directory: Projects
  readonly secrets: SecretReader
}

function applied(project: unknown, repository: unknown): Applied {
  const all = [
    { kind: 'Project', name: 'demo', spec: project },
    { kind: 'Repository', name: 'lib', spec: repository },
  ].map(
    (one) => ({ ...one, namespace: 'default', uid: one.name, generation: 1, createdAt: 0, updatedAt: 0 }) as Resource,
  )
  const resources: Pick<ResourceReader, 'list'> = { list: async (kind) => all.filter((one) => one.kind === kind) }
  const secrets = {
    read: async (_: string, name: string) => ({ token: name, webhookSecret: name }),
  } as unknown as SecretReader
  const directory = createProjectDirectory({
    resources: resources as ResourceReader,
    secrets,
    defaultBranch: async () => 'trunk',
  })
  return { directory, secrets }
}

const memories = memoriesOf({}, {})

async function settingsOf(project: unknown, repository: unknown): Promise<string> {
  const { directory, secrets } = applied(project, repository)
  const told: Delivery[] = []
  const runtime = {
    read: async () => undefined,
    list: async () => [],
    deliver: async (one: Delivery) => void told.push(one),
  }
  const deps = { directory, runtime: runtime as unknown as Runtime, clock: { now: () => 0 }, memories }
  await notifyProject(deps as unknown as ResourceViewsDeps, 'default', 'demo')
  const alerting = await alertingOf({ directory, secrets }, 'demo')
  const read = [await directory.project('demo'), await directory.secret('demo'), alerting?.enabled]
  return JSON.stringify([...read, await alerting?.webhookSecret(), told])
}

const least = { scmSecretRef: 'demo-scm', scm: { provider: 'forge_a', owner: 'acme', botLogin: 'bot' } }
const most = filled(ProjectSpec)
const itsRepository = { projectRef: 'demo' }

/** An alias counts only where its successor is not given, so both the least and the most that one can say are asked. */
async function isCopied(path: Path, schema: Schema, read = settingsOf): Promise<boolean> {
  for (const spec of [least, most]) {
    const seen = new Set<string>()
    for (const value of samplesOf(schema)) seen.add(await read(changed(spec, path, value), itsRepository))
    if (seen.size > 1) return true
  }
  return false
}

/** What a Task takes along from its mint. */
async function frozenOf(project: unknown, repository: unknown): Promise<string> {
  return JSON.stringify((await applied(project, repository).directory.project('demo'))?.taskConfig)
}

/** Fields by agent kind count as one. */
function documented(path: Path): string {
  return path.filter((name) => !(agentKinds as readonly string[]).includes(name)).join('.')
}

test('every field of a Project changes what the orchestrator reads of it, but those whose reason stands here', async () => {
  const found: string[] = []
  for (const [path, schema] of fieldsOf(ProjectSpec))
    if (!isDeprecated(schema) && !(await isCopied(path, schema))) found.push(documented(path))
  expect([...new Set(found)].toSorted()).toEqual(unread.toSorted())
})

/** A Task keeps it for a call that does not say how it stands now (PROJECT-18). */
const readAgain = ['autoApproveMaxSignificance']

test('docs/operating.md names each setting that a Task keeps from its mint, and no other (RESOURCE-RULE-7)', async () => {
  const page = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8')
  const [, section = ''] = page.split('## When a changed setting takes effect')
  const list = section
    .split('\n## ')[0]!
    .split('\n')
    .filter((line) => line.startsWith('- '))
  const named = list.flatMap((line) => [...line.matchAll(/`([^`]+)`/g)].map(([, name]) => name))
  const found = new Set<string>()
  for (const [path, schema] of fieldsOf(ProjectSpec))
    if (!isDeprecated(schema) && (await isCopied(path, schema, frozenOf))) found.add(documented(path))
  const ofRepository = async (spec: object): Promise<string> => frozenOf(least, { ...itsRepository, ...spec })
  for (const [path, schema] of fieldsOf(RepositorySpec).filter(([[name]]) => name !== 'projectRef')) {
    const [one, other] = samplesOf(schema)
    if ((await ofRepository(changed({}, path, one) as Spec)) !== (await ofRepository(changed({}, path, other) as Spec)))
      found.add(`Repository ${path.join('.')}`)
  }
  expect([...found].toSorted()).toEqual([...named, ...readAgain].toSorted())
})

test('every field of a Repository changes the settings of its Project', async () => {
  for (const [path, schema] of fieldsOf(RepositorySpec)) {
    const seen = new Set<string>()
    for (const value of samplesOf(schema)) seen.add(await settingsOf(least, changed(itsRepository, path, value)))
    if (path[0] === 'projectRef') seen.add(await settingsOf(least, itsRepository))
    expect([path, seen.size]).toEqual([path, 2])
  }
})
