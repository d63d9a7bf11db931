import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openSharedSql } from '../../runtime/store/testing/shared-store.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import { bearer } from '../../http/auth/authenticate.ts'
import { Problem } from '../../http/problems/problem.ts'
import { testClock, withServer, verifyOnly } from '../../http/testing/fixture.ts'
import { localMigrations } from './migrations.ts'
import { registerResourceApi, type ResourceApiDeps } from './resource-api.ts'
import type { ResourceView } from '../ports/resource-views.ts'
import type { Resource, ResourceHooks } from '../ports/resources.ts'
import { localResources } from './resources.ts'
import { localSecrets } from './secrets.ts'
import { withFolder } from './testing/fixture.ts'
import { testInside } from '../../testing/inside.ts'

let sql: Sql
beforeAll(async () => {
  sql = await openSharedSql([localMigrations])
})
afterAll(() => sql.close())
beforeEach(() => sql.exec('delete from resource'))

const apiVersion = 'platform.dev/v1alpha1'
const project = {
  apiVersion,
  kind: 'Project',
  metadata: { name: 'demo' },
  spec: { scmSecretRef: 'demo-scm', scm: { provider: 'forge_a', owner: 'acme', botLogin: 'bot' } },
}
const repository = { apiVersion, kind: 'Repository', metadata: { name: 'a' }, spec: { projectRef: 'demo' } }
const task = {
  apiVersion,
  kind: 'Task',
  metadata: { name: 'by-hand' },
  spec: { projectRef: 'demo', kind: 'implement', goal: 'Do it', repositories: ['a'] },
}
const secret = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'demo-scm' },
  stringData: { token: 'hidden-token' },
}

interface Answered {
  readonly status: number
  readonly body: Record<string, unknown>
  readonly text: string
}

interface Api {
  call(method: string, path: string, body?: unknown, token?: string): Promise<Answered>
  /** What the platform was told, oldest first. */
  readonly told: string[]
  readonly secrets: ResourceApiDeps['secrets']
  readonly resources: ResourceApiDeps['resources']
}

interface Changes extends Partial<Omit<ResourceApiDeps, 'hooks'>> {
  readonly hooks?: Partial<ResourceHooks>
}

async function withApi(use: (api: Api) => Promise<void>, { hooks, ...changes }: Changes = {}): Promise<void> {
  await withFolder(async (folder) => {
    let count = 0
    const told: string[] = []
    const secrets = localSecrets(folder)
    const resources = localResources(sql, testClock(0), { next: () => `uid-${++count}` })
    const deps: ResourceApiDeps = {
      resources,
      secrets,
      authenticate: bearer(verifyOnly('good', 'cli')),
      hooks: {
        projectChanged: async (namespace, name) => void told.push(`project ${namespace}/${name}`),
        projectDeleted: async ({ namespace, name }) => void told.push(`deleted ${namespace}/${name}`),
        taskDeleted: async ({ namespace, name, by }) => {
          told.push(`${by} ends ${namespace}/${name}`)
          const made = await resources.get('Task', namespace, name)
          return name === 'by-hand' ? { state: 'closed', made } : { state: 'unknown' }
        },
        taskApplied: async ({ namespace, name }) => {
          told.push(`task ${namespace}/${name}`)
          return name
        },
        ...hooks,
      },
      derived: {
        list: async (kind, { namespace }) => [derivedView(kind.kind, namespace)],
        get: async (kind, namespace, name) => (name === 'one' ? derivedView(kind.kind, namespace) : undefined),
      },
      statusOf: async ({ name }) => ({ ready: name === 'demo' }),
      ...changes,
    }
    // Plugins are awaited by listen; their routes may be declared until then.
    await withServer(
      (app) => void registerResourceApi(app, deps),
      async ({ url }) => {
        const call: Api['call'] = async (method, path, body, token = 'good') => {
          const headers = {
            authorization: `Bearer ${token}`,
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          }
          const response = await fetch(`${url}${path}`, {
            method,
            headers,
            ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
          })
          const text = await response.text()
          return {
            status: response.status,
            text,
            body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
          }
        }
        await use({ call, told, secrets, resources })
      },
    )
  })
}

