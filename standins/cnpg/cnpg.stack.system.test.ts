/** What the stand-in of CloudNativePG does at a real API server, each behaviour once. */
import { expect, test } from 'vitest'
import type { KubeObject } from '../../edges/kubernetes/api/api.ts'
import { describeRequiring } from '../../testing/requires.ts'
import { podOf } from '../kubelet/testing/manifests.ts'
import { claims, clusters, databases, group, pods, roleLabel, secrets, services } from './cluster.ts'
import {
  asOwner,
  clusterOf,
  condition,
  crash,
  instance,
  isPhase,
  isReady,
  name,
  patience,
  secretOf,
  statusOf,
} from './testing/clusters.ts'
import { postgresImage, withStack, type Stack } from './testing/real-stack.ts'

const database = {
  apiVersion: group,
  kind: 'Database',
  metadata: { name: 'mem-memory' },
  spec: { cluster: { name }, name: 'memory', owner: 'memory', extensions: [{ name: 'vector' }] },
}

const isApplied = (object: KubeObject | undefined): boolean => statusOf(object)['applied'] === true
const capacityOf = (object: KubeObject | undefined): unknown =>
  (statusOf(object)['capacity'] as Record<string, unknown> | undefined)?.['storage']

async function start({ make, untilIs, storageClass }: Stack): Promise<KubeObject> {
  await make(clusters, clusterOf(storageClass))
  return (await untilIs(clusters, name, isReady))!
}

const refusal = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => 'accepted',
    (error: unknown) => String((error as { code?: unknown }).code) + ' ' + String(error),
  )

