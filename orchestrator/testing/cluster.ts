/**
 * The fixture at a real API server: people's manifests go there by kubectl, and the orchestrator has a ServiceAccount with
 * the generated roles and no more. Test code only.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { rbacManifests } from '../../edges/kubernetes/rbac.ts'
import type { ControlPlane } from '../../testing/control-plane.ts'
import type { OrchestratorSettings } from '../settings.ts'
import { noCluster } from './no-cluster.ts'
import { ownManifests, settingsOf, startOrchestratorFixture, type OrchestratorFixture } from './fixture.ts'

export interface Shown {
  readonly metadata: {
    readonly name: string
    readonly uid: string
    readonly generation: number
    readonly labels?: Readonly<Record<string, string>>
    readonly ownerReferences?: readonly { readonly kind: string; readonly name: string }[]
    readonly finalizers?: readonly string[]
  }
  readonly spec: Readonly<Record<string, unknown>>
  readonly status?: Readonly<Record<string, unknown>> & { readonly conditions?: readonly Condition[] }
}

export interface Condition {
  readonly type: string
  readonly status: string
  readonly reason: string
  readonly message: string
  readonly observedGeneration?: number
  readonly lastTransitionTime?: string
}

export interface Cluster {
  readonly fixture: OrchestratorFixture
  /** As the orchestrator has them, and as another process of it needs them. */
  readonly settings: OrchestratorSettings
  readonly kube: ControlPlane
  readonly namespace: string
  /** kubectl in the namespace; fails where it does. */
  kubectl(...parameters: readonly string[]): Promise<string>
  apply(...manifests: readonly object[]): Promise<string>
  get(plural: string, name: string): Promise<Shown | undefined>
  list(plural: string): Promise<readonly Shown[]>
  /** As it is applied, with more in its spec. */
  project(more?: object): object
  task(name: string, more?: object): object
  stop(): Promise<void>
}

export const apiVersion = 'platform.dev/v1alpha1'
export const serviceAccount = 'statewright'

/** A kubeconfig of the ServiceAccount, whose token is good for an hour. */
export async function kubeconfigOf(kube: ControlPlane, namespace: string, path: string): Promise<void> {
  const token = (await kube.must(['create', 'token', serviceAccount, '-n', namespace])).trim()
  const view = JSON.parse(await kube.must(['config', 'view', '--raw', '-o', 'json'])) as {
    readonly clusters: readonly { readonly name: string }[]
  }
  const cluster = view.clusters[0]!
  const context = { cluster: cluster.name, user: serviceAccount, namespace }
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [cluster],
    users: [{ name: serviceAccount, user: { token } }],
    contexts: [{ name: 'pod', context }],
    'current-context': 'pod',
  }
  writeFileSync(path, JSON.stringify(config), { mode: 0o600 })
}

interface ClusterOptions {
  /** Applied and ready before the cluster is: without them, only the orchestrator is there. */
  readonly manifests?: (forge: OrchestratorFixture['forge']) => readonly object[]
  /** In place of those of the fixture. */
  readonly settings?: Partial<OrchestratorSettings>
}

export async function startCluster(
  kube: ControlPlane,
  { manifests = ownManifests, settings = {} }: ClusterOptions = {},
): Promise<Cluster> {
  const namespace = await kube.ownNamespace()
  const roles = rbacManifests({ namespaces: [namespace], leaseNamespace: namespace, serviceAccount })
  await kube.must(['apply', '-f', '-'], listOf(roles))
  const kubeconfig = join(mkdtempSync(join(tmpdir(), 'cluster-')), 'kubeconfig')
  await kubeconfigOf(kube, namespace, kubeconfig)
  const kubectl = (...parameters: readonly string[]): Promise<string> => kube.must(['-n', namespace, ...parameters])
  const apply = (...manifests: readonly object[]): Promise<string> =>
    kube.must(['-n', namespace, 'apply', '-f', '-'], listOf(manifests.map((one) => placed(one, namespace))))
  const kubernetes = { ...noCluster, kubeconfig, namespaces: [namespace] }
  const own = { ...settings, place: 'kubernetes', kubernetes } as const
  let issuer = ''
  const fixture = await startOrchestratorFixture(own, {
    settingsFor: async (identity) => {
      issuer = identity.issuer
      return {}
    },
    async prepare({ forge }) {
      const wanted = manifests(forge)
      if (wanted.length === 0) return
      await apply(...wanted)
      await kubectl('wait', '--for=condition=Ready', 'project/demo', '--timeout=60s')
    },
  })
  const get = async (plural: string, name: string): Promise<Shown | undefined> => {
    const { code, body } = await kube.ask('GET', `/apis/${apiVersion}/namespaces/${namespace}/${plural}/${name}`)
    return code === 200 ? (body as unknown as Shown) : undefined
  }
  return {
    fixture,
    settings: { ...settingsOf(fixture.dir, issuer), ...own },
    kube,
    namespace,
    kubectl,
    apply,
    get,
    async list(plural) {
      const { body } = await kube.ask('GET', `/apis/${apiVersion}/namespaces/${namespace}/${plural}`)
      return body['items'] as readonly Shown[]
    },
    project(more = {}) {
      const [, project] = ownManifests(fixture.forge) as readonly { readonly spec: object }[]
      return { ...project, spec: { ...project!.spec, ...more } }
    },
    task: (name, more = {}) => ({
      apiVersion,
      kind: 'Task',
      metadata: { name },
      spec: { projectRef: 'demo', kind: 'implement', goal: `The goal of ${name}`, repositories: ['duration'], ...more },
    }),
    async stop() {
      await fixture.stop()
      await kube.must(['delete', 'namespace', namespace, '--wait=false'])
    },
  }
}

function placed(manifest: object, namespace: string): object {
  const { metadata } = manifest as { readonly metadata: object }
  return { ...manifest, metadata: { ...metadata, namespace } }
}

function listOf(items: readonly object[]): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items })
}
