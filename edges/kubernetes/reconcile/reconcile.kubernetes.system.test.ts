/** Resources in, on a real API server with the real kubectl; the actors are small and stand in the test. */
import { expect } from 'vitest'
import { kindNamed } from '../../../crd/kinds.ts'
import { systemClock } from '../../../runtime/clock.ts'
import { describeRequiring } from '../../../testing/requires.ts'
import type { ControlPlane } from '../../../testing/control-plane.ts'
import { applyPatch, pathOf, type KubeClient, type KubeObject } from '../api/api.ts'
import { createEventRecorder } from '../api/events.ts'
import { claimAnnotation, closeFinalizer, orchestratorMade } from '../api/marks.ts'
import { release } from './release.ts'
import { find } from '../pods/pod-requests.ts'
import { createReconciler } from './reconcile.ts'
import { FakeActors } from '../testing/fake-actors.ts'
import { withRealServer, type RealServer } from '../testing/real-server.ts'
import { orchestrator, projectSpec, taskSpec } from '../testing/reconciling.ts'
import { createWorkqueue } from '../api/workqueue.ts'
import { testInside } from '../../../testing/inside.ts'

/** Ten times the goal. */
const soon = { timeout: 20_000, interval: 20 }

interface Cluster {
  readonly plane: ControlPlane
  readonly client: KubeClient
  readonly namespace: string
  kubectl(...parameters: string[]): Promise<string>
  /** As a person's kubectl does on the server's side. */
  apply(kind: string, name: string, spec: object, metadata?: object): Promise<void>
  read(kind: string, name: string): Promise<KubeObject | undefined>
  /** Starts an orchestrator over actors; answers how it is stopped. */
  orchestrate(actors?: FakeActors): Promise<{ readonly actors: FakeActors; stop(): Promise<void> }>
}

async function withCluster(use: (cluster: Cluster) => Promise<void>): Promise<void> {
  await withRealServer(async (server) => {
    const namespace = await server.plane.ownNamespace()
    const stops: (() => Promise<void>)[] = []
    const kubectl = (...parameters: string[]): Promise<string> => server.plane.must(['-n', namespace, ...parameters])
    try {
      await use({
        ...server,
        namespace,
        kubectl,
        async apply(kind, name, spec, metadata = {}) {
          const body = { apiVersion: 'platform.dev/v1alpha1', kind, metadata: { ...metadata, name }, spec }
          const query = { fieldManager: 'kubectl', force: true }
          const path = pathOf(kindNamed(kind)!, { namespace, name })
          await server.client.ask('PATCH', path, { query, body, type: applyPatch })
        },
        async read(kind, name) {
          return find(server.client, kindNamed(kind)!, { namespace, name })
        },
        async orchestrate(given) {
          const started = await start(server, namespace, given)
          stops.push(started.stop)
          return started
        },
      })
    } finally {
      for (const stop of stops) await stop()
    }
  })
}

async function start({ client, cacheOf, log }: RealServer, namespace: string, given?: FakeActors) {
  const [projects, repositories, tasks] = ['Project', 'Repository', 'Task'].map((kind) =>
    cacheOf(kindNamed(kind)!, [namespace]),
  ) as [ReturnType<typeof cacheOf>, ReturnType<typeof cacheOf>, ReturnType<typeof cacheOf>]
  const find = (kind: string, name: string) => (kind === 'Project' ? projects : tasks).get(name)
  const actors = given ?? new FakeActors({ find })
  await Promise.all([projects.start(), repositories.start(), tasks.start()])
  const { logger } = log
  const reconciler = createReconciler({
    client,
    caches: { projects, repositories, tasks },
    hooks: actors.hooks,
    reads: actors.reads,
    secrets: { read: async () => undefined },
    checkAgain: async () => undefined,
    recreate: () => undefined,
    watches: (one) => one === namespace,
    orchestrator,
    createQueue: (work) =>
      createWorkqueue({ name: 'test', work, clock: systemClock, random: Math.random, logger, parallel: 4 }),
    events: createEventRecorder({ client, clock: systemClock, logger, instance: 'test' }),
    clock: systemClock,
    logger,
  })
  await reconciler.start()
  return { actors, stop: () => reconciler.stop() }
}

