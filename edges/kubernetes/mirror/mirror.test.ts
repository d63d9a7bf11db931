import { describe, expect, test } from 'vitest'
import { errorOf } from '../api/answers.ts'
import { claimAnnotation, lifeAnnotation } from '../api/marks.ts'
import { aTask, anEntry, anIssue, mirrorUnderTest, store } from '../testing/mirroring.ts'

const label = { 'platform.dev/made-by': 'orchestrator' }

test('a Task of the platform, an Issue and an entry come with label, owner and spec (RESOURCES-41)', async () => {
  const { server, actors, mirror, settle, clock, project, repository } = mirrorUnderTest()
  actors.show(aTask('a', { stage: 'minted' }))
  actors.show(anIssue('lib-1', { state: 'open' }))
  actors.show(anEntry('e', { state: 'Queued', position: 1 }))
  mirror.start()
  for (const step of ['task:default/a', 'issue:default/lib-1', 'queue:default/demo'] as const) actors.stepped(step)
  await settle()
  await settle(clock.advance(2_000))
  const owned = (kind: string, { name, uid }: { name: string; uid: string }) => [
    { apiVersion: 'platform.dev/v1alpha1', kind, name, uid },
  ]
  const ofProject = { labels: label, ownerReferences: owned('Project', project.metadata) }
  const ofRepository = { labels: label, ownerReferences: owned('Repository', repository.metadata) }
  expect(server.find('Task', 'default/a')).toMatchObject({
    metadata: ofProject,
    spec: aTask('a', {}).spec,
    status: { stage: 'minted' },
  })
  expect(server.find('Issue', 'default/lib-1')).toMatchObject({ metadata: ofRepository, status: { state: 'open' } })
  expect(server.find('QueuedEvent', 'default/e')).toMatchObject({
    metadata: ofProject,
    status: { state: 'Queued', position: 1 },
  })
  expect(server.calls.find(({ name }) => name === 'default/a')?.question.query).toEqual({ fieldManager: 'statewright' })
})

test('without its owner there is no object, and there is once the owner comes', async () => {
  const { server, actors, mirror, settle, clock } = mirrorUnderTest()
  actors.show({ ...anIssue('app-1', { state: 'open' }), spec: { repositoryRef: 'app', number: 1 } })
  mirror.start()
  await settle(actors.stepped('issue:default/app-1'))
  expect(server.all('Issue')).toEqual([])
  server.create({ kind: 'Repository', name: 'default/app', spec: { projectRef: 'demo' } })
  await settle(clock.advance(1_000))
  expect(server.find('Issue', 'default/app-1')?.status).toEqual({ state: 'open' })
})

test('an object goes when nothing shows it, and never one that a person made', async () => {
  const { server, actors, mirror, settle, clock } = mirrorUnderTest()
  server.create({ kind: 'Task', name: 'default/by-hand', spec: { projectRef: 'demo' } })
  server.create({ kind: 'Issue', name: 'default/lib-2', spec: { repositoryRef: 'lib', number: 2 } })
  actors.show(anIssue('lib-3', { state: 'open' }))
  actors.show(anEntry('e', { state: 'Queued', position: 1 }))
  mirror.start()
  for (const step of ['issue:default/lib-3', 'queue:default/demo'] as const) actors.stepped(step)
  await settle()
  const names = () =>
    ['Task', 'Issue', 'QueuedEvent'].flatMap((kind) => server.all(kind).map(({ metadata }) => metadata.name))
  expect(names()).toEqual(['by-hand', 'lib-2', 'lib-3', 'e'])
  actors.views.clear()
  await mirror.resync()
  for (let second = 0; second < 5; second += 1) {
    await settle(clock.advance(1_000))
  }
  expect(names()).toEqual(['by-hand', 'lib-2'])
})

