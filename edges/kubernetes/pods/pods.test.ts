import { describe, expect, test } from 'vitest'
import { shortHash } from '../../../machines/rules/names.ts'
import { AwayError, RetryableError, TerminalError } from '../../../runtime/errors.ts'
import { KubeError } from '../api/answers.ts'
import { taught } from './remediation-hints.ts'
import { aPodSpec, fullProject } from '../testing/pod-fixture.ts'
import {
  runningStatus,
  terminatedStatus,
  unreadyStatus,
  unschedulableStatus,
  waitingStatus,
} from '../testing/pod-objects.ts'
import { remember } from './pod-watch.ts'
import { type PodScene, at, podPath, podScene, taskPath } from '../testing/pod-scene.ts'
import { settle } from '../testing/scripted-client.ts'

const spec = aPodSpec()
const minute = 60_000
const secretPath = at('secrets', 'implement-a-1-2')
const bound = { spec: { nodeName: 'node-1', terminationGracePeriodSeconds: 120 } }
const ready = { pod: spec.pod, state: 'ready', url: 'http://10.1.0.9:8080' }

/** A pod that a kubelet has, with this status. */
async function withStatus(scene: PodScene, status: object): Promise<void> {
  if (scene.server.get(podPath) === undefined) await scene.pods.create(spec)
  scene.server.put(podPath, { ...bound, status })
  await settle()
}

const deletions = ({ server }: PodScene): readonly unknown[] =>
  server.calls.flatMap(({ method, path, body }) => (method === 'DELETE' && path === podPath ? [body] : []))

describe('making a pod', () => {
  test('makes the pod and then its Secret, which the pod owns, and once however often it is asked', async () => {
    const { server, pods } = podScene()
    const names = await Promise.all([pods.create(spec), pods.create(spec)])
    expect([...names, await pods.create(spec)]).toEqual([1, 2, 3].map(() => ({ name: 'implement-a-1-2' })))
    expect(server.names).toEqual([
      'Task implement-a-1',
      'Project demo',
      'Pod implement-a-1-2',
      'Secret implement-a-1-2',
    ])
    const { uid } = server.get(podPath)!.metadata
    expect(server.get(secretPath)!.metadata.ownerReferences).toMatchObject([{ kind: 'Pod', uid }])
  })

  test('makes the Secret of a pod after a crash between the two', async () => {
    const { server, pods, restart } = podScene()
    server.before = ({ method, path }) => {
      if (method === 'POST' && path.endsWith('secrets')) throw new Error('killed')
    }
    await expect(pods.create(spec)).rejects.toThrow('killed')
    server.before = () => undefined
    await restart().create(spec)
    expect(server.names.slice(2)).toEqual(['Pod implement-a-1-2', 'Secret implement-a-1-2'])
  })

  test('takes an answer that never came for one that was no', async () => {
    const { server, pods } = podScene()
    server.after = ({ method }) => {
      if (method === 'POST') throw new KubeError({ code: 0, reason: 'NoAnswer', message: 'nobody answered' })
    }
    await expect(pods.create(spec)).rejects.toThrow(AwayError)
    server.after = () => undefined
    expect(await pods.create(spec)).toEqual({ name: 'implement-a-1-2' })
  })

  test.each([400, 403, 422])('gives up where the server answers %i, in its words', async (code) => {
    const { server, pods } = podScene()
    server.before = ({ method }) => {
      if (method === 'POST') throw new KubeError({ code, reason: 'Invalid', message: 'hostUsers: Forbidden' })
    }
    const failure = await pods.create(spec).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(TerminalError)
    expect(failure).toMatchObject({ reason: 'PodRefused', message: expect.stringContaining('(hostUsers: Forbidden)') })
  })

  test('waits for the object of its Task, and for the collector to take what an earlier one left', async () => {
    const { server, pods } = podScene()
    const task = server.get(taskPath)!
    server.drop(taskPath)
    await expect(pods.create(spec)).rejects.toThrow(/no Task default\/implement-a-1 yet/)
    server.put(taskPath, { ...task, metadata: { ...task.metadata, uid: 'uid-of-a-second-life' } })
    server.put(podPath, { kind: 'Pod', metadata: { ...pathMarks, ownerReferences: [{ uid: 'uid-of-task' }] } })
    await expect(pods.create(spec)).rejects.toThrow(RetryableError)
    server.drop(podPath)
    server.put(secretPath, { kind: 'Secret', metadata: { ...pathMarks, ownerReferences: [{ uid: 'uid-of-a-pod' }] } })
    await expect(pods.create(spec)).rejects.toThrow(/Secret default\/implement-a-1-2 of another owner/)
  })

  test('belongs to the object of its Task, also in a later life that has a name of its own', async () => {
    const { server, pods } = podScene()
    const { metadata } = server.get(taskPath)!
    const task = `default/implement-a-1-${shortHash(metadata.uid)}`
    await pods.create(aPodSpec({ task }))
    const [owner] = server.get(at('pods', `${task.slice('default/'.length)}-2`))!.metadata.ownerReferences!
    expect(owner).toMatchObject({ name: metadata.name, uid: metadata.uid })
  })

  test('waits for a right that the server does not see yet, and for the account that a new namespace gets', async () => {
    const { server, pods } = podScene()
    for (const message of [
      'pods is forbidden: User "u" cannot create resource "pods" in API group ""',
      'pods "a" is forbidden: error looking up service account default/default: serviceaccount "default" not found',
    ]) {
      server.before = ({ method }) => {
        if (method === 'POST') throw new KubeError({ code: 403, reason: 'Forbidden', message })
      }
      await expect(pods.create(spec)).rejects.toThrow(RetryableError)
    }
  })

  test('takes no pod of a stranger for its own', async () => {
    const { server, pods, heard } = podScene()
    server.put(podPath, {
      kind: 'Pod',
      metadata: { namespace: 'default', name: 'implement-a-1-2' },
      ...bound,
      status: runningStatus,
    })
    await expect(pods.create(spec)).rejects.toThrow(TerminalError)
    expect(await pods.look(spec.pod)).toEqual({
      pod: spec.pod,
      state: 'gone',
      reason: 'deleted',
      detail: taught('deleted'),
    })
    expect(await pods.remove(spec.pod, { force: true })).toBe('gone')
    expect([server.names, heard]).toEqual([expect.arrayContaining(['Pod implement-a-1-2']), []])
  })

  test('warns of variables that the Project cannot replace', async () => {
    const { pods, log } = podScene({}, fullProject)
    await pods.create(spec)
    expect(log.lines()).toMatchObject([{ dropped: ['PLATFORM_TASK', 'MODEL_PROVIDER_API_KEY'] }])
  })
})

