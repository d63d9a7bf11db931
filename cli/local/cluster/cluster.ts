/** The Kubernetes of one demo: one that starts with it, or a given one, in which it has a namespace. */
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { kindNamed } from '../../../crd/kinds.ts'
import { applyPatch, pathOf, type KubeClient, type KubeObject } from '../../../edges/kubernetes/api/api.ts'
import type { Opened } from '../../../runtime/closing.ts'
import { programDir } from '../../program.ts'
import type { ClusterParts, ClusterServers } from './cluster-parts.ts'
import { demoImage, startDemoKubelet } from './demo-kubelet.ts'
import type { GivenCluster } from './given-cluster.ts'
import type { ReleaseImages } from './images.ts'
import { buildOnce, createServers, runScript, type Closes, type Servers } from './servers.ts'

export interface Cluster {
  /** Of the resources, the pods and the Lease. */
  readonly namespace: string
  /** An administrator's. */
  readonly client: KubeClient
  /** Of that administrator, in its own Kubernetes. */
  readonly kubeconfig: string
  /** What the orchestrator gets of its environment. */
  readonly settings: Readonly<Record<string, string>>
  /** What chaos may end; absent in a given cluster. */
  readonly servers?: ClusterServers
  /** A server of its own, where the environment names none. */
  readonly databaseUrl: string
  /** Resources and Secrets, into the namespace. */
  apply(manifests: readonly object[]): Promise<void>
  /** Resolves with what could not be removed, in words. */
  stop(): Promise<readonly string[]>
}

const ownNamespace = 'statewright-demo'
/** The orchestrator has the rights that `statewright rbac` prints, and no others. */
const serviceAccount = 'statewright'
/** Longer than any demo. */
const tokenSeconds = 24 * 3600

/** Beside those of `crd/kinds.ts`. */
const plurals: Readonly<Record<string, string>> = {
  Namespace: 'namespaces',
  StorageClass: 'storageclasses',
  ServiceAccount: 'serviceaccounts',
  Secret: 'secrets',
  Role: 'roles',
  RoleBinding: 'rolebindings',
}
const withoutNamespace: readonly string[] = ['Namespace', 'StorageClass']

interface ClusterOptions {
  readonly dir: string
  /** Absent: one starts with the demo. */
  readonly given: GivenCluster | undefined
  /** Helm installs it: the chart brings definitions, accounts and rights. Absent: the orchestrator is a process of this machine. */
  readonly release: ReleaseImages | undefined
  /** Its Project has a memory stack: the orchestrator gets the rights for one. */
  readonly memoryStack: boolean
  /** A line for people. */
  readonly write: (text: string) => void
  readonly opened: Opened
}

/** What it opened is closed by `stop`, and by the caller where a later part of the start fails. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const { dir, given, release, memoryStack, write, opened } = options
  const closing: (() => Promise<unknown>)[] = []
  const closes: Closes = (close) => {
    closing.unshift(close)
    opened(async () => void (await close()))
  }
  const servers = createServers(join(dir, 'guard.log'), closes)
  const databaseUrl = process.env['DATABASE_URL'] || (await startDatabase(servers))
  const left: string[] = []
  const parts = given
    ? await (await import('./given-cluster.ts')).openGivenCluster(given, { closes, left })
    : await startOwnCluster(dir, { servers, closes, write, release, memoryStack })
  const { client, kubeconfig, namespace, image } = parts
  const apply = (manifests: readonly object[]) => applyAll(client, namespace, manifests)
  const own = join(dir, 'kubeconfig')
  if (release === undefined)
    await writeFile(own, await allowOrchestrator(apply, { client, kubeconfig, namespace, memoryStack }), {
      mode: 0o600,
    })
  return {
    namespace,
    client,
    kubeconfig,
    databaseUrl,
    apply: (manifests) => apply(manifests.map((one) => inClass(one, given?.storageClass))),
    ...(parts.servers ? { servers: parts.servers } : {}),
    settings: {
      PLACE: 'kubernetes',
      KUBECONFIG: own,
      WATCH_NAMESPACES: namespace,
      LEASE_NAMESPACE: namespace,
      AGENT_IMAGE: image,
      WORKSPACES: 'on',
    },
    async stop() {
      for (const close of closing) await close()
      return left
    },
  }
}

async function startOwnCluster(
  dir: string,
  {
    servers,
    closes,
    write,
    release,
    memoryStack,
  }: { readonly servers: Servers; readonly closes: Closes } & Pick<ClusterOptions, 'write' | 'release' | 'memoryStack'>,
): Promise<ClusterParts> {
  const { createKubeClient } = await import('../../../edges/kubernetes/api/client.ts')
  await buildOnce('kube.sh', 'the API server from Go modules', 4, write)
  const kube = join(dir, 'kubernetes')
  await mkdir(kube, { recursive: true })
  const definitions = release === undefined ? { KUBE_CRDS: join(programDir, 'crd', 'generated') } : {}
  const kubeconfig = await servers.start('kube.sh', kube, definitions)
  const client = createKubeClient({ kubeconfig })
  closes(() => client.close())
  const namespace = ownNamespace
  await applyAll(client, namespace, [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    storageClass,
  ])
  const kubelet = await startDemoKubelet({ dir, kubeconfig, namespace, release, memoryStack }, closes)
  return {
    client,
    kubeconfig,
    namespace,
    image: demoImage,
    servers: { apiServer: apiServerIn(kube, closes), kubelet },
  }
}

/** Of the controller manager: folders of this machine. */
const storageClass = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: ownNamespace, annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
  provisioner: 'kubernetes.io/host-path',
}

