/** The stand-in kubelet on a real API server: what a pod is, what its status says, and how it breaks. */
import { existsSync, readFileSync, readlinkSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { KubeObject } from '../../edges/kubernetes/api.ts'
import { describeRequiring } from '../../testing/requires.ts'
import { withKubelet } from './testing/real-kubelet.ts'

const image = 'example.test/program:1'

interface Seen {
  readonly env: Readonly<Record<string, string>>
  readonly pid: number
  readonly uid: number
  readonly gid: number
  readonly parameters: readonly string[]
  readonly root: readonly string[]
  readonly processes: number
  readonly namespaces: Readonly<Record<string, string>>
  readonly mounts: readonly string[]
  readonly files: Readonly<Record<string, string>>
  readonly writes: Readonly<Record<string, string>>
  readonly there: Readonly<Record<string, boolean>>
}

const podIP = { name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }
const address = { name: 'HTTP_ADDR', value: '$(POD_IP):8080' }
const readiness = { httpGet: { path: '/readyz', port: 8080 } }

function podOf(name: string, container: object = {}, spec: object = {}): object {
  const main = { name: 'main', image, env: [podIP, address], readinessProbe: readiness, ...container }
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { app: name } },
    spec: {
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 10,
      automountServiceAccountToken: false,
      containers: [main],
      ...spec,
    },
  }
}

const conditionOf = (pod: KubeObject | undefined, type: string): Record<string, string> | undefined =>
  (pod?.status?.['conditions'] as Record<string, string>[] | undefined)?.find((one) => one['type'] === type)
const isReady = (pod: KubeObject | undefined): boolean => conditionOf(pod, 'Ready')?.['status'] === 'True'
const isGone = (pod: KubeObject | undefined): boolean => pod === undefined
const askOf = async (pod: KubeObject | undefined, path = '/'): Promise<Seen> =>
  (await (await fetch(`http://${String(pod?.status?.['podIP'])}:8080${path}`)).json()) as Seen

describeRequiring('kubernetes', 'a stand-in kubelet on a real API server', () => {
  test('runs a pod in namespaces of its own, with its volumes at their mount paths, until it is deleted', async () => {
    await withKubelet(async ({ create, until, remove, seen, kubelet, namespace, client, root }) => {
      await create('secrets', { metadata: { name: 'keys' }, stringData: { 'model-key': 'a key', other: 'two' } })
      await create('configmaps', { metadata: { name: 'settings' }, data: { mode: 'quick' } })
      await create('persistentvolumeclaims', {
        metadata: { name: 'work' },
        spec: { accessModes: ['ReadWriteMany'], storageClassName: '', volumeName: `pv-${namespace}`, ...tenMegabytes },
      })
      const created = await create('pods', wholePod(root))
      // No claim, no start: until a volume binds it the pod stays where it is.
      await until('whole', (pod) => conditionOf(pod, 'PodReadyToStartContainers') !== undefined)
      await client.ask('POST', '/api/v1/persistentvolumes', { body: volumeOf(namespace) })
      const ready = await until('whole', isReady)
      const found = await askOf(ready)
      expect(found).toMatchObject({
        pid: 1,
        uid: 1000,
        gid: 1000,
        processes: 1,
        parameters: ['two', '$(nobody)'],
        files: {
          '/platform/run/model-key': 'a key',
          '/platform/projected/namespace': namespace,
          '/platform/projected/mode': 'quick',
          '/platform/projected/app': 'whole',
        },
        writes: {
          '/platform/state/a': 'ok',
          '/workspace/b': 'ok',
          '/platform/secret/c': 'EROFS',
          '/usr/d': 'EROFS',
          '/tmp/e': 'ok',
        },
        there: { [homedir()]: false, [root]: false, '/usr/bin/env': true },
      })
      expect(found.env).toMatchObject({
        POD_IP: String(ready?.status?.['podIP']),
        SET_mode: 'quick',
        NAMED: 'of two and $(NOBODY) and $(KEY)',
        UID: created.metadata.uid,
        HOSTNAME: 'whole',
        KUBERNETES_SERVICE_HOST: '10.0.0.1',
      })
      expect(Object.keys(found.env).filter((name) => /^(SW_|PWD|OLDPWD)/.test(name))).toEqual([])
      expect(found.files['/platform/projected/token']?.split('.')).toHaveLength(3)
      expect(found.root.toSorted()).toEqual(
        expect.arrayContaining(['dev', 'etc', 'platform', 'proc', 'usr', 'workspace']),
      )
      expect(found.mounts).toContainEqual(expect.stringMatching(/^\/platform\/run tmpfs rw/))
      for (const [name, own] of Object.entries(found.namespaces))
        expect(`${name} ${own === readlinkSync(`/proc/self/ns/${name}`)}`).toBe(`${name} ${name === 'net'}`)
      const { uid } = created.metadata
      await remove('whole')
      await until('whole', isGone)
      expect(seen.get('whole')?.map(lineOf).filter(isNew)).toEqual([
        'Pending',
        'Pending PodScheduled',
        'Pending PodScheduled take-secrets:PodInitializing main:PodInitializing',
        'Pending PodReadyToStartContainers PodScheduled take-secrets:PodInitializing main:PodInitializing',
        'Pending PodReadyToStartContainers PodScheduled take-secrets:running main:PodInitializing',
        'Pending PodReadyToStartContainers Initialized PodScheduled take-secrets:Completed main:PodInitializing',
        'Running PodReadyToStartContainers Initialized PodScheduled take-secrets:Completed main:running',
        'Running PodReadyToStartContainers Initialized Ready ContainersReady PodScheduled take-secrets:Completed main:running',
        'Succeeded Initialized PodScheduled take-secrets:Completed main:Completed',
      ])
      expect(readFileSync(kubelet.logOf({ namespace, name: 'whole', uid }, 'main'), 'utf8')).toBe(
        'listening\nstopping\n',
      )
      expect(existsSync(join(root, 'pods', uid))).toBe(false)
    })
  })
})