const pathMarks = {
  namespace: 'default',
  name: 'implement-a-1-2',
  labels: { 'platform.dev/managed-by': 'platform-operator' },
  annotations: { 'platform.dev/pod': spec.pod },
}

describe('watching pods', () => {
  test('shows each that is there, then what becomes of it, once', async () => {
    const scene = podScene()
    await withStatus(scene, unreadyStatus)
    await withStatus(scene, runningStatus)
    await withStatus(scene, runningStatus)
    expect(scene.heard).toEqual([ready])
    expect(await scene.pods.look(spec.pod)).toEqual(ready)
    const again: unknown[] = []
    scene.restart().watch(async (observation) => void again.push(observation))
    await withStatus(scene, terminatedStatus({ reason: 'OOMKilled' }))
    await settle(scene.server.drop(podPath))
    const gone = { pod: spec.pod, state: 'gone', reason: 'OOMKilled', detail: taught('OOMKilled', 'exit code 1') }
    expect([scene.heard, again]).toEqual([
      [ready, gone],
      [ready, gone],
    ])
    expect(await scene.pods.look(spec.pod)).toEqual(gone)
    expect(await scene.restart().look(spec.pod)).toEqual({
      pod: spec.pod,
      state: 'gone',
      reason: 'deleted',
      detail: taught('deleted'),
    })
  })

  test('says it again where the listener rejects, and says nothing to one that left', async () => {
    const scene = podScene()
    const seen: string[] = []
    let fails = true
    const leave = scene.pods.watch(async ({ state }) => {
      seen.push(state)
      if (fails) throw new Error('the store is away')
    })
    await withStatus(scene, runningStatus)
    fails = false
    await scene.pass(minute)
    expect(seen).toEqual(['ready', 'ready'])
    leave()
    await withStatus(scene, terminatedStatus({}))
    expect(seen).toHaveLength(2)
  })

  test('takes a pod that is deleted and still there for no end, and shows its end once the server has it no more', async () => {
    const scene = podScene()
    await withStatus(scene, unreadyStatus)
    await scene.pods.remove(spec.pod, { force: true })
    await scene.pass(10 * minute)
    expect([scene.heard, await scene.pods.look(spec.pod)]).toEqual([[], undefined])
    await settle(scene.server.drop(podPath))
    expect(scene.heard).toEqual([{ pod: spec.pod, state: 'gone', reason: 'deleted', detail: taught('deleted') }])
  })
})

