import { describe, expect, test } from 'vitest'
import { errorOf } from '../api/answers.ts'
import { stackScene, textOf, type StackScene } from '../testing/stack-scene.ts'

const endpoint = 'http://memory-demo.default.svc:8080'

async function running(scene: StackScene): Promise<void> {
  await scene.look()
  scene.run()
  expect(await scene.look()).toMatchObject({ phase: 'running' })
}

/** Of the pods. */
interface Template {
  readonly metadata: {
    readonly labels: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
  }
  readonly spec: { readonly containers: readonly { readonly env: unknown }[] }
}

function template({ get }: StackScene, kind: 'Deployment' | 'StatefulSet', name: string): Template {
  return (get(kind, name)!.spec as unknown as { readonly template: Template }).template
}

describe('a light stack without CloudNativePG', () => {
  test('serves once PostgreSQL and the service have ready pods of their newest generation', async () => {
    const scene = stackScene()
    expect(await scene.look()).toEqual({
      ...{ phase: 'pending', part: 'postgres', endpoint, externalEndpoint: '' },
      words: 'StatefulSet default/mempg-demo has no ready pod',
    })
    scene.run()
    const sight = { phase: 'running', part: 'service', words: '', endpoint, externalEndpoint: '' }
    expect(await scene.look()).toEqual(sight)
    scene.writes()
    expect(await scene.look()).toEqual(sight)
    expect(scene.writes()).toEqual([
      ...['PATCH services/memory-demo', 'PATCH services/mempg-demo', 'PATCH statefulsets/mempg-demo'],
      ...['PATCH secrets/memory-demo', 'PATCH deployments/memory-demo'],
    ])
  })

  test('has each object once, with the labels of the stack', async () => {
    const scene = stackScene()
    await running(scene)
    expect(scene.server.names.toSorted()).toEqual([
      ...['Deployment memory-demo', 'PersistentVolumeClaim mempg-demo-data', 'PersistentVolumeClaim mempg-demo-wal'],
      ...['Secret memory-demo', 'Secret mempg-demo', 'Service memory-demo', 'Service mempg-demo'],
      'StatefulSet mempg-demo',
    ])
    for (const { metadata } of scene.server.all())
      expect(metadata.labels).toMatchObject({
        'app.kubernetes.io/managed-by': 'statewright',
        'statewright.dev/memory-stack': 'demo',
        'platform.dev/project': 'demo',
      })
  })

  test('gives the service the address of its database as a file, and the labels that policies know', async () => {
    const scene = stackScene()
    await scene.look()
    expect(textOf(scene.get('Secret', 'memory-demo'), 'DATABASE_URL')).toBe(
      'postgres://memory:password-1@mempg-demo.default.svc:5432/memory',
    )
    const { metadata, spec } = template(scene, 'Deployment', 'memory-demo')
    expect(metadata.labels).toMatchObject({
      'app.kubernetes.io/component': 'memory',
      'statewright.dev/memory': 'memory-demo',
    })
    // Agents' policies select pods by it.
    expect(metadata.labels).not.toHaveProperty('platform.dev/managed-by')
    expect(spec.containers[0]!.env).toEqual([
      { name: 'STATE_DIR', value: '/var/lib/statewright' },
      { name: 'HTTP_ADDR', value: '0.0.0.0:8080' },
      { name: 'OIDC_ISSUER', value: 'https://id.test' },
      { name: 'OIDC_AUDIENCE', value: 'memory' },
      { name: 'DATABASE_URL_FILE', value: '/run/statewright/secrets/DATABASE_URL' },
    ])
    expect(JSON.stringify(spec)).not.toContain('password-1')
    expect(spec).toMatchObject({ enableServiceLinks: false, automountServiceAccountToken: false })
    expect(scene.get('Deployment', 'memory-demo')!.spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } })
  })

  test('takes the embeddings of the settings, whose key is a file', async () => {
    const secret = { name: 'embedder', key: 'token' }
    const scene = stackScene({ embeddings: { url: 'https://e.test', model: 'm', secret } })
    await scene.look()
    const text = JSON.stringify(template(scene, 'Deployment', 'memory-demo'))
    expect(text).toContain('{"name":"EMBEDDINGS_URL","value":"https://e.test"},{"name":"EMBEDDINGS_MODEL","value":"m"}')
    expect(text).toContain('"EMBEDDINGS_API_KEY_FILE"')
    expect(text).toContain('{"name":"embedder","items":[{"key":"token","path":"EMBEDDINGS_API_KEY"}]}')
  })

  test('refuses more than one instance, and makes nothing of PostgreSQL for it', async () => {
    const scene = stackScene()
    expect(await scene.look({ pgInstances: 3 })).toMatchObject({
      ...{ phase: 'pending', part: 'postgres', words: '3 instances need CloudNativePG' },
    })
    expect(scene.server.names).toEqual(['Service memory-demo'])
  })

  test('serves on with the one instance that it has where more are asked for, and says so', async () => {
    const scene = stackScene()
    await running(scene)
    expect(await scene.look({ pgInstances: 2 })).toMatchObject({
      ...{ phase: 'degraded', part: 'postgres', words: '2 instances need CloudNativePG' },
    })
  })

  test('stays where its claims are when CloudNativePG comes later, and says so', async () => {
    const scene = stackScene()
    await running(scene)
    scene.installOperator()
    expect(await scene.look()).toMatchObject({
      phase: 'running',
      words: 'PostgreSQL stays in StatefulSet default/mempg-demo, where its data is; CloudNativePG is installed',
    })
    expect(scene.get('Cluster', 'mem-demo')).toBeUndefined()
  })

  test('makes no password anew beside the claim that knows the old one, and says what is missing', async () => {
    const scene = stackScene()
    await running(scene)
    scene.server.drop('/api/v1/namespaces/default/secrets/mempg-demo')
    expect(await scene.look()).toMatchObject({
      phase: 'degraded',
      part: 'postgres',
      words:
        'Secret default/mempg-demo is missing, and what lies in PersistentVolumeClaim default/mempg-demo-data has its password: ' +
        'restore the Secret, with its labels app.kubernetes.io/managed-by=statewright,statewright.dev/memory-stack=demo,platform.dev/project=demo, or delete the claim and all that it holds',
    })
    expect(scene.get('Secret', 'mempg-demo')).toBeUndefined()
  })

  test('grows its claims, never shrinks them, and names both sizes', async () => {
    const scene = stackScene()
    await running(scene)
    await scene.look({ pgStorage: '20Gi' })
    const sizes = ['data', 'wal'].map((end) => scene.get('PersistentVolumeClaim', `mempg-demo-${end}`)!.spec)
    expect(sizes).toMatchObject(['20Gi', '8Gi'].map((storage) => ({ resources: { requests: { storage } } })))
    scene.writes()
    expect(await scene.look({ pgStorage: '10Gi', pgWalStorage: '8192Mi' })).toMatchObject({
      ...{ phase: 'degraded', part: 'postgres' },
      words: 'PersistentVolumeClaim default/mempg-demo-data cannot shrink from 20Gi to 10Gi',
    })
    expect(scene.writes().join()).not.toContain('persistentvolumeclaims')
  })

  test('takes a claim that somebody grew by hand, and still refuses a spec that shrinks', async () => {
    const scene = stackScene()
    await running(scene)
    const spec = { resources: { requests: { storage: '30Gi' } } }
    scene.put('PersistentVolumeClaim', 'mempg-demo-data', { spec })
    expect(await scene.look()).toMatchObject({ phase: 'running', words: '' })
    expect(await scene.look({ pgStorage: '20Gi' })).toMatchObject({ phase: 'running', words: '' })
    expect(scene.get('PersistentVolumeClaim', 'mempg-demo-data')!.spec).toMatchObject(spec)
    expect((await scene.look({ pgStorage: '10Gi' })).words).toBe(
      'PersistentVolumeClaim default/mempg-demo-data cannot shrink from 20Gi to 10Gi',
    )
  })

  test('tells how far a claim has grown, and why it does not', async () => {
    const scene = stackScene()
    await running(scene)
    const status = { phase: 'Bound', capacity: { storage: '10Gi' } }
    scene.put('PersistentVolumeClaim', 'mempg-demo-data', { status })
    const title = 'PersistentVolumeClaim default/mempg-demo-data'
    expect((await scene.look({ pgStorage: '20Gi' })).words).toBe(`${title} has 10Gi of 20Gi`)
    const failed = { ...status, allocatedResourceStatuses: { storage: 'ControllerResizeInfeasible' } }
    scene.put('PersistentVolumeClaim', 'mempg-demo-data', { status: failed })
    expect((await scene.look({ pgStorage: '20Gi' })).words).toBe(
      `${title} has 10Gi of 20Gi: ControllerResizeInfeasible`,
    )
    scene.put('PersistentVolumeClaim', 'mempg-demo-data', { status: { ...status, capacity: { storage: '20Gi' } } })
    expect(await scene.look({ pgStorage: '20Gi' })).toMatchObject({ phase: 'running' })
  })

  test('tells that the class of storage does not grow', async () => {
    const scene = stackScene()
    await running(scene)
    scene.server.before = ({ method, kind }) => {
      const message = 'only dynamically provisioned pvc can be resized'
      if (method === 'PATCH' && kind === 'persistentvolumeclaims') throw errorOf(403, { message })
    }
    expect((await scene.look({ pgStorage: '20Gi' })).words).toBe(
      'PersistentVolumeClaim default/mempg-demo-data stays at 10Gi: only dynamically provisioned pvc can be resized',
    )
  })

  test('takes over no object of its names, and names the one that is in the way', async () => {
    const scene = stackScene()
    const foreign = scene.put('Deployment', 'memory-demo', { metadata: { labels: { a: 'b' } }, spec: { mine: true } })
    expect(await scene.look()).toMatchObject({ phase: 'pending', part: 'postgres' })
    scene.run()
    expect(await scene.look()).toMatchObject({
      ...{ phase: 'pending', part: 'service' },
      words: 'Deployment default/memory-demo is not of this stack: delete or rename it',
    })
    expect(scene.get('Deployment', 'memory-demo')!.spec).toEqual(foreign.spec)
    await scene.end()
    expect(scene.get('Deployment', 'memory-demo')!.spec).toEqual(foreign.spec)
  })

  test('starts the service anew when what it reads at its start changes', async () => {
    const scene = stackScene()
    await running(scene)
    const marks = (): unknown => template(scene, 'Deployment', 'memory-demo').metadata.annotations
    const before = marks()
    await scene.look()
    expect(marks()).toEqual(before)
    scene.put('Secret', 'mempg-demo', { data: { password: Buffer.from('by hand').toString('base64') } })
    await scene.look()
    expect(marks()).not.toEqual(before)
    expect(textOf(scene.get('Secret', 'memory-demo'), 'DATABASE_URL')).toContain(':by%20hand@')
  })

  test('a right or a namespace that is missing is told of the cluster', async () => {
    const scene = stackScene()
    const message = 'services "memory-demo" is forbidden: User "x" cannot patch resource "services" in API group ""'
    scene.server.before = ({ method }) => {
      if (method !== 'GET') throw errorOf(403, { message })
    }
    expect(await scene.look()).toMatchObject({
      ...{ phase: 'pending', part: 'cluster', endpoint: '' },
      words: expect.stringContaining('statewright rbac prints the roles to apply'),
    })
  })

  test('a server that does not answer is asked again by the next look', async () => {
    const scene = stackScene()
    scene.server.before = () => {
      throw errorOf(503, {})
    }
    await expect(scene.look()).rejects.toMatchObject({ name: 'AwayError' })
    scene.server.before = () => {
      throw errorOf(409, {})
    }
    await expect(scene.look()).rejects.toMatchObject({ name: 'RetryableError' })
  })
})

