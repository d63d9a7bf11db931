import { describe, expect, test } from 'vitest'
import { closeFinalizer, claimAnnotation, lifeAnnotation, orchestratorMade } from '../api/marks.ts'
import {
  createWorld,
  orchestrator,
  projectSpec,
  repositorySpec,
  startProcess,
  taskSpec,
  type World,
} from '../testing/reconciling.ts'

const demo = { kind: 'Project', name: 'demo', spec: projectSpec }
const one = { kind: 'Task', name: 'one', spec: taskSpec }

const conditionsOf = ({ api }: World, kind: string, name: string): unknown =>
  (api.find(kind, name)?.status as { conditions?: unknown } | undefined)?.conditions
const finalizersOf = ({ api }: World, kind: string, name: string): unknown =>
  api.find(kind, name)?.metadata.finalizers ?? []
const eventsOf = ({ api }: World): readonly object[] => api.all('Event')

async function withDemo() {
  const world = createWorld()
  const { metadata } = world.api.create(demo)
  const process = await startProcess(world)
  await process.settle()
  return { world, process, uid: metadata.uid, ...world }
}

describe('a Project', () => {
  test('is held and claimed before its actor is told', async () => {
    const world = createWorld()
    world.api.create(demo)
    let before: unknown
    world.actors.fault = () => (before = world.api.find('Project', 'demo')?.metadata)
    await (await startProcess(world)).settle()
    expect(before).toMatchObject({ finalizers: [closeFinalizer], annotations: { [claimAnnotation]: orchestrator } })
    expect(world.actors.calls).toContain('changed default/demo')
  })

  test('that changes is told to its actor, and one whose status changes is not', async () => {
    const { api, actors, process } = await withDemo()
    const told = actors.calls.length
    await process.after(api.edit('Project', 'demo', { status: { ready: true } }))
    expect(actors.calls).toHaveLength(told)
    await process.after(api.edit('Project', 'demo', { spec: { ...projectSpec, triggerLabel: 'agents' } }))
    expect(actors.calls.slice(told)).toEqual(['changed default/demo'])
  })

  test('that is deleted stays until its memory stack has ended, and its last status names what stays', async () => {
    const { world, api, actors, process } = await withDemo()
    const held = (): unknown => finalizersOf(world, 'Project', 'demo')
    actors.stacks.set('default/demo', { runs: true, stays: '' })
    await process.after(api.remove('Project', 'demo'), 2)
    expect(held()).toEqual([closeFinalizer])
    await process.after(actors.stacks.set('default/demo', { runs: false, stays: 'two claims' }), 2)
    expect(held()).toEqual([closeFinalizer])
    const conditions = [{ type: 'MemoryStack', status: 'False', reason: 'Ended', message: 'These stay: two claims' }]
    await process.after(api.edit('Project', 'demo', { status: { conditions } }), 2)
    expect(api.find('Project', 'demo')).toBeUndefined()
  })

  test('that is deleted goes once none of its Tasks lives, and those that people made go with it', async () => {
    const { world, api, actors, process, uid } = await withDemo()
    api.create(one)
    actors.tasks.set('default/minted', { state: 'live', isClosing: false, project: 'default/demo' })
    await process.settle()
    actors.admit()
    await process.after(api.create({ ...one, name: 'waits' }))
    const gone: string[] = []
    api.subscribe(({ metadata }, change) => change === 'gone' && gone.push(metadata.name))
    await process.after(api.remove('Project', 'demo'), 2)
    expect(actors.calls).toContain(`deleted default/demo ${uid}`)
    expect([finalizersOf(world, 'Project', 'demo'), api.find('Task', 'one')?.metadata.deletionTimestamp]).toEqual([
      [closeFinalizer],
      expect.any(String),
    ])
    await process.after(actors.finish(), 2)
    expect(gone).toEqual(['waits', 'one', 'demo'])
  })

  test('that is invalid says every fault and calls no hook, and mended it is taken up (RESOURCES-43)', async () => {
    const world = createWorld()
    const { provider: _, ...scm } = projectSpec.scm
    world.api.create({ ...demo, spec: { ...projectSpec, scm: { ...scm, owner: 7 }, maxConcurrentAgents: 'many' } })
    const process = await startProcess(world)
    await process.settle()
    const [condition] = conditionsOf(world, 'Project', 'demo') as [{ readonly message: string }]
    expect(condition).toMatchObject({ type: 'Accepted', status: 'False', reason: 'InvalidSpec' })
    for (const path of ['/spec/scm/provider', '/spec/scm/owner', '/spec/maxConcurrentAgents'])
      expect(condition.message).toContain(path)
    expect([world.actors.calls, finalizersOf(world, 'Project', 'demo')]).toEqual([[], []])
    expect(eventsOf(world)).toMatchObject([{ reason: 'InvalidSpec', type: 'Warning' }])
    await process.after(world.api.edit('Project', 'demo', { spec: projectSpec }))
    expect([world.actors.calls, conditionsOf(world, 'Project', 'demo')]).toEqual([['changed default/demo'], []])
  })

  test('whose finalizer somebody took off, and that went, has its actor told all the same', async () => {
    const { api, actors, process } = await withDemo()
    await process.after(api.force('Project', 'demo'))
    expect(actors.calls.at(-1)).toBe('deleted default/demo gone-1')
    expect(actors.projects.get('default/demo')?.isDeleted).toBe(true)
  })

  test('that another orchestrator claimed is left alone, with all that names it', async () => {
    const world = createWorld()
    const annotations = { [claimAnnotation]: 'other/lease' }
    world.api.create({ ...demo, metadata: { annotations } })
    world.api.create(one)
    const labels = orchestratorMade
    world.api.create({ ...one, name: 'minted', metadata: { labels, finalizers: [closeFinalizer] } })
    world.api.create({ kind: 'Repository', name: 'lib', spec: repositorySpec })
    const process = await startProcess(world)
    await process.settle()
    await process.after(world.api.remove('Task', 'minted'))
    expect(world.actors.calls).toEqual([])
    expect(finalizersOf(world, 'Task', 'minted')).toEqual([closeFinalizer])
    expect(conditionsOf(world, 'Project', 'demo')).toMatchObject([{ type: 'Contended', reason: 'OtherOrchestrator' }])
  })

  test('that another orchestrator claimed shows it without a fight while both live, and no more after a sweep once that one has gone', async () => {
    const world = createWorld()
    world.api.create(demo)
    const owner = await startProcess(world)
    await owner.settle()
    const other = await startProcess(world, { orchestrator: 'b/b' })
    const reasons = (): readonly string[] =>
      ((conditionsOf(world, 'Project', 'demo') ?? []) as { readonly type: string }[]).map(({ type }) => type)
    const statuses = (): number => world.api.calls.filter(({ path }) => path.endsWith('/status')).length
    for (let round = 0; round < 5; round += 1) {
      await other.settle()
      await owner.settle()
    }
    expect([reasons(), statuses()]).toEqual([['Contended'], 1])
    await owner.after(owner.reconciler.sweep())
    expect(reasons()).toEqual([])
    await other.settle()
    expect([reasons(), statuses()]).toEqual([['Contended'], 3])
    await other.die()
    await owner.after(owner.reconciler.sweep(), 1)
    expect(reasons()).toEqual([])
  })

  test('of two orchestrators one claims, and a stale one is refused by the server', async () => {
    const world = createWorld()
    const [first, second] = [
      await startProcess(world, { lags: true }),
      await startProcess(world, { lags: true, orchestrator: 'b/b' }),
    ]
    world.api.create(demo)
    for (const { caches } of [first, second]) caches.projects.deliver()
    await first.queue.drain()
    await second.queue.drain()
    expect([...second.queue.failures.values()]).toMatchObject([{ code: 409 }])
    await second.settle()
    expect(world.api.find('Project', 'demo')?.metadata.annotations).toEqual({ [claimAnnotation]: orchestrator })
    expect(world.actors.calls).toEqual(['changed default/demo'])
  })
})

