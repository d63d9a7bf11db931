/** What the operator makes for a Cluster. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { KubeObject } from '../../edges/kubernetes/api/api.ts'
import type { Pair } from './certificates.ts'
import { clusterLabel, group, roleLabel, slotOf, type Cluster } from './cluster.ts'

type Labels = Readonly<Record<string, string>>
type Manifest = Pick<KubeObject, 'apiVersion' | 'kind'> & { readonly metadata: { readonly name: string } }

const specAnnotation = 'standin.invalid/spec'
/** `kubectl cnpg restart` writes it on the Cluster. */
const restartAnnotation = 'kubectl.kubernetes.io/restartedAt'
const port = 5432
const paths = {
  data: '/var/lib/postgresql/data',
  wal: '/var/lib/postgresql/wal',
  certificates: '/controller/certificates',
}

function metadataOf({ metadata, spec }: Cluster, name: string, labels: Labels = {}, annotations: Labels = {}) {
  const { name: owner, namespace, uid } = metadata
  return {
    name,
    namespace,
    labels: { ...spec.inheritedMetadata?.labels, [clusterLabel]: owner, ...labels },
    annotations: { ...spec.inheritedMetadata?.annotations, ...annotations },
    ownerReferences: [
      { apiVersion: group, kind: 'Cluster', name: owner, uid, controller: true, blockOwnerDeletion: true },
    ],
  }
}

export function appSecret(cluster: Cluster, password: string): Manifest {
  const { name, namespace } = cluster.metadata
  const { database: dbname, owner: username } = cluster.spec.bootstrap.initdb
  const host = `${name}-rw`
  const fqdn = `${host}.${namespace}.svc.cluster.local`
  const uri = (at: string): string => `postgresql://${encodeURIComponent(username)}:${password}@${at}:${port}/${dbname}`
  const jdbc = (at: string): string => `jdbc:postgresql://${at}:${port}/${dbname}?password=${password}&user=${username}`
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: metadataOf(cluster, `${name}-app`, { 'cnpg.io/reload': 'true', 'cnpg.io/userType': 'app' }),
    type: 'kubernetes.io/basic-auth',
    stringData: {
      username,
      user: username,
      password,
      dbname,
      host,
      port: `${port}`,
      pgpass: `${host}:${port}:${dbname}:${username}:${password}\n`,
      uri: uri(`${host}.${namespace}`),
      'jdbc-uri': jdbc(`${host}.${namespace}`),
      'fqdn-uri': uri(fqdn),
      'fqdn-jdbc-uri': jdbc(fqdn),
    },
  } as Manifest
}

export function authoritySecret(cluster: Cluster, { cert, key }: Pair): Manifest {
  const metadata = metadataOf(cluster, `${cluster.metadata.name}-ca`)
  return { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { 'ca.crt': cert, 'ca.key': key } } as Manifest
}

export function pairSecret(cluster: Cluster, suffix: string, { cert, key }: Pair): Manifest {
  const metadata = metadataOf(cluster, `${cluster.metadata.name}-${suffix}`)
  const stringData = { 'tls.crt': cert, 'tls.key': key }
  return { apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/tls', metadata, stringData } as Manifest
}

/** Of the server: those by which its Services lead to it. */
export function serverNames({ metadata: { name, namespace } }: Cluster): readonly string[] {
  return ['rw', 'r', 'ro'].flatMap((kind) =>
    ['', `.${namespace}`, `.${namespace}.svc`, `.${namespace}.svc.cluster.local`].map((end) => `${name}-${kind}${end}`),
  )
}

export function servicesOf(cluster: Cluster): readonly Manifest[] {
  const { name } = cluster.metadata
  const disabled = cluster.spec.managed?.services?.disabledDefaultServices ?? []
  const selectors = {
    rw: { [roleLabel]: 'primary' },
    r: { 'cnpg.io/podRole': 'instance' },
    ro: { [roleLabel]: 'replica' },
  }
  return Object.entries(selectors)
    .filter(([kind]) => !disabled.includes(kind))
    .map(([kind, own]): Manifest & { readonly spec: object } => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: metadataOf(cluster, `${name}-${kind}`),
      spec: { selector: { [clusterLabel]: name, ...own }, ports: [{ name: 'postgres', port, targetPort: port }] },
    }))
}

export interface WantedClaim {
  readonly name: string
  readonly size: string
  readonly canGrow: boolean
  readonly manifest: Manifest
}

export function claimsOf(cluster: Cluster, instance: string): readonly WantedClaim[] {
  const { storage, walStorage } = cluster.spec
  const canGrow = storage.resizeInUseVolumes && walStorage?.resizeInUseVolumes !== false
  const parts = [
    { name: instance, role: 'PG_DATA', ...storage },
    ...(walStorage === undefined ? [] : [{ name: `${instance}-wal`, role: 'PG_WAL', ...walStorage }]),
  ]
  return parts.map(({ name, role, size, storageClass }) => {
    const metadata = metadataOf(cluster, name, { 'cnpg.io/instanceName': instance, 'cnpg.io/pvcRole': role })
    const ofClass = storageClass === undefined ? {} : { storageClassName: storageClass }
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: size } }, ...ofClass }
    const manifest = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata, spec }
    return { name, size, canGrow, manifest }
  })
}

