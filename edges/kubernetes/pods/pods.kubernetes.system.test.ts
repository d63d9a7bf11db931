/** Pods and claims on a real API server; the test plays kubelet and scheduler. */
import { expect, test, vi } from 'vitest'
import { TerminalError } from '../../../runtime/errors.ts'
import { describeRequiring } from '../../../testing/requires.ts'
import { podPortContract } from '../../ports/contract/pods-contract.ts'
import { mergePatch, pathOf, type KubeClient, type KubeObject } from '../api/api.ts'
import { taught } from './remediation-hints.ts'
import { podManifest } from './pod-manifest.ts'
import { claimsResource, podsResource, secretsResource } from './pod-requests.ts'
import { rbacManifests } from '../doctor/rbac.ts'
import { withAccount } from '../testing/acting.ts'
import { withPodCluster, type PodCluster } from '../testing/pod-cluster.ts'
import { fullProject, manifestInput } from '../testing/pod-fixture.ts'
import { runEachPod } from '../testing/pod-kubelet.ts'
import { runningStatus, terminatedStatus } from '../testing/pod-objects.ts'

/** Ten times the goal. */
const soon = { timeout: 20_000, interval: 20 }
const classes = { apiVersion: 'storage.k8s.io/v1', plural: 'storageclasses' }

async function podOf({ read }: PodCluster, name: string): Promise<KubeObject> {
  const found = await read(podsResource, name)
  if (found === undefined) throw new Error(`there is no pod ${name}`)
  return found
}