describe('a Project that is not ready', () => {
  test('for want of a Secret is asked again within 10 s of its coming, once for each content', async () => {
    const { actors, process, secrets, checked } = await withDemo()
    actors.projects.set('default/demo', { reason: 'SecretMissingKeys', isDeleted: false, seq: 2 })
    await process.after(process.reconciler.stepped('project', 'default/demo'), 2)
    expect([process.queue.delayed.get('Check/default/demo'), checked]).toEqual([10_000, []])
    await process.after(secrets.set('default/scm', { token: 't', webhookSecret: 'w' }), 3)
    expect(checked).toEqual(['default/demo'])
    await process.after(secrets.set('default/scm', { token: 'other', webhookSecret: 'w' }), 1)
    expect(checked).toHaveLength(2)
    await process.after(actors.projects.set('default/demo', { reason: '', isDeleted: false, seq: 3 }), 1)
    expect(process.queue.delayed.size).toBe(0)
  })

  test('because of its name is asked again once the holder is gone, and a holder that lost the name too', async () => {
    const { api, actors, process, checked } = await withDemo()
    await process.after(api.create({ ...demo, name: 'team/demo' }))
    expect(checked).toEqual(['team/demo'])
    await process.after(actors.projects.set('team/demo', { reason: 'NameConflict', isDeleted: false, seq: 2 }), 2)
    expect(checked).toHaveLength(1)
    await process.after(api.remove('Project', 'demo'), 1)
    expect([checked.length > 1, new Set(checked)]).toEqual([true, new Set(['team/demo'])])
  })
})