/** Its kubeconfig. */
async function allowOrchestrator(
  apply: Cluster['apply'],
  {
    client,
    kubeconfig,
    namespace,
    memoryStack,
  }: Pick<ClusterParts, 'client' | 'kubeconfig' | 'namespace'> & Pick<ClusterOptions, 'memoryStack'>,
): Promise<string> {
  const [{ accountKubeconfig, accountToken }, { rbacManifests }] = await Promise.all([
    import('../../../edges/kubernetes/api/account.ts'),
    import('../../../edges/kubernetes/doctor/rbac.ts'),
  ])
  await apply(
    rbacManifests({ namespaces: [namespace], leaseNamespace: namespace, serviceAccount, memoryStacks: memoryStack }),
  )
  const account = { namespace, name: serviceAccount }
  const token = await accountToken((path, body) => client.ask('POST', path, { body }), account, tokenSeconds)
  return accountKubeconfig(kubeconfig, account, { token })
}

/** Killed as by a crash, and started again on its port over what etcd kept. */
function apiServerIn(folder: string, closes: Closes): { kill(): void } {
  let restarting: Promise<unknown> = Promise.resolve()
  closes(() => restarting)
  return {
    kill() {
      restarting = restarting
        .then(() => runScript('kube.sh', ['kill-api', folder]))
        .then(() => runScript('kube.sh', ['start-api', folder]))
        .catch(() => undefined)
    },
  }
}

async function startDatabase(servers: Servers): Promise<string> {
  // The server runs as a user that may not enter the folders of this one.
  const folder = await mkdtemp(join(tmpdir(), 'statewright-postgres-'))
  return servers.start('postgres.sh', folder).catch(async (error: unknown) => {
    await rm(folder, { recursive: true, force: true })
    throw new Error('pods of a cluster need PostgreSQL: install its server, or name one with DATABASE_URL', {
      cause: error,
    })
  })
}

async function applyAll(client: KubeClient, namespace: string, manifests: readonly object[]): Promise<void> {
  for (const manifest of manifests) {
    const { apiVersion, kind, metadata } = manifest as KubeObject
    const query = { fieldManager: 'statewright-demo', force: 'true', fieldValidation: 'Strict' }
    const plural = kindNamed(kind)?.plural ?? plurals[kind]!
    const where = { ...(withoutNamespace.includes(kind) ? {} : { namespace }), name: metadata.name }
    await client.ask('PATCH', pathOf({ apiVersion, plural }, where), { body: manifest, query, type: applyPatch })
  }
}

/** Claims of a Project and its Tasks are of this class; absent: of the cluster's own choice. */
function inClass(manifest: object, storageClassName: string | undefined): object {
  const { kind, spec } = manifest as KubeObject
  if (kind !== 'Project' || storageClassName === undefined) return manifest
  return { ...manifest, spec: { ...spec, workspace: { storageClass: storageClassName } } }
}