function derivedView(kind: string, namespace = 'default'): ResourceView & { readonly kind: string } {
  return { kind, metadata: { name: 'one', namespace } }
}

const it = testInside<[Api]>((use) => withApi(use))

describe('applying', () => {
  it('says what became of the resource, and tells its Project each time (RESOURCE-API-1)', async ({ call, told }) => {
    const changes = [project, project, { ...project, spec: { ...project.spec, triggerLabel: 'agents' } }, repository]
    const answers: unknown[] = []
    for (const manifest of changes) answers.push((await call('PUT', '/resources', manifest)).body)
    expect(answers).toEqual([
      { kind: 'Project', namespace: 'default', name: 'demo', change: 'created', warnings: [] },
      { kind: 'Project', namespace: 'default', name: 'demo', change: 'unchanged', warnings: [] },
      { kind: 'Project', namespace: 'default', name: 'demo', change: 'configured', warnings: [] },
      { kind: 'Repository', namespace: 'default', name: 'a', change: 'created', warnings: [] },
    ])
    expect(told).toEqual(Array.from({ length: 4 }, () => 'project default/demo'))
  })

  it('refuses another provider or owner of a Project that is there, before anything is written (PROJECT-SCM-23)', async (fixture) => {
    const { call, resources, told } = fixture
    await call('PUT', '/resources', project)
    const other = { ...project, spec: { ...project.spec, scm: { ...project.spec.scm, owner: 'others' } } }
    const { status, body } = await call('PUT', '/resources', other)
    const message = expect.stringContaining('cannot change while the Project demo is there') as unknown
    expect([status, body['errors']]).toEqual([400, [{ path: '/spec/scm/owner', message }]])
    expect((await resources.get('Project', 'default', 'demo'))?.spec).toMatchObject(project.spec)
    expect(told).toHaveLength(1)
    expect((await call('DELETE', '/resources/projects/default/demo')).status).toBe(204)
    expect((await call('PUT', '/resources', other)).body).toMatchObject({ change: 'created' })
  })

  it('lists every fault of a manifest at once, and changes nothing (RESOURCES-9, RESOURCES-16)', async (fixture) => {
    const { call, told, resources } = fixture
    const wrong = {
      ...project,
      metadata: { name: 'Demo!' },
      spec: { ...project.spec, triggerLable: 'x', maxOpenTasks: 0 },
    }
    const { status, body } = await call('PUT', '/resources', wrong)
    expect({ status, code: body['code'] }).toEqual({ status: 400, code: 'invalid-input' })
    expect(body['errors']).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ path: '/metadata/name' }),
        expect.objectContaining({ path: '/spec/maxOpenTasks' }),
      ]),
    )
    expect(told).toEqual([])
    expect(await resources.list('Project')).toEqual([])
  })

  it('prunes an unknown and a removed key without a word, as a server does (RESOURCES-6, RESOURCES-13)', async (fixture) => {
    const { call, resources } = fixture
    await call('PUT', '/resources', project)
    const scm = { ...project.spec.scm, approvalLabel: 'ok', maintainerLogin: ['maria'] }
    const unknown = { ...project, extra: 1, spec: { ...project.spec, triggerLable: 'x', scm } }
    const { status, body } = await call('PUT', '/resources', unknown)
    expect({ status, change: body['change'], warnings: body['warnings'] }).toEqual({
      status: 200,
      change: 'unchanged',
      warnings: [],
    })
    expect((await resources.get('Project', 'default', 'demo'))?.spec['scm']).not.toHaveProperty('approvalLabel')
  })

  it('refuses a field that one machine cannot obey, with the reason (RESOURCE-API-6)', async ({ call, resources }) => {
    const spec = { ...project.spec, agent: { image: 'wrapper:v1.2.3' }, workspace: { storageClass: 'fast' } }
    const { status, body } = await call('PUT', '/resources', { ...project, spec })
    expect(status).toBe(400)
    expect(body['errors']).toEqual([
      { path: '/spec/agent/image', message: expect.stringContaining('runs no image') as unknown },
      { path: '/spec/workspace/storageClass', message: expect.stringContaining('has a folder') as unknown },
    ])
    expect(await resources.list('Project')).toEqual([])
  })

  it.for([
    [
      'a board',
      { scm: { ...project.spec.scm, board: { githubProjectNumber: 7 } } },
      '/spec/scm/board/githubProjectNumber',
    ],
    ['an alerting system', { alerting: { url: 'https://alerts.acme.invalid' } }, '/spec/alerting/url'],
    ['github as its provider', { scm: { ...project.spec.scm, provider: 'github' } }, '/spec/scm/provider'],
    ['a mistyped permission mode', { agent: { permissionMode: 'byPassPermissions' } }, '/spec/agent/permissionMode'],
  ])(
    'refuses a Project with %s, which nothing would obey (RESOURCE-API-6)',
    async ([, spec, path], { call, resources }) => {
      const { status, body } = await call('PUT', '/resources', { ...project, spec: { ...project.spec, ...spec } })
      expect([status, body['errors']]).toEqual([400, [{ path, message: expect.any(String) as unknown }]])
      expect(await resources.list('Project')).toEqual([])
    },
  )

  it('takes a field that the contract accepts and nothing reads, with a warning (RESOURCE-API-7)', async ({ call }) => {
    const spec = { ...project.spec, tokenBudget: { spawnCeilingByKind: { review: 50 } } }
    const { status, body } = await call('PUT', '/resources', { ...project, spec })
    expect(status).toBe(200)
    expect(body['warnings']).toEqual([
      { path: '/spec/tokenBudget/spawnCeilingByKind', message: expect.stringContaining('no effect') as unknown },
    ])
  })

  test('warns of a skillsRef while no repository of skills is set, and not of the default (RESOURCE-API-7)', async () => {
    const warned = async (skillsRef: string, unset: readonly string[]): Promise<unknown> => {
      let warnings: unknown
      await withApi(
        async ({ call }) => {
          const spec = { ...project.spec, agent: { skillsRef } }
          warnings = (await call('PUT', '/resources', { ...project, spec })).body['warnings']
        },
        { unset },
      )
      return warnings
    }
    const message = expect.stringContaining('SKILLS_REPO_URL is empty') as unknown
    expect(await warned('v1.2.3', ['SKILLS_REPO_URL'])).toEqual([{ path: '/spec/agent/skillsRef', message }])
    expect(await warned('main', ['SKILLS_REPO_URL'])).toEqual([])
    expect(await warned('v1.2.3', [])).toEqual([])
  })

  it('a Secret is created once, and configured after that', async ({ call }) => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'demo-scm' }, stringData: { token: 't' } }
    expect((await call('PUT', '/resources', secret)).body).toMatchObject({ change: 'created' })
    expect((await call('PUT', '/resources', secret)).body).toMatchObject({ change: 'configured' })
  })

  it('stores a Secret and never shows it again (SECRET-3, RESOURCE-RULE-5)', async ({ call, secrets, resources }) => {
    const { text, body } = await call('PUT', '/resources', secret)
    expect(body).toEqual({
      kind: 'Secret',
      namespace: 'default',
      name: 'demo-scm',
      change: 'created',
      warnings: [],
    })
    expect(text).not.toContain('hidden-token')
    expect(await secrets.read('default', 'demo-scm')).toEqual({ token: 'hidden-token' })
    expect((await call('GET', '/resources/secrets')).status).toBe(404)
    expect((await call('GET', '/resources/Secret/default/demo-scm')).status).toBe(404)
    expect(await resources.list('Secret')).toEqual([])
  })

  test('a Task that is refused leaves nothing behind; a Task that stands is told at every apply', async () => {
    const told: string[] = []
    let answer: Error | undefined = new Problem('not-found', 'there is no Project demo')
    const taskApplied: ResourceHooks['taskApplied'] = async ({ name }) => {
      if (answer !== undefined) throw answer
      told.push(name)
      return name
    }
    await withApi(
      async ({ call, resources }) => {
        const refused = await call('PUT', '/resources', task)
        expect(refused.body).toMatchObject({ status: 404, detail: 'there is no Project demo' })
        expect(await resources.list('Task')).toEqual([])
        answer = undefined
        expect((await call('PUT', '/resources', task)).body).toMatchObject({ kind: 'Task', change: 'created' })
        answer = new Error('the store does not answer')
        expect((await call('PUT', '/resources', task)).status).toBe(500)
        answer = undefined
        expect((await call('PUT', '/resources', task)).body).toMatchObject({ kind: 'Task', change: 'unchanged' })
        expect(told).toEqual(['by-hand', 'by-hand'])
      },
      { hooks: { taskApplied } },
    )
  })

  test('a Project whose deletion could not be told is still there, and its deletion is told at the next try', async () => {
    const told: string[] = []
    let failures = 1
    const projectDeleted: ResourceHooks['projectDeleted'] = async ({ name }) => {
      if (failures-- > 0) throw new Error('the store does not answer')
      told.push(name)
    }
    await withApi(
      async ({ call }) => {
        await call('PUT', '/resources', project)
        const statuses: number[] = []
        for (let round = 0; round < 3; round++)
          statuses.push((await call('DELETE', '/resources/Project/default/demo')).status)
        expect(statuses).toEqual([500, 204, 404])
        expect(told).toEqual(['demo'])
      },
      { hooks: { projectDeleted } },
    )
  })

  it('what is no object is refused', async ({ call }) => {
    expect((await call('PUT', '/resources', [project])).status).toBe(400)
    expect((await call('PUT', '/resources')).status).toBe(400)
  })

  it.for(['QueuedEvent', 'Issue', 'MergeRequest'])(
    '%s is written and deleted by nobody else: 403, whatever else is wrong with it (RESOURCE-API-5, RESOURCES-5)',
    async (kind, { call, resources, told }) => {
      const forbidden = { status: 403, code: 'forbidden', detail: `only the orchestrator writes ${kind} resources` }
      const right = { apiVersion, kind, metadata: { name: 'a-1' }, spec: { repositoryRef: 'a', number: 1 } }
      for (const body of [right, { kind }, { ...right, spec: { number: 'x' } }])
        expect((await call('PUT', '/resources', body)).body).toMatchObject(forbidden)
      for (const name of ['a-1', 'unknown'])
        expect((await call('DELETE', `/resources/${kind}/default/${name}`)).body).toMatchObject(forbidden)
      expect(await resources.list(kind)).toEqual([])
      expect(told).toEqual([])
    },
  )
})

