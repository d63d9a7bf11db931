/**
 * Every setting of the orchestrator: its name, default, bounds and meaning. `readSettings` reads the environment by it,
 * `statewright up` passes on what is an operator's, and docs/settings.md is generated from it.
 */
import { Type, type Static, type TSchema } from 'typebox'
import { Check } from 'typebox/value'
import { agentKinds } from '../../machines/task/events.ts'
import { ModelId } from '../../crd/project.ts'
import { quantityPattern } from '../../crd/quantity.ts'
import { asymmetricAlgorithms, defaultAlgorithms, type AsymmetricAlgorithm } from '../../http/auth/claims.ts'
import { mostPackBytes } from '../../edges/git/wire/receive.ts'
import { longestRunMs } from '../../edges/git/store/run-git.ts'
import { roles, type Role } from '../../http/auth/roles.ts'
import { mostCheckoutBytes } from '../../runtime/checkout-size.ts'
import { pgDefaults } from '../../runtime/store/postgres/pg-sql.ts'
import { MemoryStackPreferences } from './memory-stacks.ts'
import type { Address, Environment, EnvironmentReader } from '../../wrapper/boot/environment.ts'

/** `operator`: `statewright up` passes it on. `up`: on one machine `up` sets it itself. */
export type SettingOf = 'operator' | 'up'

export interface SettingSchema extends TSchema {
  readonly description: string
  readonly of: SettingOf
  readonly type?: string
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  /** How its text is read where the type leaves that open. */
  readonly reads?: 'url' | 'issuer' | 'required' | 'address' | 'secret' | 'timeZone' | 'list' | 'library'
  readonly anyOf?: readonly { readonly const: string }[]
  readonly items?: { readonly anyOf?: readonly { readonly const: string }[] }
  /** What is said of a text that the pattern refuses. */
  readonly mustBe?: string
  /** What stands on the page in place of a default that the start computes. */
  readonly defaultText?: string
}

const text = (fallback: string, of: SettingOf, description: string, more = {}) =>
  Type.String({ default: fallback, of, description, ...more })
const required = (description: string) => Type.String({ of: 'up', description, reads: 'required' })
const url = (of: SettingOf, description: string) => text('', of, description, { reads: 'url' })
const secret = (description: string) => text('', 'up', description, { reads: 'secret' })
const address = (fallback: string, description: string) =>
  Type.Unsafe<Address>({ type: 'string', default: fallback, of: 'up', description, reads: 'address' })
const integer = (fallback: number, minimum: number, description: string, more = {}) =>
  Type.Integer({ default: fallback, minimum, of: 'operator', description, ...more })
const words = <const Word extends string>(all: readonly Word[], fallback: Word, of: SettingOf, description: string) =>
  Type.Unsafe<Word>(
    Type.Union(
      all.map((word) => Type.Literal(word)),
      { default: fallback, of, description },
    ),
  )

/** A connection that is silent for longer is not slow. */
const mostAnswerSeconds = 600
const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
const walls = ['auto', 'required', 'none'] as const
const MiB = 1024 * 1024
/** The gateway reads no longer request. */
const mostPack = 1024 * MiB
const daySeconds = 86_400
const namespace = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?'

const id = (description: string) =>
  text('', 'up', description, { pattern: '^([0-9]{1,10})?$', mustBe: 'must be a number' })
const ClaimValues = Type.Array(Type.String({ minLength: 1, maxLength: 256 }))
/** Values of the claim, by what they give. */
export type RoleValues = Readonly<Partial<Record<Role, readonly string[]>>> & {
  readonly owners?: Readonly<Record<string, readonly string[]>>
}
const Quantities = Type.Record(Type.String(), Type.String({ pattern: quantityPattern }))
/** As a container of Kubernetes has them. */
export interface AgentResources {
  readonly requests?: Readonly<Record<string, string>>
  readonly limits?: Readonly<Record<string, string>>
}

