/**
 * Nodes that are lost while agents work on them, with a controller manager that notices it within seconds (KUBE_NODE_GRACE):
 * `npm run long -- node-loss`. What the real controllers write is compared with what the orchestrator makes of it.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { programDir } from '../../cli/program.ts'
import type { KubeObject, ObjectCache } from '../../edges/kubernetes/api/api.ts'
import { createObjectCache } from '../../edges/kubernetes/api/cache.ts'
import { createKubeClient } from '../../edges/kubernetes/api/client.ts'
import { podsResource } from '../../edges/kubernetes/pods/pod-requests.ts'
import { endOf } from '../../edges/kubernetes/pods/pod-state.ts'
import type { Gone } from '../../edges/ports/pods.ts'
import { captureLog } from '../../http/testing/fixture.ts'
import { systemClock } from '../../runtime/clock.ts'
import { startKubelet, type Kubelet } from '../../standins/kubelet/kubelet.ts'
import { sharedControlPlane } from '../../testing/control-plane.ts'
import { describeRequiring } from '../../testing/requires.ts'
import { leapingClock, type LeapingClock } from '../../wrapper/testing/leaping-clock.ts'
import type { TaskContext } from '../../machines/task/context.ts'
import { startCluster, type Cluster } from '../testing/cluster.ts'
import { noCluster } from '../testing/no-cluster.ts'

const image = 'statewright.invalid/wrapper:quiet'
/** The grace of the controllers, and then some. */
const noticed = { timeout: 120_000, interval: 200 }
/** Its garbage collector looks every 20 s, and waits 40 s for a node that may come back. */
const collected = { timeout: 240_000, interval: 500 }
const minute = 60_000
/** What becomes of the node on which the Task of the name works. */
const names = ['deleted', 'tainted']
const notEnding = ['operator-error', 'pod-not-ending']

type Pod = Omit<KubeObject, 'spec' | 'status'> & {
  readonly spec: { readonly nodeName?: string; readonly tolerations: readonly Toleration[] }
  readonly status: { readonly phase: string; readonly conditions: readonly Condition[] }
}

interface Toleration {
  readonly key: string
  readonly tolerationSeconds?: number
}

interface Condition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
}

interface Scene {
  readonly cluster: Cluster
  /** Starts a node; `binds`: it takes the pods that come. */
  node(name: string, binds: boolean): Promise<Kubelet>
  /** Lets the orchestrator's time pass, and what falls due begin. */
  pass(ms: number): Promise<void>
  pod(name: string): Pod | undefined
  pods(task: string): Promise<readonly string[]>
  nodePath(name: string): string
  /** Of a Task: its name and its reason. */
  stageOf(task: string): Promise<readonly (string | null)[]>
  /** As the operator's route does: the tokens of people are of the time that we leapt over. */
  retry(task: string): Promise<void>
  /** Until a pod of the Task has its first turn. */
  hasTurn(task: string, ordinal: number): Promise<void>
  /** What the adapter makes of the object of a pod that is gone, as it was last. */
  endOf(name: string): Gone
}

interface Parts {
  readonly cluster: Cluster
  readonly leaping: LeapingClock
  readonly seen: ObjectCache
  readonly node: Scene['node']
}

function sceneOf({ cluster, leaping, seen, node }: Parts): Scene {
  const { namespace, kube } = cluster
  const { runtime } = cluster.fixture
  const last = new Map<string, KubeObject>()
  seen.subscribe((name) => {
    const pod = seen.get(name)
    if (pod !== undefined) last.set(pod.metadata.name, pod)
  })
  return {
    cluster,
    node,
    async pass(ms) {
      leaping.leap(ms)
      await new Promise((resolve) => setTimeout(resolve, 200))
    },
    pod: (name) => seen.get(`${namespace}/${name}`) as Pod | undefined,
    async pods(task) {
      const selector = encodeURIComponent(`platform.dev/task=${task}`)
      const { body } = await kube.ask('GET', `/api/v1/namespaces/${namespace}/pods?labelSelector=${selector}`)
      return (body['items'] as readonly KubeObject[]).map(({ metadata }) => metadata.name).toSorted()
    },
    nodePath: (name) => `/api/v1/nodes/${name}-${namespace}`,
    async stageOf(task) {
      const { context } = (await runtime.read(`task:${namespace}/${task}`))!
      const { name, reason } = (context as unknown as TaskContext).stage
      return [name, reason]
    },
    async retry(task) {
      const event = { type: 'task.retry', at: leaping.now(), by: 'rita' }
      await runtime.deliver({ to: `task:${namespace}/${task}`, key: `retry/${leaping.now()}`, event })
    },
    async hasTurn(task, ordinal) {
      await vi.waitFor(async () => {
        const turn = await runtime.read(`turn:${namespace}/${task}/${ordinal}/0`)
        expect(turn?.path).toContain('open.running')
      }, noticed)
    },
    endOf: (name) => endOf(name, last.get(name)),
  }
}