describe('a Repository', () => {
  test('changes its Project, whether it comes, changes or goes', async () => {
    const { api, actors, process } = await withDemo()
    const told = (): number => actors.calls.filter((call) => call === 'changed default/demo').length
    expect(told()).toBe(1)
    await process.after(api.create({ kind: 'Repository', name: 'lib', spec: repositorySpec }))
    expect(told()).toBe(2)
    await process.after(api.edit('Repository', 'lib', { spec: { ...repositorySpec, defaultBranch: 'next' } }))
    expect(told()).toBe(3)
    await process.after(api.remove('Repository', 'lib'))
    expect(told()).toBe(4)
  })

  test('that is invalid has a condition, and its Project is not told (RESOURCES-43)', async () => {
    const { world, api, actors, process } = await withDemo()
    await process.after(api.create({ kind: 'Repository', name: 'lib', spec: { ...repositorySpec, url: 'ftp://x' } }))
    expect(conditionsOf(world, 'Repository', 'lib')).toMatchObject([{ type: 'Accepted', reason: 'InvalidSpec' }])
    expect(actors.calls).toEqual(['changed default/demo'])
  })
})

describe('a Task of a person', () => {
  test('is held under its uid, and then handed to the queue', async () => {
    const { api, actors, process } = await withDemo()
    let held: unknown
    actors.fault = (call) => void (call.startsWith('applied') && (held = api.find('Task', 'one')?.metadata))
    const { metadata } = await process.after(api.create(one))
    expect(held).toMatchObject({ finalizers: [closeFinalizer], annotations: { [lifeAnnotation]: metadata.uid } })
    actors.admit()
    await process.after(process.reconciler.stepped('task', 'default/one'))
    expect([...actors.minted]).toEqual([[metadata.uid, 1]])
  })

  test('that is refused has a condition with the code, and is asked for again after 30 s', async () => {
    const { world, api, actors, process } = await withDemo()
    actors.tasks.set('default/one', { state: 'live', isClosing: false, project: 'default/demo' })
    await process.after(api.create(one))
    expect(conditionsOf(world, 'Task', 'one')).toMatchObject([
      { type: 'Admitted', status: 'False', reason: 'NameUsed', message: expect.stringContaining('another name') },
    ])
    expect(process.queue.delayed.get('Task/default/one')).toBe(30_000)
    await process.after(actors.tasks.clear(), 1)
    expect(conditionsOf(world, 'Task', 'one')).toEqual([])
    expect(actors.waiting.size).toBe(1)
  })

  test('whose Project is not there is asked for again, and is minted once it comes', async () => {
    const world = createWorld()
    world.api.create(one)
    const process = await startProcess(world)
    await process.settle()
    expect(conditionsOf(world, 'Task', 'one')).toMatchObject([{ reason: 'NotFound' }])
    expect([finalizersOf(world, 'Task', 'one'), world.actors.calls]).toEqual([[], []])
    await process.after(world.api.create(demo))
    expect([world.actors.waiting.size, conditionsOf(world, 'Task', 'one')]).toEqual([1, []])
  })

  test('that is invalid has every fault in its condition, and no hook is called (RESOURCES-43)', async () => {
    const { world, api, actors, process } = await withDemo()
    await process.after(api.create({ ...one, spec: { ...taskSpec, goal: 7, priority: 'high' } }))
    const [condition] = conditionsOf(world, 'Task', 'one') as [{ readonly message: string }]
    expect(condition).toMatchObject({ type: 'Admitted', status: 'False', reason: 'InvalidSpec' })
    for (const path of ['/spec/goal', '/spec/priority']) expect(condition.message).toContain(path)
    expect(actors.calls).toEqual(['changed default/demo'])
  })

  test('that is deleted goes once its hand-off is over, and leaves the queue if it waited', async () => {
    const { world, api, actors, process } = await withDemo()
    api.create(one)
    await process.after(api.create({ ...one, name: 'two' }))
    await process.after(api.remove('Task', 'two'))
    expect([api.find('Task', 'two'), actors.waiting.size]).toEqual([undefined, 1])
    actors.admit()
    await process.after(api.remove('Task', 'one'), 3)
    expect(finalizersOf(world, 'Task', 'one')).toEqual([closeFinalizer])
    await process.after(actors.finish(), 1)
    expect(api.find('Task', 'one')).toBeUndefined()
  })

  test('that ended needs no orchestrator to be deleted', async () => {
    const { world, api, actors, process } = await withDemo()
    await process.after(api.create(one))
    actors.admit()
    actors.tasks.get('default/one')!.state = 'final'
    await process.after(process.reconciler.stepped('task', 'default/one'))
    expect(finalizersOf(world, 'Task', 'one')).toEqual([])
  })

  test('that is made again under a name is a life of its own, as on one machine', async () => {
    const { world, api, actors, process } = await withDemo()
    await process.after(api.create(one))
    actors.admit()
    await process.after(api.remove('Task', 'one'))
    await process.after(actors.finish(), 1)
    const { metadata } = await process.after(api.create(one))
    actors.admit()
    const later = `default/one-${metadata.uid}`
    expect(actors.tasks.get(later)?.state).toBe('live')
    expect(eventsOf(world)).toMatchObject([{ reason: 'LaterLife', message: expect.stringContaining(metadata.uid) }])
    api.remove('Task', 'one')
    await process.after(process.reconciler.stepped('task', later), 1)
    expect(finalizersOf(world, 'Task', 'one')).toEqual([closeFinalizer])
    expect(world.recreated).toEqual([])
    actors.finish()
    await process.after(process.reconciler.stepped('task', later))
    expect(api.find('Task', 'one')).toBeUndefined()
  })

  test('that a backup brought back is not minted again, and says how it would be', async () => {
    const { world, api, actors, process } = await withDemo()
    await process.after(api.create(one))
    const { annotations = {}, finalizers = [] } = api.find('Task', 'one')!.metadata
    api.force('Task', 'one')
    api.create({ ...one, metadata: { annotations, finalizers } })
    await process.after(actors.waiting.clear())
    expect(conditionsOf(world, 'Task', 'one')).toMatchObject([{ reason: 'Restored' }])
    expect([actors.waiting.size, finalizersOf(world, 'Task', 'one')]).toEqual([0, []])
    await process.after(api.remove('Task', 'one'))
    expect(api.find('Task', 'one')).toBeUndefined()
  })

  test('of a Project that is deleted is not minted', async () => {
    const { api, actors, process } = await withDemo()
    actors.tasks.set('default/minted', { state: 'live', isClosing: false, project: 'default/demo' })
    await process.after(api.remove('Project', 'demo'))
    await process.after(api.create(one), 2)
    expect(actors.calls.filter((call) => call.startsWith('applied'))).toEqual([])
    expect(api.find('Task', 'one')).toBeUndefined()
  })
})