describe('ending a pod', () => {
  test('gives it its own grace, or one second by force, as often as it is asked, and never none', async () => {
    const scene = podScene()
    await withStatus(scene, runningStatus)
    const { uid } = scene.server.get(podPath)!.metadata
    const asked = [false, true, true].map((force) => ({ force }))
    for (const how of asked) expect(await scene.pods.remove(spec.pod, how)).toBe('ending')
    const options = { kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { uid } }
    expect(deletions(scene)).toEqual([
      options,
      { ...options, gracePeriodSeconds: 1 },
      { ...options, gracePeriodSeconds: 1 },
    ])
    scene.server.drop(podPath)
    expect(await scene.pods.remove(spec.pod, { force: true })).toBe('gone')
  })

  test('leaves one that ended for people to read, and deletes it a quarter of an hour later', async () => {
    const scene = podScene()
    await withStatus(scene, terminatedStatus({}))
    expect(await scene.pods.remove(spec.pod, { force: true })).toBe('gone')
    await scene.pass(15 * minute - 1)
    expect(deletions(scene)).toEqual([])
    await scene.pass(1)
    expect(deletions(scene)).toHaveLength(1)
    expect(scene.server.get(podPath)).toBeUndefined()
  })

  test('is named where it does not come, with the node and what to do', async () => {
    const scene = podScene()
    await withStatus(scene, unreadyStatus)
    await scene.pods.remove(spec.pod, { force: true })
    await scene.pass(61_000 - 1)
    expect([scene.pods.degraded(), scene.pods.stuck()]).toEqual([[], []])
    await scene.pass(1)
    expect(scene.pods.stuck()).toMatchObject([{ pod: spec.pod, name: 'default/implement-a-1-2', node: 'node-1' }])
    const [line] = scene.pods.degraded()
    expect(line).toMatch(
      /pod default\/implement-a-1-2 on node node-1 does not end: .* 60 s ago.*kubectl delete node node-1/,
    )
    scene.server.drop(podPath)
    expect(scene.pods.degraded()).toEqual([])
  })
})

describe('a pod that nothing else ends', () => {
  const waits: readonly [string, object, number][] = [
    ['an image that nobody can name', waitingStatus('InvalidImageName'), 0],
    ['an image that does not come', waitingStatus('ImagePullBackOff'), 2 * minute],
    ['no node for it', unschedulableStatus(), 5 * minute],
    ['a sidecar that lives on', terminatedStatus({ reason: 'Error' }, { phase: 'Running' }), 10_000],
  ]

  test.each(waits)('is deleted for %s', async (_why, status, patienceMs) => {
    const scene = podScene()
    await withStatus(scene, status)
    await scene.pass(patienceMs - 1)
    expect(deletions(scene)).toHaveLength(patienceMs === 0 ? 1 : 0)
    await scene.pass(1)
    expect(deletions(scene)).toHaveLength(1)
    await scene.pass(10 * minute)
    expect(deletions(scene)).toHaveLength(1)
    await settle(scene.server.drop(podPath))
    expect(scene.heard).toMatchObject([{ state: 'gone', reason: expect.stringMatching(/^[A-Z]/) }])
  })

  test('ends for what it waited for, though the kubelet knows nothing of a container that never ran', async () => {
    const scene = podScene()
    await withStatus(scene, waitingStatus('InvalidImageName'))
    await withStatus(scene, terminatedStatus({ reason: 'ContainerStatusUnknown', exitCode: 137 }))
    const gone = {
      pod: spec.pod,
      state: 'gone',
      reason: 'InvalidImageName',
      detail: taught('InvalidImageName', 'container wrapper: because'),
    }
    expect([scene.heard, await scene.pods.look(spec.pod)]).toEqual([[gone], gone])
    await settle(scene.server.drop(podPath))
    expect([scene.heard, await scene.pods.look(spec.pod)]).toEqual([[gone], gone])
  })

  test('waits all the while its image fails now one way, now another, and begins anew once it runs', async () => {
    const scene = podScene()
    await withStatus(scene, waitingStatus('ErrImagePull'))
    await scene.pass(minute)
    await withStatus(scene, waitingStatus('ImagePullBackOff'))
    await scene.pass(minute - 1)
    await withStatus(scene, unreadyStatus)
    await scene.pass(10 * minute)
    await withStatus(scene, waitingStatus('ErrImagePull'))
    await scene.pass(2 * minute - 1)
    expect(deletions(scene)).toEqual([])
    await scene.pass(1)
    expect(deletions(scene)).toHaveLength(1)
  })
})

test('nothing is heard and nothing is deleted after the stop', async () => {
  const scene = podScene()
  await withStatus(scene, unreadyStatus)
  await scene.pods.stop()
  await withStatus(scene, terminatedStatus({}))
  await scene.pass(60 * minute)
  expect([scene.heard, deletions(scene)]).toEqual([[], []])
})

test('of a thousand pods and more the oldest are forgotten', () => {
  const memory = new Map<string, number>()
  for (let n = 0; n <= 1_000; n += 1) remember(memory, `pod-${n}`, n)
  remember(memory, 'pod-1', 7)
  remember(memory, 'pod-1001', 0)
  expect([memory.size, memory.has('pod-0'), memory.get('pod-1'), memory.has('pod-2')]).toEqual([1_000, false, 7, false])
})
