/** The stand-in kubelet on a real API server: what a pod is, what its status says, and how it breaks. */
import { existsSync, readFileSync, readdirSync, readlinkSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import type { KubeObject } from '../../edges/kubernetes/api/api.ts'
import { describeRequiring } from '../../testing/requires.ts'
import type { Fault } from './fault.ts'
import { memoryOf } from './kubelet.ts'
import type { Pod } from './pod.ts'
import { address, image, podIP, podOf, volumeOf, wholePod, wrapperPod } from './testing/manifests.ts'
import { withKubelet } from './testing/real-kubelet.ts'

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
          '/etc/wrapper/app': 'whole',
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
      const first = kubelet.firstOf(uid, 'main')
      expect(readFileSync(`/proc/${first}/root/workspace/b`, 'utf8')).toBe('written')
      expect(kubelet.firstOf(uid, 'none')).toBeUndefined()
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

  test('breaks in every way that is asked for, and goes on where it can', async () => {
    const faults = new Map<string, Fault>()
    const fault = (pod: Pod): Fault | undefined => faults.get(pod.metadata.name)
    await withKubelet(
      async ({ create, until, remove, seen, kubelet, read, log }) => {
        const start = async (
          name: string,
          broken?: Fault,
          container: object = {},
          spec: object = {},
        ): Promise<void> => {
          if (broken !== undefined) faults.set(name, broken)
          await create('pods', podOf(name, container, spec))
        }
        for (const reason of spellings) await start(reason.toLowerCase(), { kind: 'waiting', reason })
        await start('absent', undefined, { image: 'example.test/none:1' })
        await start('misspelt', undefined, { image: 'Example.test/NONE' })
        await start('unknown-user', undefined, { securityContext: { runAsNonRoot: true } })
        await start('no-program', undefined, { image: 'example.test/missing:1' })
        await start('unmakable', { kind: 'start-error' })
        await start('hungry')
        await start('evicted')
        await start('hung')
        await start('nowhere', { kind: 'unschedulable' })
        await start('slow', { kind: 'slow', ms: 700 })
        await start('restarts', undefined, {}, { hostNetwork: true })
        await start('talks', undefined, {
          command: ['sh', '-c', 'seq 1 200; exit 3'],
          terminationMessagePolicy: 'FallbackToLogsOnError',
        })
        await start('writes', undefined, { command: ['sh', '-c', 'echo why > /dev/termination-log; exit 4'] })
        await start('fails-first', undefined, {}, { initContainers: [{ name: 'first', image, command: ['false'] }] })

        for (const reason of spellings) {
          const waiting = await until(reason.toLowerCase(), (pod) => stateOf(pod).waiting?.reason === reason)
          expect(waiting?.status?.['phase']).toBe('Pending')
        }
        await until('absent', (pod) => stateOf(pod).waiting?.reason === 'ImagePullBackOff')
        await until('misspelt', (pod) => stateOf(pod).waiting?.reason === 'InvalidImageName')
        const user = await until('unknown-user', (pod) => stateOf(pod).waiting !== undefined && isStarting(pod))
        expect(stateOf(user).waiting).toMatchObject({
          reason: 'CreateContainerConfigError',
          message: expect.stringContaining('non-numeric user'),
        })
        for (const name of ['no-program', 'unmakable']) {
          const failed = await until(name, isFailed)
          expect(stateOf(failed).terminated).toMatchObject({ exitCode: 128, reason: 'StartError' })
        }
        const refused = await until('restarts', isFailed)
        expect(refused?.status).toMatchObject({ reason: 'UnexpectedAdmissionError' })
        expect(refused?.status?.['message']).toContain('has no hostNetwork')
        const talked = stateOf(await until('talks', isFailed)).terminated
        expect(talked).toMatchObject({ exitCode: 3, reason: 'Error' })
        expect(talked?.message).toBe(`${Array.from({ length: 80 }, (_, line) => line + 121).join('\n')}\n`)
        expect(stateOf(await until('writes', isFailed)).terminated).toMatchObject({ exitCode: 4, message: 'why\n' })
        const first = await until('fails-first', isFailed)
        expect(stateOf(first).waiting).toMatchObject({ reason: 'PodInitializing' })
        const nowhere = await until('nowhere', (pod) => conditionOf(pod, 'PodScheduled')?.['status'] === 'False')
        expect(conditionOf(nowhere, 'PodScheduled')).toMatchObject({ reason: 'Unschedulable' })

        await until('hungry', isReady)
        faults.set('hungry', { kind: 'oom' })
        expect(stateOf(await until('hungry', isFailed)).terminated).toMatchObject({
          exitCode: 137,
          reason: 'OOMKilled',
        })
        await until('evicted', isReady)
        faults.set('evicted', { kind: 'evicted' })
        const evicted = await until('evicted', isFailed)
        expect(evicted?.status).toMatchObject({ reason: 'Evicted' })
        expect(conditionOf(evicted, 'DisruptionTarget')).toMatchObject({
          status: 'True',
          reason: 'TerminationByKubelet',
        })

        const alive = await until('hung', isReady)
        faults.set('hung', { kind: 'hung' })
        await remove('hung', { gracePeriodSeconds: 1 })
        await until('slow', isReady)
        expect((await read('hung'))?.metadata.deletionTimestamp).toBeDefined()
        expect((await askOf(alive)).pid).toBe(1)
        faults.delete('hung')
        await until('hung', isGone)
        await expect(askOf(alive)).rejects.toThrow('fetch failed')

        faults.delete('errimagepull')
        faults.delete('nowhere')
        await until('errimagepull', isReady)
        await until('nowhere', isReady)
        const names = [...seen.keys()].filter((name) => name !== 'hung')
        await Promise.all(names.map((name) => remove(name)))
        for (const name of names) await until(name, isGone)
        expect(seen.get('absent')?.map(lineOf).filter(isNew).slice(-5)).toEqual([
          'Pending PodReadyToStartContainers Initialized PodScheduled main:ErrImagePull',
          'Pending PodReadyToStartContainers Initialized PodScheduled main:ImagePullBackOff',
          'Pending PodReadyToStartContainers Initialized PodScheduled main:ContainerCreating',
          'Pending Initialized PodScheduled main:ContainerCreating',
          'Failed Initialized PodScheduled main:ContainerStatusUnknown',
        ])
        expect(log.lines().flatMap(({ level, pod }) => (Number(level) >= 50 ? [pod] : []))).toEqual(['restarts'])
        await kubelet.stop()
      },
      { fault },
    )
  })

  test('is lost with its node, ends what was deleted meanwhile, and another goes on where it was', async () => {
    await withKubelet(
      async ({ create, until, remove, kubelet, restart, client, namespace, read, seen }) => {
        const node = (): Promise<KubeObject> => client.ask('GET', `/api/v1/nodes/node-${namespace}`)
        const renewed = async (): Promise<unknown> =>
          (await client.ask('GET', `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/node-${namespace}`))
            .spec?.['renewTime']
        expect(conditionOf(await node(), 'Ready')).toMatchObject({ status: 'True', reason: 'KubeletReady' })
        for (const name of ['forced', 'deleted', 'kept', 'stubborn'])
          await create(
            'pods',
            podOf(name, name === 'stubborn' ? { env: [podIP, address, { name: 'STUBBORN', value: '1' }] } : {}),
          )
        const [forced, deleted, kept, stubborn] = [
          await until('forced', isReady),
          await until('deleted', isReady),
          await until('kept', isReady),
          await until('stubborn', isReady),
        ]
        const { env: before } = await askOf(kept)
        await remove('stubborn', { gracePeriodSeconds: 300 })
        await until('stubborn', (pod) => pod?.metadata.deletionTimestamp !== undefined)
        expect((await askOf(stubborn)).pid).toBe(1)
        await remove('stubborn', { gracePeriodSeconds: 1 })
        await until('stubborn', isGone)
        await expect(askOf(stubborn)).rejects.toThrow('fetch failed')
        const first = await renewed()
        await vi.waitFor(async () => expect(await renewed()).not.toBe(first), { timeout: 10_000 })
        kubelet.lose()
        await remove('forced', { gracePeriodSeconds: 0 })
        const beat = await renewed()
        await remove('deleted')
        await until('forced', isGone)
        // The server has it no more, and its process lives on: that is what a forced end of a pod on a lost node means.
        expect((await askOf(forced)).pid).toBe(1)
        expect((await askOf(deleted)).pid).toBe(1)
        expect((await read('deleted'))?.metadata.deletionTimestamp).toBeDefined()
        expect(await renewed()).toBe(beat)
        kubelet.recover()
        await until('deleted', isGone)
        await vi.waitFor(() => expect(askOf(forced)).rejects.toThrow('fetch failed'), { timeout: 10_000 })
        // Another one adopts what this one started, and this one is heard no more.
        kubelet.lose()
        const next = await restart()
        await until('kept', isReady)
        expect((await askOf(kept)).env).toEqual(before)
        await fetch(`http://${before['POD_IP']}:8080/end`)
        const ended = await until('kept', (pod) => pod?.status?.['phase'] === 'Succeeded')
        expect(stateOf(ended).terminated).toMatchObject({ exitCode: 0, reason: 'Completed' })
        const phases = seen.get('kept')?.map(({ status }) => String(status?.['phase']))
        expect(phases?.filter(isNew)).toEqual(['Pending', 'Running', 'Succeeded'])
        await create('pods', podOf('orphan'))
        const orphan = await until('orphan', isReady)
        await next.stop()
        await expect(askOf(orphan)).rejects.toThrow('fetch failed')
      },
      { heartbeatMs: 20 },
    )
  })

  test('runs the real wrapper, which takes its secrets from an init container, until it is gone', async () => {
    await withKubelet(async ({ create, until, remove, root, kubelet, namespace, seen }) => {
      await create('secrets', { metadata: { name: 'wrapper' }, stringData: { 'model-key': 'k', 'pod-token': 't' } })
      const created = await create('pods', wrapperPod())
      const ready = await until('wrapper', isReady)
      const { uid } = created.metadata
      const log = kubelet.logOf({ namespace, name: 'wrapper', uid }, 'wrapper')
      expect(readFileSync(log, 'utf8')).toContain('another contract version')
      const memory = join(memoryOf(root), uid)
      // The wrapper takes away what it has read; the Secret itself stays as it is.
      expect(readdirSync(join(memory, 'run'))).toEqual([])
      expect(readFileSync(join(memory, 'secret', 'pod-token'), 'utf8')).toBe('t')
      const url = `http://${String(ready?.status?.['podIP'])}:8080/v1/session`
      expect((await fetch(url)).status).toBe(401)
      await remove('wrapper')
      await until('wrapper', isGone)
      expect(seen.get('wrapper')?.at(-1)?.status?.['phase']).toBe('Succeeded')
      for (const folder of [join(root, 'pods', uid), memory]) expect(existsSync(folder)).toBe(false)
      await expect(fetch(url)).rejects.toThrow('fetch failed')
    })
  })
})

const spellings = [
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
]

interface States {
  readonly waiting?: { readonly reason: string; readonly message?: string }
  readonly terminated?: { readonly reason: string; readonly exitCode: number; readonly message?: string }
}

/** Of the main container. */
function stateOf(pod: KubeObject | undefined): States {
  return (pod?.status?.['containerStatuses'] as { readonly state: States }[] | undefined)?.[0]?.state ?? {}
}

const isFailed = (pod: KubeObject | undefined): boolean =>
  pod?.status?.['phase'] === 'Failed' && conditionOf(pod, 'PodReadyToStartContainers')?.['status'] === 'False'
const isStarting = (pod: KubeObject | undefined): boolean => stateOf(pod).waiting?.reason !== 'ContainerCreating'

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
