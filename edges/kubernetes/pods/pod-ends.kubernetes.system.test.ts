/** Each way in which a pod fails, played by a kubelet to test with on a real API server: an end is a fact, with a reason and a step. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { systemClock, type Clock } from '../../../runtime/clock.ts'
import type { Fault } from '../../../standins/kubelet/fault.ts'
import { startKubelet, type Kubelet } from '../../../standins/kubelet/kubelet.ts'
import { describeRequiring } from '../../../testing/requires.ts'
import type { LogWish, PodLog, PodObservation, PodSpec } from '../../ports/pods.ts'
import { pathOf } from '../api/api.ts'
import { remediationHints } from './remediation-hints.ts'
import { managedBy, managedByLabel, podAnnotation } from './pod-names.ts'
import { podsResource } from './pod-requests.ts'
import { podInputs } from '../testing/pod-fixture.ts'
import { withPodCluster, type PodCluster } from '../testing/pod-cluster.ts'

/** Ten times the goal. */
const soon = { timeout: 20_000, interval: 50 }
const repository = join(import.meta.dirname, '../../..')
const program = join(repository, 'standins/kubelet/testing/program.mjs')
const minute = 60_000

/** A minute of patience is a tenth of a second here. */
const times = 600
const hasty: Clock = {
  now: systemClock.now,
  elapsed: () => systemClock.elapsed() * times,
  setTimer: (delayMs, callback) => systemClock.setTimer(delayMs / times, callback),
}

interface Scene extends PodCluster {
  readonly nodeKubelet: Kubelet
  readonly faults: Map<string, Fault>
  /** Makes a pod that runs into this. */
  broken(name: string, fault?: Fault): Promise<PodSpec>
  /** The newest of this pod; undefined: nothing is seen yet. */
  last(spec: PodSpec): PodObservation | undefined
}

async function withScene(use: (scene: Scene) => Promise<void>, clock: Clock = hasty): Promise<void> {
  await withPodCluster(async (cluster) => {
    const { namespace, client, log, heard } = cluster
    const root = mkdtempSync(join(tmpdir(), 'pod-ends-'))
    const faults = new Map<string, Fault>()
    const nodeKubelet = await startKubelet({
      ...{ client, root, node: `node-${namespace}`, namespaces: [namespace], programs: [repository] },
      ...{ clock: systemClock, random: Math.random, logger: log.logger },
      images: { 'statewright/wrapper:v0': [process.execPath, program] },
      fault: ({ metadata }) => faults.get(metadata.name),
    })
    // The stand-in mounts nothing below /etc, where the files are.
    const hurried = cluster.start({
      clock,
      inputs: async () => ({ ...podInputs, files: {} }),
      keepEndedMs: 600 * minute,
    })
    const broken: Scene['broken'] = async (name, fault) => {
      if (fault !== undefined) faults.set(`${name}-1`, fault)
      const spec = await cluster.task(name)
      await hurried.create(spec)
      return spec
    }
    try {
      await use({
        ...cluster,
        nodeKubelet,
        faults,
        broken,
        last: ({ pod }) => heard.findLast((one) => one.pod === pod),
      })
    } finally {
      await nodeKubelet.stop()
      rmSync(root, { recursive: true, force: true })
    }
  })
}