describeRequiring('stack', 'the stand-in of CloudNativePG', () => {
  test('starts PostgreSQL for the least object, with its Secrets, Services and claims, and a pod reaches it over TLS by its name', async () => {
    await withStack(async (stack) => {
      const { make, list, find, storageClass, untilIs, namespace } = stack
      const phases: unknown[] = []
      await make(clusters, clusterOf(storageClass))
      await untilIs(clusters, name, (object) => {
        const { phase } = statusOf(object)
        if (phase !== undefined && phases.at(-1) !== phase) phases.push(phase)
        return isReady(object)
      })
      expect(phases).toEqual([
        'Setting up primary',
        'Waiting for the instances to become active',
        'Cluster in healthy state',
      ])
      const cluster = await find(clusters, name)
      expect(statusOf(cluster)).toMatchObject({
        currentPrimary: instance,
        readyInstances: 1,
        instances: 1,
        writeService: 'mem-rw',
        healthyPVC: [instance, `${instance}-wal`],
      })
      expect(condition(cluster, 'Initialized')).toMatchObject({ status: 'True', reason: 'BootstrapCompleted' })
      expect(cluster?.spec).toMatchObject({
        postgresql: { parameters: { wal_level: 'replica', archive_timeout: '5min' } },
        affinity: { podAntiAffinityType: 'preferred' },
      })
      const app = await secretOf(stack, `${name}-app`)
      expect(Object.keys(app)).toHaveLength(11)
      expect(app).toMatchObject({
        host: 'mem-rw',
        uri: `postgresql://memory:${app['password']}@mem-rw.${namespace}:5432/memory`,
      })
      expect((await list(services)).map(({ metadata }) => metadata.name)).toEqual(['mem-r', 'mem-ro', 'mem-rw'])
      const wal = await find(claims, `${instance}-wal`)
      expect(wal?.metadata).toMatchObject({
        labels: {
          'cnpg.io/cluster': name,
          'cnpg.io/instanceName': instance,
          'cnpg.io/pvcRole': 'PG_WAL',
          'platform.dev/project': 'one',
        },
        ownerReferences: [{ kind: 'Cluster', name, controller: true }],
      })
      const ask = (uri: string): string => `psql -XAtc 'select 40 + 2' "${uri}?sslmode=verify-full"`
      const other = app['uri']!.replace(`mem-rw.${namespace}`, `mem-rw.${namespace}.svc`)
      const asking = podOf(
        'asks',
        {
          image: postgresImage,
          command: ['sh', '-c', `{ ${[app['uri']!, other].map(ask).join(' && ')}; } > /dev/termination-log`],
          env: [{ name: 'PGSSLROOTCERT', value: '/ca/ca.crt' }],
          readinessProbe: undefined,
          volumeMounts: [{ name: 'ca', mountPath: '/ca' }],
        },
        { volumes: [{ name: 'ca', secret: { secretName: 'mem-ca', items: [{ key: 'ca.crt', path: 'ca.crt' }] } }] },
      )
      await make(pods, asking)
      const asked = await untilIs(pods, 'asks', (pod) =>
        ['Succeeded', 'Failed'].includes(String(statusOf(pod)['phase'])),
      )
      expect(statusOf(asked)['containerStatuses']).toMatchObject([{ state: { terminated: { message: '42\n42\n' } } }])
      expect(await refusal(asOwner(stack, () => Promise.resolve(), { servername: 'another' }))).toContain(
        'ERR_TLS_CERT_ALTNAME_INVALID',
      )
    })
  })

  test('refuses the extension vector to the owner of a database, and makes it for a Database object', async () => {
    await withStack(async (stack) => {
      const { make, untilIs, drop, find } = stack
      await start(stack)
      const create = (words: string): Promise<unknown> => asOwner(stack, (client) => client.query(words))
      expect(await refusal(create('create extension vector'))).toMatch(/^42501 /)
      await make(databases, database)
      const applied = await untilIs(databases, database.metadata.name, isApplied)
      expect(statusOf(applied)).toMatchObject({
        observedGeneration: 1,
        extensions: [{ name: 'vector', applied: true }],
      })
      await create('create extension if not exists vector')
      await create(`select '[1,2]'::vector`)
      const stranger = {
        ...database,
        metadata: { name: 'other' },
        spec: { ...database.spec, name: 'x', owner: 'nobody' },
      }
      await make(databases, stranger)
      const refused = await untilIs(databases, 'other', (object) => statusOf(object)['applied'] === false)
      expect(statusOf(refused)['message']).toContain('role "nobody" does not exist (SQLSTATE 42704)')
      await drop(databases, 'other')
      await untilIs(databases, 'other', (object) => object === undefined)
      expect((await find(databases, database.metadata.name))?.metadata.finalizers).toEqual(['cnpg.io/deleteDatabase'])
    })
  })

  test('refuses what the webhook refuses, in its words', async () => {
    await withStack(async (stack) => {
      const { make, change, storageClass } = stack
      await make(clusters, clusterOf(storageClass))
      const changed = (spec: object): Promise<string> => refusal(change(clusters, name, { spec }))
      expect(await changed({ storage: { size: '512Mi' } })).toContain(`can't shrink existing storage from 1Gi to 512Mi`)
      expect(await changed({ storage: { size: '1024Mi' } })).toBe('accepted')
      expect(await changed({ walStorage: null })).toContain('walStorage cannot be disabled once configured')
      expect(await changed({ imageName: 'x' })).toContain('imageName and imageCatalogRef are mutually exclusive')
      const long = { ...clusterOf(storageClass), metadata: { name: 'a'.repeat(51) } }
      expect(await refusal(make(clusters, long))).toContain('50 characters')
    })
  })

  test('grows its claims, restarts for another parameter, and is Ready a moment longer than that is true', async () => {
    await withStack(async (stack) => {
      const { change, untilIs, find } = stack
      const before = await start(stack)
      await change(clusters, name, { spec: { storage: { size: '2Gi' } } })
      await untilIs(claims, instance, (claim) => capacityOf(claim) === '2Gi')
      expect(capacityOf(await find(claims, `${instance}-wal`))).toBe('1Gi')
      const uid = (await find(pods, instance))?.metadata.uid
      const changed = await change(clusters, name, { spec: { postgresql: { parameters: { max_connections: '33' } } } })
      expect(changed.metadata.generation).toBeGreaterThan(before.metadata.generation!)
      expect(isReady(changed)).toBe(true)
      await untilIs(clusters, name, isPhase('Primary instance is being restarted in-place'))
      await untilIs(clusters, name, isReady)
      expect((await find(pods, instance))?.metadata.uid).not.toBe(uid)
      const { rows } = await asOwner(stack, (client) => client.query('show max_connections'))
      expect(rows).toEqual([{ max_connections: '33' }])
    })
  })

  test('grows nothing and does not hibernate while a disk is full, until somebody grows that claim itself', async () => {
    await withStack(async (stack) => {
      const { change, untilIs, find, cnpg, namespace } = stack
      await start(stack)
      cnpg.fillDisk(`${namespace}/${name}`)
      await untilIs(clusters, name, isPhase('Not enough disk space'))
      // Services have the second label once the work that gave them the first one is over.
      for (const seen of ['1', '2']) {
        await change(clusters, name, {
          metadata: { annotations: { 'cnpg.io/hibernation': 'on' } },
          spec: { walStorage: { size: '2Gi' }, inheritedMetadata: { labels: { seen } } },
        })
        await untilIs(services, 'mem-rw', (service) => service?.metadata.labels?.['seen'] === seen)
      }
      expect(condition(await find(clusters, name), 'cnpg.io/hibernation')).toBeUndefined()
      await change(clusters, name, { metadata: { annotations: { 'cnpg.io/hibernation': null } } })
      expect((await find(claims, `${instance}-wal`))?.spec).toMatchObject({
        resources: { requests: { storage: '1Gi' } },
      })
      await change(claims, `${instance}-wal`, { spec: { resources: { requests: { storage: '2Gi' } } } })
      await untilIs(clusters, name, isReady)
      expect(capacityOf(await find(claims, `${instance}-wal`))).toBe('2Gi')
    })
  })

  test('hibernates without its pods, and has its data afterwards', async () => {
    await withStack(async (stack) => {
      const { change, untilIs, list } = stack
      await start(stack)
      await asOwner(stack, (client) => client.query('create table kept as select 7 as n'))
      const hibernation = (value: string | null): object => ({
        metadata: { annotations: { 'cnpg.io/hibernation': value } },
      })
      await change(clusters, name, hibernation('on'))
      await untilIs(clusters, name, (object) => condition(object, 'cnpg.io/hibernation')?.reason === 'Hibernated')
      expect(await list(pods)).toEqual([])
      expect(await list(claims)).toHaveLength(2)
      await change(clusters, name, hibernation(null))
      await untilIs(clusters, name, (object) => isReady(object) && statusOf(object)['readyInstances'] === 1)
      const { rows } = await asOwner(stack, (client) => client.query('select n from kept'))
      expect(rows).toEqual([{ n: 7 }])
    })
  })

  test('loses every claim with the Cluster, and leaves its Database, which the next Cluster of that name takes over', async () => {
    await withStack(async (stack) => {
      const { make, drop, untilIs, find } = stack
      await start(stack)
      await make(databases, database)
      await untilIs(databases, database.metadata.name, isApplied)
      const uid = (await find(claims, instance))?.metadata.uid
      await drop(clusters, name)
      const isLeft = (object: KubeObject | undefined): boolean =>
        statusOf(object)['message'] === 'cluster resource has been deleted'
      expect(isApplied(await untilIs(databases, database.metadata.name, isLeft))).toBe(false)
      for (const claim of [instance, `${instance}-wal`]) await untilIs(claims, claim, (object) => object === undefined)
      await untilIs(secrets, `${name}-app`, (object) => object === undefined)
      await start(stack)
      await untilIs(databases, database.metadata.name, isApplied)
      expect((await find(claims, instance))?.metadata.uid).not.toBe(uid)
    })
  })

  test('promotes the standby of two instances when the primary is lost, which comes back as a standby of it', async () => {
    await withStack(async (stack) => {
      const { make, untilIs, storageClass, find, list } = stack
      const standby = `${name}-2`
      await make(clusters, clusterOf(storageClass, { instances: 2 }))
      const phases: unknown[] = []
      const untilWhole = (primary: string): Promise<KubeObject | undefined> =>
        untilIs(clusters, name, (object) => {
          const { phase, currentPrimary } = statusOf(object)
          if (phase !== undefined && phases.at(-1) !== phase) phases.push(phase)
          return isReady(object) && currentPrimary === primary
        })
      expect(statusOf(await untilWhole(instance))).toMatchObject({
        instanceNames: [instance, standby],
        readyInstances: 2,
        healthyPVC: [instance, `${instance}-wal`, standby, `${standby}-wal`],
      })
      expect(phases).toEqual([
        'Setting up primary',
        'Waiting for the instances to become active',
        'Creating a new replica',
        'Cluster in healthy state',
      ])
      await asOwner(stack, (client) => client.query('create table kept as select 7 as n'))
      const reads = async (at: string): Promise<unknown> =>
        asOwner(stack, (client) => client.query('select n, pg_is_in_recovery() as follows from kept'), { at }).then(
          ({ rows }) => rows[0],
          () => undefined,
        )
      await expect.poll(() => reads(standby), patience).toEqual({ n: 7, follows: true })
      await crash(stack, instance)
      await untilIs(clusters, name, isPhase('Failing over'))
      await untilWhole(standby)
      expect(await reads(standby)).toEqual({ n: 7, follows: false })
      await asOwner(stack, (client) => client.query('update kept set n = 8'), { at: standby })
      await expect.poll(() => reads(instance), patience).toEqual({ n: 8, follows: true })
      const roles = (await list(pods)).map(({ metadata: { labels = {} } }) => labels[roleLabel])
      expect(roles).toEqual(['replica', 'primary'])
      expect(statusOf(await find(clusters, name))).toMatchObject({ targetPrimary: standby, readyInstances: 2 })
    })
  })
})
