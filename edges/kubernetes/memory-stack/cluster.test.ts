import { describe, expect, test } from 'vitest'
import { errorOf } from '../api/answers.ts'
import { clusterClaim, isReady, pathTo, ready, stackScene, textOf, type StackScene } from '../testing/stack-scene.ts'

/** With CloudNativePG, until it serves. */
async function running(wanted: Parameters<StackScene['look']>[0] = {}): Promise<StackScene> {
  const scene = stackScene()
  scene.installOperator()
  await scene.look(wanted)
  scene.operate()
  await scene.look(wanted)
  scene.run()
  expect(await scene.look(wanted)).toMatchObject({ phase: 'running', words: '' })
  scene.writes()
  return scene
}

const spec = (scene: StackScene): unknown => scene.get('Cluster', 'mem-demo')!.spec
const title = 'Cluster default/mem-demo'

describe('a light stack on CloudNativePG', () => {
  test('has a Cluster of our fields, which no object owns and whose children have our labels (PROJECT-MEMORY-3, PROJECT-MEMORY-4)', async () => {
    const scene = await running()
    const { metadata } = scene.get('Cluster', 'mem-demo')!
    expect(metadata.ownerReferences).toBeUndefined()
    expect(spec(scene)).toMatchObject({
      instances: 1,
      enablePDB: false,
      imageCatalogRef: {
        ...{
          apiGroup: 'postgresql.cnpg.io',
          kind: 'ClusterImageCatalog',
          name: 'postgresql-minimal-trixie',
          major: 18,
        },
      },
      bootstrap: { initdb: { database: 'memory', owner: 'memory', dataChecksums: true } },
      storage: { size: '10Gi' },
      walStorage: { size: '8Gi' },
      postgresql: { extensions: [{ name: 'pgvector' }], parameters: { wal_level: 'replica' } },
      inheritedMetadata: { labels: { 'platform.dev/project': 'demo' } },
    })
    expect(spec(scene)).not.toHaveProperty('imageName')
    expect(spec(scene)).not.toHaveProperty('managed')
    expect(spec(scene)).not.toHaveProperty('postgresql.synchronous')
    expect(scene.get('Database', 'mem-demo-memory')!.spec).toEqual({
      ...{ cluster: { name: 'mem-demo' }, name: 'memory', owner: 'memory', extensions: [{ name: 'vector' }] },
    })
    expect(scene.server.names.join()).not.toContain('StatefulSet')
  })

  test('takes an image of its own, with pgvector inside, in place of a catalog', async () => {
    const scene = stackScene({ cloudNativePg: { image: 'registry.test/postgres:18' }, storageClass: 'fast' })
    scene.installOperator()
    await scene.look()
    expect(spec(scene)).toMatchObject({
      imageName: 'registry.test/postgres:18',
      ...{ storage: { size: '10Gi', storageClass: 'fast' }, walStorage: { size: '8Gi', storageClass: 'fast' } },
    })
    expect(spec(scene)).not.toHaveProperty('imageCatalogRef')
    expect(spec(scene)).not.toHaveProperty('postgresql.extensions')
  })

  test.each([
    [2, undefined],
    [3, { method: 'any', number: 1 }],
  ])(
    'of %s instances has a budget, and a synchronous standby from three on (PROJECT-MEMORY-2)',
    async (pgInstances, synchronous) => {
      const scene = await running({ pgInstances })
      expect(spec(scene)).toMatchObject({ instances: pgInstances, enablePDB: true })
      expect((spec(scene) as { postgresql: { synchronous?: object } }).postgresql.synchronous).toEqual(synchronous)
    },
  )

  test('gives the service the operator’s address, checked by the operator’s certificate', async () => {
    const scene = await running()
    expect(textOf(scene.get('Secret', 'memory-demo'), 'DATABASE_URL')).toBe(
      'postgresql://memory:of-operator@mem-demo-rw.default:5432/memory' +
        '?sslmode=verify-full&sslrootcert=/run/statewright/secrets/ca.crt',
    )
    expect(JSON.stringify(scene.get('Deployment', 'memory-demo')!.spec)).toContain(
      '{"secret":{"name":"mem-demo-ca","items":[{"key":"ca.crt","path":"ca.crt"}]}}',
    )
  })

  test('starts the service only once the operator made the extension: the owner may not', async () => {
    const scene = stackScene()
    scene.installOperator()
    await scene.look()
    scene.operate()
    const status = { applied: false, message: 'cannot reconcile', observedGeneration: 1 }
    scene.put('Database', 'mem-demo-memory', { status })
    expect(await scene.look()).toMatchObject({
      ...{ phase: 'pending', part: 'postgres' },
      words: 'Database default/mem-demo-memory is not applied yet: cannot reconcile',
    })
    const failed = { name: 'vector', applied: false, message: 'no such extension' }
    for (const [behind, words] of [
      [{ applied: true, observedGeneration: 0 }, ''],
      [{ applied: true, observedGeneration: 1, extensions: [failed] }, ': no such extension'],
    ] as const) {
      scene.put('Database', 'mem-demo-memory', { status: behind })
      expect((await scene.look()).words).toBe(`Database default/mem-demo-memory is not applied yet${words}`)
    }
    expect(scene.get('Deployment', 'memory-demo')).toBeUndefined()
    scene.operate()
    await scene.look()
    expect(scene.get('Deployment', 'memory-demo')).toBeDefined()
  })

  test('starts no service while the operator made no credentials', async () => {
    const scene = stackScene()
    scene.installOperator()
    await scene.look()
    scene.operate()
    scene.server.drop(pathTo('Secret', 'mem-demo-app'))
    expect(await scene.look()).toMatchObject({ phase: 'pending' })
    expect(scene.get('Deployment', 'memory-demo')).toBeUndefined()
  })

  test('keeps what a webhook filled into the spec', async () => {
    const scene = await running()
    const filled = { ...(spec(scene) as object), affinity: { podAntiAffinityType: 'preferred' }, imageName: 'filled' }
    scene.put('Cluster', 'mem-demo', { spec: filled })
    await scene.look({ pgStorage: '20Gi' })
    expect(spec(scene)).toMatchObject({
      ...{ affinity: { podAntiAffinityType: 'preferred' }, imageName: 'filled', storage: { size: '20Gi' } },
    })
  })

  test('writes growth into each smaller claim too, since the operator of a full volume does not', async () => {
    const scene = await running()
    for (const instance of [1, 2]) {
      clusterClaim(scene, `mem-demo-${instance}`, 'PG_DATA', '10Gi')
      clusterClaim(scene, `mem-demo-${instance}-wal`, 'PG_WAL', '8Gi')
    }
    scene.operate({ phase: 'Not enough disk space', conditions: [{ type: 'Ready', status: 'False' }] })
    const sight = await scene.look({ pgWalStorage: '16Gi' })
    expect(scene.writes().filter((write) => /persistent|clusters/.test(write))).toEqual([
      'PATCH persistentvolumeclaims/mem-demo-1-wal',
      'PATCH persistentvolumeclaims/mem-demo-2-wal',
      'PATCH clusters/mem-demo',
    ])
    expect(scene.get('PersistentVolumeClaim', 'mem-demo-1-wal')!.spec).toMatchObject({
      resources: { requests: { storage: '16Gi' } },
    })
    expect(sight).toMatchObject({ phase: 'degraded', part: 'postgres' })
    expect(sight.words).toContain(`${title}: Not enough disk space`)
    expect(sight.words).toContain('PersistentVolumeClaim default/mem-demo-1-wal has 8Gi of 16Gi')
  })

  test('is whole only when the volumes have the size that is wanted', async () => {
    const scene = await running()
    clusterClaim(scene, 'mem-demo-1', 'PG_DATA', '10Gi')
    await scene.look({ pgStorage: '20Gi' })
    scene.operate()
    expect(await scene.look({ pgStorage: '20Gi' })).toMatchObject({
      ...{ phase: 'degraded', words: 'PersistentVolumeClaim default/mem-demo-1 has 10Gi of 20Gi' },
    })
    scene.put('PersistentVolumeClaim', 'mem-demo-1', { status: { phase: 'Bound', capacity: { storage: '20480Mi' } } })
    expect(await scene.look({ pgStorage: '20Gi' })).toMatchObject({ phase: 'running' })
  })

  test('takes a claim that somebody grew by hand, as one does whose disk is full', async () => {
    const scene = await running()
    clusterClaim(scene, 'mem-demo-1', 'PG_DATA', '30Gi')
    expect(await scene.look()).toMatchObject({ phase: 'running', words: '' })
  })

  test('never writes a smaller size, names both, and writes the rest', async () => {
    const scene = await running()
    await scene.look({ pgStorage: '20Gi' })
    scene.operate()
    expect(await scene.look({ pgStorage: '10240Mi', pgWalStorage: '4Gi', pgInstances: 1 })).toMatchObject({
      ...{ phase: 'degraded', part: 'postgres' },
      words:
        `pgStorage of ${title} cannot shrink from 20Gi to 10240Mi; ` +
        `pgWalStorage of ${title} cannot shrink from 8Gi to 4Gi`,
    })
    expect(spec(scene)).toMatchObject({ storage: { size: '20Gi' }, walStorage: { size: '8Gi' } })
  })

  test('does not believe the Ready of before a change', async () => {
    const scene = await running()
    expect(await scene.look({ pgInstances: 2 })).toMatchObject({
      ...{ phase: 'degraded', words: `${title}: Cluster in healthy state; 1 of 2 instances are ready` },
    })
    scene.operate()
    expect(await scene.look({ pgInstances: 2 })).toMatchObject({ phase: 'running' })
    // The same count, another definition.
    expect(await scene.look({ pgInstances: 2, pgStorage: '11Gi' })).toMatchObject({ phase: 'degraded' })
    expect(await scene.look({ pgInstances: 2, pgStorage: '11Gi' })).toMatchObject({ phase: 'running' })
  })

  test.each([
    ['a switchover', { phase: 'Switchover in progress', phaseReason: 'to mem-demo-2', conditions: [] }],
    ['words that nobody knows', { phase: 'Painting the elephant', conditions: [] }],
  ])('is degraded, with its own words, in %s', async (_what, status) => {
    const scene = await running()
    scene.operate(status)
    const { phaseReason = '' } = status as { phaseReason?: string }
    expect(await scene.look()).toMatchObject({
      ...{ phase: 'degraded', part: 'postgres' },
      words: `${title}: ${status.phase}${phaseReason === '' ? '' : `: ${phaseReason}`}; 1 of 1 instances are ready`,
    })
  })

  test('says that the operator has not taken it up', async () => {
    const scene = stackScene()
    scene.installOperator()
    const { words } = await scene.look()
    expect(words).toContain(`${title}: CloudNativePG has not taken it up yet`)
  })

  test('shows what a webhook refuses, or that nobody answers for it, and goes on', async () => {
    const scene = await running()
    for (const [code, message] of [
      [
        422,
        'spec.resources.requests.memory: Invalid value: "1Mi": Memory request is lower than PostgreSQL `shared_buffers` value',
      ],
      [500, 'Internal error occurred: failed calling webhook "vcluster.cnpg.io": connection refused'],
    ] as const) {
      scene.server.before = ({ method, kind }) => {
        if (method === 'PATCH' && kind === 'clusters') throw errorOf(code, { message })
      }
      expect(await scene.look()).toMatchObject({ phase: 'degraded', part: 'postgres', words: message })
    }
  })

  test('is told when CloudNativePG went and left claims: no empty database takes their place', async () => {
    const scene = stackScene()
    clusterClaim(scene, 'mem-demo-1', 'PG_DATA', '10Gi')
    expect(await scene.look()).toMatchObject({
      ...{ phase: 'pending', part: 'postgres' },
      words: 'PersistentVolumeClaim default/mem-demo-1 is of CloudNativePG, which is not used any more',
    })
    expect(scene.get('StatefulSet', 'mempg-demo')).toBeUndefined()
  })

  test('is left alone where the settings want one StatefulSet, and what lies in its claims is not forsaken', async () => {
    const scene = stackScene({ usesCloudNativePg: false })
    scene.installOperator()
    await scene.look()
    expect([scene.get('Cluster', 'mem-demo'), scene.get('StatefulSet', 'mempg-demo') !== undefined]).toEqual([
      undefined,
      true,
    ])
    const other = stackScene({ usesCloudNativePg: false })
    other.installOperator()
    clusterClaim(other, 'mem-demo-1', 'PG_DATA', '10Gi')
    expect((await other.look()).words).toContain('is of CloudNativePG, which is not used any more')
    expect(other.get('StatefulSet', 'mempg-demo')).toBeUndefined()
  })

  test('takes over no Cluster of its name', async () => {
    const scene = stackScene()
    scene.installOperator()
    const foreign = scene.put('Cluster', 'mem-demo', { spec: { instances: 3 } })
    expect(await scene.look()).toMatchObject({
      part: 'postgres',
      words: `${title} is not of this stack: delete or rename it`,
    })
    await scene.end()
    expect(scene.get('Cluster', 'mem-demo')).toEqual(foreign)
  })

  test('that is not healthy is not waited for at its end: the operator puts only a healthy one to sleep', async () => {
    const scene = await running()
    scene.put('Pod', 'mem-demo-1', { metadata: { labels: { 'cnpg.io/cluster': 'mem-demo' } } })
    scene.operate({ phase: 'Not enough disk space', conditions: [{ type: 'Ready', status: 'False' }] })
    expect(await scene.end()).toMatchObject({
      phase: 'gone',
      words: expect.stringContaining(
        `${title} with its claims, which sleeps once it is healthy (Not enough disk space)`,
      ),
    })
    expect(scene.get('Cluster', 'mem-demo')!.metadata.annotations).toEqual({ 'cnpg.io/hibernation': 'on' })
  })

  test('hibernates at its end, stays with its claims, and wakes at the next look', async () => {
    const scene = await running()
    clusterClaim(scene, 'mem-demo-1', 'PG_DATA', '10Gi')
    const pod = { metadata: { labels: { 'cnpg.io/cluster': 'mem-demo' } } }
    scene.put('Pod', 'mem-demo-1', pod)
    expect(await scene.end()).toMatchObject({ phase: 'pending', words: 'Pod default/mem-demo-1 still runs' })
    scene.server.drop(pathTo('Pod', 'mem-demo-1'))
    expect(await scene.end()).toMatchObject({
      ...{ phase: 'gone', words: `${title} with its claims, Secret default/memory-demo` },
    })
    const marks = (): unknown => scene.get('Cluster', 'mem-demo')!.metadata.annotations
    expect(marks()).toEqual({ 'cnpg.io/hibernation': 'on' })
    scene.writes()
    await scene.end()
    expect(scene.writes()).toEqual([])
    // Of before the wake: the operator has not looked yet.
    const asleep = {
      conditions: [
        { type: 'Ready', status: 'True' },
        { type: 'cnpg.io/hibernation', status: 'True' },
      ],
    }
    scene.put('Cluster', 'mem-demo', { status: { ...ready, readyInstances: 1, ...asleep } })
    expect(await scene.look()).toMatchObject({ phase: 'pending', part: 'postgres' })
    expect(marks()).toEqual({ 'cnpg.io/hibernation': 'off' })
    scene.put('Cluster', 'mem-demo', { status: { ...ready, readyInstances: 1, ...isReady('Ready') } })
    scene.run()
    expect(await scene.look()).toMatchObject({ phase: 'running' })
  })
})
