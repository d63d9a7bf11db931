/**
 * LightRAG of a stack, of the full profile. Never two of them: what guards its pipeline is memory of one host. Its database is its
 * own, beside the service’s in the same PostgreSQL, under a role that reads no other.
 */
import { contentHash } from '../../forge/hash.ts'
import type { KubeObject } from '../api/api.ts'
import { secretText, type StackObjects } from './objects.ts'
import type { PartInput, Postgres } from './parts.ts'
import type { Graph } from './neo4j.ts'
import { madeOnce, type NewPassword } from './secrets.ts'
import type { StackSettings } from './settings.ts'
import { applyDeployment, applyService, emptyVolume, podTemplate, workloadWords } from './workload.ts'

const port = 9621
const user = 1000
const caFolder = '/run/statewright/ca'
/** Not `/app/data`, where the image has the ranks of its tokenizer: it would fetch them from the internet. */
const state = '/srv/state'

/** Role and API key. A new one is taken up wherever it counts, so no claim depends on it. */
export function lightragSecret(objects: StackObjects, newPassword: NewPassword): Promise<KubeObject> {
  const fields = () => ({
    type: 'kubernetes.io/basic-auth',
    // CloudNativePG sets the role’s password anew when it changes.
    labels: { 'cnpg.io/reload': 'true' },
    data: { username: 'lightrag', password: newPassword(), 'api-key': newPassword() },
  })
  return madeOnce(objects, objects.names.lightrag, { fields })
}

interface Engine {
  readonly troubles: readonly string[]
  readonly url: string
  readonly apiKey: string
}

/** `database`, `graph`: absent while they cannot be reached. A Deployment that is there stays as it is. */
export async function lightragOf(
  { objects, settings }: PartInput,
  secret: KubeObject,
  { database, graph }: { readonly database: Postgres['lightrag']; readonly graph: Graph | undefined },
): Promise<Engine> {
  const { names } = objects
  await applyService(objects, names.lightrag, 'lightrag', port)
  const deployment =
    database === undefined || graph === undefined
      ? await objects.own('Deployment', names.lightrag)
      : await applyDeployment(
          objects,
          names.lightrag,
          'lightrag',
          template(objects, settings, { secret, database, graph }),
        )
  const words =
    deployment === undefined
      ? 'it waits for its database and Neo4j'
      : await workloadWords(objects, deployment, 'lightrag')
  const url = `http://${names.lightrag}.${names.namespace}.svc:${port}`
  return { troubles: words === '' ? [] : [words], url, apiKey: secretText(secret, 'api-key') ?? '' }
}

interface Stores {
  readonly secret: KubeObject
  readonly database: NonNullable<Postgres['lightrag']>
  readonly graph: Graph
}

function template(objects: StackObjects, settings: StackSettings, { secret, database, graph }: Stores): object {
  const { names } = objects
  const { variables = {}, secretName } = settings.lightrag ?? {}
  const { ca } = database
  const ask = { httpGet: { path: '/health', port: 'main' }, timeoutSeconds: 5 }
  const ofCa = { name: 'ca', secret: { secretName: ca?.name, items: [{ key: ca?.key, path: 'ca.crt' }] } }
  return podTemplate(objects, settings, {
    ...{ part: 'lightrag', user, before: database.before },
    // It reads them at its start alone.
    annotations: { 'statewright.dev/secrets': contentHash(secret.data) },
    container: {
      ...{ image: settings.lightragImage, port, writesIntoImage: true },
      env: {
        ...variables,
        ...{ HOST: '0.0.0.0', PORT: `${port}`, LIGHTRAG_API_KEY: { secret: names.lightrag, key: 'api-key' } },
        // Unless set, everything below /api needs no key.
        WHITELIST_PATHS: '/health',
        ...{ WORKING_DIR: `${state}/storage`, INPUT_DIR: `${state}/inputs`, LOG_DIR: state },
        ...storages,
        ...{ POSTGRES_HOST: database.host, POSTGRES_PORT: '5432', POSTGRES_DATABASE: 'lightrag' },
        ...{ POSTGRES_USER: 'lightrag', POSTGRES_PASSWORD: { secret: names.lightrag, key: 'password' } },
        ...(ca === undefined ? {} : { POSTGRES_SSL_MODE: 'verify-full', POSTGRES_SSL_ROOT_CERT: `${caFolder}/ca.crt` }),
        ...{ NEO4J_URI: graph.url, NEO4J_USERNAME: 'neo4j', NEO4J_PASSWORD: { secret: names.neo4j, key: 'password' } },
        // Unless set, it asks the community edition for a database of another name.
        NEO4J_DATABASE: 'neo4j',
      },
      ...(secretName === undefined ? {} : { envFrom: [{ secretRef: { name: secretName } }] }),
      probes: {
        // The first start makes tables and indexes.
        startupProbe: { ...ask, periodSeconds: 5, failureThreshold: 120 },
        readinessProbe: { ...ask, periodSeconds: 5 },
        // An ingest can keep its loop busy for minutes.
        livenessProbe: { ...ask, periodSeconds: 30, failureThreshold: 20 },
      },
      mounts: { state, tmp: '/tmp', ...(ca === undefined ? {} : { ca: caFolder }) },
    },
    volumes: [emptyVolume('state'), emptyVolume('tmp'), ...(ca === undefined ? [] : [ofCa])],
  })
}

/** Nothing that matters is in files. */
const storages = {
  LIGHTRAG_KV_STORAGE: 'PGKVStorage',
  LIGHTRAG_VECTOR_STORAGE: 'PGVectorStorage',
  LIGHTRAG_DOC_STATUS_STORAGE: 'PGDocStatusStorage',
  LIGHTRAG_GRAPH_STORAGE: 'Neo4JStorage',
  POSTGRES_MAX_CONNECTIONS: '12',
}
