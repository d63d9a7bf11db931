import { expect, test } from 'vitest'
import { errorOf } from '../api/answers.ts'
import type { KubeObject } from '../api/api.ts'
import { aTask, mirrorUnderTest } from '../testing/mirroring.ts'

/** A Task of the platform with its object, and nothing to write. */
async function withTask(status: object = { stage: 'implementing' }) {
  let isDeaf = false
  const world = mirrorUnderTest({ deliver: (change) => void (isDeaf || change()) })
  const deafen = (): void => void (isDeaf = true)
  const { server, actors, mirror, settle, clock } = world
  actors.show(aTask('a', status))
  mirror.start()
  actors.stepped('task:default/a')
  for (let second = 0; second < 3; second += 1) {
    await settle()
    clock.advance(1_000)
  }
  server.calls.length = 0
  const statusOf = (): KubeObject['status'] => server.find('Task', 'default/a')?.status
  const step = async (next: object): Promise<void> => {
    actors.show(aTask('a', next))
    await settle(actors.stepped('task:default/a'))
  }
  const patches = () => server.calls.filter(({ method, isStatus }) => method === 'PATCH' && isStatus)
  return { ...world, statusOf, step, patches, deafen }
}

test('a status comes with the object, and an equal one is not written again', async () => {
  const { statusOf, step, patches } = await withTask()
  expect(statusOf()).toEqual({ stage: 'implementing' })
  await step({ stage: 'implementing', stageReason: null })
  expect(patches()).toEqual([])
})

test('a write is an apply of the status alone, forced, fenced by the version that was known', async () => {
  const { server, step, patches } = await withTask()
  const { resourceVersion } = server.find('Task', 'default/a')!.metadata
  await step({ stage: 'reviewing', pod: null })
  expect(patches().map(({ question }) => question)).toEqual([
    {
      query: { fieldManager: 'statewright-status', force: true },
      type: 'application/apply-patch+yaml',
      body: {
        apiVersion: 'platform.dev/v1alpha1',
        kind: 'Task',
        metadata: { name: 'a', namespace: 'default', resourceVersion },
        status: { stage: 'reviewing' },
      },
    },
  ])
})

test('an object is patched at most once a second, the first change at once, the last one always', async () => {
  const { statusOf, step, patches, clock, settle } = await withTask()
  for (let number = 1; number <= 20; number += 1) {
    await step({ stage: 'implementing', pendingEvents: number })
    await settle(clock.advance(50))
  }
  expect(patches().map(({ question }) => (question.body as KubeObject).status?.['pendingEvents'])).toEqual([1, 20])
  expect(statusOf()).toEqual({ stage: 'implementing', pendingEvents: 20 })
})

test('steps that change nothing are read four times a second', async () => {
  const { actors, step, clock, settle } = await withTask()
  let reads = 0
  actors.slowly = async () => void (reads += 1)
  for (let number = 0; number < 40; number += 1) {
    await step({ stage: 'implementing' })
    await settle(clock.advance(25))
  }
  expect(reads).toBeLessThanOrEqual(5)
})

test('no more than eight patches are under way', async () => {
  const world = mirrorUnderTest()
  const { server, actors, mirror, settle } = world
  let [now, most] = [0, 0]
  server.before = async ({ method }) => {
    if (method !== 'PATCH') return
    most = Math.max(most, ++now)
    await new Promise((resolve) => setTimeout(resolve, 1))
    now -= 1
  }
  for (let number = 0; number < 40; number += 1) actors.show(aTask(`t-${number}`, { stage: 'minted' }))
  mirror.start()
  for (let number = 0; number < 40; number += 1) actors.stepped(`task:default/t-${number}`)
  await expect.poll(() => server.all('Task').filter(({ status }) => status !== undefined).length).toBe(40)
  expect(most).toBeGreaterThan(1)
  expect(most).toBeLessThanOrEqual(8)
  await settle()
})

test('a conflict reads the object and its status again, whatever the watch brings', async () => {
  const { server, actors, statusOf, step, patches, deafen } = await withTask()
  deafen()
  let raced = false
  actors.slowly = async () => {
    if (raced) return
    raced = true
    server.edit('Task', 'default/a', { status: { stage: 'by somebody' } })
    actors.show(aTask('a', { stage: 'merging' }))
  }
  await step({ stage: 'reviewing' })
  expect(statusOf()).toEqual({ stage: 'merging' })
  expect(patches().length).toBe(2)
})

test('what an apply leaves of somebody goes a second later, whatever the watch brings', async () => {
  const { server, statusOf, step, clock, settle, deafen } = await withTask()
  deafen()
  server.edit('Task', 'default/a', { status: { stage: 'implementing', more: 1 } })
  await step({ stage: 'reviewing' })
  expect(statusOf()).toEqual({ stage: 'reviewing', more: 1 })
  await settle(clock.advance(1_000))
  expect(statusOf()).toEqual({ stage: 'reviewing' })
})

test('what fails is written once the server answers, and what is true by then', async () => {
  const { server, statusOf, step, clock, settle, log } = await withTask()
  server.before = () => Promise.reject(errorOf(503, {}))
  await step({ stage: 'reviewing' })
  server.before = async () => undefined
  await step({ stage: 'merging' })
  await settle(clock.advance(60_000))
  expect(statusOf()).toEqual({ stage: 'merging' })
  expect(log.lines().some(({ msg }) => msg === 'work on a key failed')).toBe(true)
})