describe('reading', () => {
  it('shows what was applied in the form of its manifest, with the status that the platform knows (RESOURCE-API-3)', async (fixture) => {
    const { call } = fixture
    await call('PUT', '/resources', project)
    const { body } = await call('GET', '/resources/Project/default/demo')
    expect(body).toMatchObject({
      apiVersion,
      kind: 'Project',
      metadata: {
        name: 'demo',
        namespace: 'default',
        uid: 'uid-1',
        generation: 1,
        creationTimestamp: '1970-01-01T00:00:00.000Z',
      },
      spec: { triggerLabel: 'platform', scm: { owner: 'acme' } },
      status: { ready: true },
    })
    for (const name of ['projects', 'proj', 'PROJECT'])
      expect((await call('GET', `/resources/${name}`)).body).toEqual({ items: [body] })
  })

  it('is limited to a namespace where one is named', async ({ call }) => {
    await call('PUT', '/resources', project)
    await call('PUT', '/resources', { ...project, metadata: { name: 'demo-2', namespace: 'team' } })
    const names = async (query: string): Promise<unknown> =>
      ((await call('GET', `/resources/projects${query}`)).body['items'] as { metadata: { name: string } }[]).map(
        ({ metadata }) => metadata.name,
      )
    expect(await names('')).toEqual(['demo', 'demo-2'])
    expect(await names('?namespace=team')).toEqual(['demo-2'])
    expect((await call('GET', '/resources/projects/default/demo-2')).status).toBe(404)
  })

  test('goes on page by page behind the cursor, and asks for the status of what it shows only (RESOURCE-API-2, RESOURCES-30)', async () => {
    const asked: string[] = []
    const statusOf: ResourceApiDeps['statusOf'] = async ({ name }) => ({ order: asked.push(name) })
    await withApi(
      async ({ call, resources }) => {
        const names = Array.from({ length: 230 }, (_, index) => `p-${String(index).padStart(3, '0')}`)
        for (const name of names) await resources.apply({ kind: 'Project', namespace: 'default', name, spec: {} })
        const lengths: number[] = []
        const seen: string[] = []
        for (let cursor: string | undefined = ''; cursor !== undefined;) {
          const { body } = await call('GET', `/resources/projects${cursor === '' ? '' : `?cursor=${cursor}`}`)
          const items = body['items'] as { metadata: { name: string } }[]
          lengths.push(items.length)
          seen.push(...items.map(({ metadata }) => metadata.name))
          cursor = body['nextCursor'] as string | undefined
        }
        expect(lengths).toEqual([100, 100, 30])
        expect(seen).toEqual(names)
        asked.length = 0
        const { body } = await call('GET', '/resources/projects?limit=2')
        expect([(body['items'] as object[]).length, body['nextCursor']]).toEqual([2, expect.any(String)])
        expect((await call('GET', '/resources/projects/default/p-229')).status).toBe(200)
        // The third is read to know that there is more, and is never shown.
        expect(asked).toEqual(['p-000', 'p-001', 'p-002', 'p-229'])
        expect((await call('GET', '/resources/projects?cursor=junk')).body).toMatchObject({ code: 'invalid-input' })
      },
      { statusOf },
    )
  })

  it('shows kinds that are actors as their actors say (RESOURCES-21)', async ({ call }) => {
    expect((await call('GET', '/resources/tasks?namespace=team')).body).toEqual({
      items: [{ kind: 'Task', metadata: { name: 'one', namespace: 'team' } }],
    })
    expect((await call('GET', '/resources/mr/default/one')).body).toMatchObject({ kind: 'MergeRequest' })
    expect((await call('GET', '/resources/mr/default/two')).body).toMatchObject({
      code: 'not-found',
      detail: 'there is no MergeRequest default/two',
    })
  })

  it('an unknown kind is said to be unknown (RESOURCE-API-4)', async ({ call }) => {
    expect((await call('GET', '/resources/widgets')).body).toMatchObject({
      status: 404,
      detail: 'there is no kind widgets',
    })
  })
})

