import { describe, expect, test } from 'vitest'
import { kindNamed, type Kind } from '../../crd/kinds.ts'
import { lostBy } from '../../crd/testing/server-view.ts'
import type { ProjectSpec } from '../../crd/project.ts'
import { newIssue } from '../../machines/issue/context.ts'
import { newMemory } from '../../machines/memory/context.ts'
import { newMemoryStack } from '../../machines/memory-stack/context.ts'
import { newPod } from '../../machines/pod/context.ts'
import { newProject } from '../../machines/project/context.ts'
import { newQueue } from '../../machines/queue/context.ts'
import { newTask, withChanges, type TaskPatch } from '../../machines/task/context.ts'
import { newTurn } from '../../machines/turn/context.ts'
import type { Resource, ResourceReader } from '../../edges/ports/resources.ts'
import type { ActorView, Delivery, Runtime } from '../../runtime/runtime.ts'
import { simulatedClock } from '../../runtime/simulated-clock.ts'
import { aThreadReader } from '../../edges/agents/testing/fixture.ts'
import type { MirroredComment, MirroredIssue } from '../../edges/ports/threads.ts'
import type { ResourceViewsDeps } from './resource-deps.ts'
import { derivedViews, statusOf, notifyProject } from './resources.ts'
import { memoriesOf } from '../testing/memories.ts'
import { closeTask } from './tasks-by-hand.ts'

/** What the Project's actor is told of its slots. */
async function slotsOf(given: Partial<ProjectSpec>): Promise<unknown> {
  const told: { readonly event: Record<string, unknown> }[] = []
  const spec = { scmSecretRef: 's', scm: { provider: 'forge_a', owner: 'o', botLogin: 'b' }, ...given }
  const deps = {
    directory: { applied: async () => ({ project: { generation: 1 }, spec }) },
    runtime: {
      deliver: async (delivery: (typeof told)[number]) => told.push(delivery),
      read: async () => undefined,
      list: async () => [],
    },
    clock: { now: () => 0 },
    memories: memoriesOf({}),
  }
  await notifyProject(deps as unknown as ResourceViewsDeps, 'default', 'demo')
  const { maxConcurrentAgents, capacity, alertCapacity } = told[0]!.event
  return { maxConcurrentAgents, capacity, alertCapacity }
}

test.each([
  ['is ended where any run', {}, [{ type: 'stack.configured', at: 0, wanted: null }]],
  ['is left as it is where none run any more, since nobody could end it', undefined, []],
])('a stack that a Project wants no more %s', async (_what, stack, expected) => {
  const told: { readonly to: string; readonly event: object }[] = []
  const deps = {
    directory: { applied: async () => ({ project: { generation: 1 }, spec: { scm: {} } }) },
    runtime: {
      deliver: async (delivery: (typeof told)[number]) => told.push(delivery),
      read: async (address: string) => (address.startsWith('memory-stack:') ? { context: {} } : undefined),
      list: async () => [],
    },
    clock: { now: () => 0 },
    memories: memoriesOf({}, stack),
  }
  await notifyProject(deps as unknown as ResourceViewsDeps, 'default', 'demo')
  expect(told.filter(({ to }) => to.startsWith('memory-stack:')).map(({ event }) => event)).toEqual(expected)
})

const filled = { type: 'memory.configured', at: 0, fills: true }

