/** Two orchestrators over one PostgreSQL store, side by side at one API server, and the end of the one that leads. */
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { KubeObject } from '../../edges/kubernetes/api/api.ts'
import { leaseName } from '../../edges/kubernetes/api/lease.ts'
import { podFolders } from '../../edges/local/pod-folder.ts'
import { join } from 'node:path'
import { sharedControlPlane } from '../../testing/control-plane.ts'
import type { OwnDatabase } from '../../testing/own-database.ts'
import { describeRequiring } from '../../testing/requires.ts'
import { startCluster, type Cluster } from '../testing/cluster.ts'
import { openDatabase } from '../testing/database.ts'
import { startReplica, type Replica } from '../testing/replicas.ts'
import { stepsBack, watchVersions, type Versions } from '../testing/versions.ts'

/** Leases of the dead last 15 s, on a machine that may be busy. */
const patience = { timeout: 150_000, interval: 250 }
const early = ['one', 'two', 'three', 'four'] as const

describeRequiring('kubernetes', 'two replicas of the orchestrator', () => {
  let database: OwnDatabase | undefined
  let cluster: Cluster
  let replica: Replica
  let versions: Versions
  const stepped = new Set<string>()

  beforeAll(async () => {
    database = await openDatabase()
    if (database === undefined) return
    cluster = await startCluster(sharedControlPlane(), { settings: { databaseUrl: database.url } })
    replica = await startReplica(cluster)
  }, 300_000)
  afterAll(async () => {
    await versions?.stop()
    await replica?.kill()
    await cluster?.stop()
    await database?.drop()
  }, 60_000)

  /** The one that stops hands the Lease over; the one that starts finds it held. */
  async function letReplicaLead(): Promise<void> {
    const { internalUrl } = cluster.fixture.orchestrator
    const internal = { host: '127.0.0.1', port: Number(new URL(internalUrl).port) }
    const before = await holder()
    const isOther = async (): Promise<boolean> => !['', before].includes(await holder())
    await cluster.fixture.restart(() => expect.poll(isOther, patience).toBe(true), { internal })
    // Until then the one that did not stop has every shard.
    await expect.poll(isEvenlyShared, patience).toBe(true)
    cluster.fixture.runtime.subscribe(({ address }) => stepped.add(address))
    versions = await watchVersions(cluster)
  }
  async function isEvenlyShared(): Promise<boolean> {
    const client = new pg.Client({ connectionString: database!.url })
    await client.connect()
    try {
      const { rows } = await client.query<{ held: number }>(
        'select count(*)::int as held from shard where owner is not null group by owner',
      )
      const [one, other] = rows.map(({ held }) => held)
      return one !== undefined && other !== undefined && Math.abs(one - other) <= 1
    } finally {
      await client.end()
    }
  }
  /** As if the dead one renewed it: nobody leads. */
  function keepLease(): { end(): Promise<void> } {
    const state = { isKept: true }
    const keep = async (): Promise<void> => {
      for (let renewals = 1; state.isKept; renewals += 1) {
        await cluster.kube.ask('PATCH', leasePath(), { metadata: { annotations: { renewals: String(renewals) } } })
        await new Promise((resolve) => setTimeout(resolve, 1_000))
      }
    }
    const keeping = keep()
    return {
      end() {
        state.isKept = false
        return keeping
      },
    }
  }
  const leasePath = (): string => `/apis/coordination.k8s.io/v1/namespaces/${cluster.namespace}/leases/${leaseName}`
  async function holder(): Promise<string> {
    const { spec } = (await cluster.kube.ask('GET', leasePath())).body as {
      readonly spec?: { readonly holderIdentity?: string }
    }
    return spec?.holderIdentity ?? ''
  }
  /** The newest turn that it shows; undefined: none runs. */
  async function turnOf(name: string): Promise<unknown> {
    const { stage, turn } = (await cluster.get('tasks', name))?.status ?? {}
    return stage === 'implementing' ? (turn as { readonly id?: string } | undefined)?.id : undefined
  }
  const allWork = (names: readonly string[]): Promise<void> =>
    expect
      .poll(async () => (await Promise.all(names.map(turnOf))).filter((turn) => turn === undefined).length, patience)
      .toBe(0)
  const actorsOf = (addresses: ReadonlySet<string>): readonly string[] =>
    [...addresses].filter((address) => /^(task|pod|turn):/.test(address))

  test('share the work, and each shows what it stepped; the leader alone takes resources in', async (ctx) => {
    ctx.skip(database === undefined, 'this machine has no PostgreSQL')
    await letReplicaLead()
    await cluster.apply(cluster.project({ maxConcurrentAgents: 8 }))
    await cluster.projectReady()
    await cluster.apply(...early.map((name) => cluster.task(name)))
    await allWork(early)
    expect([actorsOf(stepped).length, actorsOf(replica.stepped).length]).toEqual([
      expect.toSatisfy((count: number) => count > 0),
      expect.toSatisfy((count: number) => count > 0),
    ])
  })

  test('go on where the leader is killed: what it worked at is taken over once, and no status goes back', async (ctx) => {
    ctx.skip(database === undefined, 'this machine has no PostgreSQL')
    const before = await holder()
    const pods = await Promise.all(early.map((name) => cluster.fixture.podOf(`${cluster.namespace}/${name}`, 1)))
    const turns = await Promise.all(early.map(turnOf))
    // It dies while it mints this one, wherever it is at.
    await cluster.apply(cluster.task('during'))
    await replica.kill()
    const kept = keepLease()
    await cluster.apply(cluster.task('after'), cluster.project({ maxConcurrentAgents: 9 }))
    // A turn without a word: the Task is asked again, in a turn of its own.
    await Promise.all(pods.map((pod) => pod.endTurn()))
    await expect
      .poll(
        async () => (await Promise.all(early.map(turnOf))).filter((turn, n) => (turn ?? turns[n]) === turns[n]),
        patience,
      )
      .toEqual([])
    // All that it did without the Lease, and what it leaves to whoever has it.
    expect((await cluster.get('tasks', 'after'))!.metadata.finalizers).toBeUndefined()
    await kept.end()
    await allWork([...early, 'during', 'after'])
    await cluster.projectReady()
    expect(['', before]).not.toContain(await holder())
  })

  test('mint no Task twice, and none is called contended', async (ctx) => {
    ctx.skip(database === undefined, 'this machine has no PostgreSQL')
    const names = [...early, 'during', 'after'].map((name) => `${cluster.namespace}/${name}`).toSorted()
    const tasks = await cluster.fixture.runtime.list('task', { limit: 500 })
    expect(tasks.map(({ id }) => id).toSorted()).toEqual(names)
    const pods = podFolders(join(cluster.settings.stateDir, 'pods')).map(({ pod }) => pod)
    expect(pods.toSorted()).toEqual(names.map((name) => `${name}/1`))
    expect((await cluster.list('tasks')).map(({ metadata }) => metadata.name).toSorted()).toEqual(
      [...early, 'during', 'after'].toSorted(),
    )
    const seen = versions.all()
    expect(seen.filter((one) => JSON.stringify(one.status ?? {}).includes('Contended'))).toEqual([])
    expect(stepsBack(seen.toSorted(byObject))).toEqual([])
    // The same look finds a status that somebody puts back.
    const newest = versions.of('Task', 'one').at(-1)!
    const stages = newest.status!['stages'] as readonly object[]
    const older = { ...newest, status: { ...newest.status, stages: stages.slice(0, -1) } }
    expect(stepsBack([newest, older])).toHaveLength(1)
  })

  function byObject(one: KubeObject, other: KubeObject): number {
    const [a, b] = [one, other].map(({ kind, metadata }) => `${kind}/${metadata.name}`) as [string, string]
    return a < b ? -1 : a > b ? 1 : 0
  }
})