test('in deletion its status is still written', async () => {
  const { server, statusOf, step, clock, settle } = await withTask()
  server.edit('Task', 'default/a', {
    metadata: { ...server.find('Task', 'default/a')!.metadata, deletionTimestamp: '2026-01-02T03:05:00Z' },
  })
  await step({ stage: 'rejected' })
  await settle(clock.advance(1_000))
  expect(statusOf()).toEqual({ stage: 'rejected' })
})

test('of an object that is gone nothing is written', async () => {
  const { server, step, patches, deafen, log, clock, settle } = await withTask()
  deafen()
  server.remove('Task', 'default/a')
  await step({ stage: 'delivered' })
  await settle(clock.advance(60_000))
  expect(patches().length).toBe(1)
  expect(log.lines()).toEqual([])
})

test('an older definition costs a field, not the status', async () => {
  const { server, mirror, statusOf, step, patches, clock, settle } = await withTask()
  server.undeclared.add('newest')
  await step({ stage: 'reviewing', newest: 1 })
  expect(statusOf()).toEqual({ stage: 'reviewing' })
  expect(mirror.degraded().join()).toContain('definition of Task')
  clock.advance(1_000)
  const before = patches().length
  await step({ stage: 'reviewing', newest: 1 })
  expect(patches().length).toBe(before)
  server.undeclared.clear()
  await mirror.resync()
  await settle(clock.advance(10_000))
  expect(statusOf()).toEqual({ stage: 'reviewing', newest: 1 })
  expect(mirror.degraded()).toEqual([])
})

test('so does one that has the field as something else', async () => {
  const { server, mirror, statusOf, step, log } = await withTask()
  server.mistyped.add('why')
  await step({ stage: 'reviewing', why: { reason: 'task/reviewing' } })
  expect(statusOf()).toEqual({ stage: 'reviewing' })
  expect(mirror.degraded().length).toBe(1)
  expect(log.lines().map(({ msg }) => msg)).toEqual(['the definition on the server is older than this program'])
})

test('two conditions of a type are terminal: asked again slowly', async () => {
  const { server, step, patches, clock, settle } = await withTask()
  server.before = async ({ isStatus }) => {
    if (isStatus) throw errorOf(500, { message: 'duplicate entries for key [type="Ready"]' })
  }
  await step({ stage: 'reviewing' })
  await settle(clock.advance(29_000))
  expect(patches().length).toBe(1)
})

test('a field and a condition that somebody added go, those of other managers of ours stay', async () => {
  const condition = { status: 'True', reason: 'A', message: 'm', lastTransitionTime: '2026-01-02T03:04:05Z' }
  const { server, statusOf, clock, settle } = await withTask({
    stage: 'implementing',
    conditions: [{ type: 'Running', ...condition, observedGeneration: 99 }],
  })
  const [ours] = statusOf()!['conditions'] as readonly object[]
  expect(ours).toEqual({ type: 'Running', ...condition, observedGeneration: 1 })
  const contended = { type: 'Contended', ...condition }
  server.edit('Task', 'default/a', {
    status: { stage: 'a lie', more: 1, conditions: [{ type: 'Happy', ...condition }, contended, ours] },
  })
  await settle()
  await settle(clock.advance(2_000))
  expect(statusOf()).toEqual({ stage: 'implementing', conditions: [ours, contended] })
})

test('an empty list of conditions that somebody left goes', async () => {
  const { server, statusOf, clock, settle } = await withTask({ stage: 'implementing' })
  await settle(server.edit('Task', 'default/a', { status: { stage: 'implementing', conditions: [] } }))
  await settle(clock.advance(2_000))
  expect(statusOf()).toEqual({ stage: 'implementing' })
})

test('the status of a Project is that of its object, and of no other orchestrator’s', async () => {
  const { server, actors, mirror, settle } = mirrorUnderTest()
  actors.stored.set('Project/default/demo', { ready: true, memory: null })
  actors.stored.set('Repository/default/lib', { forgeId: '7' })
  server.create({
    kind: 'Project',
    name: 'default/theirs',
    spec: {},
    metadata: { annotations: { 'platform.dev/orchestrator': 'store-2' } },
  })
  actors.stored.set('Project/default/theirs', { ready: true })
  await settle(mirror.start())
  expect(server.find('Project', 'default/demo')!.status).toEqual({ ready: true })
  expect(server.find('Repository', 'default/lib')!.status).toEqual({ forgeId: '7' })
  expect(server.find('Project', 'default/theirs')!.status).toBeUndefined()
  actors.stored.set('Repository/default/lib', { forgeId: '8' })
  await settle(actors.stepped('project:default/demo'))
  expect(server.find('Repository', 'default/lib')!.status).toEqual({ forgeId: '7' })
})

test('stopped, it writes nothing', async () => {
  const { mirror, step, patches, clock, settle } = await withTask()
  await mirror.stop()
  await step({ stage: 'reviewing' })
  await settle(clock.advance(60_000))
  expect(patches()).toEqual([])
})