test.each([
  ['that never served yet tells its memory itself: a start before it tells nothing', 'pending', true, []],
  ['that knows nothing yet of a fill may serve before it does, and tells nobody', 'pending', false, [filled]],
  ['that serves is a memory to fill', 'running', true, [filled]],
])('a stack %s', async (_what, path, fills, expected) => {
  const told: { readonly to: string; readonly event: object }[] = []
  const sizes = { pgInstances: 1, pgStorage: '10Gi', pgWalStorage: '8Gi', neo4jStorage: '10Gi' }
  const wanted = { profile: 'light', ...sizes, fills } as const
  const stack = { endpoint: 'http://memory-demo.default.svc:8080', wanted }
  const deps = {
    directory: { applied: async () => ({ project: { generation: 1 }, spec: { scm: {}, memory: {} } }) },
    runtime: {
      deliver: async (delivery: (typeof told)[number]) => told.push(delivery),
      read: async (address: string) => (address.startsWith('memory') ? { path, context: stack } : undefined),
      list: async () => [],
    },
    clock: { now: () => 0 },
    fillsMemory: true,
    memories: memoriesOf({}, stack, path),
  }
  await notifyProject(deps as unknown as ResourceViewsDeps, 'default', 'demo')
  expect(told.filter(({ to }) => to.startsWith('memory:')).map(({ event }) => event)).toEqual(expected)
})

test.each<[Partial<ProjectSpec>, number, number, number]>([
  [{}, 3, 3, 1],
  [{ maxConcurrentAgents: 7 }, 7, 7, 1],
  [{ maxConcurrentAgents: 7, queue: { capacity: 2, alertCapacity: 0 } }, 7, 2, 0],
  [{ maxConcurrentAgents: 0 }, 0, 0, 1],
])(
  'PROJECT-QUEUE-1, PROJECT-QUEUE-2: with %j there are %i agents, of which %i normal, and %i for alerts (PROJECT-QUEUE-1, PROJECT-QUEUE-2)',
  async (given, agents, normal, alerts) => {
    expect(await slotsOf(given)).toEqual({ maxConcurrentAgents: agents, capacity: normal, alertCapacity: alerts })
  },
)

const at = Date.parse('2026-01-02T03:04:05Z')
const time = '2026-01-02T03:04:05.000Z'

/** A store of actors that lists as the runtime does: byte order, behind `after`, at most `limit`. */
function runtimeWith(actors: readonly ActorView[]): Pick<Runtime, 'list' | 'read' | 'history'> {
  const sorted = actors.toSorted((one, other) => (one.id < other.id ? -1 : 1))
  return {
    read: async (address) => actors.find((actor) => actor.address === address) as never,
    history: async (address) => [{ event: { type: 'asked', at: address.startsWith('turn:') ? at : 0 } }] as never,
    list: async (kind, { after = '', limit = 1000, idPrefix = '' } = {}) =>
      sorted
        .filter(({ address, id }) => address === `${kind}:${id}` && id.startsWith(idPrefix) && id > after)
        .slice(0, limit) as never,
  }
}

function anActor(kind: string, id: string, context: object): ActorView {
  return { address: `${kind}:${id}`, id, kind, path: 'known.open', seq: 1, status: 'active', context } as never
}

/** Nobody made a Task by hand. */
const resources = { get: async () => undefined, list: async () => [] } as unknown as ResourceReader
const threads = aThreadReader({})
const ofKind = (name: string): Kind => kindNamed(name)!