export const SettingsSchema = Type.Object({
  STATE_DIR: text('.statewright', 'up', 'Folder of the state: keys, Secrets, folders of pods and the embedded store.'),
  KEYS_DIR: text(
    '',
    'operator',
    'Folder with the keys `signing.pem`, `callback` and `session`, which are only read: processes that share a store share them.',
    { defaultText: '`keys` below `STATE_DIR`, made at the first start' },
  ),
  PLACE: words(
    ['machine', 'kubernetes'],
    'machine',
    'up',
    'Where resources and Secrets are: in the store of this machine, or at a Kubernetes API server, which needs `DATABASE_URL`.',
  ),
  KUBECONFIG: text('', 'up', 'File that says how to reach the API server. Empty: the service account of the pod.'),
  WATCH_NAMESPACES: text('', 'up', 'Namespaces whose resources count, with commas between. Empty: all of them.', {
    pattern: `^(${namespace}(,${namespace})*)?$`,
    mustBe: 'must be names of namespaces with commas between',
  }),
  LEASE_NAMESPACE: text('', 'up', 'Namespace of the Lease by which replicas find their leader.', {
    pattern: `^(${namespace})?$`,
    mustBe: 'must be the name of a namespace',
    defaultText: 'the namespace of the pod, or of the context in `KUBECONFIG`',
  }),
  LOCAL_PODS: words(
    ['on', 'off'],
    'off',
    'up',
    'Whether pods are processes of this machine although `PLACE` is `kubernetes`.',
  ),
  AGENT_IMAGE: text('', 'up', 'Image of the wrapper for Projects that name none. Pods of a cluster need it.'),
  AGENT_RUN_AS_NON_ROOT: words(
    ['on', 'off'],
    'off',
    'up',
    'Whether a pod of a cluster starts as root never. It needs `AGENT_RUN_AS_USER`.',
  ),
  AGENT_RUN_AS_USER: id('Number of the user in pods of a cluster. Empty: the image’s.'),
  AGENT_FS_GROUP: id('Number of the group that owns their volumes. Empty: none.'),
  AGENT_RESOURCES: Type.Unsafe<AgentResources>(
    Type.Object(
      { requests: Type.Optional(Quantities), limits: Type.Optional(Quantities) },
      {
        additionalProperties: false,
        default: {},
        of: 'up',
        description: '`requests` and `limits` of the wrapper in pods of a cluster, as a JSON object.',
      },
    ),
  ),
  AGENT_SERVICE_ACCOUNT: text(
    '',
    'up',
    'ServiceAccount of pods of a cluster. No token of it is mounted. Empty: `default`.',
    { pattern: `^(${namespace})?$`, mustBe: 'must be the name of a ServiceAccount' },
  ),
  WORKSPACES: words(
    ['on', 'off'],
    'off',
    'up',
    'Whether pods of a cluster get claims: one for each Task and a cache for each Project.',
  ),
  COVERED_DIR: text('', 'up', 'Folder that pods of this machine may not see. It must contain `STATE_DIR`.', {
    defaultText: '`STATE_DIR`',
  }),
  DATABASE_URL: secret('PostgreSQL server. Empty: the embedded store. `up` makes a database of its own there.'),
  DATABASE_ANSWER_SECONDS: integer(pgDefaults.answerMs / 1000, 1, 'How long PostgreSQL may take for one statement.', {
    maximum: mostAnswerSeconds,
  }),
  OWNER: text('', 'up', 'Name of this process among those that share a PostgreSQL store. Empty: a random one.'),
  HTTP_ADDR: address('127.0.0.1:8080', 'Listener for forges, people and pods, as `host:port`.'),
  INTERNAL_ADDR: address('127.0.0.1:8082', 'Listener for the callbacks of pods.'),
  OPERATOR_URL: url('operator', 'Address by which pods reach the orchestrator. Empty: the listener’s.'),
  INTERNAL_URL: url('operator', 'Address by which pods reach the listener for their callbacks. Empty: the listener’s.'),
  PUBLIC_URL: url('operator', 'Address by which forges and people reach the orchestrator. Empty: the listener’s.'),
  CRON_TIME_ZONE: text('UTC', 'operator', 'Time zone of all schedules, such as `Europe/Berlin`.', {
    reads: 'timeZone',
  }),
  OIDC_ISSUER: Type.String({ of: 'up', description: 'Issuer of the identity provider.', reads: 'issuer' }),
  OIDC_AUDIENCE: required('Audience of the tokens that operators bring.'),
  OIDC_ALGORITHMS: Type.Unsafe<readonly AsymmetricAlgorithm[]>(
    Type.Array(Type.Union(asymmetricAlgorithms.map((name) => Type.Literal(name))), {
      default: defaultAlgorithms,
      of: 'operator',
      description: 'Signatures that the orchestrator accepts, with commas between.',
      reads: 'list',
    }),
  ),
  ROLE_CLAIM: text(
    '',
    'up',
    'Claim of operators’ tokens that lists roles or groups, such as `groups` or `realm_access.roles`. It needs `ROLES`. Empty: every token is an admin’s.',
    { pattern: '^([^\\s]{1,256})?$', mustBe: 'must be the name of a claim, or its path with dots between' },
  ),
  ROLES: Type.Unsafe<RoleValues>(
    Type.Object(
      {
        ...Object.fromEntries(roles.map((role) => [role, Type.Optional(ClaimValues)])),
        owners: Type.Optional(Type.Record(Type.String(), ClaimValues)),
      },
      {
        additionalProperties: false,
        default: {},
        of: 'up',
        description:
          'Values of that claim for each of `viewer`, `operator`, `author` and `admin`, and under `owners` for each Project, as a JSON object. A bare name is a Project of the namespace `default`, others are `<namespace>/<name>`.',
      },
    ),
  ),
  WRAPPER_AUDIENCE: required('Audience of the tokens that the orchestrator brings to the wrappers of pods.'),
  OIDC_CLIENT_ID: required('Client id of the orchestrator at the identity provider.'),
  OIDC_CLIENT_SECRET: secret('Secret of that client. Required.'),
  OIDC_CLI_CLIENT_ID: text(
    'statewright-cli',
    'up',
    'Client id of `statewright login`: a public client of the device flow, whose tokens have `OIDC_AUDIENCE`.',
    { minLength: 1 },
  ),
  INSPECTOR_CLIENT_ID: text(
    '',
    'up',
    'Client id with which people’s browsers sign in to the inspector. The provider has to know `/inspector/callback` below `PUBLIC_URL` as its redirect URI. Empty: the inspector opens by links alone.',
  ),
  INSPECTOR_CLIENT_SECRET: secret('Secret of that client. Empty: the client is public.'),
  INSPECTOR_SCOPE: text(
    'openid',
    'up',
    'Scopes that it asks for, with spaces between: `openid`, and those by which the provider gives the roles.',
    { pattern: '^([^\\s]+ )*openid( [^\\s]+)*$', mustBe: 'must be scopes with spaces between, openid among them' },
  ),
  INSPECTOR_LOGIN_CLAIM: text(
    '',
    'up',
    'Claim of people’s tokens that has their login on the forge: its whole name, else its path with dots. The board of the inspector then opens on what waits for whoever signed in. It filters and gives no right. Empty: people type their login.',
  ),
  MEMORY_URLS: Type.Record(Type.String(), Type.String({ pattern: '^https?://[^\\s]+$' }), {
    default: {},
    of: 'up',
    description:
      'Knowledge service of each Project, as a JSON object. A bare name is a Project of the namespace `default`, others are `<namespace>/<name>`. It needs the three settings that follow.',
  }),
  MEMORY_PUBLIC_URLS: Type.Record(Type.String(), Type.String({ pattern: '^https?://[^\\s]+$' }), {
    default: {},
    of: 'up',
    description:
      'Address of knowledge services from outside of the cluster, in the form of `MEMORY_URLS`. The status of a Project shows it.',
  }),
  MEMORY_AUDIENCE: text('', 'up', 'Audience of the knowledge service.'),
  MEMORY_CLIENT_ID: text('', 'up', 'Client id with which pods ask for tokens of that audience.'),
  MEMORY_CLIENT_SECRET: secret('Secret of that client.'),
  MEMORY_FILL: words(
    ['on', 'off'],
    'on',
    'operator',
    'Whether the orchestrator takes what the Repositories hold into the knowledge service of their Project.',
  ),
  MEMORY_STACKS: Type.Unsafe<MemoryStackPreferences>({
    ...MemoryStackPreferences,
    default: {},
    of: 'up',
    description:
      'Memory stacks of Projects in a cluster, as a JSON object (docs/memory.md). Without an `image` of the memory service there are none.',
  }),
  MEMORY_PROFILE: words(
    ['full', 'light'],
    'full',
    'operator',
    'What the memory stack of a Project has that names no `memory.profile`. `light`: the service with its own engine, on PostgreSQL. `full`: Neo4j and LightRAG too.',
  ),
  LOCAL_MEMORY_PORT: integer(0, 0, 'Port of the memory stack of the first Project of this machine. 0: any free one.', {
    of: 'up',
    maximum: 65_535,
  }),
  MODEL_BASE_URL: url(
    'operator',
    'Address of the model provider. Empty: the public one. A scripted model has its own.',
  ),
  MODEL_PROVIDER_API_KEY: secret('Key of the model provider. This or the next setting is required.'),
  AGENT_RUNTIME_OAUTH_TOKEN: secret('Token of a subscription in place of the key.'),
  AGENT_MODEL: Type.String({
    default: '',
    pattern: '^(claude-.{0,57})?$',
    mustBe: 'must be a model id that begins with claude-, at most 64 characters',
    of: 'operator',
    description: 'Model of every agent whose Project names none. Empty: the release’s own by kind.',
  }),
  AGENT_MODEL_BY_KIND: Type.Unsafe<Readonly<Record<string, string>>>(
    Type.Object(Object.fromEntries(agentKinds.map((kind) => [kind, Type.Optional(ModelId)])), {
      additionalProperties: false,
      default: {},
      of: 'operator',
      description: 'The same by kind of agent, as a JSON object. It goes before `AGENT_MODEL`.',
    }),
  ),
  AGENT_CLI: Type.Array(Type.String({ minLength: 1 }), {
    minItems: 1,
    default: [],
    of: 'operator',
    description: 'Command of the agent CLI, as a JSON array.',
    defaultText: 'the installed CLI',
  }),
  SKILLS_REPO_URL: text(
    '',
    'operator',
    'Repository of skills that each pod clones at `agent.skillsRef`: an address, or a path of this machine. Empty: no skills.',
    {
      pattern: '^(https?://.+|/.+)?$',
      mustBe: 'must be an http or https URL, or a path from the root',
    },
  ),
  POD_ISOLATION: words(walls, 'auto', 'up', 'Whether pods run in namespaces. `up` decides by the model.'),
  AGENT_SECLUSION: words(walls, 'required', 'up', 'Whether an agent’s commands run apart from its CLI and wrapper.'),
  GIT_MOST_PACK_BYTES: integer(mostPackBytes, MiB, 'Most bytes of one push of a pod.', { maximum: mostPack }),
  GIT_MOST_CHECKOUT_BYTES: integer(
    mostCheckoutBytes,
    MiB,
    'Most bytes of the files of one commit that is checked out, in a pod or for the memory.',
  ),
  GIT_LONGEST_RUN_SECONDS: integer(
    longestRunMs / 1000,
    1,
    'How long one git command of the gateway or of a pod may take, the clone of a repository among them.',
    {
      maximum: daySeconds,
    },
  ),
  RETENTION_DAYS: integer(90, 0, 'Age up to which a journal keeps an event. 0: no limit.'),
  RETENTION_EVENTS: integer(20_000, 0, 'Most events that the journal of one actor keeps. 0: no limit.'),
  RETENTION_FINAL_DAYS: integer(30, 0, 'How long a journal stays after its actor’s end. 0: no limit.'),
  RETENTION_INTERVAL_SECONDS: integer(3600, 60, 'Time between two sweeps over the journals.'),
  MOST_WAITING_ALERTS: integer(100, 1, 'Most alerts that wait in one Project. Senders retry the rest.'),
  STANDING_COMMENTS: words(['on', 'off'], 'on', 'operator', 'Whether each Task has a status comment on the forge.'),
  LOG_LEVEL: words(logLevels, 'info', 'operator', 'Least level of the lines in the log.'),
  OTEL_EXPORTER_OTLP_ENDPOINT: url('operator', 'Base address of an OpenTelemetry collector. Empty: nothing is traced.'),
  OTEL_EXPORTER_OTLP_HEADERS: text(
    '',
    'operator',
    'Headers that the collector asks for. The OpenTelemetry library reads them, so this setting has no flag.',
    { reads: 'library' },
  ),
})
export type SettingName = keyof typeof SettingsSchema.properties