test('Tasks that are there before their Project is claimed wait for the claim, and are taken up with it', async () => {
  const world = createWorld()
  world.api.create(one)
  world.api.create(demo)
  const process = await startProcess(world)
  await process.after(process.queue.prefer('Task/default/one'))
  expect([world.actors.waiting.size, eventsOf(world)]).toEqual([1, []])
})

describe('a Task of the platform', () => {
  const minted = { ...one, metadata: { labels: orchestratorMade } }

  test('is held while it lives and let go when it ends', async () => {
    const { world, api, actors, process } = await withDemo()
    actors.tasks.set('default/one', { state: 'live', isClosing: false, project: 'default/demo' })
    await process.after(api.create(minted))
    expect(finalizersOf(world, 'Task', 'one')).toEqual([closeFinalizer])
    actors.tasks.get('default/one')!.state = 'final'
    await process.after(process.reconciler.stepped('task', 'default/one'))
    expect(finalizersOf(world, 'Task', 'one')).toEqual([])
  })

  test('that a backup brought back without its actor is deleted, never minted', async () => {
    const world = createWorld()
    world.api.create(demo)
    world.api.create({ ...minted, metadata: { ...minted.metadata, finalizers: [closeFinalizer] } })
    const process = await startProcess(world)
    await process.settle()
    expect([world.api.find('Task', 'one'), world.actors.waiting.size]).toEqual([undefined, 0])
    expect(world.actors.calls.filter((call) => call.startsWith('applied'))).toEqual([])
  })

  test('whose label somebody took off is kept as before, and not taken for a person’s', async () => {
    const { world, api, actors, process } = await withDemo()
    actors.tasks.set('default/one', { state: 'live', isClosing: false, project: 'default/demo' })
    await process.after(api.create({ ...one, spec: { ...taskSpec, origin: { kind: 'webhook', ref: 'lib#1' } } }))
    expect(finalizersOf(world, 'Task', 'one')).toEqual([closeFinalizer])
    expect([conditionsOf(world, 'Task', 'one'), actors.calls]).toEqual([undefined, ['changed default/demo']])
  })

  test('whose origin a person wrote is refused, and neither minted nor deleted', async () => {
    const { world, api, actors, process } = await withDemo()
    await process.after(api.create({ ...one, spec: { ...taskSpec, origin: { kind: 'webhook', ref: 'lib#1' } } }))
    expect(conditionsOf(world, 'Task', 'one')).toMatchObject([
      {
        type: 'Admitted',
        status: 'False',
        reason: 'InvalidSpec',
        message: expect.stringContaining('/spec/origin/kind'),
      },
    ])
    expect([finalizersOf(world, 'Task', 'one'), actors.calls]).toEqual([[], ['changed default/demo']])
  })

  test('whose object is gone is made again by the mirror', async () => {
    const { api, actors, process, recreated } = await withDemo()
    actors.tasks.set('default/one', { state: 'live', isClosing: false, project: 'default/demo' })
    await process.after(api.create(minted))
    await process.after(api.force('Task', 'one'))
    expect(recreated).toEqual(['default/one'])
  })
})