describe('resources that are actors', () => {
  const facts = { project: 'default/demo', repository: 'lib', number: 1 }
  const issues = Array.from({ length: 1201 }, (_, number) =>
    anActor('issue', `default/a-${String(number).padStart(4, '0')}`, { facts: { repository: 'a', number } }),
  )

  test('are listed to the last one, however many there are (RESOURCES-30)', async () => {
    const views = derivedViews({ runtime: runtimeWith(issues) as Runtime, resources, threads })
    const seen: string[] = []
    for (let after = ''; ;) {
      const rows = await views.list(ofKind('Issue'), { namespace: 'default', after, limit: 500 })
      seen.push(...rows.slice(0, 500).map(({ metadata }) => metadata.name))
      if (rows.length <= 500) break
      after = `default/${seen.at(-1)}`
    }
    expect(seen).toEqual(issues.map(({ id }) => id.slice('default/'.length)))
  })

  test('ISSUE-RESOURCE-3: an Issue has what the mirror has of it, and when that was read back', async () => {
    const found = { ...facts, state: 'closed', labels: ['bug'] } as unknown as MirroredIssue
    const said = aThreadReader({ issues: [found], comments: { 'issue 1': [{ id: 'c-1' } as MirroredComment] } })
    const actors = [
      anActor('issue', 'default/lib-1', { ...newIssue('default/lib-1'), facts }),
      anActor('project', 'default/demo', { ...newProject('default/demo'), resyncedAt: at }),
    ]
    const views = derivedViews({ runtime: runtimeWith(actors) as Runtime, resources, threads: said })
    const shown = { state: 'closed', labels: ['bug'], comments: 1, lastSyncTime: time }
    expect(await views.get(ofKind('Issue'), 'default', 'lib-1')).toMatchObject({ status: shown })
  })

  test('RESOURCES-32: those without facts are not shown, and leave no gap in a page', async () => {
    const some = issues.map((issue, number) => (number % 3 === 0 ? issue : { ...issue, context: { facts: null } }))
    const views = derivedViews({ runtime: runtimeWith(some) as Runtime, resources, threads })
    expect(await views.get(ofKind('Issue'), 'default', 'a-0001')).toBeUndefined()
    const first = await views.list(ofKind('Issue'), { namespace: 'default', after: '', limit: 300 })
    expect(first.length).toBe(301)
    const last = `default/${first[299]!.metadata.name}`
    const rest = await views.list(ofKind('Issue'), { namespace: 'default', after: last, limit: 300 })
    expect([...first.slice(0, 300), ...rest].map(({ metadata }) => metadata.name)).toEqual(
      issues.filter((_, number) => number % 3 === 0).map(({ id }) => id.slice('default/'.length)),
    )
  })

  test('are read by their own name without a list (RESOURCES-30)', async () => {
    const { read } = runtimeWith(issues)
    const views = derivedViews({ runtime: { read } as Runtime, resources, threads })
    expect(await views.get(ofKind('Issue'), 'default', 'a-1200')).toMatchObject({ spec: { number: 1200 } })
    expect(await views.get(ofKind('Issue'), 'default', 'a-1201')).toBeUndefined()
    expect(await views.get(ofKind('Task'), 'default', 'a-1200')).toBeUndefined()
  })

  test('an entry of a queue is found in a namespace with any number of queues (RESOURCES-30)', async () => {
    const queues = Array.from({ length: 520 }, (_, index) => {
      const name = `default/q-${String(index).padStart(3, '0')}`
      const finished = [{ entry: `mint/${name}-task`, state: 'Done', reason: '', sequence: 1 }]
      return anActor('queue', name, { ...newQueue(name), finished })
    })
    const views = derivedViews({ runtime: runtimeWith(queues) as Runtime, resources, threads })
    expect(await views.get(ofKind('QueuedEvent'), 'default', 'mint-default-q-519-task')).toMatchObject({
      spec: { projectRef: 'q-519' },
    })
    const rows = await views.list(ofKind('QueuedEvent'), { namespace: undefined, after: '', limit: 500 })
    expect(rows.length).toBe(501)
    const last = rows[499]!.metadata
    const rest = await views.list(ofKind('QueuedEvent'), {
      namespace: 'default',
      after: `${last.namespace}/${last.name}`,
      limit: 500,
    })
    expect(rest.length).toBe(20)
  })
})