describe('why a part has no ready pod', () => {
  const pod = (scene: StackScene, status: object): void => {
    const { labels } = template(scene, 'StatefulSet', 'mempg-demo').metadata
    scene.put('Pod', 'mempg-demo-0', { metadata: { labels }, status })
  }
  const waiting = (reason: string, message?: string): object => ({
    name: 'postgres',
    state: { waiting: { reason, message } },
  })

  test.each([
    [
      'its image',
      { containerStatuses: [waiting('ImagePullBackOff', 'no such image')] },
      'container postgres: ImagePullBackOff: no such image',
    ],
    [
      'its memory',
      {
        containerStatuses: [
          {
            ...waiting('CrashLoopBackOff'),
            restartCount: 4,
            lastState: { terminated: { reason: 'OOMKilled', exitCode: 137 } },
          },
        ],
      },
      'container postgres: CrashLoopBackOff, last OOMKilled, 4 restarts',
    ],
    [
      'no node',
      {
        conditions: [
          { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes are available' },
        ],
      },
      '0/3 nodes are available',
    ],
  ])('is told in the words of %s', async (_what, status, words) => {
    const scene = stackScene()
    await scene.look()
    pod(scene, status)
    expect(await scene.look()).toMatchObject({
      phase: 'pending',
      part: 'postgres',
      words: `pod default/mempg-demo-0: ${words}`,
    })
  })

  test('is told in the words of the newest Event while the kubelet says nothing else', async () => {
    const scene = stackScene()
    await scene.look()
    pod(scene, { containerStatuses: [waiting('ContainerCreating')] })
    const { uid } = scene.get('Pod', 'mempg-demo-0')!.metadata
    const event = {
      involvedObject: { uid },
      lastTimestamp: '2026-01-01T00:00:00Z',
      message: 'MountVolume.SetUp failed',
    }
    scene.server.put('/api/v1/namespaces/default/events/one', { kind: 'Event', ...event })
    expect((await scene.look()).words).toBe('pod default/mempg-demo-0: MountVolume.SetUp failed')
  })

  test('is told in the words of the Deployment where no pod is made', async () => {
    const scene = stackScene()
    await scene.look()
    scene.run()
    const message = 'pods "memory-demo-x" is forbidden: exceeded quota'
    scene.put('Deployment', 'memory-demo', {
      status: { conditions: [{ type: 'ReplicaFailure', status: 'True', message }] },
    })
    expect(await scene.look()).toMatchObject({
      ...{ phase: 'pending', part: 'service', words: `Deployment default/memory-demo has no ready pod: ${message}` },
    })
  })

  test.each([
    ['that the Deployment has not seen', { observedGeneration: 0, readyReplicas: 1, updatedReplicas: 1 }],
    ['of its template', { observedGeneration: 9, readyReplicas: 1, updatedReplicas: 0 }],
  ])('a pod that serves from before a change %s leaves the stack degraded, not away', async (_what, status) => {
    const scene = stackScene()
    await running(scene)
    scene.put('Deployment', 'memory-demo', { status })
    expect(await scene.look()).toMatchObject({ phase: 'degraded', part: 'service' })
  })
})

describe('the end of a stack', () => {
  test('leaves claims and Secrets, names them, and a later look uses them again', async () => {
    const scene = stackScene()
    await running(scene)
    const secret = scene.get('Secret', 'mempg-demo')
    expect(await scene.end()).toEqual({
      ...{ phase: 'gone', part: 'cluster', endpoint: '', externalEndpoint: '' },
      words:
        'PersistentVolumeClaim default/mempg-demo-data, PersistentVolumeClaim default/mempg-demo-wal, ' +
        'Secret default/mempg-demo, Secret default/memory-demo',
    })
    expect(scene.server.names.toSorted()).toEqual([
      ...['PersistentVolumeClaim mempg-demo-data', 'PersistentVolumeClaim mempg-demo-wal'],
      ...['Secret memory-demo', 'Secret mempg-demo'],
    ])
    await running(scene)
    expect(scene.get('Secret', 'mempg-demo')).toBe(secret)
  })

  test('of nothing is nothing', async () => {
    const scene = stackScene()
    expect(await scene.end()).toMatchObject({ phase: 'gone', words: '' })
    expect(scene.writes()).toEqual([])
  })

  test('waits for the pods', async () => {
    const scene = stackScene()
    await running(scene)
    const { labels } = template(scene, 'Deployment', 'memory-demo').metadata
    scene.put('Pod', 'memory-demo-old', { metadata: { labels }, status: { phase: 'Failed' } })
    scene.put('Pod', 'memory-demo-x', { metadata: { labels } })
    expect(await scene.end()).toMatchObject({ phase: 'pending', words: 'Pod default/memory-demo-x still runs' })
    scene.server.drop('/api/v1/namespaces/default/pods/memory-demo-x')
    expect(await scene.end()).toMatchObject({ phase: 'gone' })
  })
})

test('every write of a stack may be the last one before a crash: nothing is doubled, and no password changes', async () => {
  const whole = stackScene()
  await running(whole)
  for (let last = 1; ; last++) {
    const scene = stackScene()
    let writes = 0
    scene.server.after = ({ method }) => {
      if (method !== 'GET' && ++writes === last) throw new Error('the process ended')
    }
    const isOver = await scene.look().then(
      () => true,
      () => false,
    )
    if (isOver) break
    const password = textOf(scene.get('Secret', 'mempg-demo'), 'password')
    scene.server.after = () => undefined
    await running(scene)
    expect(scene.server.names.toSorted()).toEqual(whole.server.names.toSorted())
    if (password !== '') expect(textOf(scene.get('Secret', 'mempg-demo'), 'password')).toBe(password)
    expect(last).toBeLessThan(50)
  }
})

test('Projects have stacks apart, whatever their names', async () => {
  const scene = stackScene()
  for (const name of ['demo', 'demo-rw', 'demo.two', `a${'b'.repeat(100)}`]) await scene.look({}, `default/${name}`)
  const names = scene.server.names
  expect(new Set(names).size).toBe(names.length)
  expect(names.length).toBe(4 * 8)
  for (const name of names.map((each) => each.split(' ')[1]!)) expect(name).toMatch(/^[a-z][a-z0-9-]{0,57}[a-z0-9]$/)
})