test('of a person’s Task only the status is written, and only of its own life', async () => {
  const { server, actors, mirror, settle } = mirrorUnderTest()
  const { uid } = server.create({ kind: 'Task', name: 'default/mine', spec: { projectRef: 'demo' } }).metadata
  server.create({ kind: 'Task', name: 'default/again', spec: { projectRef: 'demo' } })
  const human = (ref: string): object => ({ origin: { kind: 'human', ref } })
  actors.show(aTask('mine', { stage: 'implementing' }, human(uid)))
  actors.show(aTask('again', { stage: 'delivered' }, human('an earlier one')))
  mirror.start()
  await mirror.resync()
  for (const name of ['mine', 'again'] as const) actors.stepped(`task:default/${name}`)
  await settle()
  expect(server.find('Task', 'default/mine')).toMatchObject({
    spec: { projectRef: 'demo' },
    status: { stage: 'implementing' },
  })
  expect(server.find('Task', 'default/mine')!.metadata.labels).toBeUndefined()
  expect(server.find('Task', 'default/again')!.status).toBeUndefined()
})

describe('a person’s Task whose object went past its finalizer', () => {
  const ended = { type: 'Complete', status: 'True', reason: 'Delivered', message: 'm', lastTransitionTime: 'x' }
  const human = (ref: string): object => ({ origin: { kind: 'human', ref } })

  test('is made again while it lives, as one of ours: with label, owner, spec and status, and the log tells it', async () => {
    const { server, actors, mirror, settle, clock, project, log } = mirrorUnderTest()
    actors.show(aTask('mine', { stage: 'implementing' }, human('gone')))
    mirror.start()
    await settle(mirror.add('Task/default/mine'))
    const { metadata, spec, status } = server.find('Task', 'default/mine')!
    expect(metadata).toMatchObject({ labels: label, annotations: { [lifeAnnotation]: 'gone' } })
    expect([metadata.ownerReferences?.[0]?.uid, spec, status]).toEqual([
      project.metadata.uid,
      aTask('mine', {}, human('gone')).spec,
      { stage: 'implementing' },
    ])
    expect(log.lines()).toMatchObject([{ name: 'mine', msg: expect.stringContaining('made again') as unknown }])
    actors.show(aTask('mine', { stage: 'merging' }, human('gone')))
    server.edit('Task', 'default/mine', { metadata: { ...server.find('Task', 'default/mine')!.metadata, labels: {} } })
    for (let second = 0; second < 3; second += 1) {
      await settle(clock.advance(1_000))
    }
    const again = server.find('Task', 'default/mine')!
    expect([again.metadata.labels, again.status]).toEqual([label, { stage: 'merging' }])
  })

  test('is not made again once it has ended', async () => {
    const { server, actors, mirror, settle } = mirrorUnderTest()
    actors.show(aTask('mine', { stage: 'delivered', conditions: [ended] }, human('gone')))
    mirror.start()
    await settle(mirror.add('Task/default/mine'))
    expect(server.all('Task')).toEqual([])
  })

  test('is not made a second time where the cache only lags behind the object', async () => {
    const held: (() => void)[] = []
    const { server, actors, mirror, settle } = mirrorUnderTest({ deliver: (change) => void held.push(change) })
    const { uid } = server.create({ kind: 'Task', name: 'default/mine', spec: { projectRef: 'demo' } }).metadata
    actors.show(aTask('mine', { stage: 'implementing' }, human(uid)))
    actors.show(aTask('mine-x7k2p', { stage: 'implementing' }, human(uid)))
    mirror.start()
    mirror.add('Task/default/mine')
    await settle(mirror.add('Task/default/mine-x7k2p'))
    expect(server.all('Task').map(({ metadata }) => [metadata.name, metadata.labels])).toEqual([['mine', undefined]])
  })
})