describe('a Task as a resource', () => {
  const id = 'default/implement-lib-1-abcde'
  const pod = (change: object): ActorView =>
    anActor('pod', `${id}/2`, { ...newPod(`${id}/2`), name: 'pod-2', ...change })
  const turn = anActor('turn', `${id}/2/4`, { ...newTurn(`${id}/2/4`), turnId: 'turn-7' })
  const facts = { repository: 'lib', number: 1, approvals: [{ commentId: 'c-1', author: 'maya', bodyHash: 'b', at }] }
  const issue = anActor('issue', 'default/lib-1', {
    ...newIssue('default/lib-1'),
    facts,
    boundPlans: { 'c-1': 'plan-1' },
  })
  const task = (change: TaskPatch): ActorView =>
    anActor('task', id, {
      ...withChanges(
        newTask(id),
        { config: { ...newTask(id).config, project: 'default/demo' } },
        { pod: { ordinal: 2, alive: true } },
        { forge: { issues: [{ repository: 'lib', number: 1, issue: 'default/lib-1', grant: null }] } } as never,
        change,
      ),
    })
  const statusWith = async (...actors: readonly ActorView[]): Promise<unknown> => {
    const views = derivedViews({ runtime: runtimeWith(actors) as Runtime, resources, threads })
    const one = await views.get(ofKind('Task'), 'default', 'implement-lib-1-abcde')
    const [listed] = await views.list(ofKind('Task'), { namespace: 'default', after: '', limit: 1 })
    expect(listed).toEqual(one)
    return (one as unknown as { readonly status: unknown }).status
  }

  test('shows what its pod, the turn in flight and its issues know (TASK-RESOURCE-8, TASK-RESOURCE-9, TASK-RESOURCE-13)', async () => {
    expect(await statusWith(task({}), pod({ turns: 5, turnOpen: true }), turn, issue)).toMatchObject({
      pod: { ordinal: 2, name: 'pod-2' },
      turn: { id: 'turn-7', state: 'open', startedAt: time },
      approvals: [{ repository: 'lib', number: 1, commentId: 'c-1', author: 'maya', planHash: 'plan-1', at: time }],
    })
  })

  test('shows no turn between turns, and no pod between pods (TASK-RESOURCE-8, TASK-RESOURCE-9)', async () => {
    expect(await statusWith(task({}), pod({ turns: 5 }), turn)).toMatchObject({ pod: { name: 'pod-2' } })
    const over = await statusWith(task({ pod: { alive: false } }), pod({ turns: 5, turnOpen: true }), turn)
    expect(over).toMatchObject({ approvals: [] })
    for (const field of ['pod', 'turn']) expect(over).not.toHaveProperty(field)
  })

  test('is not Running since its newest pod took its last step (TASK-RESOURCE-16)', async () => {
    const over = await statusWith(task({ pod: { alive: false } }), { ...pod({}), updatedAt: at } as ActorView)
    expect(over).toMatchObject({
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: 'Running', status: 'False', lastTransitionTime: time }),
      ]) as unknown,
    })
  })
})

