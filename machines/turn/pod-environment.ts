/**
 * The environment of a pod's wrapper (WRAPPER-ENV and POD-ENV, docs/contract/wrapper.md): every variable with its type,
 * default, bounds and meaning. The orchestrator builds `env`, `secrets` and `files` by it, an adapter of pods adds the
 * places, and the wrapper reads all of them by it. No machine imports this file.
 */
import { Type, type Static, type TSchema } from 'typebox'

/** Where a server listens. */
interface PodAddress {
  readonly host: string
  readonly port: number
}

/** How a text is read where its type leaves that open. `process`: the composition root reads it before all others. */
type Reading = 'required' | 'url' | 'issuer' | 'address' | 'loopback' | 'process'

const text = (fallback: string, description: string) => Type.String({ default: fallback, description })
const required = (description: string) => Type.String({ description, reads: 'required' })
const url = (description: string, fallback = '') => Type.String({ default: fallback, description, reads: 'url' })
const integer = (fallback: number, minimum: number, description: string) =>
  Type.Integer({ default: fallback, minimum, description })
const words = <Word extends string>(all: readonly string[], fallback: Word, description: string) =>
  Type.Unsafe<Word>({ type: 'string', enum: all, default: fallback, description })
const address = (fallback: string, reads: 'address' | 'loopback', description: string) =>
  Type.Unsafe<PodAddress>({ type: 'string', default: fallback, description, reads })
const early = (fallback: string, description: string) =>
  Type.String({ default: fallback, description, reads: 'process' })

export interface PodVariableSchema extends TSchema {
  readonly description: string
  readonly type: 'string' | 'integer' | 'array' | 'object'
  readonly default?: unknown
  readonly minimum?: number
  readonly enum?: readonly string[]
  readonly reads?: Reading
}

/** One entry of `REPOS`. `branch` is the work branch; empty means the Task's branch. `sha` is the exact head to check out (REVIEW-2). */
export const PodRepositoryEntry = Type.Object(
  {
    name: Type.String({ pattern: '^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$' }),
    url: Type.String({ minLength: 1 }),
    base: Type.Optional(Type.String()),
    branch: Type.Optional(Type.String()),
    sha: Type.Optional(Type.String({ pattern: '^([0-9a-f]{40}|[0-9a-f]{64})?$' })),
  },
  { additionalProperties: false },
)
export type PodRepositoryEntry = Static<typeof PodRepositoryEntry>

const command = Type.Optional(Type.String())

/** PROJECT-HOOKS-1, HOOKS-1, HOOKS-2: each a shell command; empty is skipped; a failure is logged and counted, never fatal. */
export const LifecycleHooks = Type.Object(
  {
    preClone: command,
    postClone: command,
    conversationStart: command,
    conversationRestart: command,
    agentTurnFinished: command,
    conversationFinished: command,
  },
  { additionalProperties: false, default: {}, description: 'Shell commands at points of the pod’s life.' },
)
export type LifecycleHooks = Static<typeof LifecycleHooks>

const efforts = ['low', 'medium', 'high', 'xhigh', 'max']
/**
 * Measured at 2.1.329: in `acceptEdits`, `auto`, `manual` and `plan` the CLI asks a person before it calls a tool of the
 * platform, and the turn never ends (WRAPPER-ENV-7). In `dontAsk` it denies the call, and the turn goes on.
 */
const permissionModes = ['bypassPermissions', 'dontAsk']
const seclusions = ['auto', 'required', 'none'] as const