test('a Task of ours whose label somebody took off is known by its origin: it is shown, and has its label again', async () => {
  const { server, actors, mirror, settle, clock } = mirrorUnderTest({
    lifeOf: async ({ namespace, name }) => `${namespace}/${name}-x7k2p`,
  })
  actors.show(aTask('a', { stage: 'implementing' }))
  actors.show(aTask('a-x7k2p', { stage: 'queued' }, { origin: { kind: 'human', ref: 'taken for a person’s' } }))
  const { metadata } = server.create({ kind: 'Task', name: 'default/a', spec: aTask('a', {}).spec })
  actors.show(aTask('a-x7k2p', { stage: 'queued' }, { origin: { kind: 'human', ref: metadata.uid } }))
  mirror.start()
  for (let second = 0; second < 3; second += 1) {
    await settle(clock.advance(1_000))
  }
  const shown = server.find('Task', 'default/a')!
  expect([shown.metadata.labels, shown.status]).toEqual([label, { stage: 'implementing' }])
})

test('a later life of a person’s Task is shown by the object of its first name', async () => {
  const { server, actors, mirror, settle, clock } = mirrorUnderTest({
    lifeOf: async ({ namespace, name }) => `${namespace}/${name}-x7k2p`,
  })
  const { uid } = server.create({ kind: 'Task', name: 'default/mine', spec: { projectRef: 'demo' } }).metadata
  actors.show(aTask('mine', { stage: 'delivered' }, { origin: { kind: 'human', ref: 'an earlier one' } }))
  await settle(mirror.start())
  clock.advance(1_000)
  actors.show(aTask('mine-x7k2p', { stage: 'implementing' }, { origin: { kind: 'human', ref: uid } }))
  await settle(actors.stepped('task:default/mine-x7k2p'))
  expect(server.find('Task', 'default/mine')!.status).toEqual({ stage: 'implementing' })
  expect(server.all('Task').length).toBe(1)
})

test('a person’s Task under a name that the platform gave away stays the person’s', async () => {
  const { server, actors, mirror, settle } = mirrorUnderTest()
  server.create({ kind: 'Task', name: 'default/a', spec: { projectRef: 'demo', goal: 'mine' } })
  actors.show(aTask('a', { stage: 'implementing' }))
  mirror.start()
  await settle(actors.stepped('task:default/a'))
  const { metadata, spec, status } = server.find('Task', 'default/a')!
  expect([metadata.labels, spec, status]).toEqual([undefined, { projectRef: 'demo', goal: 'mine' }, undefined])
})

test('made by a person in the same moment, it stays the person’s', async () => {
  const { server, actors, mirror, settle, log } = mirrorUnderTest()
  server.before = async ({ kind, method }) => {
    if (kind === 'Task' && method === 'PATCH' && server.all('Task').length === 0)
      server.create({ kind: 'Task', name: 'default/a', spec: { projectRef: 'demo', goal: 'mine' } })
  }
  actors.show(aTask('a', { stage: 'implementing' }))
  mirror.start()
  await settle(actors.stepped('task:default/a'))
  expect(server.find('Task', 'default/a')!.metadata.labels).toBeUndefined()
  expect(log.lines()).toEqual([])
})

test('of a Project that nobody claimed yet nothing is deleted', async () => {
  const { server, mirror, settle, project } = mirrorUnderTest()
  server.create({
    kind: 'Issue',
    name: 'default/lib-3',
    spec: { repositoryRef: 'lib', number: 3 },
    metadata: { labels: label },
  })
  server.edit('Project', 'default/demo', { metadata: { ...project.metadata, annotations: {} } })
  await settle(mirror.start())
  expect(server.all('Issue').length).toBe(1)
})

