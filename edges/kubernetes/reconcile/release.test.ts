import { expect, test } from 'vitest'
import { simulatedClock } from '../../../runtime/simulated-clock.ts'
import { errorOf } from '../api/answers.ts'
import type { KubeClient, KubeObject } from '../api/api.ts'
import { claimAnnotation, closeFinalizer, lifeAnnotation, orchestratorMade } from '../api/marks.ts'
import { findLiveOrchestrator, release } from './release.ts'
import { MemoryServer } from '../testing/memory-server.ts'
import { projectSpec, startProcess, createWorld, taskSpec } from '../testing/reconciling.ts'

const clock = simulatedClock(0)

test('our marks come off in the namespaces that are asked for, and what somebody deleted is gone', async () => {
  const world = createWorld()
  const { api } = world
  for (const namespace of ['default', 'team']) {
    api.create({ kind: 'Project', name: `${namespace}/demo`, spec: projectSpec })
    api.create({ kind: 'Task', name: `${namespace}/one`, spec: taskSpec })
  }
  api.create({ kind: 'Project', name: 'bare', spec: { ...projectSpec, maxConcurrentAgents: 'many' } })
  const process = await startProcess(world)
  await process.settle()
  await process.die()
  api.remove('Task', 'one')
  expect(await release({ client: api, clock }, ['default'])).toEqual([
    { kind: 'Project', namespace: 'default', name: 'demo', wasDeleted: false, isGone: false },
    { kind: 'Task', namespace: 'default', name: 'one', wasDeleted: true, isGone: true },
  ])
  const { metadata } = api.find('Project', 'demo')!
  expect([metadata.finalizers, metadata.annotations]).toEqual([undefined, undefined])
  expect(api.find('Task', 'one')).toBeUndefined()
  expect(await release({ client: api, clock })).toHaveLength(2)
  const { finalizers, annotations = {} } = api.find('Task', 'team/one')!.metadata
  expect([finalizers, Object.keys(annotations)]).toEqual([undefined, [lifeAnnotation]])
  expect(await release({ client: api, clock })).toEqual([])
  await (await startProcess(world, { orchestrator: 'another/one' })).settle()
  expect(api.find('Project', 'demo')?.metadata.annotations).toEqual({ [claimAnnotation]: 'another/one' })
})

test('a claim that a manifest brought comes off too', async () => {
  const api = new MemoryServer()
  const annotations = { [claimAnnotation]: 'other/lease', 'x.io/kept': 'yes' }
  api.create({ kind: 'Project', name: 'demo', spec: projectSpec, metadata: { annotations, finalizers: ['x.io/held'] } })
  const labels = orchestratorMade
  api.create({ kind: 'Task', name: 'one', spec: taskSpec, metadata: { labels, finalizers: [closeFinalizer] } })
  await release({ client: api, clock })
  const { finalizers, annotations: left } = api.find('Project', 'demo')!.metadata
  expect([finalizers, left]).toEqual([['x.io/held'], { 'x.io/kept': 'yes' }])
  expect(api.find('Task', 'one')!.metadata.finalizers).toBeUndefined()
})

test('a kind that the cluster does not have is passed over, and a refusal is not', async () => {
  const api = new MemoryServer()
  const without = (error: Error): KubeClient =>
    Object.assign(new MemoryServer(), {
      async ask(...call: Parameters<MemoryServer['ask']>) {
        if (call[1].endsWith('/projects')) throw error
        return api.ask(...call)
      },
    })
  expect(await release({ client: without(errorOf(404, {})), clock })).toEqual([])
  await expect(release({ client: without(errorOf(403, {})), clock })).rejects.toMatchObject({ code: 403 })
})

const lease = (resourceVersion: string, holderIdentity: string | null): KubeObject => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'l', namespace: 'platform', uid: 'u', resourceVersion, creationTimestamp: '' },
  spec: { holderIdentity, leaseDurationSeconds: 15 },
})

/** `at`: the Leases as they are so many seconds after the first look. */
async function lookAt(at: (seconds: number) => readonly KubeObject[]): Promise<[string | undefined, number]> {
  const own = simulatedClock(1_000)
  const began = own.elapsed()
  const ask = async (): Promise<unknown> => {
    queueMicrotask(() => setImmediate(() => own.advanceToNext()))
    return { metadata: {}, items: at((own.elapsed() - began) / 1_000) }
  }
  const client = Object.assign(new MemoryServer(), { ask }) as unknown as KubeClient
  const found = await findLiveOrchestrator({ client, clock: own })
  return [found, (own.elapsed() - began) / 1_000]
}

test('an orchestrator lives whose Lease is renewed, and one is dead whose Lease stays as it is', async () => {
  expect(await lookAt((seconds) => [lease(seconds < 5 ? '1' : '2', 'pod-1')])).toEqual(['platform/pod-1', 5])
  expect(await lookAt(() => [lease('1', 'pod-1')])).toEqual([undefined, 15])
  expect(await lookAt((seconds) => (seconds < 3 ? [lease('1', 'pod-1')] : [lease('2', null)]))).toEqual([undefined, 15])
})

test('a Lease that nobody holds is not waited for', async () => {
  expect(await lookAt(() => [lease('1', null)])).toEqual([undefined, 0])
  expect(await lookAt(() => [])).toEqual([undefined, 0])
})
