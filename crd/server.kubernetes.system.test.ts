/** The generated kinds before a real API server: what it takes, what it refuses, and that `validate.ts` judges as it does. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { sharedControlPlane, type ControlPlane } from '../testing/control-plane.ts'
import { describeRequiring } from '../testing/requires.ts'
import { readDocuments } from './documents.ts'
import { kinds, type Kind } from './kinds.ts'
import { mutationsOf } from './testing/mutations.ts'
import { checkManifest, onlyOrchestratorWrites } from './validate.ts'

const generated = join(fileURLToPath(new URL('.', import.meta.url)), 'generated')
const apiVersion = 'platform.dev/v1alpha1'
const scm = { provider: 'forge_a', owner: 'acme', botLogin: 'bot' }

type Spec = Readonly<Record<string, unknown>>

const specs: Readonly<Record<string, Spec>> = {
  Project: { scmSecretRef: 's', scm, memory: { pgStorage: '20Gi' }, workspace: { size: '20Gi' } },
  Repository: { projectRef: 'demo' },
  Task: { projectRef: 'demo', kind: 'implement', goal: 'g', repositories: ['a'] },
  QueuedEvent: { projectRef: 'demo', sort: 'mint', class: 'normal', priority: 1, sequence: 1, kind: 'implement' },
  Issue: { repositoryRef: 'a', number: 1 },
  MergeRequest: { repositoryRef: 'a', number: 1 },
}

describeRequiring('kubernetes', 'the six kinds on a real API server', () => {
  let kube: ControlPlane
  let namespace: string
  beforeAll(async () => {
    kube = sharedControlPlane()
    namespace = await kube.ownNamespace()
  })

  const pathOf = ({ plural }: Pick<Kind, 'plural'>): string => `/apis/${apiVersion}/namespaces/${namespace}/${plural}`
  const kindOf = (name: string): Kind => kinds.find(({ kind }) => kind === name)!
  const create = (kind: string, name: string, spec: Spec, query = ''): ReturnType<ControlPlane['ask']> =>
    kube.ask('POST', pathOf(kindOf(kind)) + query, { apiVersion, kind, metadata: { name }, spec })
  const change = (kind: string, name: string, spec: Spec): ReturnType<ControlPlane['ask']> =>
    kube.ask('PATCH', `${pathOf(kindOf(kind))}/${name}`, { spec })

  test('are taken by kubectl, applied by the client and by the server (RESOURCES-35, RESOURCES-7)', async () => {
    for (const way of [[], ['--server-side']]) {
      const said = await kube.must(['apply', '--dry-run=server', ...way, '-f', generated])
      for (const { plural } of kinds) expect(said).toContain(`${plural}.platform.dev`)
    }
  })

  test('a path of no kind is answered with its plain text, and a test that asks it goes on', async () => {
    const { code, body } = await kube.ask('GET', '/apis/nobody.test/v1/things')
    expect({ code, body }).toEqual({ code: 404, body: { message: expect.stringContaining('not found') as unknown } })
  })

  test('every odd value of every field is judged by the server as `statewright apply` judges it (RESOURCES-9)', async () => {
    const cases = kinds.flatMap((kind) => mutationsOf(kind).map((mutation) => ({ kind, ...mutation })))
    expect(cases.length).toBeGreaterThan(1443)
    const differ: string[] = []
    const judge = async ({ kind, name, spec }: (typeof cases)[number]): Promise<void> => {
      const document = { apiVersion, kind: kind.kind, metadata: { name: 'x', namespace }, spec }
      const { code, body } = await kube.ask('POST', `${pathOf(kind)}?dryRun=All&fieldValidation=Strict`, document)
      const foreign = onlyOrchestratorWrites(kind.kind)
      const faults = checkManifest(structuredClone(document)).faults.filter(({ message }) => message !== foreign)
      if (code < 300 !== (faults.length === 0))
        differ.push(`${kind.kind} ${name}: ${code} ${String(body['message'] ?? '')}; here ${JSON.stringify(faults)}`)
    }
    for (let n = 0; n < cases.length; n += 32) await Promise.all(cases.slice(n, n + 32).map(judge))
    expect(differ).toEqual([])
  })

  const creations: readonly (readonly [why: string, kind: string, name: string, spec: Spec])[] = [
    ['a name with a dot (RESOURCES-16)', 'Project', 'a.b', specs['Project']!],
    ['a name of 53 characters (RESOURCES-16)', 'Task', 'n'.repeat(53), specs['Task']!],
    [
      'a size that is none (PROJECT-MEMORY-6)',
      'Project',
      'c1',
      { ...specs['Project'], memory: { neo4jStorage: 'banana' } },
    ],
    ['a size of zero (PROJECT-MEMORY-6)', 'Project', 'c2', { ...specs['Project'], workspace: { cacheSize: '0' } }],
    [
      'two extra servers of one name (PROJECT-MCP-5)',
      'Project',
      'c3',
      { ...specs['Project'], agent: { mcpServers: [1, 2].map(() => ({ name: 'wiki', url: 'https://w' })) } },
    ],
    [
      'an extra server with a name of the platform (PROJECT-MCP-6)',
      'Project',
      'c4',
      { ...specs['Project'], agent: { mcpServers: [{ name: 'platform', url: 'https://w' }] } },
    ],
    [
      'a prefix without its slash (PROJECT-UPGRADE-11)',
      'Project',
      'c5',
      { ...specs['Project'], upgradePolicy: { adoptBranchPrefix: 'renovate' } },
    ],
    [
      'a mode of the agent that asks a person (WRAPPER-ENV-7)',
      'Project',
      'c6',
      { ...specs['Project'], agent: { permissionMode: 'plan' } },
    ],
  ]

  test.each(creations)('refuse %s', async (_why, kind, name, spec) => {
    expect((await create(kind, name, spec, '?dryRun=All')).code).toBe(422)
  })

  /** Each beside a change of the same field that is taken, so that no rule refuses whatever comes. */
  const changes: readonly (readonly [why: string, kind: string, refused: Spec, taken: Spec])[] = [
    [
      'a smaller volume (PROJECT-MEMORY-7)',
      'Project',
      { memory: { pgStorage: '19Gi' } },
      { memory: { pgStorage: '20480Mi' } },
    ],
    [
      'a volume that falls back to its default (PROJECT-MEMORY-7)',
      'Project',
      { memory: { pgStorage: null } },
      { memory: { pgStorage: '21Gi' } },
    ],
    [
      'memory: null, which would open a smaller size (PROJECT-MEMORY-7)',
      'Project',
      { memory: null },
      { memory: { pgInstances: 3 } },
    ],
    ['workspace: null', 'Project', { workspace: null }, { workspace: { size: '30Gi' } }],
    ['another forge (PROJECT-SCM-23)', 'Project', { scm: { provider: 'forge_b' } }, { scm: { botLogin: 'other' } }],
    ['another owner (PROJECT-SCM-23)', 'Project', { scm: { owner: 'else' } }, { triggerLabel: 'agents' }],
    [
      'another Project of a Repository (RESOURCES-39)',
      'Repository',
      { projectRef: 'other' },
      { defaultBranch: 'next' },
    ],
    ['another goal of a Task (TASK-RESOURCE-21)', 'Task', { goal: 'h' }, { goal: 'g' }],
    ['another priority of a Task (TASK-RESOURCE-21)', 'Task', { priority: 5 }, { priority: 100 }],
    ['another number of an Issue (RESOURCES-39)', 'Issue', { number: 2 }, { number: 1 }],
    ['another Repository of a MergeRequest', 'MergeRequest', { repositoryRef: 'b' }, { repositoryRef: 'a' }],
  ]

  test.each(changes)('refuse %s', async (why, kind, refused, taken) => {
    const name = `change-${changes.findIndex(([one]) => one === why)}`
    expect((await create(kind, name, specs[kind]!)).code).toBe(201)
    const answer = await change(kind, name, refused)
    expect([answer.code, answer.body['reason']]).toEqual([422, 'Invalid'])
    expect((await change(kind, name, taken)).code).toBe(200)
  })

  test('are selected by their fields (RESOURCES-38)', async () => {
    for (const [n, projectRef] of ['one', 'two', 'two'].entries())
      expect((await create('Task', `chosen-${n}`, { ...specs['Task'], projectRef })).code).toBe(201)
    const get = (field: string): Promise<string> =>
      kube.must(['get', 'tasks', '-n', namespace, '--field-selector', field, '-o', 'name'])
    expect((await get('spec.projectRef=two')).trim().split('\n')).toHaveLength(2)
    expect(await get('spec.projectRef=three')).toBe('')
  })

  test('describe every field to `kubectl explain` (RESOURCES-37)', async () => {
    const { body } = await kube.ask('GET', `/openapi/v3/apis/${apiVersion}`)
    const { schemas } = body['components'] as { readonly schemas: Readonly<Record<string, Described>> }
    const without = kinds.flatMap(({ kind }) => {
      const schema = schemas[`dev.platform.v1alpha1.${kind}`]
      return schema === undefined ? [kind] : undescribed(schema, kind)
    })
    expect(without).toEqual([])
    expect(await kube.must(['explain', 'project.spec.memory.pgStorage'])).toContain('Volume of each instance')
  })

  test('a bare off is refused by kubectl too, and a quoted one taken (RESOURCES-36)', async () => {
    const manifest = (word: string): string =>
      JSON.stringify({
        apiVersion,
        kind: 'Project',
        metadata: { name: 'off', namespace },
        spec: { ...specs['Project'], autoApproveMaxSignificance: '@' },
      }).replace('"@"', word)
    const { code, stderr } = await kube.kubectl(['apply', '-f', '-'], manifest(' off'))
    expect([code, stderr]).toEqual([1, expect.stringContaining('autoApproveMaxSignificance')])
    expect(await kube.must(['apply', '-f', '-'], manifest('"off"'))).toContain('project.platform.dev/off created')
  })

  test('a manifest is read as kubectl reads it: which bare words are booleans', async () => {
    const words =
      'y Y yes Yes YES yEs on On ON oN true True TRUE n N no No NO off Off OFF oFF false ~ null 1_000 0x1f 010 -017 0b11 09 1e3 1.5 +1 2001-01-01 "off" a:b'.split(
        ' ',
      )
    const lines = words.map((word, n) => `    w${n}: ${word}`).join('\n')
    const source = `apiVersion: ${apiVersion}\nkind: QueuedEvent\nmetadata:\n  name: words\nspec:\n  payload:\n${lines}\n`
    const printed = await kube.must(['create', '--dry-run=client', '--validate=false', '-o', 'json', '-f', '-'], source)
    type Read = { readonly spec: { readonly payload: Readonly<Record<string, unknown>> } }
    const [theirs, ours] = [JSON.parse(printed) as Read, readDocuments(source)[0] as Read].map(
      (one) => one.spec.payload,
    )
    expect(ours).toEqual(theirs)
  })
})

interface Described {
  readonly description?: string
  readonly properties?: Readonly<Record<string, Described>>
  readonly items?: Described
}

/** The server's own words of metadata are left out. */
function undescribed({ properties = {}, items }: Described, path: string): readonly string[] {
  const below = Object.entries(properties)
    .filter(([name]) => name !== 'metadata')
    .flatMap(([name, inner]) => [
      ...(inner.description ? [] : [`${path}.${name}`]),
      ...undescribed(inner, `${path}.${name}`),
    ])
  return [...below, ...(items ? undescribed(items, path) : [])]
}
