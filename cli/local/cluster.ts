/** A Kubernetes for one demo: a control plane, a kubelet that runs pods as processes here, and a namespace of its own. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { kindNamed } from '../../crd/kinds.ts'
import { applyPatch, pathOf, type KubeClient, type KubeObject } from '../../edges/kubernetes/api.ts'
import type { Opened } from '../../runtime/closing.ts'
import { programDir } from '../program.ts'
import { Supervisor } from './supervisor.ts'

export interface Cluster {
  /** Of the resources, the pods and the Lease. */
  readonly namespace: string
  /** An administrator's. */
  readonly client: KubeClient
  /** What the orchestrator gets of its environment. */
  readonly settings: Readonly<Record<string, string>>
  readonly apiServer: { kill(): void }
  readonly kubelet: Supervisor
  /** A server of its own, where the environment names none. */
  readonly databaseUrl: string
  /** Resources and Secrets, into the namespace. */
  apply(manifests: readonly object[]): Promise<void>
  stop(): Promise<void>
}

const namespace = 'statewright-demo'
/** The orchestrator has the rights that `statewright rbac` prints, and no others. */
const account = { namespace, name: 'statewright' }
const image = 'statewright.invalid/wrapper:demo'
/** Longer than any demo. */
const tokenSeconds = 24 * 3600
const startLimitMs = 300_000
/** A cold build on a machine that does other work too. */
const buildLimitMs = 45 * 60_000

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

type Closes = (close: () => Promise<unknown>) => void

interface ClusterOptions {
  readonly dir: string
  /** A line for people. */
  readonly write: (text: string) => void
  readonly opened: Opened
}

/** What it opened is closed by `stop`, and by the caller where a later part of the start fails. */
export async function startCluster({ dir, write, opened }: ClusterOptions): Promise<Cluster> {
  const [{ createKubeClient }, { accountKubeconfig, accountToken }, { rbacManifests }] = await Promise.all([
    import('../../edges/kubernetes/client.ts'),
    import('../../edges/kubernetes/account.ts'),
    import('../../edges/kubernetes/rbac.ts'),
  ])
  const closing: (() => Promise<unknown>)[] = []
  const closes: Closes = (close) => {
    closing.unshift(close)
    opened(async () => void (await close()))
  }
  const databaseUrl = process.env['DATABASE_URL'] || (await startDatabase(closes))
  await buildServers(write)
  const kube = join(dir, 'kubernetes')
  await mkdir(kube, { recursive: true })
  closes(() => script('kube.sh', ['stop', kube]))
  const kubeconfig = await script('kube.sh', ['start', kube], { KUBE_CRDS: join(programDir, 'crd', 'generated') })
  const client = createKubeClient({ kubeconfig })
  closes(() => client.close())
  const apply = (manifests: readonly object[]) => applyAll(client, manifests)
  await apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, storageClass])
  await apply(rbacManifests({ namespaces: [namespace], leaseNamespace: namespace, serviceAccount: account.name }))
  const own = join(dir, 'kubeconfig')
  const token = await accountToken((path, body) => client.ask('POST', path, { body }), account, tokenSeconds)
  await writeFile(own, accountKubeconfig(kubeconfig, account, { token }), { mode: 0o600 })
  const kubelet = await startKubelet(dir, kubeconfig, closes)
  return {
    namespace,
    client,
    databaseUrl,
    apply,
    kubelet,
    apiServer: apiServerIn(kube, closes),
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
    },
  }
}

/** Of the controller manager: folders of this machine. */
const storageClass = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: namespace, annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
  provisioner: 'kubernetes.io/host-path',
}

