import { describe, expect, test } from 'vitest'
import { AwayError, RetryableError, TerminalError } from '../../../runtime/errors.ts'
import { KubeError } from '../api/answers.ts'
import { aPodSpec, plainProject } from '../testing/pod-fixture.ts'
import { terminatedStatus } from '../testing/pod-objects.ts'
import { type PodScene, at, podPath, podScene, projectPath } from '../testing/pod-scene.ts'

const users = aPodSpec()
const minute = 60_000
const [workspacePath, cachePath] = ['ws-implement-a-1', 'cache-demo'].map((name) =>
  at('persistentvolumeclaims', name),
) as [string, string]
const binderPath = at('pods', 'ws-implement-a-1-bind')
const bound = { status: { phase: 'Bound' } }

function sceneWith(workspace: object = {}, workspaces = true): PodScene {
  return podScene({ workspaces }, { ...plainProject, workspace })
}

async function failureOf({ pods }: PodScene): Promise<Error> {
  return pods.bindVolumes(users).then(
    () => new Error('it is bound'),
    (error: unknown) => error as Error,
  )
}

/** Both claims, bound by somebody. */
async function withBoundClaims(scene: PodScene): Promise<void> {
  await failureOf(scene)
  for (const path of [workspacePath, cachePath]) scene.server.put(path, bound)
  await scene.pods.bindVolumes(users)
}

const mountsOf = ({ server }: PodScene): string => JSON.stringify(server.get(podPath)!.spec)

