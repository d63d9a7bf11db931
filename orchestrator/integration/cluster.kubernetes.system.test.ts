/** The whole orchestrator with its resources at a real API server, as people use it: with kubectl. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sharedControlPlane } from '../../testing/control-plane.ts'
import { describeRequiring } from '../../testing/requires.ts'
import { apiVersion, startCluster, type Cluster, type Condition, type Shown } from '../testing/cluster.ts'

describeRequiring('kubernetes', 'an orchestrator whose resources are at an API server', () => {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await startCluster(sharedControlPlane())
  })
  afterAll(() => cluster.stop())

  const { until } = {
    until: <T>(what: string, look: () => Promise<T | undefined | false>) => cluster.fixture.until(what, look),
  }
  const conditionOf = (shown: Shown | undefined, type: string): Condition | undefined =>
    shown?.status?.conditions?.find((one) => one.type === type)
  const when = (plural: string, name: string, holds: (shown: Shown) => boolean): Promise<Shown> =>
    until(`${plural}/${name}`, async () => {
      const shown = await cluster.get(plural, name)
      return shown !== undefined && holds(shown) ? shown : undefined
    })

  /** The agent ends each turn of its pod, so that the pod hands over and stops. */
  async function handOff(name: string, deletion: () => Promise<unknown>): Promise<void> {
    const pod = await cluster.fixture.podOf(`${cluster.namespace}/${name}`, 1)
    const state = { isGone: false }
    const deleting = deletion().finally(() => (state.isGone = true))
    while (!state.isGone) {
      const { path } = (await cluster.fixture.runtime.read(`pod:${cluster.namespace}/${name}/1`)) ?? {}
      const open = (await pod.turns().catch(() => [])).filter(({ completedAt }) => completedAt === undefined)
      if (path !== 'alive.working' && open.length > 0) await pod.endTurn().catch(() => undefined)
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    await deleting
  }
  const deleteTask = (name: string): Promise<void> =>
    handOff(name, () => cluster.kubectl('delete', 'task', name, '--timeout=60s'))

  test('a Project that kubectl applies is checked, and its status says of which generation (RESOURCES-2, RESOURCES-28)', async () => {
    const project = await cluster.get('projects', 'demo')
    expect(conditionOf(project, 'Ready')).toMatchObject({
      status: 'True',
      observedGeneration: project!.metadata.generation,
    })
    expect(project!.status).toMatchObject({
      ready: true,
      webhookURL: expect.stringContaining('/operator/webhooks/demo'),
    })
    expect(await cluster.kubectl('get', 'projects')).toMatch(/demo +true +Checked/)
  })

  test('a change is not ready before it is checked: kubectl wait right after it waits (RESOURCES-28)', async () => {
    await cluster.apply(cluster.project({ maxConcurrentAgents: 4 }))
    await cluster.kubectl('wait', '--for=condition=Ready', 'project/demo', '--timeout=60s')
    const project = await cluster.get('projects', 'demo')
    const { generation } = project!.metadata
    // kubectl itself compares the generation of the condition.
    expect(conditionOf(project, 'Ready')?.observedGeneration).toBe(generation)
  })

  test('a Project with a mistake says every fault in a condition, and is taken once it is mended', async () => {
    const broken = { scmSecretRef: 'nobody', agent: { model: 'gpt' } }
    await cluster.apply({ ...cluster.project(broken), metadata: { name: 'broken' } })
    const shown = await when('projects', 'broken', (one) => conditionOf(one, 'Ready')?.reason === 'SecretMissingKeys')
    expect(conditionOf(shown, 'Ready')).toMatchObject({ status: 'False', reason: 'SecretMissingKeys' })
    await cluster.apply({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'nobody' },
      stringData: { token: 'token-of-the-bot', webhookSecret: 'x' },
    })
    await when('projects', 'broken', (one) => conditionOf(one, 'Ready')?.reason !== 'SecretMissingKeys')
    await cluster.kubectl('delete', 'project', 'broken', '--timeout=60s')
    expect(await cluster.get('projects', 'broken')).toBeUndefined()
  })

  test('a Task that kubectl applies is minted and works; deleted, it waits for the hand-off and is gone (RESOURCES-40)', async () => {
    await cluster.apply(cluster.task('by-hand'))
    const pod = await cluster.fixture.until('its pod', async () =>
      (await cluster.fixture.runtime.read(`turn:${cluster.namespace}/by-hand/1/0`))?.path.startsWith('open.running'),
    )
    expect(pod).toBe(true)
    const shown = await when(
      'tasks',
      'by-hand',
      ({ status }) => status?.['stage'] === 'implementing' && status['turn'] !== undefined,
    )
    expect(conditionOf(shown, 'Admitted')).toMatchObject({ status: 'True' })
    expect(shown.metadata.finalizers).toEqual(['platform.dev/close'])
    await deleteTask('by-hand')
    expect(await cluster.get('tasks', 'by-hand')).toBeUndefined()
    const actor = await cluster.fixture.runtime.read(`task:${cluster.namespace}/by-hand`)
    expect([actor?.status, actor?.path]).toEqual(['done', expect.stringContaining('rejected')])
  })

  test('a Task that is refused says why, and is asked for again once what it lacks is there', async () => {
    await cluster.apply(cluster.task('stray', { repositories: ['nowhere'] }))
    const shown = await when('tasks', 'stray', (one) => conditionOf(one, 'Admitted') !== undefined)
    expect(conditionOf(shown, 'Admitted')).toMatchObject({
      status: 'False',
      reason: 'NotFound',
      message: expect.stringContaining('no Repository nowhere'),
    })
    // It waits in no queue.
    await when('tasks', 'stray', ({ status }) => status?.['stage'] === undefined && status?.['why'] === undefined)
    await cluster.kubectl('delete', 'task', 'stray', '--timeout=60s')
  })

  test('a status that somebody edits, and an object that somebody deletes, are as before (RESOURCES-42)', async () => {
    await cluster.apply(cluster.task('edited'))
    const before = await when('tasks', 'edited', ({ status }) => status?.['stage'] === 'implementing')
    const path = `/apis/${apiVersion}/namespaces/${cluster.namespace}/tasks/edited/status`
    expect(
      (await cluster.kube.ask('PATCH', path, { status: { stage: 'delivered', stageReason: 'by hand' } })).code,
    ).toBe(200)
    await when('tasks', 'edited', ({ status }) => {
      return status?.['stage'] === 'implementing' && status['stageReason'] === before.status?.['stageReason']
    })
    await deleteTask('edited')
  })

  test('what happened while no orchestrator ran makes no difference', async () => {
    await cluster.apply(cluster.task('early'))
    await when('tasks', 'early', ({ status }) => status?.['stage'] === 'implementing')
    await handOff('early', async () => {
      await cluster.fixture.restart(async () => {
        await cluster.kubectl('delete', 'task', 'early', '--wait=false')
        await cluster.apply(cluster.task('late'), cluster.project({ maxConcurrentAgents: 5 }))
      })
      await cluster.kubectl('wait', '--for=delete', 'task/early', '--timeout=60s')
    })
    await when('tasks', 'late', ({ status }) => status?.['stage'] === 'implementing')
    await cluster.kubectl('wait', '--for=condition=Ready', 'project/demo', '--timeout=60s')
    await deleteTask('late')
  })

  test('a deleted Project closes its Tasks and goes, and its Tasks with it', async () => {
    await cluster.apply(cluster.task('last'))
    await when('tasks', 'last', ({ status }) => status?.['stage'] === 'implementing')
    await handOff('last', () => cluster.kubectl('delete', 'project', 'demo', '--timeout=60s'))
    expect([await cluster.get('projects', 'demo'), await cluster.get('tasks', 'last')]).toEqual([undefined, undefined])
    expect((await cluster.fixture.runtime.read(`project:${cluster.namespace}/demo`))?.path).toBe('deleted')
  })
})