describe('deleting', () => {
  it('removes a resource, and tells the Project that lost a Repository or is gone itself (RESOURCE-API-4)', async (fixture) => {
    const { call, told } = fixture
    await call('PUT', '/resources', project)
    await call('PUT', '/resources', repository)
    told.length = 0
    expect((await call('DELETE', '/resources/repositories/default/a')).status).toBe(204)
    expect(told).toEqual(['project default/demo'])
    expect((await call('DELETE', '/resources/repositories/default/a')).status).toBe(404)
    expect((await call('DELETE', '/resources/projects/default/demo')).status).toBe(204)
    expect(told).toEqual(['project default/demo', 'deleted default/demo'])
  })

  it('of a Task ends it, in the name of who asks, and of an unknown one is 404 (TASK-RESOURCE-19)', async (fixture) => {
    const { call, told } = fixture
    expect((await call('DELETE', '/resources/tasks/default/by-hand')).status).toBe(204)
    expect((await call('DELETE', '/resources/tasks/default/unknown')).body).toMatchObject({
      code: 'not-found',
      detail: 'there is no Task default/unknown',
    })
    expect(told).toEqual(['cli ends default/by-hand', 'cli ends default/unknown'])
  })

  test('of a Task removes the resource that it was made by, whichever of its names was said (TASK-RESOURCE-19)', async () => {
    const hooks: Changes['hooks'] = {
      taskDeleted: async () => ({ state: 'closing', made: await firstTask() }),
    }
    let firstTask: () => Promise<Resource | undefined> = async () => undefined
    await withApi(
      async ({ call, resources }) => {
        firstTask = async () => (await resources.list('Task'))[0]
        await call('PUT', '/resources', task)
        expect((await call('DELETE', '/resources/tasks/default/by-hand-2nd')).status).toBe(204)
        expect(await resources.list('Task')).toEqual([])
      },
      { hooks },
    )
  })

  it('of a Project removes the Tasks that were made in it, and no others (ADMISSION-8)', async (fixture) => {
    const { call, resources } = fixture
    const other = { ...task, metadata: { name: 'of-another' }, spec: { ...task.spec, projectRef: 'other' } }
    for (const one of [project, task, other]) await call('PUT', '/resources', one)
    expect((await call('DELETE', '/resources/projects/default/demo')).status).toBe(204)
    expect((await resources.list('Task')).map(({ name }) => name)).toEqual(['of-another'])
  })
})