export const settingSchemas = Object.entries(SettingsSchema.properties) as unknown as readonly (readonly [
  SettingName,
  SettingSchema,
])[]

/** Every setting, with its default where the environment has none; what is wrong becomes faults of `read`. */
export function decodeSettings(read: EnvironmentReader): Static<typeof SettingsSchema> {
  return Object.fromEntries(settingSchemas.map(([name, schema]) => [name, decode(read, name, schema)])) as never
}

function decode(read: EnvironmentReader, name: string, schema: SettingSchema): unknown {
  const fallback = typeof schema.default === 'string' ? schema.default : ''
  switch (schema.reads) {
    case 'url':
      return read.url(name)
    case 'issuer':
      return read.requiredUrl(name)
    case 'required':
      return read.required(name)
    case 'secret':
      return read.secret(name) ?? ''
    case 'address':
      return read.address(name, fallback)
    case 'timeZone':
      return timeZone(read, name, fallback)
    case 'list':
      return list(read, name, schema)
    case 'library':
      return read.text(name, fallback)
    case undefined:
      return byType(read, name, schema, fallback)
  }
}

function byType(read: EnvironmentReader, name: string, schema: SettingSchema, fallback: string): unknown {
  if (schema.anyOf) return read.oneOf(name, wordsOf(schema), fallback)
  if (schema.type === 'integer') return integerOf(read, name, schema)
  if (schema.type === 'string') return textOf(read, name, schema, fallback)
  return read.json(name, schema, schema.default)
}