/** What the orchestrator decides. No value is a secret, and none names a folder or a listener of the pod. */
export const PodVariables = Type.Object({
  PLATFORM_TASK: required('Id of the Task.'),
  PLATFORM_PROJECT: required('Id of the Project.'),
  PLATFORM_TOOL_PROFILE: text('', 'Kind of the agent. It decides which tools the agent has.'),
  PLATFORM_POD: integer(1, 0, 'Number of the pod among those of its Task.'),
  PLATFORM_CONTRACT_VERSION: Type.Integer({
    minimum: 0,
    description: 'Contract version of the orchestrator.',
    reads: 'required',
  }),
  PLATFORM_OPERATOR_URL: url('Base of the orchestrator’s REST interface.'),
  PLATFORM_MEMORY_URL: url('Base of the knowledge service’s REST interface.'),
  PLATFORM_EXTRA_MCP_SERVERS: text('', 'The Project’s own MCP servers, a JSON array of `{name, url, type}`.'),
  OIDC_ISSUER: Type.String({ description: 'Issuer of the callers’ tokens.', reads: 'issuer' }),
  OIDC_AUDIENCE: required('Audience of the callers’ tokens.'),
  OIDC_CLIENT_ID: text('', 'The wrapper’s own client at the memory service.'),
  MEMORY_AUDIENCE: text('', 'Audience of the memory service.'),
  MODEL: text('', 'Model of the agent.'),
  EFFORT: words<string>(efforts, '', 'Effort of the model.'),
  PERMISSION_MODE: words<string>(permissionModes, 'bypassPermissions', 'Permission mode of the CLI.'),
  MODEL_BASE_URL: url('Base of the model provider.', 'https://api.anthropic.com'),
  REPOS: Type.Array(PodRepositoryEntry, {
    default: [],
    description: '`branch` defaults to the Task’s, `sha` pins the head under review. It wins over `REPO_URL`.',
  }),
  REPO_URL: text('', 'The only repository, where `REPOS` is empty.'),
  REPO_BRANCH: text('', 'Its base branch.'),
  TURN_TIMEOUT_SECONDS: integer(1800, 1, 'Longest time of one turn.'),
  TURN_TOKEN_CEILING: integer(
    0,
    0,
    'Tokens of all kinds that one turn may use, 0 for no limit. At the limit the wrapper stops model requests and ends the turn as `api_error`, code `token_ceiling`.',
  ),
  BOOT_TIMEOUT_SECONDS: integer(60, 5, 'Longest wait until the CLI is ready.'),
  GIT_MOST_CHECKOUT_BYTES: integer(4 * 1024 ** 3, 1, 'Most bytes of the files of one commit that is checked out.'),
  GIT_LONGEST_RUN_SECONDS: integer(
    600,
    1,
    'Longest time of one git command that asks the gateway, such as a clone, and of one transfer to or from the agent’s clone.',
  ),
  AGENT_POD_TTL_SECONDS: integer(3600, 1, 'Age after which the pod takes no further turn.'),
  BRANCH_PUSH_INTERVAL_SECONDS: integer(120, 0, 'Time between two pushes of a running turn, 0 for none.'),
  AGENT_CLI: Type.Array(Type.String({ minLength: 1 }), {
    minItems: 1,
    default: ['claude'],
    description: 'Command of the agent’s CLI.',
  }),
  AGENT_SECLUSION: words<(typeof seclusions)[number]>(
    seclusions,
    'required',
    '`required`: no agent where the machine refuses namespaces. `auto`: then without. `none`: the wrapper does not try them.',
  ),
  CALLBACK_URL: url('Default address of callbacks.'),
  SKILLS_REPO_URL: text('', 'Repository of skills; empty for none.'),
  SKILLS_REF: text('main', 'Its branch, tag or commit.'),
  LIFECYCLE_HOOKS: LifecycleHooks,
  BOT_LOGIN: text('platform-bot', 'Author and committer of commits.'),
  BOT_EMAIL: text('platform-bot@users.noreply.invalid', 'Address of that author.'),
  LANG: text('C.UTF-8', 'Locale of the agent.'),
  LOG_LEVEL: early('info', 'Least level of the lines in the log.'),
  OTEL_EXPORTER_OTLP_ENDPOINT: early('', 'Base address of an OpenTelemetry collector; empty for no traces.'),
  TRACEPARENT: early('', 'Span of the effect that created the pod.'),
})
export type PodVariables = Static<typeof PodVariables>

/** What an adapter of pods adds: folders and listeners of the pod. */
export const PodPlaces = Type.Object({
  HTTP_ADDR: address(':8080', 'address', 'Listener of the public API.'),
  INTERNAL_ADDR: address('127.0.0.1:8090', 'loopback', 'Listener of the pod itself.'),
  HOME: text('', 'Home of wrapper and CLI; empty: the user’s.'),
  STATE_DIR: text(
    '',
    'Turn journal, `pod.json`, `agent.json` (pid and start time of the agent), `endpoint.json` (pid, startTime, url). Empty: `$HOME/.wrapper`.',
  ),
  WORKSPACE_DIR: text('/workspace', 'Root of the clones and working folder of the agent.'),
  CONFIG_DIR: text('/etc/wrapper', 'The `files`; `mcp.d/*.json` are `.mcp.json` fragments.'),
  STATUSLINE_PATH: text('/usr/local/bin/cc-statusline', 'Program of the status line.'),
  PATH: text('/usr/local/bin:/usr/bin:/bin', 'Where programs are looked up.'),
  COMMAND_VARIABLES: text(
    '',
    'Names of further variables that the agent’s commands and the hooks see, with commas between; `*`: every other one of the container.',
  ),
})
export type PodPlaces = Static<typeof PodPlaces>

/** Each names a file that the wrapper reads once and removes; on a read-only volume it stays, and the log says so. */
const secretFile = (file: string, description: string) => Type.Optional(Type.String({ file, description }))

/** Contents by the variable that names the file, and the file's name. `<NAME>` may be set in place of `<NAME>_FILE`. */
export const PodSecrets = Type.Object({
  PLATFORM_POD_TOKEN_FILE: secretFile('pod-token', 'The pod’s token at the orchestrator. It comes as a file only.'),
  CALLBACK_HMAC_SECRET_FILE: secretFile('callback-secret', 'Key that signs callbacks.'),
  MODEL_PROVIDER_API_KEY_FILE: secretFile('model-key', 'Key of the model provider. This or the next one is required.'),
  AGENT_RUNTIME_OAUTH_TOKEN_FILE: secretFile('oauth-token', 'Token of a subscription.'),
  OIDC_CLIENT_SECRET_FILE: secretFile('memory-client', 'Secret of `OIDC_CLIENT_ID`.'),
})
export type PodSecrets = Static<typeof PodSecrets>

/** What the orchestrator gives a pod. `files` lie below `CONFIG_DIR`, and nothing in them is secret. */
export const PodEnvironment = Type.Object({
  env: Type.Partial(PodVariables),
  secrets: PodSecrets,
  files: Type.Record(Type.String(), Type.String()),
})
export type PodEnvironment = Static<typeof PodEnvironment>

/** The name of a secret's file, by its variable. */
export function secretFileName(variable: string): string {
  const known = PodSecrets.properties as unknown as Readonly<Record<string, { readonly file: string }>>
  return known[variable]?.file ?? variable
}

/** As a process gets them: texts as they are, the rest as JSON. What is undefined is left out. */
export function variableTexts(values: PodEnvironment['env']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, typeof value === 'string' ? value : JSON.stringify(value)]],
    ),
  )
}