const tenMegabytes = { resources: { requests: { storage: '10Mi' } } }
const isNew = (line: string, at: number, all: readonly string[]): boolean => line !== all[at - 1]

/** Phase, the conditions that are true, and each container. */
function lineOf({ status = {} }: KubeObject): string {
  const conditions = (status['conditions'] ?? []) as { readonly type: string; readonly status: string }[]
  const all = [status['initContainerStatuses'] ?? [], status['containerStatuses'] ?? []].flat() as {
    readonly name: string
    readonly state: Readonly<Record<string, { readonly reason?: string }>>
  }[]
  const states = all.map(({ name, state }) =>
    Object.entries(state).map(([kind, { reason }]) => `${name}:${reason ?? kind}`),
  )
  return [status['phase'], conditions.filter((one) => one.status === 'True').map(({ type }) => type), states]
    .flat(2)
    .join(' ')
}

function volumeOf(namespace: string): object {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: `pv-${namespace}` },
    spec: {
      capacity: { storage: '10Mi' },
      accessModes: ['ReadWriteMany'],
      storageClassName: '',
      hostPath: { path: `/nowhere/${namespace}` },
      claimRef: { namespace, name: 'work' },
    },
  }
}

function wholePod(root: string): object {
  const env = [
    podIP,
    address,
    { name: 'KEY', valueFrom: { secretKeyRef: { name: 'keys', key: 'other' } } },
    { name: 'NAMED', value: 'of $(KEY) and $(NOBODY) and $$(KEY)' },
    { name: 'UID', valueFrom: { fieldRef: { fieldPath: 'metadata.uid' } } },
    {
      name: 'READ',
      value: `/platform/run/model-key,${['namespace', 'mode', 'app', 'token'].map((name) => `/platform/projected/${name}`).join(',')}`,
    },
    { name: 'WRITE', value: '/platform/state/a,/workspace/b,/platform/secret/c,/usr/d,/tmp/e' },
    { name: 'LOOK', value: `${homedir()},${root},/usr/bin/env` },
  ]
  const field = (path: string, fieldPath: string): object => ({ path, fieldRef: { fieldPath } })
  const sources = [
    { serviceAccountToken: { path: 'token', expirationSeconds: 600 } },
    { configMap: { name: 'settings' } },
    { downwardAPI: { items: [field('namespace', 'metadata.namespace'), field('app', "metadata.labels['app']")] } },
  ]
  const volumes = [
    { name: 'secret', secret: { secretName: 'keys', items: [{ key: 'model-key', path: 'model-key' }] } },
    { name: 'run', emptyDir: { medium: 'Memory' } },
    { name: 'state', emptyDir: {} },
    { name: 'work', persistentVolumeClaim: { claimName: 'work' } },
    { name: 'projected', projected: { sources } },
  ]
  const take = {
    name: 'take-secrets',
    image,
    command: ['sh', '-c', 'cd /platform/secret && install -m 0600 -t /platform/run *'],
    volumeMounts: [
      { name: 'secret', mountPath: '/platform/secret' },
      { name: 'run', mountPath: '/platform/run' },
    ],
  }
  const volumeMounts = [
    ...take.volumeMounts,
    { name: 'state', mountPath: '/platform/state' },
    { name: 'work', mountPath: '/workspace', subPath: 'deep/workspace' },
    { name: 'projected', mountPath: '/platform/projected' },
  ]
  const container = {
    env,
    volumeMounts,
    args: ['$(KEY)', '$(nobody)'],
    envFrom: [{ prefix: 'SET_', configMapRef: { name: 'settings' } }],
  }
  return podOf('whole', container, { volumes, initContainers: [take] })
}