describeRequiring('kubernetes', 'how pods of a cluster end', () => {
  test('a pod that cannot start, or is ended by its node, is gone with its reason and the next step', async () => {
    await withScene(async ({ broken, faults, last }) => {
      const waiting = (reason: string): Fault => ({ kind: 'waiting', reason, message: `because of ${reason}` })
      const [pull, name, make, nowhere, hungry, evicted] = await Promise.all([
        broken('pull', waiting('ErrImagePull')),
        broken('name', waiting('InvalidImageName')),
        broken('make', waiting('CreateContainerError')),
        broken('nowhere', { kind: 'unschedulable' }),
        broken('hungry'),
        broken('evicted'),
      ])
      for (const spec of [hungry, evicted])
        await vi.waitFor(() => expect(last(spec)).toMatchObject({ state: 'ready' }), soon)
      faults.set('hungry-1', { kind: 'oom' })
      faults.set('evicted-1', { kind: 'evicted' })
      for (const [spec, reasons, words] of [
        [pull, ['ErrImagePull', 'ImagePullBackOff'], 'ErrImagePull'],
        [name, ['InvalidImageName'], 'because of InvalidImageName'],
        [make, ['CreateContainerError'], 'because of CreateContainerError'],
        [nowhere, ['Unschedulable'], 'Insufficient cpu'],
        [hungry, ['OOMKilled'], 'exit code 137'],
        [evicted, ['Evicted'], 'low on resource: memory'],
      ] as const) {
        const end = await vi.waitFor(() => {
          const seen = last(spec)
          if (seen?.state !== 'gone') throw new Error(`${spec.pod} is not gone: ${JSON.stringify(seen)}`)
          return seen
        }, soon)
        const { next } = remediationHints.find(({ reasons: of }) => of.includes(reasons[0]))!
        expect(reasons).toContain(end.reason)
        expect(end.detail).toContain(`${next} (`)
        expect(end.detail).toContain(words)
      }
    })
  })

  test('a pod that hangs, or whose node is lost, is not gone before its kubelet confirms it, and is named meanwhile', async () => {
    await withScene(async ({ broken, faults, last, nodeKubelet, pods, start, namespace, heard, deletions }) => {
      const [hung, lost] = await Promise.all([broken('hung'), broken('lost')])
      for (const spec of [hung, lost])
        await vi.waitFor(() => expect(last(spec)).toMatchObject({ state: 'ready' }), soon)
      faults.set('hung-1', { kind: 'hung' })
      for (const force of [false, true, true]) expect(await pods.remove(hung.pod, { force })).toBe('ending')
      nodeKubelet.lose()
      for (const force of [false, true, true]) expect(await pods.remove(lost.pod, { force })).toBe('ending')
      const late = start({ clock: { ...systemClock, now: () => systemClock.now() + 2 * minute } })
      for (const name of ['hung-1', 'lost-1'])
        expect(late.degraded().join('\n')).toContain(`pod ${namespace}/${name} on node node-${namespace} does not end`)
      expect(await pods.look(lost.pod)).toMatchObject({ state: 'ready' })
      expect(heard.filter(({ state }) => state === 'gone')).toEqual([])
      expect(JSON.stringify(deletions)).not.toContain('"gracePeriodSeconds":0')
      nodeKubelet.recover()
      await vi.waitFor(() => expect(last(lost)).toMatchObject({ state: 'gone' }), soon)
      expect(last(hung)).toMatchObject({ state: 'ready' })
      faults.delete('hung-1')
      await vi.waitFor(() => expect(last(hung)).toMatchObject({ state: 'gone' }), soon)
      expect(late.degraded()).toEqual([])
    })
  })

  test('the API server gives the log of a pod: what is new, the newest of much, the last words (OPERATIONS-9, OPERATIONS-11)', async () => {
    await withScene(async ({ broken, client, namespace, nodeKubelet, pods }) => {
      const logOf = (task: string, own: Partial<LogWish> = {}): Promise<PodLog> =>
        pods.logOf(`${namespace}/${task}/1`, { lines: 2, bytes: 10_000, ...own })
      await Promise.all([
        broken('nowhere', { kind: 'unschedulable' }),
        broken('pull', { kind: 'waiting', reason: 'ErrImagePull' }),
      ])
      const body = talkingPod(namespace)
      const { metadata } = await client.ask('POST', pathOf(podsResource, { namespace }), { body })
      const path = nodeKubelet.logOf({ namespace, ...metadata }, 'wrapper')
      await vi.waitFor(() => expect(readFileSync(path, 'utf8')).toMatch(/3000\nhalf$/), soon)
      const live = await logOf('talks')
      expect(live).toMatchObject({ container: 'wrapper', isLive: true, lines: ['2999', '3000'], isTruncated: true })
      const { cursor: after } = live as { readonly cursor: string }
      expect(await logOf('talks', { after })).toMatchObject({ lines: [], isTruncated: false, cursor: after })
      const part = await logOf('talks', { lines: 3000, bytes: 2000 })
      expect(part).toMatchObject({ isTruncated: true, cursor: after })
      expect((part as { readonly lines: readonly string[] }).lines.at(-1)).toBe('3000')
      const nothing = { state: 'read', isLive: true, lines: [], cursor: '' }
      for (const [name, waits] of [
        ['nowhere', /Insufficient cpu/],
        ['pull', /is waiting to start/],
      ] as const)
        await vi.waitFor(
          async () => expect(await logOf(name)).toMatchObject({ ...nothing, waits: expect.stringMatching(waits) }),
          soon,
        )
      process.kill(nodeKubelet.firstOf(metadata.uid, 'wrapper')!, 'SIGKILL')
      const ended = async (): Promise<void> =>
        expect(await logOf('talks', { after })).toMatchObject({
          isLive: false,
          lines: [expect.stringMatching(/^half/)],
        })
      await vi.waitFor(ended, soon)
      expect(await logOf('nobody')).toEqual({ state: 'gone' })
      nodeKubelet.lose()
      expect(await logOf('talks')).toMatchObject({ state: 'unreadable', detail: expect.stringMatching(/EOF|reset/) })
    }, systemClock)
  })
})

/** Marked as one of ours. It prints much, and ends no last line. */
function talkingPod(namespace: string): object {
  const command = ['sh', '-c', 'seq 1 3000; printf half; exec sleep 300']
  return {
    metadata: {
      name: 'talks-1',
      labels: { [managedByLabel]: managedBy },
      annotations: { [podAnnotation]: `${namespace}/talks/1` },
    },
    spec: {
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      containers: [{ name: 'wrapper', image: 'statewright/wrapper:v0', command }],
    },
  }
}