test('an edit of label, owner or spec, and a deletion, are as before once the watch brings them (RESOURCES-42)', async () => {
  const { server, actors, mirror, settle, clock } = mirrorUnderTest()
  actors.show(aTask('a', { stage: 'implementing' }))
  actors.show(anEntry('e', { state: 'Queued', position: 1 }))
  mirror.start()
  for (const step of ['task:default/a', 'queue:default/demo'] as const) actors.stepped(step)
  const seconds = async (count: number): Promise<void> => {
    for (let second = 0; second < count; second += 1) {
      await settle()
      clock.advance(1_000)
    }
    await settle()
  }
  await seconds(3)
  const shown = () =>
    (['Task', 'QueuedEvent'] as const).map((kind) => {
      const { metadata, spec, status } = server.all(kind)[0]!
      return { labels: metadata.labels, owners: metadata.ownerReferences, spec, status }
    })
  const before = shown()
  const edit = (kind: string, name: string, change: object, status?: object): void => {
    const object = server.find(kind, name)!
    server.edit(kind, name, {
      metadata: { ...object.metadata, ...change },
      ...(status ? { status: { ...status } } : {}),
    })
  }
  edit('Task', 'default/a', { labels: {} }, { stage: 'a lie' })
  edit('QueuedEvent', 'default/e', { ownerReferences: [] }, { state: 'Done', more: true })
  server.edit('QueuedEvent', 'default/e', { spec: { ...before[1]!.spec, priority: 1, payload: { a: 1 } } })
  await seconds(4)
  expect(shown()).toEqual(before)
  server.remove('Task', 'default/a')
  server.remove('QueuedEvent', 'default/e')
  await seconds(4)
  expect(shown()).toEqual(before)
})

test('what no step named is as the actors are after a resync', async () => {
  const { server, actors, mirror, settle, clock } = mirrorUnderTest()
  actors.stored.set('Project/default/demo', { ready: true })
  mirror.start()
  for (let second = 0; second < 3; second += 1) {
    await settle()
    clock.advance(1_000)
  }
  await settle(actors.stored.set('Project/default/demo', { ready: false }))
  expect(server.find('Project', 'default/demo')!.status).toEqual({ ready: true })
  await mirror.resync()
  await settle(clock.advance(5_000))
  expect(server.find('Project', 'default/demo')!.status).toEqual({ ready: false })
})

test('what the watch never brought is as before after a resync', async () => {
  let isDeaf = false
  const { server, actors, mirror, settle, clock } = mirrorUnderTest({ deliver: (go) => void (isDeaf || go()) })
  actors.show(aTask('a', { stage: 'implementing' }))
  actors.stored.set('Project/default/demo', { ready: true })
  await settle(mirror.start())
  isDeaf = true
  actors.stored.set('Project/default/demo', { ready: false })
  await mirror.resync()
  await settle(clock.advance(5_000))
  expect(server.find('Task', 'default/a')).toBeDefined()
  expect(server.find('Project', 'default/demo')!.status).toEqual({ ready: false })
})

test('a resync that fails is logged, and the next one repeats it', async () => {
  const { actors, mirror, log } = mirrorUnderTest()
  actors.runtime.list = () => Promise.reject(new Error('the database is away'))
  await mirror.resync()
  expect(log.lines().map(({ msg }) => msg)).toEqual([expect.stringContaining('the resync')])
})

test('what another orchestrator works for is left alone', async () => {
  const { server, actors, mirror, settle, project } = mirrorUnderTest()
  server.create({
    kind: 'Issue',
    name: 'default/lib-3',
    spec: { repositoryRef: 'lib', number: 3 },
    metadata: { labels: label },
  })
  actors.show(aTask('a', { stage: 'implementing' }))
  server.edit('Project', 'default/demo', {
    metadata: { ...project.metadata, annotations: { [claimAnnotation]: `not ${store}` } },
  })
  mirror.start()
  await mirror.resync()
  await settle(actors.stepped('task:default/a'))
  expect(server.calls.filter(({ method }) => method !== 'GET')).toEqual([])
})

test('an older definition refuses a field of a spec: the object comes without it', async () => {
  const { server, actors, mirror, settle } = mirrorUnderTest()
  server.before = async ({ method, isStatus }) => {
    if (method === 'PATCH' && !isStatus && server.all('Issue').length === 0)
      throw errorOf(500, { message: 'failed to create typed patch object: .spec.newest: field not declared in schema' })
  }
  actors.show(anIssue('lib-1', { state: 'open' }))
  mirror.start()
  await settle(actors.stepped('issue:default/lib-1'))
  expect(server.find('Issue', 'default/lib-1')).toMatchObject({
    metadata: { labels: label },
    status: { state: 'open' },
  })
})