/** What a pod must be made anew for; `parameters` alone restart the server in place on a real cluster. */
export function printsOf(
  { metadata, spec }: Cluster,
  image: string,
): { readonly pod: string; readonly parameters: string } {
  const { resources, walStorage, postgresql } = spec
  const print = (value: unknown): string =>
    createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16)
  const restarted = metadata.annotations?.[restartAnnotation]
  return {
    pod: print([image, resources, walStorage !== undefined, restarted, postgresql.extensions]),
    parameters: print(postgresql.parameters),
  }
}

export function printsOfPod({ metadata }: KubeObject): Partial<ReturnType<typeof printsOf>> {
  return JSON.parse(metadata.annotations?.[specAnnotation] ?? '{}') as Partial<ReturnType<typeof printsOf>>
}

export interface Instance {
  readonly name: string
  readonly image: string
  /** Of a primary it comes once the database of the application is there: `-rw` leads to it from then on. */
  readonly role?: 'replica'
}

/** How a standby reaches its primary. */
function primaryOf({ metadata }: Cluster, instance: string): string {
  const tls = paths.certificates
  const files = { sslcert: 'streaming_replica.crt', sslkey: 'streaming_replica.key', sslrootcert: 'ca.crt' }
  const own = Object.entries(files).map(([key, file]) => `${key}=${tls}/${file}`)
  const host = `host=${metadata.name}-rw port=${port} user=streaming_replica connect_timeout=5 sslmode=verify-full`
  return [host, ...own, `application_name=${instance}`].join(' ')
}

export function podOf(cluster: Cluster, { name, image, role }: Instance): Manifest {
  const { spec, metadata } = cluster
  const { walStorage, postgresUID: runAsUser, postgresGID: runAsGroup, resources = {} } = spec
  const wal = walStorage === undefined ? [] : [{ name: 'pg-wal', mountPath: paths.wal }]
  const tls = paths.certificates
  const parameters = {
    ssl: 'on',
    ssl_cert_file: `${tls}/tls.crt`,
    ssl_key_file: `${tls}/tls.key`,
    ssl_ca_file: `${tls}/ca.crt`,
    hba_file: join(import.meta.dirname, 'pg_hba.conf'),
    // Of a primary too, which may be a standby later.
    primary_conninfo: primaryOf(cluster, name),
    primary_slot_name: slotOf(name),
    ...spec.postgresql.parameters,
  }
  const env = {
    PGDATA: `${paths.data}/pgdata`,
    PRIMARY: primaryOf(cluster, name),
    PRIMARY_SLOT: slotOf(name),
    // Nobody comes in without a certificate or a password: pg_hba.conf.
    POSTGRES_HOST_AUTH_METHOD: 'trust',
    ...(walStorage === undefined ? {} : { POSTGRES_INITDB_WALDIR: `${paths.wal}/pg_wal` }),
    ...(spec.bootstrap.initdb.dataChecksums === true ? { POSTGRES_INITDB_ARGS: '--data-checksums' } : {}),
  }
  const container = {
    name: 'postgres',
    image,
    args: Object.entries(parameters).flatMap(([key, value]) => ['-c', `${key}=${value}`]),
    env: [
      ...Object.entries(env).map(([key, value]) => ({ name: key, value })),
      // Read at each start: a standby that was promoted is none any more.
      { name: 'INSTANCE_ROLE', valueFrom: { fieldRef: { fieldPath: `metadata.labels['${roleLabel}']` } } },
    ],
    ports: [{ name: 'postgresql', containerPort: port }],
    resources,
    readinessProbe: { exec: { command: ['pg_isready', '-q', '-U', 'postgres'] }, timeoutSeconds: 5 },
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      readOnlyRootFilesystem: true,
    },
    volumeMounts: [
      { name: 'pgdata', mountPath: paths.data },
      ...wal,
      { name: 'scratch-data', mountPath: '/var/run/postgresql' },
      { name: 'certificates', mountPath: tls },
    ],
  }
  const certificates = [
    { secret: { name: `${metadata.name}-server` } },
    { secret: { name: `${metadata.name}-ca`, items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
    {
      secret: {
        name: `${metadata.name}-replication`,
        items: ['crt', 'key'].map((end) => ({ key: `tls.${end}`, path: `streaming_replica.${end}` })),
      },
    },
  ]
  const labels = {
    'cnpg.io/instanceName': name,
    'cnpg.io/podRole': 'instance',
    ...(role === undefined ? {} : { [roleLabel]: role }),
  }
  const manifest = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: metadataOf(cluster, name, labels, { [specAnnotation]: JSON.stringify(printsOf(cluster, image)) }),
    spec: {
      hostname: name,
      containers: [container],
      enableServiceLinks: false,
      automountServiceAccountToken: false,
      securityContext: {
        runAsNonRoot: true,
        runAsUser,
        runAsGroup,
        fsGroup: runAsGroup,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      volumes: [
        { name: 'pgdata', persistentVolumeClaim: { claimName: name } },
        ...(wal.length === 0 ? [] : [{ name: 'pg-wal', persistentVolumeClaim: { claimName: `${name}-wal` } }]),
        { name: 'scratch-data', emptyDir: {} },
        { name: 'certificates', projected: { sources: certificates, defaultMode: 0o600 } },
      ],
    },
  }
  return manifest
}