it('nobody without a valid token reads or writes anything', async ({ call, resources, secrets }) => {
  const attempts = [
    await call('PUT', '/resources', project, 'bad'),
    await call('PUT', '/resources', secret, 'bad'),
    await call('GET', '/resources/projects', undefined, 'bad'),
    await call('GET', '/resources/projects/default/demo', undefined, 'bad'),
    await call('DELETE', '/resources/projects/default/demo', undefined, 'bad'),
  ]
  expect(attempts.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401])
  expect(await resources.list('Project')).toEqual([])
  expect(await secrets.read('default', 'demo-scm')).toBeUndefined()
})

describe('names and depth', () => {
  const faultsOf = async (call: Api['call'], manifest: unknown): Promise<unknown> => {
    const { status, body } = await call('PUT', '/resources', manifest)
    expect(status).toBe(400)
    return (body['errors'] as readonly { readonly path: string }[] | undefined)?.map(({ path }) => path)
  }

  it('an address with NUL is 400 (HTTP-17)', async ({ call }) => {
    for (const path of ['/resources/projects/default/%00', '/resources/tasks?namespace=%00', '/resources/%00'])
      expect([path, (await call('GET', path)).status]).toEqual([path, 400])
    expect((await call('DELETE', '/resources/tasks/default/%00')).status).toBe(400)
  })

  it.for(['a\u0000', 'a\ud800'])('the name %j is refused at its place (RESOURCES-31)', async (name, { call }) => {
    const spec = { ...repository.spec, url: `https://forge/${name}`, defaultBranch: name, maintainerLogins: [name] }
    expect(await faultsOf(call, { ...repository, spec })).toEqual(
      expect.arrayContaining(['/spec/url', '/spec/defaultBranch', '/spec/maintainerLogins/0']),
    )
    expect(await faultsOf(call, { ...repository, metadata: { name } })).toEqual(['/metadata/name'])
    expect(await faultsOf(call, { ...secret, stringData: { token: name } })).toEqual(['/stringData/token'])
    await faultsOf(call, { ...secret, stringData: { [name]: 'a' } })
  })

  it('an address of a forge with white space is refused (RESOURCES-31)', async ({ call }) => {
    for (const url of ['https://forge/a\nb', 'https://forge/a b', 'https://forge/\t'])
      expect(await faultsOf(call, { ...repository, spec: { ...repository.spec, url } })).toEqual(['/spec/url'])
  })

  it('a goal is a text: U+FFFD takes the place of half a pair, NUL is refused (RESOURCES-31)', async (fixture) => {
    const { call, resources } = fixture
    const withGoal = (goal: string): object => ({ ...task, spec: { ...task.spec, goal } })
    expect((await call('PUT', '/resources', withGoal('half \ud83d of it'))).status).toBe(200)
    expect((await resources.get('Task', 'default', 'by-hand'))?.spec['goal']).toBe('half \ufffd of it')
    expect(await faultsOf(call, withGoal('a\u0000b'))).toEqual(['/spec/goal'])
  })

  it('a spec of 5,000 levels is 400 (HTTP-18)', async ({ call }) => {
    const deep = `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`
    const manifest = JSON.stringify({ ...project, spec: { ...project.spec, deep: 'HERE' } })
    expect((await call('PUT', '/resources', manifest.replace('"HERE"', deep))).status).toBe(400)
  })
})