describeRequiring('kubernetes', 'pods of a cluster', () => {
  test('the server takes the pod of a Project that uses every field as it is, and names what it refuses', async () => {
    await withPodCluster(async (cluster) => {
      const spec = await cluster.task('full')
      const security = { runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000 }
      const resources = { requests: { cpu: '100m' }, limits: { memory: '2Gi' } }
      const claims = { workspace: 'ws-full', cache: 'cache-of-full' }
      const input = manifestInput({
        spec: { ...spec, agentKind: 'brainstorm' },
        project: fullProject,
        security,
        resources,
        claims,
      })
      const strict = { dryRun: 'All', fieldValidation: 'Strict' }
      await cluster.make(podsResource, podManifest(input).pod, strict)
      const pods = cluster.start({ security, resources })
      await pods.create(spec)
      const made = await podOf(cluster, 'full-1')
      expect(made.spec).toMatchObject({
        hostUsers: false,
        terminationGracePeriodSeconds: 120,
        automountServiceAccountToken: false,
        securityContext: security,
        containers: [{ name: 'wrapper', securityContext: { procMount: 'Unmasked' }, resources }, { name: 'database' }],
        initContainers: [{ name: 'take-secrets' }, { name: 'seed' }],
      })
      expect(JSON.stringify(made.spec)).not.toContain('kube-api-access')
    }, fullProject)
    await withPodCluster(
      async ({ task, pods }) => {
        const refused = await pods.create(await task('refused')).catch((error: unknown) => error)
        expect(refused).toBeInstanceOf(TerminalError)
        expect(String(refused)).toMatch(/unknown field "spec\.containers\[1\]\.imagePullPolicies"/)
      },
      { agent: { extraSidecarContainers: [{ name: 'a', image: 'a', imagePullPolicies: 'Never' }] } },
    )
  })

  test('a pod is seen from its start to its end, and ends only by its kubelet', async () => {
    await withPodCluster(async (cluster) => {
      const { pods, kubelet, heard, deletions } = cluster
      const spec = await cluster.task('life')
      const names = await Promise.all([pods.create(spec), pods.create(spec)])
      expect([...names, await cluster.start().create(spec)].map(({ name }) => name)).toEqual(
        Array.from('aaa', () => 'life-1'),
      )
      const pod = await podOf(cluster, 'life-1')
      const secret = await cluster.read(secretsResource, 'life-1')
      expect(secret).toMatchObject({ immutable: true, metadata: { ownerReferences: [{ uid: pod.metadata.uid }] } })
      await kubelet.bind(pod)
      await kubelet.status(pod, runningStatus)
      await vi.waitFor(
        () => expect(heard).toEqual([{ pod: spec.pod, state: 'ready', url: 'http://10.1.0.9:8080' }]),
        soon,
      )
      const graces: unknown[] = []
      for (const force of [false, true, true]) {
        expect(await pods.remove(spec.pod, { force })).toBe('ending')
        graces.push((await podOf(cluster, 'life-1')).metadata as object)
      }
      expect(graces).toMatchObject([120, 1, 1].map((deletionGracePeriodSeconds) => ({ deletionGracePeriodSeconds })))
      const [uid, options] = [pod.metadata.uid, { kind: 'DeleteOptions', apiVersion: 'v1' }]
      const forced = { ...options, gracePeriodSeconds: 1, preconditions: { uid } }
      expect(deletions).toEqual([{ ...options, preconditions: { uid } }, forced, forced])
      expect(heard).toHaveLength(1)
      await kubelet.status(pod, terminatedStatus({ reason: 'OOMKilled', exitCode: 137 }))
      await kubelet.confirm(pod)
      const gone = { pod: spec.pod, state: 'gone', reason: 'OOMKilled', detail: taught('OOMKilled', 'exit code 137') }
      await vi.waitFor(() => expect(heard.slice(1)).toEqual([gone]), soon)
      expect([await pods.look(spec.pod), await pods.remove(spec.pod, { force: true })]).toEqual([gone, 'gone'])
      // The collector takes what the pod owned.
      await vi.waitFor(async () => expect(await cluster.read(secretsResource, 'life-1')).toBeUndefined(), soon)
      // What nobody has bound goes at once.
      const next = { ...spec, pod: `${spec.task}/2`, ordinal: 2 }
      await pods.create(next)
      await pods.remove(next.pod, { force: false })
      await vi.waitFor(
        () =>
          expect(heard.at(-1)).toEqual({ pod: next.pod, state: 'gone', reason: 'deleted', detail: taught('deleted') }),
        soon,
      )
    })
  })

  test('claims are bound before any pod, also those of a class that waits for one', async () => {
    await withPodCluster(async (cluster) => {
      const { client, namespace, pods: plain } = cluster
      await plain.bindVolumes(await cluster.task('none'))
      const late = await lateClass(cluster)
      const spec = await cluster.task('claims')
      await asOrchestrator(cluster, async (account) => {
        const pods = cluster.start({ workspaces: true, client: account })
        await setClass(cluster, 'no-such-class')
        await vi.waitFor(() => expect(pods.bindVolumes(spec)).rejects.toThrow(/"no-such-class" not found/), soon)
        for (const name of ['ws-claims', 'cache-of-claims']) {
          await client.ask('DELETE', claimPath(cluster, name))
          await vi.waitFor(async () => expect(await cluster.read(claimsResource, name)).toBeUndefined(), soon)
        }
        await setClass(cluster, late)
        await vi.waitFor(() => expect(pods.bindVolumes(spec)).rejects.toThrow(/Pending: waiting for .*consumer/), soon)
        // As a scheduler asks for the volumes of a pod.
        const body = { metadata: { annotations: { 'volume.kubernetes.io/selected-node': namespace } } }
        const { spec: binding } = await podOf(cluster, 'ws-claims-bind')
        for (const { name } of binding!['volumes'] as readonly { readonly name: string }[])
          await client.ask('PATCH', claimPath(cluster, name), { body, type: mergePatch })
        await vi.waitFor(() => pods.bindVolumes(spec), soon)
        expect(await cluster.read(podsResource, 'ws-claims-bind')).toBeUndefined()
        const claims = ['ws-claims', 'cache-of-claims'].map((name) => cluster.read(claimsResource, name))
        expect(await Promise.all(claims)).toMatchObject([
          { spec: { accessModes: ['ReadWriteMany'], resources: { requests: { storage: '10Gi' } } } },
          { spec: { accessModes: ['ReadWriteMany'], resources: { requests: { storage: '20Gi' } } } },
        ])
        await pods.create(spec)
        expect(JSON.stringify((await podOf(cluster, 'claims-1')).spec)).toMatch(/ws-claims.*cache-of-claims/)
        await pods.remove(spec.pod, { force: true })
        for (let n = 0; n < 2; n += 1) await pods.deleteWorkspace(spec.task)
        await vi.waitFor(async () => expect(await cluster.read(claimsResource, 'ws-claims')).toBeUndefined(), soon)
        expect(await cluster.read(claimsResource, 'cache-of-claims')).toBeDefined()
      })
    })
  })

  podPortContract('a cluster', (use) =>
    withPodCluster(async ({ pods, cache, kubelet, task }) => {
      const { runs, stop } = runEachPod(cache, kubelet, runningStatus)
      try {
        await use({ pods, spec: await task('one'), begun: () => runs('one-1') })
      } finally {
        stop()
      }
    }),
  )
})

/** With the rights of an orchestrator, and no others. */
async function asOrchestrator(
  { plane, namespace }: PodCluster,
  use: (client: KubeClient) => Promise<void>,
): Promise<void> {
  const name = 'statewright'
  const items = rbacManifests({ namespaces: [namespace], leaseNamespace: namespace, serviceAccount: name })
  await plane.must(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))
  await withAccount(plane, { namespace, name }, use)
}

/** Binds claims only once a pod has them. No other test uses it. */
async function lateClass({ client, namespace }: PodCluster): Promise<string> {
  const name = `late-${namespace}`
  const { apiVersion } = classes
  const how = { provisioner: 'kubernetes.io/host-path', volumeBindingMode: 'WaitForFirstConsumer' }
  await client.ask('POST', pathOf(classes), { body: { apiVersion, kind: 'StorageClass', metadata: { name }, ...how } })
  return name
}

function claimPath({ namespace }: PodCluster, name: string): string {
  return pathOf(claimsResource, { namespace, name })
}

async function setClass({ client, namespace }: PodCluster, storageClass: string): Promise<void> {
  const projects = { apiVersion: 'platform.dev/v1alpha1', plural: 'projects' }
  const body = { spec: { workspace: { storageClass } } }
  await client.ask('PATCH', pathOf(projects, { namespace, name: 'of-claims' }), { body, type: mergePatch })
}
