/** The memory service of a stack, as the chart runs one (deploy/chart/templates/memory.yaml). */
import { contentHash } from '../../forge/hash.ts'
import type { StackObjects } from './objects.ts'
import type { Postgres } from './parts.ts'
import type { StackSettings } from './settings.ts'
import { applyDeployment, emptyVolume, podTemplate } from './workload.ts'
import type { KubeObject } from '../api/api.ts'

export const servicePort = 8080
const user = 1000
const secretsFolder = '/run/statewright/secrets'
const stateFolder = '/var/lib/statewright'
const caFile = 'ca.crt'
/** Owner and group read. */
const secretMode = 0o440

/** What the chart’s policies select pods of memory services by. */
const usualLabels = { 'app.kubernetes.io/component': 'memory' }

export interface ServiceInput {
  readonly objects: StackObjects
  readonly settings: StackSettings
  readonly database: NonNullable<Postgres['memory']>
  /** Of the full profile. */
  readonly engine?: { readonly url: string; readonly apiKey: string }
  readonly graphUrl?: string
}

export function endpointOf({ names }: StackObjects): string {
  return `http://${names.service}.${names.namespace}.svc:${servicePort}`
}

export async function applyMemoryService(input: ServiceInput): Promise<KubeObject> {
  const { objects, settings, engine, graphUrl } = input
  const { names } = objects
  const data = {
    DATABASE_URL: databaseUrl(input.database),
    ...(engine === undefined ? {} : { ENGINE_API_KEY: engine.apiKey }),
    ...(graphUrl === undefined ? {} : { GRAPH_URL: graphUrl }),
  }
  await objects.apply('Secret', names.service, { data })
  const embeddings = engine === undefined ? settings.embeddings : undefined
  const secrets = [
    source(names.service, Object.keys(data)),
    ...(input.database.ca === undefined ? [] : [sourceAs(input.database.ca, caFile)]),
    ...(embeddings?.secret === undefined ? [] : [sourceAs(embeddings.secret, 'EMBEDDINGS_API_KEY')]),
  ]
  const files = [...Object.keys(data), ...(embeddings?.secret === undefined ? [] : ['EMBEDDINGS_API_KEY'])]
  const template = podTemplate(objects, settings, {
    ...{ part: 'service', user },
    labels: { ...(settings.servicePodLabels ?? usualLabels), 'statewright.dev/memory': names.service },
    // It reads them at its start alone.
    annotations: { 'statewright.dev/secrets': contentHash(data) },
    container: {
      ...{ image: settings.image, port: servicePort, args: ['memory'], probes },
      env: {
        ...plainSettings(input),
        ...Object.fromEntries(files.map((name) => [`${name}_FILE`, `${secretsFolder}/${name}`])),
      },
      mounts: { state: stateFolder, tmp: '/tmp', secrets: secretsFolder },
    },
    volumes: [
      ...[emptyVolume('state'), emptyVolume('tmp')],
      { name: 'secrets', projected: { defaultMode: secretMode, sources: secrets } },
    ],
  })
  return applyDeployment(objects, names.service, 'service', template)
}

const ask = (path: string): object => ({ httpGet: { path, port: 'main' }, timeoutSeconds: 5 })
const probes = {
  startupProbe: { ...ask('/readyz'), periodSeconds: 2, failureThreshold: 150 },
  readinessProbe: { ...ask('/readyz'), periodSeconds: 5 },
  livenessProbe: { ...ask('/healthz'), periodSeconds: 10, failureThreshold: 6 },
}

function plainSettings({ settings, engine, graphUrl }: ServiceInput): Readonly<Record<string, string>> {
  const { oidc, embeddings } = settings
  return {
    STATE_DIR: stateFolder,
    HTTP_ADDR: `0.0.0.0:${servicePort}`,
    OIDC_ISSUER: oidc.issuer,
    OIDC_AUDIENCE: oidc.audience,
    ...(oidc.tokenTypes === undefined ? {} : { OIDC_TOKEN_TYPES: oidc.tokenTypes }),
    ...(engine === undefined ? {} : { ENGINE_URL: engine.url }),
    // The stack looks at Neo4j and LightRAG itself. Without them the service still takes everything in.
    ...(engine === undefined && graphUrl === undefined ? {} : { READINESS_CHECKS: 'store' }),
    ...(engine !== undefined || embeddings === undefined
      ? {}
      : { EMBEDDINGS_URL: embeddings.url, EMBEDDINGS_MODEL: embeddings.model }),
  }
}

/** The operator’s address asks for no TLS. */
function databaseUrl({ url, ca }: ServiceInput['database']): string {
  if (ca === undefined) return url
  return `${url}${url.includes('?') ? '&' : '?'}sslmode=verify-full&sslrootcert=${secretsFolder}/${caFile}`
}

const source = (name: string, keys: readonly string[]): object => ({
  secret: { name, items: keys.map((key) => ({ key, path: key })) },
})
const sourceAs = ({ name, key }: { readonly name: string; readonly key: string }, path: string): object => ({
  secret: { name, items: [{ key, path }] },
})
