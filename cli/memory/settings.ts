/** The memory service's settings (RESOURCE-RULE-6): read once from the environment, every fault told at once. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { defaultAlgorithms, isAsymmetric, type AsymmetricAlgorithm } from '../../http/auth/claims.ts'
import { readinessChecks, serviceDefaults, type ReadinessCheck } from '../../memory/service.ts'
import { pgDefaults } from '../../runtime/store/postgres/pg-sql.ts'
import { EnvironmentReader, type Address, type Environment } from '../../wrapper/boot/environment.ts'
import { SettingsError } from '../../orchestrator/settings/settings.ts'

export interface MemorySettings {
  readonly stateDir: string
  /** Empty: the embedded store below `stateDir`. */
  readonly databaseUrl: string
  readonly databaseAnswerMs: number
  readonly http: Address
  readonly basePath: string
  readonly openDocuments: boolean
  readonly oidc: {
    readonly issuer: string
    readonly audience: string
    readonly algorithms: readonly AsymmetricAlgorithm[]
    /** Accepted values of `typ`. */
    readonly types: readonly string[]
  }
  /** LightRAG; an empty url: the embedded engine. */
  readonly engine: { readonly url: string; readonly apiKey: string }
  /** Of the embedded engine; an empty url: none. */
  readonly embeddings: { readonly url: string; readonly model: string; readonly apiKey: string }
  /** Neo4j over Bolt; an empty url: the code graph lies in the store. */
  readonly graph: {
    /** With user and password. */
    readonly url: string
    /** Keeps this Project's graphs apart from others on the same server; empty: the id of its own database. */
    readonly space: string
  }
  readonly checks: readonly ReadinessCheck[]
  readonly itemTimeoutMs: number
  readonly poolSize: number
  readonly logLevel: string
}

export function readMemorySettings(env: Environment): MemorySettings {
  const read = new EnvironmentReader(env, (path) => readFileSync(path, 'utf8'))
  const settings: MemorySettings = {
    ...readStoreSettings(read),
    http: read.address('HTTP_ADDR', '127.0.0.1:8081'),
    basePath: read.text('BASE_PATH', '').replace(/\/+$/, ''),
    openDocuments: read.oneOf('OPEN_DOCUMENTS', ['true', 'false'], 'false') === 'true',
    oidc: {
      issuer: read.requiredUrl('OIDC_ISSUER'),
      audience: read.required('OIDC_AUDIENCE'),
      algorithms: listOf(read, 'OIDC_ALGORITHMS', defaultAlgorithms, isAsymmetric),
      types: listOf(read, 'OIDC_TOKEN_TYPES', accessTokenTypes, isTokenType),
    },
    checks: listOf(read, 'READINESS_CHECKS', readinessChecks, isCheck),
    itemTimeoutMs: read.seconds('INGEST_ITEM_TIMEOUT', serviceDefaults.itemTimeoutMs / 1000, 1),
    poolSize: read.integer('WORKER_POOL_SIZE', serviceDefaults.poolSize, 1),
    logLevel: read.text('LOG_LEVEL', 'info'),
  }
  if (settings.basePath !== '' && !/^(\/[A-Za-z0-9._~-]+)+$/.test(settings.basePath))
    read.fault('BASE_PATH must be a path such as /api/v1/memory')
  refuse(read)
  return settings
}

export type MemoryStoreSettings = Pick<
  MemorySettings,
  'stateDir' | 'databaseUrl' | 'databaseAnswerMs' | 'engine' | 'embeddings' | 'graph'
>

/** What `memory rebuild` needs: where the truth lies, and what is filled from it. */
export function readRebuildSettings(env: Environment): MemoryStoreSettings & { readonly logLevel: string } {
  const read = new EnvironmentReader(env, (path) => readFileSync(path, 'utf8'))
  const settings = { ...readStoreSettings(read), logLevel: read.text('LOG_LEVEL', 'info') }
  refuse(read)
  return settings
}

function readStoreSettings(read: EnvironmentReader): MemoryStoreSettings {
  const graphUrl = read.secret('GRAPH_URL') ?? ''
  if (graphUrl !== '' && !/^(bolt|neo4j)(\+s|\+ssc)?:\/\/./.test(graphUrl))
    read.fault('GRAPH_URL must be a bolt or neo4j URL')
  return {
    stateDir: resolve(read.text('STATE_DIR', '.statewright/memory')),
    databaseUrl: read.secret('DATABASE_URL') ?? '',
    databaseAnswerMs: read.seconds('DATABASE_ANSWER_SECONDS', pgDefaults.answerMs / 1000, 1),
    engine: { url: read.url('ENGINE_URL'), apiKey: read.secret('ENGINE_API_KEY') ?? '' },
    embeddings: {
      url: read.url('EMBEDDINGS_URL'),
      model: read.has('EMBEDDINGS_URL') ? read.required('EMBEDDINGS_MODEL') : '',
      apiKey: read.secret('EMBEDDINGS_API_KEY') ?? '',
    },
    graph: { url: graphUrl, space: read.text('GRAPH_SPACE', '') },
  }
}

/** RFC 9068. Keycloak, Entra ID and Zitadel send `JWT`, which an ID token has too: that is for whoever runs them to allow. */
const accessTokenTypes = ['at+jwt']

function isTokenType(text: string): text is string {
  return /^(application\/)?[a-z0-9.+-]+$/i.test(text)
}

function isCheck(text: string): text is ReadinessCheck {
  return (readinessChecks as readonly string[]).includes(text)
}

function listOf<T extends string>(
  read: EnvironmentReader,
  name: string,
  fallback: readonly T[],
  fits: (text: string) => text is T,
): readonly T[] {
  if (!read.has(name)) return fallback
  const given = read
    .text(name, '')
    .split(',')
    .map((text) => text.trim())
  for (const text of given) if (!fits(text)) read.fault(`${name}: ${text} is not a known value`)
  return given.filter(fits)
}

function refuse(read: EnvironmentReader): void {
  if (read.faults.length > 0)
    throw new SettingsError(`the memory service cannot start:\n${read.faults.map((fault) => `- ${fault}`).join('\n')}`)
}