/** A program of its own: whoever kills it ends none of its pods, and the next one adopts them. */
async function startKubelet(dir: string, kubeconfig: string, closes: Closes): Promise<Supervisor> {
  const settings = {
    kubeconfig,
    root: join(dir, 'kubelet'),
    node: 'demo',
    namespaces: [namespace],
    images: { [image]: wrapperImage() },
    programs: [programDir],
  }
  const file = join(dir, 'kubelet.json')
  await writeFile(file, JSON.stringify(settings))
  const isReady = Promise.withResolvers<void>()
  const log = join(dir, 'kubelet.log')
  const kubelet = new Supervisor({
    command: [process.execPath, join(programDir, 'standins', 'kubelet', 'main.ts'), file],
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: process.env['HOME'] ?? '/root' },
    cwd: dir,
    logFile: log,
    onLine: ({ msg }) => {
      if (msg === 'ready') isReady.resolve()
    },
    onFailed: (code) =>
      isReady.reject(new Error(`the kubelet ended with ${code} before it was ready; its log is ${log}`)),
  })
  closes(() => kubelet.stop())
  kubelet.start()
  await isReady.promise
  return kubelet
}

/** Killed as by a crash, and started again on its port over what etcd kept. */
function apiServerIn(folder: string, closes: Closes): Cluster['apiServer'] {
  let restarting: Promise<unknown> = Promise.resolve()
  closes(() => restarting)
  return {
    kill() {
      restarting = restarting
        .then(() => script('kube.sh', ['kill-api', folder]))
        .then(() => script('kube.sh', ['start-api', folder]))
        .catch(() => undefined)
    },
  }
}

/** As the image has them: its Node among the programs, its status line where the contract says. */
function wrapperImage(): readonly string[] {
  const start = 'PATH="$1:$PATH" STATUSLINE_PATH="$2" exec "$3" "$4" wrapper'
  const statusLine = join(programDir, 'wrapper', 'usage', 'statusline.mjs')
  const program = join(programDir, 'bin', 'statewright.mjs')
  return ['/bin/sh', '-c', start, 'wrapper', dirname(process.execPath), statusLine, process.execPath, program]
}

async function startDatabase(closes: Closes): Promise<string> {
  // The server runs as a user that may not enter the folders of this one.
  const folder = await mkdtemp(join(tmpdir(), 'statewright-postgres-'))
  closes(() => script('postgres.sh', ['stop', folder]))
  return script('postgres.sh', ['start', folder]).catch(async (error: unknown) => {
    await rm(folder, { recursive: true, force: true })
    throw new Error('pods of a cluster need PostgreSQL: install its server, or name one with DATABASE_URL', {
      cause: error,
    })
  })
}

/** Once for a machine: kube.sh keeps what it built. */
async function buildServers(write: (text: string) => void): Promise<void> {
  const isThere = await script('kube.sh', ['find']).then(
    () => true,
    () => false,
  )
  if (isThere) return
  write('building the API server from Go modules, once for this machine: about 4 minutes of two idle cores')
  await script('kube.sh', ['build'], {}, buildLimitMs)
}

/** The last line that one of the repository's scripts prints. */
async function script(
  name: string,
  parameters: readonly string[],
  environment: object = {},
  timeout = startLimitMs,
): Promise<string> {
  const path = join(programDir, '.ci', name)
  if (!existsSync(path)) throw new Error(`there is no ${path}: --kubernetes runs from a clone of the repository`)
  const { stdout } = await promisify(execFile)('bash', [path, ...parameters], {
    env: { ...process.env, ...environment },
    timeout,
    maxBuffer: 64 * 1024 * 1024,
  })
  return stdout.trim().split('\n').at(-1) ?? ''
}

async function applyAll(client: KubeClient, manifests: readonly object[]): Promise<void> {
  for (const manifest of manifests) {
    const { apiVersion, kind, metadata } = manifest as KubeObject
    const query = { fieldManager: 'statewright-demo', force: 'true', fieldValidation: 'Strict' }
    const plural = kindNamed(kind)?.plural ?? plurals[kind]!
    const where = { ...(withoutNamespace.includes(kind) ? {} : { namespace }), name: metadata.name }
    await client.ask('PATCH', pathOf({ apiVersion, plural }, where), { body: manifest, query, type: applyPatch })
  }
}