async function withScene(use: (scene: Scene) => Promise<void>): Promise<void> {
  const plane = sharedControlPlane()
  const root = mkdtempSync(join(tmpdir(), 'node-loss-'))
  const leaping = leapingClock()
  const cluster = await startCluster(plane, {
    clock: { ...leaping, elapsed: leaping.now },
    settings: { databaseAnswerMs: 2 * minute },
    pods: { ...noCluster.pods, image },
  })
  const { namespace } = cluster
  const client = createKubeClient({ kubeconfig: plane.kubeconfig })
  const common = {
    ...{ client, namespaces: [namespace], clock: systemClock, random: Math.random },
    logger: captureLog().logger,
  }
  const seen = createObjectCache({ ...common, resource: podsResource })
  const started: { readonly name: string; readonly kubelet: Kubelet }[] = []
  const node: Scene['node'] = async (name, binds) => {
    const kubelet = await startKubelet({
      ...{ ...common, binds, root: join(root, name), node: `${name}-${namespace}`, heartbeatMs: 1_000 },
      images: { [image]: [process.execPath, join(programDir, 'orchestrator', 'testing', 'quiet-wrapper.ts')] },
      programs: [programDir],
    })
    started.push({ name, kubelet })
    return kubelet
  }
  const scene = sceneOf({ cluster, leaping, seen, node })
  try {
    await seen.start()
    await use(scene)
  } finally {
    for (const { name, kubelet } of started) {
      await kubelet.stop()
      await plane.ask('DELETE', scene.nodePath(name))
    }
    await seen.stop()
    await client.close()
    await cluster.stop()
    rmSync(root, { recursive: true, force: true })
  }
}

/** The Task of the name works on a node of the name, and the node is lost. */
async function loseNodeOf(name: string, { cluster, node, pod, hasTurn }: Scene): Promise<void> {
  const kubelet = await node(name, true)
  await cluster.apply(cluster.task(name))
  await hasTurn(name, 1)
  const { tolerations } = pod(`${name}-1`)!.spec
  expect(tolerations.map(({ key, tolerationSeconds }) => [key, tolerationSeconds])).toEqual([
    ['node.kubernetes.io/unreachable', 60],
    ['node.kubernetes.io/not-ready', 60],
  ])
  // Its minute is the controller's time, which no clock of ours moves.
  const shorter = { spec: { tolerations: tolerations.map((one) => ({ ...one, tolerationSeconds: 2 })) } }
  const path = `/api/v1/namespaces/${cluster.namespace}/pods/${name}-1`
  expect((await cluster.kube.ask('PATCH', path, shorter)).code).toBe(200)
  kubelet.lose()
}

/** The controller manager marks the pod, and nobody ends it. */
async function evicted(name: string, { pod }: Scene): Promise<void> {
  await vi.waitFor(() => {
    const { metadata, status } = pod(`${name}-1`)!
    expect(metadata.deletionTimestamp).toBeDefined()
    expect(status).toMatchObject({ phase: 'Running' })
    expect(status.conditions).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: 'Ready', status: 'False' }),
        expect.objectContaining({ type: 'DisruptionTarget', status: 'True', reason: 'DeletionByTaintManager' }),
      ]),
    )
  }, noticed)
}

/** In the actor first, then for people. */
async function parked(name: string, { cluster, pass, stageOf }: Scene): Promise<void> {
  await vi.waitFor(async () => {
    await pass(minute)
    expect(await stageOf(name)).toEqual(notEnding)
  }, noticed)
  await vi.waitFor(async () => {
    const { status } = (await cluster.get('tasks', name))!
    expect(status).toMatchObject({ stage: 'operator-error', why: { reason: 'task/operator-error/pod-not-ending' } })
  }, noticed)
}

async function removeNodes({ cluster: { kube }, nodePath }: Scene): Promise<void> {
  expect((await kube.ask('DELETE', nodePath('deleted'))).code).toBe(200)
  const taint = { key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoExecute' }
  const { body } = await kube.ask('GET', nodePath('tainted'))
  const { taints } = body['spec'] as { readonly taints: readonly object[] }
  expect((await kube.ask('PATCH', nodePath('tainted'), { spec: { taints: [...taints, taint] } })).code).toBe(200)
}

describeRequiring('kubernetes', 'a node that is lost while an agent works on it', () => {
  test('parks the Task, and another pod begins only once the node is deleted or tainted out-of-service (POD-21)', async () => {
    await withScene(async (scene) => {
      const { cluster, node, pods, stageOf, retry } = scene
      const { fixture, namespace } = cluster
      await cluster.apply(cluster.project({ agentPodTTLSeconds: 300, agent: { turnTimeoutSeconds: 60 } }))
      await cluster.projectReady()
      await node('survivor', false)
      for (const name of names) await loseNodeOf(name, scene)
      for (const name of names) await evicted(name, scene)
      for (const name of names) await parked(name, scene)
      const { degraded } = (await fixture.call('/readyz')).body as { degraded: readonly string[] }
      for (const name of names)
        expect(degraded.join('\n')).toContain(`pod ${namespace}/${name}-1 on node ${name}-${namespace} does not end`)
      // Who retries too early starts nothing.
      await retry('deleted')
      expect(await stageOf('deleted')).not.toEqual(notEnding)
      await parked('deleted', scene)
      expect([await pods('deleted'), await pods('tainted')]).toEqual([['deleted-1'], ['tainted-1']])
      await node('fresh', true)
      await removeNodes(scene)
      for (const name of names) {
        await vi.waitFor(async () => expect(await pods(name)).toEqual([]), collected)
        const actor = () => fixture.runtime.read(`pod:${namespace}/${name}/1`)
        await vi.waitFor(async () => expect((await actor())?.status).toBe('done'), noticed)
        expect(await stageOf(name)).toEqual(notEnding)
        await retry(name)
        await scene.hasTurn(name, 2)
        expect(await pods(name)).toEqual([`${name}-2`])
      }
      const reasons = names.map((name) => scene.endOf(`${name}-1`).reason)
      expect(reasons).toEqual(['DeletionByPodGC', 'DeletionByTaintManager'])
    })
  }, 600_000)
})