describe('the status of what people apply', () => {
  const project = { ...newProject('default/demo'), reason: '', generation: 2, checkedGeneration: 2, resyncedAt: at }
  const ready = { ...anActor('project', 'default/demo', project), path: 'ready' }
  const filling = {
    address: 'memory:default/demo',
    id: 'default/demo',
    path: 'filling',
    context: newMemory('default/demo'),
  } as unknown as ActorView
  const deps = (isApplied: boolean, holder = 'default/demo'): ResourceViewsDeps =>
    ({
      runtime: runtimeWith([ready, filling]),
      directory: {
        applied: async (id: string) =>
          isApplied && id === 'default/demo'
            ? { project: { taskConfig: { repositories: [{ name: 'lib', base: 'main' }] } }, holder }
            : undefined,
      },
      forgeIdOf: async (project: string, name: string) => `${project} ${name}`,
      webhookUrl: (name: string) => `http://platform.test/operator/webhooks/${name}`,
      memories: memoriesOf({
        urls: { 'default/demo': 'http://memory.test' },
        publicUrls: { 'default/demo': 'https://sw.test/api/v1/memory/demo' },
      }),
    }) as unknown as ResourceViewsDeps
  const repository = {
    kind: 'Repository',
    namespace: 'default',
    name: 'lib',
    createdAt: at,
    spec: { projectRef: 'demo' },
  } as unknown as Resource

  test('of a Repository is that of its Project in its own namespace, with the branch that work starts from (RESOURCES-4)', async () => {
    const shown = { conditions: [{ type: 'Ready', status: 'True' }], defaultBranch: 'main', lastSyncTime: time }
    expect(await statusOf(deps(true), repository)).toMatchObject(shown)
    const missing = { conditions: [{ type: 'Ready', status: 'False', reason: 'ProjectMissing' }] }
    expect(await statusOf(deps(false), repository)).toMatchObject(missing)
    expect(await statusOf(deps(true), { ...repository, namespace: 'other' })).toMatchObject(missing)
  })

  test('of a Project names its webhook and its memory service, and a server keeps all of it (RESOURCES-26, PROJECT-STATUS-5, PROJECT-STATUS-6, MEMORY-SETTINGS-5)', async () => {
    const status = await statusOf(deps(true), { ...repository, kind: 'Project', name: 'demo', spec: {} })
    expect(status).toMatchObject({
      ready: true,
      webhookURL: 'http://platform.test/operator/webhooks/demo',
      memory: {
        phase: 'Pending',
        endpoint: 'http://memory.test',
        externalEndpoint: 'https://sw.test/api/v1/memory/demo',
      },
    })
    expect(lostBy('Project', status)).toEqual([])
  })

  test('of a Project that asks for a memory stack says why it gets none, and what MEMORY_URLS has for it (PROJECT-STATUS-17)', async () => {
    const asking = { ...repository, kind: 'Project', name: 'demo', spec: { memory: { pgInstances: 3 } } }
    const status = await statusOf(deps(true), asking)
    const notBuilt = (message: string): object => ({
      ...{ type: 'MemoryStack', status: 'False', reason: 'NotBuilt', lastTransitionTime: time },
      message: expect.stringContaining(message) as unknown,
    })
    const named = notBuilt('MEMORY_URLS names a service for it, which its pods use')
    expect((status as { conditions: object[] }).conditions.slice(1)).toEqual([named])
    expect(status).toMatchObject({ ready: true, memory: { endpoint: 'http://memory.test' } })
    expect(lostBy('Project', status)).toEqual([])
    const bare = notBuilt('Its pods have no memory until its setting MEMORY_URLS names a service for it.')
    const other = await statusOf(deps(true), { ...asking, namespace: 'other', spec: { memory: {} } })
    expect(other).toMatchObject({ conditions: [{ type: 'Ready' }, bare] })
  })

  test('of a Project with a stack has its phase, its address and what it waits for (PROJECT-STATUS-4, PROJECT-STATUS-5, PROJECT-STATUS-17)', async () => {
    const seen = { phase: 'pending', part: 'postgres', words: 'Setting up primary', endpoint: 'http://m:8080' } as const
    const context = { ...newMemoryStack('default/demo'), ...seen, since: at }
    const named = { address: 'memory-stack:default/demo', id: 'default/demo', path: 'pending' }
    const actor = { ...named, context } as unknown as ActorView
    const own = { ...deps(true), runtime: runtimeWith([ready, actor]), memories: memoriesOf({}, context) }
    const asking = { ...repository, kind: 'Project', name: 'demo', spec: { memory: {} } }
    const status = await statusOf(own as unknown as ResourceViewsDeps, asking)
    expect(status).toMatchObject({ ready: true, memory: { phase: 'Pending', endpoint: 'http://m:8080' } })
    const waits = { type: 'MemoryStack', status: 'False', reason: 'Pending', lastTransitionTime: time }
    const message = 'It waits for postgres: Setting up primary'
    expect((status as { conditions: object[] }).conditions.slice(1)).toEqual([{ ...waits, message }])
    expect(lostBy('Project', status)).toEqual([])
  })

  test.each([
    ['a service is named for it', { urls: { 'default/demo': 'http://memory.test' } }, 'absent', 'NotBuilt'],
    ['no stacks run any more', {}, 'absent', 'NotBuilt'],
    ['no stacks run any more', {}, 'degraded', 'Degraded'],
  ])(
    'of a Project that had a stack before has one condition of it, which says what stays, where %s (PROJECT-STATUS-17)',
    async (_what, settings, path, reason) => {
      const context = { ...newMemoryStack('default/demo'), phase: 'gone', words: 'two claims', since: at }
      const actor = { address: 'memory-stack:default/demo', id: 'default/demo', path, context } as unknown as ActorView
      const own = { ...deps(true), runtime: runtimeWith([ready, actor]), memories: memoriesOf(settings) }
      const asking = { ...repository, kind: 'Project', name: 'demo', spec: { memory: {} } }
      const status = (await statusOf(own as unknown as ResourceViewsDeps, asking)) as { conditions: object[] }
      const message = expect.stringContaining('two claims') as unknown
      expect(status.conditions.slice(1)).toMatchObject([{ type: 'MemoryStack', status: 'False', reason, message }])
    },
  )

  test('of a Project without a block memory says nothing of a stack, with a service or without (PROJECT-STATUS-17)', async () => {
    const silent = { ...repository, kind: 'Project', name: 'demo', spec: {} }
    for (const namespace of ['default', 'other'])
      expect(await statusOf(deps(true), { ...silent, namespace })).toMatchObject({ conditions: [{ type: 'Ready' }] })
  })

  test('of a Project that another one’s name keeps waiting shows nothing of the other one (RESOURCES-20, MIRROR-7)', async () => {
    const waiting = deps(true, 'team/demo')
    const status = await statusOf(waiting, { ...repository, kind: 'Project', name: 'demo', spec: {} })
    expect(Object.keys(status)).not.toEqual(expect.arrayContaining(['webhookURL']))
    expect(status).not.toHaveProperty('memory')
    expect(await statusOf(waiting, repository)).not.toHaveProperty('forgeId')
    expect(await statusOf(deps(true), repository)).toMatchObject({ forgeId: 'default/demo lib' })
  })
})

