/** The orchestrator's settings (RESOURCE-RULE-6): read once from the environment, every fault told at once. */
import { Type } from 'typebox'
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import type { RetentionPolicy } from '../runtime/journal/retention.ts'
import { pgDefaults } from '../runtime/store/postgres/pg-sql.ts'
import { EnvironmentReader, type Address, type Environment } from '../wrapper/boot/environment.ts'
import { installedCli } from './main.ts'

export interface OrchestratorSettings {
  readonly stateDir: string
  /** What pods of this machine may not see; the state is in it. */
  readonly coveredDir: string
  /** Empty: the embedded store below `stateDir`. */
  readonly databaseUrl: string
  /** How long the server of `databaseUrl` may take for one statement. */
  readonly databaseAnswerMs: number
  readonly http: Address
  readonly internal: Address
  /** Of all schedules (SCHEDULE-2). */
  readonly cronTimeZone: string
  /** What forges and people reach us by; empty: the listener itself. */
  readonly publicUrl: string
  readonly oidc: {
    readonly issuer: string
    readonly audience: string
    readonly wrapperAudience: string
    readonly clientId: string
    readonly clientSecret: string
  }
  /** One memory service a Project (MEMORY-RULE-8), by the Project's name; how the wrappers of pods prove themselves there. */
  readonly memory: {
    readonly urls: Readonly<Record<string, string>>
    readonly audience: string
    readonly clientId: string
    readonly clientSecret: string
  }
  readonly modelBaseUrl: string
  readonly modelKey: string
  readonly oauthToken: string
  readonly agentCli: readonly string[]
  readonly isolation: 'auto' | 'required' | 'none'
  /** Whether an agent's commands are kept from its CLI and its wrapper (decisions/0028). */
  readonly seclusion: 'auto' | 'required' | 'none'
  readonly logLevel: string
  readonly retention: RetentionPolicy
  /** Between two walks over the journals. */
  readonly retentionEveryMs: number
  /** Where OpenTelemetry spans go, as a base URL; empty: nothing is traced. */
  readonly otlpEndpoint: string
  /** Alerts that may wait in the queue of one Project; their sender keeps the others. */
  readonly mostWaitingAlerts: number
  /** A comment on the forge says how each Task stands. */
  readonly standingComments: boolean
  readonly userHome: string
}

export class SettingsError extends Error {
  override readonly name = 'SettingsError'
}

/** A connection that is silent for longer is not slow. */
const mostAnswerMs = 600_000

/** Project names to addresses. */
const MemoryUrls = Type.Record(Type.String(), Type.String({ pattern: '^https?://[^\\s]+$' }))

const seclusions = ['auto', 'required', 'none']

const Command = Type.Array(Type.String({ minLength: 1 }), { minItems: 1 })

export function readSettings(env: Environment, programDir: string): OrchestratorSettings {
  const read = new EnvironmentReader(env, (path) => readFileSync(path, 'utf8'))
  const stateDir = resolve(read.text('STATE_DIR', '.statewright'))
  const settings: OrchestratorSettings = {
    stateDir,
    coveredDir: resolve(read.text('COVERED_DIR', stateDir)),
    databaseUrl: read.secret('DATABASE_URL') ?? '',
    databaseAnswerMs: read.seconds('DATABASE_ANSWER_SECONDS', pgDefaults.answerMs / 1000, 1),
    http: read.address('HTTP_ADDR', '127.0.0.1:8080'),
    internal: read.address('INTERNAL_ADDR', '127.0.0.1:8082'),
    publicUrl: read.url('PUBLIC_URL'),
    cronTimeZone: read.text('CRON_TIME_ZONE', 'UTC'),
    oidc: {
      issuer: read.requiredUrl('OIDC_ISSUER'),
      audience: read.required('OIDC_AUDIENCE'),
      wrapperAudience: read.required('WRAPPER_AUDIENCE'),
      clientId: read.required('OIDC_CLIENT_ID'),
      clientSecret: read.secret('OIDC_CLIENT_SECRET') ?? '',
    },
    memory: {
      urls: read.json('MEMORY_URLS', MemoryUrls, {}),
      audience: read.text('MEMORY_AUDIENCE', ''),
      clientId: read.text('MEMORY_CLIENT_ID', ''),
      clientSecret: read.secret('MEMORY_CLIENT_SECRET') ?? '',
    },
    modelBaseUrl: read.url('MODEL_BASE_URL'),
    modelKey: read.secret('MODEL_PROVIDER_API_KEY') ?? '',
    oauthToken: read.secret('AGENT_RUNTIME_OAUTH_TOKEN') ?? '',
    agentCli: read.json('AGENT_CLI', Command, [installedCli(programDir)]),
    isolation: read.oneOf('POD_ISOLATION', ['auto', 'required', 'none'], 'auto') as OrchestratorSettings['isolation'],
    seclusion: read.oneOf('AGENT_SECLUSION', seclusions, 'required') as OrchestratorSettings['seclusion'],
    logLevel: read.text('LOG_LEVEL', 'info'),
    retention: {
      days: read.integer('RETENTION_DAYS', 90, 0),
      events: read.integer('RETENTION_EVENTS', 20_000, 0),
      finalDays: read.integer('RETENTION_FINAL_DAYS', 30, 0),
    },
    retentionEveryMs: read.seconds('RETENTION_INTERVAL_SECONDS', 3600, 60),
    otlpEndpoint: read.text('OTEL_EXPORTER_OTLP_ENDPOINT', ''),
    mostWaitingAlerts: read.integer('MOST_WAITING_ALERTS', 100, 1),
    standingComments: read.oneOf('STANDING_COMMENTS', ['on', 'off'], 'on') === 'on',
    userHome: read.text('HOME', homedir()),
  }
  if (settings.databaseAnswerMs > mostAnswerMs)
    read.fault(`DATABASE_ANSWER_SECONDS must be at most ${mostAnswerMs / 1000}`)
  if (!isTimeZone(settings.cronTimeZone)) read.fault('CRON_TIME_ZONE must be a time zone such as Europe/Berlin')
  if (!`${stateDir}/`.startsWith(`${settings.coveredDir}/`))
    read.fault('COVERED_DIR must be STATE_DIR or a folder around it')
  if (settings.oidc.clientSecret === '') read.fault('OIDC_CLIENT_SECRET or OIDC_CLIENT_SECRET_FILE is required')
  const { urls, audience, clientId, clientSecret } = settings.memory
  if (Object.keys(urls).length > 0 && (audience === '' || clientId === '' || clientSecret === ''))
    read.fault('MEMORY_URLS needs MEMORY_AUDIENCE, MEMORY_CLIENT_ID and MEMORY_CLIENT_SECRET')
  if (settings.modelKey === '' && settings.oauthToken === '')
    read.fault('one of MODEL_PROVIDER_API_KEY and AGENT_RUNTIME_OAUTH_TOKEN is required')
  if (read.faults.length > 0)
    throw new SettingsError(`the orchestrator cannot start:\n${read.faults.map((fault) => `- ${fault}`).join('\n')}`)
  return settings
}

function isTimeZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
