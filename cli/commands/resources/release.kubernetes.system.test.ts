/** `statewright release` on a real API server, without any orchestrator. */
import { expect, test } from 'vitest'
import { mergePatch, pathOf, type KubeClient } from '../../../edges/kubernetes/api/api.ts'
import { createKubeClient } from '../../../edges/kubernetes/api/client.ts'
import { sharedControlPlane } from '../../../testing/control-plane.ts'
import { describeRequiring } from '../../../testing/requires.ts'
import { release } from './release.ts'
import { said } from '../testing/fixture.ts'

const finalizers = ['platform.dev/close']
const annotations = { 'platform.dev/orchestrator': 'platform/statewright-orchestrator' }
const task = (name: string) => ({
  apiVersion: 'platform.dev/v1alpha1',
  kind: 'Task',
  metadata: { name, finalizers, annotations },
  spec: { projectRef: 'demo', kind: 'implement', goal: 'g', repositories: ['lib'] },
})

async function withTasks(
  use: (held: { kubectl(...parameters: string[]): Promise<string>; options: string[] }) => Promise<void>,
): Promise<void> {
  const plane = sharedControlPlane()
  const namespace = await plane.ownNamespace()
  const kubectl = (...parameters: string[]): Promise<string> => plane.must(['-n', namespace, ...parameters])
  const tasks = `/apis/platform.dev/v1alpha1/namespaces/${namespace}/tasks`
  for (const name of ['kept', 'deleted']) expect((await plane.ask('POST', tasks, task(name))).code).toBe(201)
  expect((await plane.ask('DELETE', `${tasks}/deleted`)).code).toBe(200)
  await use({ kubectl, options: ['--kubeconfig', plane.kubeconfig, '--namespace', namespace, '--force'] })
}

describeRequiring('kubernetes', 'statewright release', () => {
  test('takes finalizers and claims off, deletes nothing by itself, and says what it did', async () => {
    await withTasks(async ({ kubectl, options }) => {
      const namespace = options[3]
      expect((await said(() => release(options))).out).toBe(
        `task/deleted in ${namespace}: released, and gone\ntask/kept in ${namespace}: released\n2 released`,
      )
      expect(await kubectl('get', 'tasks', '-o', 'jsonpath={.items[*].metadata.name}')).toBe('kept')
      expect((await said(() => release(options))).out).toBe('nothing was held')
      await kubectl('delete', 'task', 'kept')
    })
  })

  test('--json prints one line', async () => {
    await withTasks(async ({ options }) => {
      const { out } = await said(() => release([...options, '--json']))
      expect(JSON.parse(out)).toMatchObject({
        released: [
          { kind: 'Task', name: 'deleted', wasDeleted: true, isGone: true },
          { kind: 'Task', name: 'kept', wasDeleted: false, isGone: false },
        ],
      })
    })
  })

  test('refuses while an orchestrator renews its Lease', async () => {
    const plane = sharedControlPlane()
    const namespace = await plane.ownNamespace()
    const client = createKubeClient({ kubeconfig: plane.kubeconfig })
    await takeLease(client, namespace)
    const ending = new AbortController()
    const renewal = renew(client, namespace, ending.signal)
    try {
      const options = ['--kubeconfig', plane.kubeconfig, '--namespace', namespace, '--lease-namespace', namespace]
      await expect(release(options)).rejects.toThrow(/lives and would take them up again: end it first, or use --force/)
    } finally {
      ending.abort()
      await renewal
      await client.close()
    }
  })

  test('wants a kubeconfig', async () => {
    await expect(release([])).rejects.toThrow(/^--kubeconfig is needed outside of a pod/)
  })
})

const leases = { apiVersion: 'coordination.k8s.io/v1', plural: 'leases' }
const leaseName = 'statewright-orchestrator'

async function takeLease(client: KubeClient, namespace: string): Promise<void> {
  const spec = { holderIdentity: 'pod-1', leaseDurationSeconds: 15 }
  const body = { apiVersion: leases.apiVersion, kind: 'Lease', metadata: { name: leaseName }, spec }
  await client.ask('POST', pathOf(leases, { namespace }), { body })
}

/** As an orchestrator does, five times a second, until the signal. */
async function renew(client: KubeClient, namespace: string, signal: AbortSignal): Promise<void> {
  for (let leaseTransitions = 1; !signal.aborted; leaseTransitions++) {
    await client.ask('PATCH', pathOf(leases, { namespace, name: leaseName }), {
      type: mergePatch,
      body: { spec: { leaseTransitions } },
    })
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}