describe('claims', () => {
  test('are made for the Task and for its Project, and waited for (PROJECT-WORKSPACE-3, PROJECT-WORKSPACE-4, PROJECT-WORKSPACE-6, PROJECT-WORKSPACE-9, PROJECT-WORKSPACE-10, PROJECT-WORKSPACE-11)', async () => {
    const scene = sceneWith({ storageClass: 'shared', size: '7Gi' })
    expect(await failureOf(scene)).toBeInstanceOf(RetryableError)
    const [workspace, cache] = [scene.server.get(workspacePath), scene.server.get(cachePath)]
    expect([workspace, cache]).toMatchObject([
      {
        metadata: { ownerReferences: [{ kind: 'Task', uid: 'uid-of-task' }] },
        spec: {
          accessModes: ['ReadWriteMany'],
          storageClassName: 'shared',
          resources: { requests: { storage: '7Gi' } },
        },
      },
      {
        metadata: { ownerReferences: [{ kind: 'Project', uid: 'uid-of-demo' }] },
        spec: { accessModes: ['ReadWriteMany'], resources: { requests: { storage: '20Gi' } } },
      },
    ])
    scene.server.put(workspacePath, bound)
    expect((await failureOf(scene)).message).toBe('the claim default/cache-demo is Pending')
    scene.server.put(cachePath, bound)
    await scene.pods.bindVolumes(users)
    await scene.pods.create(users)
    expect(mountsOf(scene)).toMatch(/"claimName":"ws-implement-a-1".*"claimName":"cache-demo"/)
  })

  test.each([
    ['nothing', {}],
    ['that it wants them', { enabled: true }],
  ])(
    'have the class of the cluster and the usual sizes where the Project has %s (PROJECT-WORKSPACE-1, PROJECT-WORKSPACE-3, PROJECT-WORKSPACE-4, PROJECT-WORKSPACE-6)',
    async (_what, workspace) => {
      const scene = sceneWith(workspace)
      await failureOf(scene)
      const specs = [workspacePath, cachePath].map((path) => scene.server.get(path)!.spec)
      const usual = (storage: string): object => ({
        accessModes: ['ReadWriteMany'],
        resources: { requests: { storage } },
      })
      expect(specs).toEqual([usual('10Gi'), usual('20Gi')])
    },
  )

  test.each([
    ['the operator’s switch', sceneWith({}, false)],
    ['the Project', sceneWith({ enabled: false })],
  ])('are none where %s opts out (PROJECT-WORKSPACE-1, PROJECT-WORKSPACE-2)', async (_who, scene) => {
    await scene.pods.bindVolumes(users)
    await scene.pods.create(users)
    expect(scene.server.names.join()).not.toContain('PersistentVolumeClaim')
    expect(mountsOf(scene)).not.toContain('claimName')
  })

  test('leave the cache out where the Project does (PROJECT-WORKSPACE-5)', async () => {
    const scene = sceneWith({ cacheEnabled: false })
    expect((await failureOf(scene)).message).toBe('the claim default/ws-implement-a-1 is Pending')
    expect(scene.server.get(cachePath)).toBeUndefined()
  })

  test('stay as they are, whatever the Project has by now', async () => {
    const scene = sceneWith({ size: '7Gi' })
    await withBoundClaims(scene)
    const before = scene.server.get(workspacePath)
    scene.server.put(projectPath, { spec: { ...plainProject, workspace: { size: '1Gi' } } })
    await scene.pods.bindVolumes(users)
    expect(scene.server.get(workspacePath)).toBe(before)
    expect(new Set(scene.server.calls.map(({ method }) => method))).toEqual(new Set(['GET', 'POST']))
  })

  test('are waited for with the words of their newest Event, soon at first and then rarely', async () => {
    const scene = sceneWith({ cacheEnabled: false })
    await failureOf(scene)
    const { uid } = scene.server.get(workspacePath)!.metadata
    for (const [name, lastTimestamp, message] of [
      ['two', '2026-01-01T00:02:00Z', 'no class "shared"'],
      ['one', '2026-01-01T00:01:00Z', 'older words'],
    ] as const)
      scene.server.put(at('events', name), {
        kind: 'Event',
        metadata: { name },
        involvedObject: { uid },
        lastTimestamp,
        message,
      })
    const words = 'the claim default/ws-implement-a-1 is Pending: no class "shared"'
    expect(await failureOf(scene)).toMatchObject({ message: words, retryAfterMs: 1_000 })
    await scene.pass(minute)
    expect(await failureOf(scene)).toMatchObject({ message: words, retryAfterMs: 5_000 })
    scene.server.before = ({ path }) => {
      if (path.endsWith('/events')) throw new KubeError({ code: 403, reason: 'Forbidden', message: 'no right' })
    }
    expect((await failureOf(scene)).message).toContain('its Events cannot be read (no right)')
  })

  test('of somebody else, or of an earlier Task, are not used', async () => {
    const scene = sceneWith({ cacheEnabled: false })
    scene.server.put(workspacePath, {
      kind: 'PersistentVolumeClaim',
      metadata: { namespace: 'default', name: 'ws-implement-a-1', ownerReferences: [{ uid: 'another' }] },
      ...bound,
    })
    expect((await failureOf(scene)).message).toMatch(/is not of Task implement-a-1/)
    await scene.pods.deleteWorkspace(users.task)
    expect(scene.server.get(workspacePath)).toBeDefined()
  })

  test('that are being deleted count as none', async () => {
    const scene = sceneWith({ cacheEnabled: false })
    await failureOf(scene)
    scene.server.put(workspacePath, { ...bound, metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } })
    expect((await failureOf(scene)).message).toBe('the claim default/ws-implement-a-1 is being deleted')
  })

  test('wait without end for a server that is away, and give up where it refuses them', async () => {
    const scene = sceneWith()
    const answer = (code: number) => (): never => {
      throw new KubeError({ code, reason: 'Whatever', message: 'requests.storage: too much' })
    }
    scene.server.before = answer(0)
    expect(await failureOf(scene)).toBeInstanceOf(AwayError)
    scene.server.before = ({ method }) => (method === 'POST' ? answer(422)() : undefined)
    const refused = await failureOf(scene)
    expect(refused).toBeInstanceOf(TerminalError)
    expect(refused).toMatchObject({
      reason: 'ClaimRefused',
      message: expect.stringContaining('(requests.storage: too much)'),
    })
  })
})