describe('a failure', () => {
  test('in the middle of a work is retried to its end', async () => {
    const { api, actors, process } = await withDemo()
    let isAway = true
    actors.fault = () => {
      if (isAway) throw new Error('the store is away')
    }
    api.create(one)
    await expect(process.settle()).rejects.toThrow('the store is away')
    isAway = false
    await process.settle()
    expect(actors.waiting.size).toBe(1)
  })

  test('of a write that met a change is none: what changed is worked on next', async () => {
    const { world, api, process } = await withDemo()
    const invalid = { ...projectSpec, maxConcurrentAgents: 'many' }
    await process.after(api.edit('Project', 'demo', { spec: invalid }))
    let changes = 1
    api.before = ({ isStatus }) => {
      if (isStatus && changes-- > 0) api.edit('Project', 'demo', { spec: invalid })
    }
    await process.after(api.edit('Project', 'demo', { spec: projectSpec }))
    expect(conditionsOf(world, 'Project', 'demo')).toMatchObject([{ reason: 'InvalidSpec', observedGeneration: 4 }])
  })
})

describe('at a start', () => {
  test('actors without a resource end or come back, but for those of namespaces that nobody watches', async () => {
    const world = createWorld()
    world.api.create({ ...demo, name: 'kept/demo' })
    for (const project of ['kept/demo', 'gone/demo', 'away/demo']) {
      world.actors.projects.set(project, { reason: '', isDeleted: false, seq: 1 })
      const namespace = project.slice(0, project.indexOf('/'))
      world.actors.tasks.set(`${namespace}/t`, { state: 'live', isClosing: false, project })
    }
    const process = await startProcess(world, { watches: (namespace) => namespace !== 'away' })
    await process.settle()
    expect(world.actors.calls.filter((call) => call.startsWith('deleted'))).toEqual(['deleted gone/demo gone-1'])
    expect([...world.actors.tasks].filter(([, { isClosing }]) => isClosing).map(([id]) => id)).toEqual(['gone/t'])
    expect(world.recreated.toSorted()).toEqual(['gone/t', 'kept/t'])
  })

  test('a Project whose end was told in half is told again', async () => {
    const world = createWorld()
    world.actors.projects.set('default/demo', { reason: 'Deleted', isDeleted: true, seq: 4 })
    world.actors.tasks.set('default/t', { state: 'live', isClosing: false, project: 'default/demo' })
    await (await startProcess(world)).settle()
    expect(world.actors.calls).toEqual(['deleted default/demo gone-4'])
  })
})