function wordsOf({ anyOf = [] }: Pick<SettingSchema, 'anyOf'>): readonly string[] {
  return anyOf.map((option) => option.const)
}

function integerOf(
  read: EnvironmentReader,
  name: string,
  { default: fallback, minimum = 0, maximum }: SettingSchema,
): number {
  const value = read.integer(name, Number(fallback), minimum)
  if (maximum !== undefined && value > maximum) read.fault(`${name} must be at most ${maximum}`)
  return value
}

function textOf(read: EnvironmentReader, name: string, schema: SettingSchema, fallback: string): string {
  const value = read.text(name, fallback)
  if (!Check(schema, value)) read.fault(`${name} ${schema.mustBe ?? 'is not a value of this setting'}`)
  return value
}

function timeZone(read: EnvironmentReader, name: string, fallback: string): string {
  const value = read.text(name, fallback)
  if (!isTimeZone(value)) read.fault(`${name} must be a time zone such as Europe/Berlin`)
  return value
}

function isTimeZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

function list(read: EnvironmentReader, name: string, { items = {}, default: fallback }: SettingSchema): unknown {
  if (!read.has(name)) return fallback
  const known = wordsOf(items)
  const given = read
    .text(name, '')
    .split(',')
    .map((word) => word.trim())
  for (const word of given) if (!known.includes(word)) read.fault(`${name}: ${word} is none of ${known.join(', ')}`)
  return given.filter((word) => known.includes(word))
}

/** What `statewright up` passes on of its own environment. */
export function passedOn(env: Environment): Record<string, string> {
  const names = settingSchemas.filter(([, { of }]) => of === 'operator').map(([name]) => name)
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}
