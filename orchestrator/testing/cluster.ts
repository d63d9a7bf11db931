/**
 * The fixture at a real API server: people's manifests go there by server-side apply, as those of a kubectl do, and the
 * orchestrator has a ServiceAccount with the generated roles and no more. Test code only.
 */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { kindNamed } from '../../crd/kinds.ts'
import { accountKubeconfig, accountToken } from '../../edges/kubernetes/api/account.ts'
import { applyPatch, pathOf } from '../../edges/kubernetes/api/api.ts'
import type { StackSettings } from '../../edges/kubernetes/memory-stack/settings.ts'
import { rbacManifests } from '../../edges/kubernetes/doctor/rbac.ts'
import { systemClock, type Clock } from '../../runtime/clock.ts'
import type { Fetch } from '../../http/ports.ts'
import type { ControlPlane } from '../../testing/control-plane.ts'
import type { OrchestratorSettings } from '../settings/settings.ts'
import type { IdentityClient } from '../../standins/identity/identity.ts'
import { openDatabase } from './database.ts'
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
  /** Of the identity provider. */
  readonly issuer: string
  readonly fixture: OrchestratorFixture
  /** As the orchestrator has them, and as another process of it needs them. */
  readonly settings: OrchestratorSettings
  readonly kube: ControlPlane
  readonly namespace: string
  /** kubectl in the namespace; fails where it does. */
  kubectl(...parameters: readonly string[]): Promise<string>
  /** As its field manager does. @throws where the server refuses one. */
  apply(...manifests: readonly object[]): Promise<void>
  /** Until the condition `Ready` is true of the generation that the server has. */
  projectReady(): Promise<void>
  get(plural: string, name: string): Promise<Shown | undefined>
  list(plural: string): Promise<readonly Shown[]>
  /** As it is applied, with more in its spec. */
  project(more?: object): object
  task(name: string, more?: object): object
  stop(): Promise<void>
}

interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string }
}

/** Ten times what it takes on a busy machine. */
const readyLimitMs = 60_000
export const apiVersion = 'platform.dev/v1alpha1'
export const serviceAccount = 'statewright'

/** A kubeconfig of the ServiceAccount, whose token is good for an hour. */
export async function kubeconfigOf(kube: ControlPlane, namespace: string, path: string): Promise<void> {
  const account = { namespace, name: serviceAccount }
  const post = async (path: string, body: object): Promise<object> => (await kube.ask('POST', path, body)).body
  const token = await accountToken(post, account, 3_600)
  writeFileSync(path, accountKubeconfig(kube.kubeconfig, account, { token }), { mode: 0o600 })
}

interface ClusterOptions {
  /** Applied and ready before the cluster is: without them, only the orchestrator is there. */
  readonly manifests?: (forge: OrchestratorFixture['forge']) => readonly object[]
  /** In place of those of the fixture. */
  readonly settings?: Partial<OrchestratorSettings>
  /** Of pods of the cluster; absent: pods are processes of this machine. */
  readonly pods?: OrchestratorSettings['kubernetes']['pods']
  readonly clock?: Clock
  readonly fetch?: Fetch
  /** Of memory stacks, whose services take tokens of the fixture's provider. */
  readonly memoryStacks?: Omit<StackSettings, 'oidc'> & { readonly audience: string }
  /** Who else may ask for tokens. */
  readonly clients?: readonly IdentityClient[]
  /** Absent: one of its own. */
  readonly namespace?: string
}

export async function startCluster(kube: ControlPlane, options: ClusterOptions = {}): Promise<Cluster> {
  const { manifests = ownManifests, settings = {}, pods, clock = systemClock, memoryStacks, clients = [] } = options
  const { namespace = await kube.ownNamespace() } = options
  const roles = rbacManifests({
    ...{ namespaces: [namespace], leaseNamespace: namespace, serviceAccount },
    memoryStacks: memoryStacks !== undefined,
  })
  for (const role of roles) await applyTo(kube, role as Manifest)
  const kubeconfig = join(mkdtempSync(join(tmpdir(), 'cluster-')), 'kubeconfig')
  await kubeconfigOf(kube, namespace, kubeconfig)
  const kubectl = (...parameters: readonly string[]): Promise<string> => kube.must(['-n', namespace, ...parameters])
  const apply = async (...manifests: readonly object[]): Promise<void> => {
    for (const one of manifests) await applyTo(kube, placed(one, namespace))
  }
  const get = async (plural: string, name: string): Promise<Shown | undefined> => {
    const { code, body } = await kube.ask('GET', `/apis/${apiVersion}/namespaces/${namespace}/${plural}/${name}`)
    return code === 200 ? (body as unknown as Shown) : undefined
  }
  const projectReady = async (): Promise<void> => {
    const limit = Date.now() + readyLimitMs
    for (;;) {
      const { metadata, status } = (await get('projects', 'demo')) ?? {}
      const ready = status?.conditions?.find(({ type }) => type === 'Ready')
      if (ready?.status === 'True' && ready.observedGeneration === metadata?.generation) return
      if (Date.now() > limit) throw new Error(`the Project is not ready: ${JSON.stringify(status)}`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  const place = { ...noCluster, kubeconfig, namespaces: [namespace] }
  const kubernetes = pods === undefined ? place : { ...place, localPods: false, pods }
  // As on a cluster. The embedded store starts for six processor seconds in place of one: for a machine that has no server.
  const database = settings.databaseUrl === undefined ? await openDatabase() : undefined
  const databaseUrl = database?.url ?? ''
  const own = { databaseUrl, ...settings, place: 'kubernetes', kubernetes } as const
  let issuer = ''
  const fixture = await startOrchestratorFixture(own, {
    clock,
    clients,
    ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
    settingsFor: async (identity) => {
      issuer = identity.issuer
      if (memoryStacks === undefined) return {}
      const { audience, ...stacks } = memoryStacks
      return { kubernetes: { ...kubernetes, memoryStacks: { ...stacks, oidc: { issuer, audience } } } }
    },
    async prepare({ forge }) {
      const wanted = manifests(forge)
      if (wanted.length === 0) return
      await apply(...wanted)
      await projectReady()
    },
  })
  return {
    fixture,
    issuer,
    settings: { ...settingsOf(fixture.dir, issuer), ...own },
    kube,
    namespace,
    kubectl,
    apply,
    projectReady,
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
      await database?.drop()
      await kube.ask('DELETE', `/api/v1/namespaces/${namespace}`)
    },
  }
}

function placed(manifest: object, namespace: string): Manifest {
  const { metadata, ...rest } = manifest as Manifest
  return { ...rest, metadata: { ...metadata, namespace } }
}

async function applyTo(kube: ControlPlane, manifest: Manifest): Promise<void> {
  const { apiVersion: version, kind, metadata } = manifest
  const plural = kindNamed(kind)?.plural ?? `${kind.toLowerCase()}s`
  const path = pathOf({ apiVersion: version, plural }, metadata)
  const { code, body } = await kube.ask('PATCH', `${path}?fieldManager=kubectl&force=true`, manifest, applyPatch)
  if (code >= 300) throw new Error(`${kind} ${metadata.name} was refused: ${JSON.stringify(body)}`)
}
