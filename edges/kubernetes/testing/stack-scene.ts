/** Memory stacks over a server in the test's memory. The test plays kubelet and CloudNativePG. */
import type { StackSight, StackWanted } from '../../../machines/memory-stack/events.ts'
import { pathOf, type KubeObject } from '../api/api.ts'
import { stackKinds, type StackKind } from '../memory-stack/objects.ts'
import { createClusterStacks } from '../memory-stack/reconcile.ts'
import type { StackSettings } from '../memory-stack/settings.ts'
import type { Stored } from '../memory-stack/volumes.ts'
import { MemoryServer } from './memory-server.ts'

export const light: StackWanted = {
  ...{ profile: 'light', pgInstances: 1, pgStorage: '10Gi', pgWalStorage: '8Gi', neo4jStorage: '10Gi', fills: true },
}

export const stackSettings: StackSettings = {
  ...{ image: 'statewright-memory:v0', postgresImage: 'pgvector/pgvector:pg17', neo4jImage: 'neo4j:5.26-community' },
  ...{ lightragImage: 'hkuds/lightrag:v1.4.9.7', oidc: { issuer: 'https://id.test', audience: 'memory' } },
}

export interface StackScene {
  readonly server: MemoryServer
  look(wanted?: Partial<StackWanted>, project?: string): Promise<StackSight>
  end(project?: string): Promise<StackSight>
  get(kind: StackKind, name: string): KubeObject | undefined
  put(kind: StackKind, name: string, change: object): KubeObject
  /** Kinds and names of what was written since the last call. */
  writes(): readonly string[]
  /** Each Deployment and StatefulSet has a ready pod of its newest generation. */
  run(): void
  installOperator(): void
  /** What CloudNativePG makes of a Cluster and its Databases, until all is whole. */
  operate(status?: object): void
}

const namespace = 'default'
export const pathTo = (kind: StackKind, name: string): string => pathOf(stackKinds[kind], { namespace, name })

export const ready = { phase: 'Cluster in healthy state', currentPrimary: 'mem-demo-1' }
export const isReady = (type: string): object => ({ conditions: [{ type, status: 'True' }] })

export function stackScene(
  settings: Partial<StackSettings> = {},
  storedAt: () => Promise<Stored> = async () => ({}),
): StackScene {
  const server = new MemoryServer()
  let passwords = 0
  const newPassword = (): string => `password-${++passwords}`
  const stacks = createClusterStacks({
    ...{ client: server, settings: { ...stackSettings, ...settings }, newPassword, storedAt },
  })
  const { signal } = new AbortController()
  const get = (kind: StackKind, name: string) => server.get(pathTo(kind, name))
  const put = (kind: StackKind, name: string, change: object): KubeObject =>
    server.put(pathTo(kind, name), { kind, ...change })
  return {
    server,
    get,
    put,
    look: (wanted = {}, project = 'default/demo') => stacks.reconcile(project, { ...light, ...wanted }, signal),
    end: (project = 'default/demo') => stacks.end(project, signal),
    writes() {
      const written = server.calls.filter(({ method }) => method !== 'GET')
      server.calls.length = 0
      return written.map(({ method, path }) => `${method} ${path.split('/').slice(-2).join('/')}`)
    },
    run() {
      for (const { kind, metadata } of server.all())
        if (kind === 'Deployment' || kind === 'StatefulSet')
          put(kind, metadata.name, {
            status: { observedGeneration: metadata.generation, readyReplicas: 1, updatedReplicas: 1 },
          })
    },
    installOperator: () => void server.put('/apis/postgresql.cnpg.io/v1', { kind: 'APIResourceList' }),
    operate(status = {}) {
      for (const { kind, metadata, spec } of server.all()) {
        const { generation: observedGeneration, name, labels } = metadata
        if (kind === 'Database') put(kind, name, { status: { applied: true, observedGeneration } })
        if (kind !== 'Cluster') continue
        const instances = Number(spec?.['instances'])
        put(kind, name, { status: { ...ready, readyInstances: instances, ...isReady('Ready'), ...status } })
        const uri = `postgresql://memory:of-operator@${name}-rw.default:5432/memory`
        put('Secret', `${name}-app`, { metadata: { labels }, data: { uri: Buffer.from(uri).toString('base64') } })
      }
    },
  }
}

/** As CloudNativePG marks one. */
export function clusterClaim({ put }: StackScene, name: string, role: 'PG_DATA' | 'PG_WAL', size: string): KubeObject {
  return put('PersistentVolumeClaim', name, {
    metadata: { labels: { 'cnpg.io/cluster': 'mem-demo', 'cnpg.io/pvcRole': role } },
    spec: { resources: { requests: { storage: size } } },
    status: { phase: 'Bound', capacity: { storage: size } },
  })
}

/** Plain text of a Secret. */
export function textOf(secret: KubeObject | undefined, key: string): string {
  return Buffer.from(secret?.data?.[key] ?? '', 'base64').toString()
}
