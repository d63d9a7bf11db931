/** The real memory service in a pod, over PostgreSQL in another. */
import { test } from 'vitest'
import { describeRequiring } from '../../testing/requires.ts'
import { clusters, databases, group, secrets, services } from './cluster.ts'
import { startMemory } from './testing/memory-service.ts'
import { catalog, postgresImage, withStack } from './testing/real-stack.ts'

const statefulSets = { apiVersion: 'apps/v1', plural: 'statefulsets' }

function setOf(storageClassName: string): object {
  const labels = { app: 'pg' }
  const claim = (name: string): object => ({
    metadata: { name },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName, resources: { requests: { storage: '1Gi' } } },
  })
  const container = {
    name: 'postgres',
    image: postgresImage,
    env: [
      { name: 'POSTGRES_USER', value: 'memory' },
      { name: 'POSTGRES_PASSWORD_FILE', value: '/secret/password' },
      { name: 'PGDATA', value: '/var/lib/postgresql/data/pgdata' },
      { name: 'POSTGRES_INITDB_WALDIR', value: '/var/lib/postgresql/wal/pg_wal' },
    ],
    ports: [{ name: 'postgres', containerPort: 5432 }],
    readinessProbe: { exec: { command: ['pg_isready', '-q', '-U', 'memory'] }, timeoutSeconds: 5 },
    securityContext: { readOnlyRootFilesystem: true },
    volumeMounts: [
      { name: 'data', mountPath: '/var/lib/postgresql/data' },
      { name: 'wal', mountPath: '/var/lib/postgresql/wal' },
      { name: 'run', mountPath: '/var/run/postgresql' },
      { name: 'secret', mountPath: '/secret' },
    ],
  }
  const spec = {
    automountServiceAccountToken: false,
    securityContext: { runAsUser: 999, runAsGroup: 999, fsGroup: 999 },
    containers: [container],
    volumes: [
      { name: 'run', emptyDir: {} },
      { name: 'secret', secret: { secretName: 'pg' } },
    ],
  }
  return {
    metadata: { name: 'pg' },
    spec: {
      serviceName: 'pg',
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec },
      volumeClaimTemplates: ['data', 'wal'].map(claim),
    },
  }
}

describeRequiring('stack', 'the memory service in a pod', () => {
  test('is ready over a plain StatefulSet of PostgreSQL with two claims', async () => {
    await withStack(async (stack) => {
      const { make, untilIs, storageClass } = stack
      const stringData = { password: 'p', uri: 'postgres://memory:p@pg:5432/memory' }
      await make(secrets, { metadata: { name: 'pg' }, stringData })
      await make(services, { metadata: { name: 'pg' }, spec: { selector: { app: 'pg' }, ports: [{ port: 5432 }] } })
      await make(statefulSets, setOf(storageClass))
      await untilIs(statefulSets, 'pg', (object) => object?.status?.['readyReplicas'] === 1)
      await startMemory(stack, { secret: 'pg' })
    })
  })

  test('is ready over a Cluster, as its owner, over TLS with the name verified', async () => {
    await withStack(async (stack) => {
      const { make, untilIs, storageClass } = stack
      const size = { size: '1Gi', storageClass }
      const spec = {
        instances: 1,
        imageCatalogRef: { kind: 'ClusterImageCatalog', name: catalog, major: 18 },
        bootstrap: { initdb: { database: 'memory', owner: 'memory' } },
        storage: size,
        walStorage: size,
        postgresql: { extensions: [{ name: 'pgvector' }] },
      }
      await make(clusters, { apiVersion: group, kind: 'Cluster', metadata: { name: 'mem' }, spec })
      const own = { cluster: { name: 'mem' }, name: 'memory', owner: 'memory', extensions: [{ name: 'vector' }] }
      await make(databases, { apiVersion: group, kind: 'Database', metadata: { name: 'mem-memory' }, spec: own })
      await untilIs(databases, 'mem-memory', (object) => object?.status?.['applied'] === true)
      await startMemory(stack, {
        secret: 'mem-app',
        query: '?sslmode=verify-full&sslrootcert=/ca/ca.crt',
        ca: 'mem-ca',
      })
    })
  })
})