const conditionsOf = (object: KubeObject | undefined) => (object?.status as { conditions?: object[] })?.conditions ?? []
const taken = async ({ read }: Cluster, kind: string, name: string): Promise<void> =>
  expect.poll(async () => (await read(kind, name))?.metadata.finalizers, soon).toContain(closeFinalizer)

const it = testInside(withCluster)

describeRequiring('kubernetes', 'resources in', () => {
  it('kubectl apply of a Project calls its hook, and kubectl delete waits until none of its Tasks lives', async (cluster) => {
    const { namespace, plane, kubectl, read, orchestrate } = cluster
    const { actors } = await orchestrate()
    const manifest = { apiVersion: 'platform.dev/v1alpha1', kind: 'Project', metadata: { name: 'demo' } }
    await plane.must(['-n', namespace, 'apply', '-f', '-'], JSON.stringify({ ...manifest, spec: projectSpec }))
    await expect.poll(() => actors.calls, soon).toContain(`changed ${namespace}/demo`)
    expect((await read('Project', 'demo'))?.metadata).toMatchObject({
      finalizers: [closeFinalizer],
      annotations: { [claimAnnotation]: orchestrator },
    })
    const project = `${namespace}/demo`
    actors.tasks.set(`${namespace}/minted`, { state: 'live', isClosing: false, project })
    let isDeleted = false
    const deletion = kubectl('delete', 'project', 'demo').then(() => (isDeleted = true))
    await expect.poll(() => actors.tasks.get(`${namespace}/minted`)?.isClosing, soon).toBe(true)
    expect([isDeleted, (await read('Project', 'demo'))?.metadata.finalizers]).toEqual([false, [closeFinalizer]])
    actors.finish()
    await deletion
    expect(await read('Project', 'demo')).toBeUndefined()
  })

  it('kubectl delete task waits for the hand-off, and one that waits in the queue goes at once', async (cluster) => {
    const { namespace, kubectl, apply, read, orchestrate } = cluster
    const { actors } = await orchestrate()
    await apply('Project', 'demo', projectSpec)
    await apply('Task', 'one', taskSpec)
    await apply('Task', 'two', taskSpec)
    await expect.poll(() => actors.waiting.size, soon).toBe(2)
    await kubectl('delete', 'task', 'two')
    expect(actors.waiting.size).toBe(1)
    actors.admit()
    let isDeleted = false
    const deletion = kubectl('delete', 'task', 'one').then(() => (isDeleted = true))
    await expect.poll(() => actors.tasks.get(`${namespace}/one`)?.isClosing, soon).toBe(true)
    expect([isDeleted, (await read('Task', 'one'))?.metadata.finalizers]).toEqual([false, [closeFinalizer]])
    actors.finish()
    await deletion
  })

  it('what is refused says so in a condition and an Event, and both fit the server', async ({
    client,
    namespace,
    apply,
    read,
    orchestrate,
  }) => {
    const { actors } = await orchestrate()
    await apply('Task', 'one', taskSpec)
    const admitted = async (): Promise<object[]> => conditionsOf(await read('Task', 'one'))
    await expect
      .poll(admitted, soon)
      .toMatchObject([{ type: 'Admitted', status: 'False', reason: 'NotFound', observedGeneration: 1 }])
    const events = async (): Promise<readonly unknown[]> => {
      const path = pathOf({ apiVersion: 'v1', plural: 'events' }, { namespace })
      const { items } = await client.ask<{ readonly items: readonly { readonly reason: string }[] }>('GET', path)
      return items.map(({ reason }) => reason)
    }
    await expect.poll(events, soon).toEqual(['NotFound'])
    await apply('Project', 'demo', projectSpec)
    await expect.poll(() => actors.waiting.size, soon).toBe(1)
    await expect.poll(admitted, soon).toEqual([])
  })

  it('a Project that another orchestrator claimed is left alone, and says so', async ({ apply, read, orchestrate }) => {
    await apply('Project', 'demo', projectSpec, { annotations: { [claimAnnotation]: 'other/lease' } })
    const { actors } = await orchestrate()
    await expect
      .poll(async () => conditionsOf(await read('Project', 'demo')), soon)
      .toMatchObject([{ type: 'Contended', status: 'True', reason: 'OtherOrchestrator' }])
    expect([actors.calls, (await read('Project', 'demo'))?.metadata.finalizers]).toEqual([[], undefined])
  })

  it('what happened while no orchestrator ran makes no difference', async (cluster) => {
    const { namespace, kubectl, apply, read, orchestrate } = cluster
    const first = await orchestrate()
    await apply('Project', 'demo', projectSpec)
    await apply('Task', 'one', taskSpec)
    await expect.poll(() => first.actors.waiting.size, soon).toBe(1)
    first.actors.admit()
    await first.stop()
    await kubectl('delete', 'task', 'one', '--wait=false')
    await apply('Task', 'two', taskSpec)
    await orchestrate(first.actors)
    await expect.poll(() => first.actors.waiting.size, soon).toBe(1)
    await expect.poll(() => first.actors.tasks.get(`${namespace}/one`)?.isClosing, soon).toBe(true)
    first.actors.finish()
    await expect.poll(() => read('Task', 'one'), soon).toBeUndefined()
  })

  it('a restored backup mints nothing', async (cluster) => {
    const { namespace, plane, client, kubectl, apply, read, orchestrate } = cluster
    const first = await orchestrate()
    await apply('Project', 'demo', projectSpec)
    await taken(cluster, 'Project', 'demo')
    await apply('Task', 'person', taskSpec)
    await expect.poll(() => first.actors.waiting.size, soon).toBe(1)
    const project = `${namespace}/demo`
    first.actors.tasks.set(`${namespace}/platform`, { state: 'live', isClosing: false, project })
    await apply('Task', 'platform', taskSpec, { labels: orchestratorMade })
    await taken(cluster, 'Task', 'platform')
    await first.stop()
    const backup = await kubectl('get', 'tasks', '-o', 'json')
    await release({ client, clock: systemClock }, [namespace])
    await kubectl('delete', 'tasks', '--all')
    await plane.must(['-n', namespace, 'create', '-f', '-'], withoutUids(backup))
    const { actors } = await orchestrate()
    await expect.poll(() => read('Task', 'platform'), soon).toBeUndefined()
    await expect
      .poll(async () => conditionsOf(await read('Task', 'person')), soon)
      .toMatchObject([{ type: 'Admitted', status: 'False', reason: 'Restored' }])
    expect(actors.calls.filter((call) => call.startsWith('applied'))).toEqual([])
    await kubectl('delete', 'task', 'person')
  })

  it('release takes the finalizers off, so that kubectl delete ends without an orchestrator', async (cluster) => {
    const { namespace, client, kubectl, apply, read, orchestrate } = cluster
    const { actors, stop } = await orchestrate()
    await apply('Project', 'demo', projectSpec)
    await apply('Task', 'one', taskSpec)
    await expect.poll(() => actors.waiting.size, soon).toBe(1)
    await stop()
    await kubectl('delete', 'task', 'one', '--wait=false')
    await release({ client, clock: systemClock }, [namespace])
    expect([await read('Task', 'one'), (await read('Project', 'demo'))?.metadata.finalizers]).toEqual([
      undefined,
      undefined,
    ])
    await kubectl('delete', 'project', 'demo')
    await kubectl('delete', 'namespace', namespace, '--wait=false')
  })
})

/** As a tool restores it: new objects with the metadata that people and controllers wrote. */
function withoutUids(list: string): string {
  const { items, ...rest } = JSON.parse(list) as { readonly items: readonly KubeObject[] }
  const restored = items.map(({ apiVersion, kind, metadata, spec }) => {
    const { name, namespace, labels = {}, annotations = {}, finalizers = [] } = metadata
    return { apiVersion, kind, metadata: { name, namespace, labels, annotations, finalizers }, spec }
  })
  return JSON.stringify({ ...rest, items: restored })
}
