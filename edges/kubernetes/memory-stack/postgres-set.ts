/**
 * PostgreSQL of the stack’s own, one pod. Its claims are objects of the stack and no templates of the StatefulSet, which never
 * change: so they grow by themselves, and outlive it.
 */
import type { StackNames } from './names.ts'
import { ensureClaim } from './claims.ts'
import { RefusedError, secretText } from './objects.ts'
import type { PartInput, Postgres } from './parts.ts'
import { madeOnce } from './secrets.ts'
import {
  applyService,
  applySet,
  claimVolume,
  containerSecurity,
  emptyVolume,
  mountsOf,
  podTemplate,
  pulling,
  variables,
  workloadWords,
} from './workload.ts'

const port = 5432
/** Of the Debian image. */
const user = 999
/** Database and owner. */
const database = 'memory'
/** Outside of what the images call volumes: their places differ from 18 on. */
const [data, wal] = ['/srv/data', '/srv/wal']

export const dataClaim = ({ postgres }: StackNames): string => `${postgres}-data`
export const walClaim = ({ postgres }: StackNames): string => `${postgres}-wal`

/** @throws RefusedError where more than one instance is wanted, and none is there. */
export async function postgresSet(input: PartInput): Promise<Postgres> {
  const { objects, settings, wanted, newPassword } = input
  const { names } = objects
  const instances = wanted.pgInstances > 1 ? [`${wanted.pgInstances} instances need CloudNativePG`] : []
  const isThere = (await objects.own('PersistentVolumeClaim', dataClaim(names))) !== undefined
  if (instances.length > 0 && !isThere) throw new RefusedError(instances.join())
  const fields = () => ({ data: { username: database, password: newPassword() } })
  const secret = await madeOnce(objects, names.postgres, { claim: dataClaim(names), fields })
  const { storageClass } = settings
  const sizes = [
    await ensureClaim(objects, { name: dataClaim(names), size: wanted.pgStorage, storageClass }),
    await ensureClaim(objects, { name: walClaim(names), size: wanted.pgWalStorage, storageClass }),
  ]
  await applyService(objects, names.postgres, 'postgres', port)
  const set = await applySet(objects, names.postgres, 'postgres', template(input))
  const words = await workloadWords(objects, set, 'postgres')
  const password = encodeURIComponent(secretText(secret, 'password') ?? '')
  const host = `${names.postgres}.${names.namespace}.svc`
  return {
    troubles: [words, ...instances, ...sizes].filter((each) => each !== ''),
    memory: { url: `postgres://${database}:${password}@${host}:${port}/${database}` },
    ...(wanted.profile === 'full' ? { lightrag: { host, before: [lightragDatabase(input, host)] } } : {}),
  }
}

function template({ objects, settings }: PartInput): object {
  const { names } = objects
  // While the image sets the database up, and only then, the server listens at no address.
  const listens = { tcpSocket: { port: 'main' }, timeoutSeconds: 5 }
  const accepts = {
    exec: { command: ['pg_isready', '-q', '-U', database, '-d', database] },
    timeoutSeconds: 5,
  }
  return podTemplate(objects, settings, {
    ...{ part: 'postgres', user, graceSeconds: 120 },
    container: {
      ...{ image: settings.postgresImage, port },
      env: {
        ...{ POSTGRES_USER: database, POSTGRES_DB: database, PGDATA: `${data}/pgdata` },
        // Read at the first start of an empty claim alone.
        ...{ POSTGRES_INITDB_WALDIR: `${wal}/pgwal`, POSTGRES_INITDB_ARGS: '--data-checksums' },
        POSTGRES_PASSWORD: { secret: names.postgres, key: 'password' },
      },
      probes: {
        // A first start takes its time.
        startupProbe: { ...listens, periodSeconds: 5, failureThreshold: 120 },
        readinessProbe: { ...accepts, periodSeconds: 5 },
        // One that recovers after a crash accepts nobody, for as long as that takes.
        livenessProbe: { ...listens, periodSeconds: 10, failureThreshold: 6 },
      },
      mounts: { data, wal, run: '/var/run/postgresql', tmp: '/tmp' },
    },
    volumes: [
      ...[claimVolume('data', dataClaim(names)), claimVolume('wal', walClaim(names))],
      ...[emptyVolume('run'), emptyVolume('tmp')],
    ],
  })
}

/** Done anew at each start of LightRAG: it changes nothing that is there but the password. */
const lightragSql = String.raw`\getenv password LIGHTRAG_PASSWORD
select 'create role lightrag' where not exists (select from pg_roles where rolname = 'lightrag') \gexec
alter role lightrag login password :'password';
select 'create database lightrag owner lightrag' where not exists (select from pg_database where datname = 'lightrag') \gexec
\connect lightrag
create extension if not exists vector;
`

function lightragDatabase({ objects: { names }, settings }: PartInput, host: string): object {
  return {
    ...{ name: 'database', image: settings.postgresImage, ...pulling(settings) },
    command: ['sh', '-c', 'printf %s "$LIGHTRAG_SQL" | psql -X -v ON_ERROR_STOP=1'],
    env: variables({
      ...{ PGHOST: host, PGUSER: database, PGDATABASE: database, PGCONNECT_TIMEOUT: '10', LIGHTRAG_SQL: lightragSql },
      PGPASSWORD: { secret: names.postgres, key: 'password' },
      LIGHTRAG_PASSWORD: { secret: names.lightrag, key: 'password' },
    }),
    securityContext: { ...containerSecurity(true), runAsUser: user, runAsGroup: user },
    volumeMounts: mountsOf({ tmp: '/tmp' }),
  }
}