describe('a Task whose resource is deleted', () => {
  const id = 'default/by-hand'
  const made = { namespace: 'default', name: 'by-hand', uid: 'u-1', spec: { projectRef: 'demo' } }
  async function deleting(stored: boolean, status?: 'active' | 'done'): Promise<object> {
    const told: unknown[] = []
    const runtime = {
      read: async () => status && { address: `task:${id}`, status, context: { origin: { kind: 'human', ref: 'u-1' } } },
      deliver: async ({ to, key, event }: Delivery) => void told.push([to, key, event]),
    } as unknown as Runtime
    const resources = {
      get: async () => (stored ? made : undefined),
      list: async () => [],
    } as unknown as ResourceReader
    const asked = { namespace: 'default', name: 'by-hand', by: 'olga', request: 'r-1' }
    return { ...(await closeTask({ runtime, clock: simulatedClock(7), resources }, asked)), told }
  }
  const key = `deleted/${id}/r-1`
  const close = ['task:default/by-hand', key, { type: 'task.close', at: 7, by: 'olga' }]
  // Its entry, and that of a Task that an earlier version of the orchestrator put there.
  const withdraw = [`mint/${id}/u-1`, `mint/${id}`].map((entry) => [
    'queue:default/demo',
    `${key}/${entry}`,
    { type: 'queue.withdraw', at: 7, entry },
  ])

  test('is closed, whoever made it, and leaves the queue first where it waits (TASK-RESOURCE-19)', async () => {
    expect(await deleting(false, 'active')).toEqual({ state: 'closing', made: undefined, told: [close] })
    expect(await deleting(true, 'active')).toEqual({ state: 'closing', made, told: [...withdraw, close] })
    expect(await deleting(true)).toEqual({ state: 'closed', made, told: withdraw })
  })

  test('has nothing left to close once it has ended, and is unknown where nobody made it (TASK-RESOURCE-19)', async () => {
    expect(await deleting(false, 'done')).toEqual({ state: 'closed', made: undefined, told: [] })
    expect(await deleting(false)).toEqual({ state: 'unknown', told: [] })
  })
})