describe('a class that waits for its first consumer', () => {
  /** Whose claims are there, each with an Event of the controller manager. */
  async function lateScene(reason = 'WaitForFirstConsumer'): Promise<PodScene> {
    const scene = sceneWith({ storageClass: 'late' })
    await failureOf(scene)
    for (const path of [workspacePath, cachePath]) {
      const { name, uid } = scene.server.get(path)!.metadata
      const event = { kind: 'Event', reason, metadata: { name }, involvedObject: { uid } }
      scene.server.put(at('events', name), { ...event, message: 'waiting for first consumer' })
    }
    return scene
  }

  test('gets a pod that has the claims and runs nothing of ours, until they are bound', async () => {
    const scene = await lateScene()
    await failureOf(scene)
    await failureOf(scene)
    const binder = scene.server.get(binderPath)!
    expect(binder.spec).toMatchObject({
      containers: [{ command: ['true'] }],
      volumes: ['ws-implement-a-1', 'cache-demo'].map((claimName) => ({ persistentVolumeClaim: { claimName } })),
    })
    await withBoundClaims(scene)
    expect(scene.server.get(binderPath)).toBeUndefined()
    expect(scene.heard).toEqual([])
  })

  test('gets another one where it ended or lacks a claim, and none where the class binds at once', async () => {
    const scene = await lateScene()
    await failureOf(scene)
    scene.server.put(binderPath, { status: { phase: 'Failed' } })
    await failureOf(scene)
    expect(scene.server.get(binderPath)).toBeUndefined()
    await failureOf(scene)
    expect(scene.server.get(binderPath)).toBeDefined()
    scene.server.put(binderPath, { spec: { volumes: [{ name: 'cache-demo' }] } })
    await failureOf(scene)
    expect(scene.server.get(binderPath)).toBeUndefined()
    const atOnce = await lateScene('ExternalProvisioning')
    await failureOf(atOnce)
    expect(atOnce.server.get(binderPath)).toBeUndefined()
  })

  test('gets none where its Events cannot be read, and the wait says so', async () => {
    const scene = await lateScene()
    scene.server.before = ({ path }) => {
      if (path.endsWith('/events')) throw new KubeError({ code: 403, reason: 'Forbidden', message: 'no right' })
    }
    expect((await failureOf(scene)).message).toContain('its Events cannot be read (no right)')
    expect(scene.server.get(binderPath)).toBeUndefined()
  })

  test('keeps no pod beyond the ten minutes after which the Task parks, though nobody asks again', async () => {
    const scene = await lateScene()
    await failureOf(scene)
    await scene.pass(10.5 * minute - 1)
    expect(scene.server.get(binderPath)).toBeDefined()
    await scene.pass(1)
    expect(scene.server.get(binderPath)).toBeUndefined()
    expect(scene.server.get(workspacePath)).toBeDefined()
  })
})

describe('deleting a workspace', () => {
  test('takes the claim of the Task and its ended pods, as often as it is asked, and leaves the cache', async () => {
    const scene = sceneWith()
    await withBoundClaims(scene)
    await scene.pods.create(users)
    scene.server.put(podPath, { spec: { nodeName: 'node-1' }, status: terminatedStatus({}) })
    for (let n = 0; n < 2; n += 1) await scene.pods.deleteWorkspace(users.task)
    expect(scene.server.names.filter((name) => /^(Pod|Persistent)/.test(name))).toEqual([
      'PersistentVolumeClaim cache-demo',
    ])
  })

  test('ends no pod that runs', async () => {
    const scene = sceneWith()
    await withBoundClaims(scene)
    await scene.pods.create(users)
    scene.server.put(podPath, { spec: { nodeName: 'node-1' }, status: { phase: 'Running' } })
    await scene.pods.deleteWorkspace(users.task)
    expect(scene.server.get(podPath)!.metadata.deletionTimestamp).toBeUndefined()
  })
})
