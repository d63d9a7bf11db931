import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { Type } from 'typebox'
import { EnvironmentReader, type Address, type Environment } from './environment.ts'
import { parseLifecycleHooks, type LifecycleHooks } from './lifecycle-hooks.ts'
import { readRepositories, type RepositoryConfig } from './repositories.ts'

export interface Identity {
  readonly task: string
  readonly project: string
  readonly profile: string
  readonly pod: number
  readonly contractVersion: number
}

/** Everything that the wrapper must never hand to the agent; kept apart from the rest on purpose. */
export interface Secrets {
  readonly podToken?: string
  readonly oauthToken?: string
  readonly apiKey?: string
  readonly callbackSecret?: string
  readonly oidcClientSecret?: string
}

/** WRAPPER-ENV and POD-ENV (docs/contract/wrapper.md), read once. Times are milliseconds. */
export interface Config {
  readonly http: Address
  readonly internal: Address
  readonly oidc: {
    readonly issuer: string
    readonly audience: string
    readonly clientId: string
    readonly memoryAudience: string
  }
  readonly identity: Identity
  readonly model: string
  readonly effort: string
  readonly permissionMode: string
  readonly modelBaseUrl: string
  readonly repositories: readonly RepositoryConfig[]
  readonly taskBranch: string
  readonly turnTimeoutMs: number
  /** 0: none. */
  readonly turnTokenCeiling: number
  readonly bootTimeoutMs: number
  readonly ttlMs: number
  readonly pushIntervalMs: number
  readonly statuslinePath: string
  readonly extraMcpServers: string
  readonly agentCli: readonly string[]
  readonly callbackUrl: string
  readonly operatorUrl: string
  readonly memoryUrl: string
  readonly skills: { readonly url: string; readonly ref: string }
  readonly hooks: LifecycleHooks
  readonly bot: { readonly login: string; readonly email: string }
  readonly workspaceDir: string
  /** Whether the agent's commands are kept from its CLI and from the wrapper: where it can be, or else no agent at all, or not. */
  readonly seclusion: 'auto' | 'required' | 'none'
  readonly stateDir: string
  readonly home: string
  readonly configDir: string
  readonly path: string
  readonly lang: string
  readonly secrets: Secrets
}

export class ConfigError extends Error {
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(`configuration: ${faults.join('; ')}`)
    this.name = 'ConfigError'
    this.faults = faults
  }
}

export const contractVersionVariable = 'PLATFORM_CONTRACT_VERSION'
const seclusions = ['auto', 'required', 'none']
const efforts = ['low', 'medium', 'high', 'xhigh', 'max']
/**
 * Measured at 2.1.329: in `acceptEdits`, `auto`, `manual` and `plan` the CLI asks a person before it calls a tool of the
 * platform, and the turn never ends (WRAPPER-ENV-7). In `dontAsk` it denies the call, and the turn goes on.
 */
const permissionModes = ['bypassPermissions', 'dontAsk']
const defaultPath = '/usr/local/bin:/usr/bin:/bin'
const Command = Type.Array(Type.String({ minLength: 1 }), { minItems: 1 })

/** Reads and checks every variable; throws one `ConfigError` that lists every fault. */
export function loadConfig(env: Environment, readSecretFile: (path: string) => string): Config {
  const read = new EnvironmentReader(env, readSecretFile)
  const { http, issuer, audience, home, stateDir } = readServing(read)
  const task = read.required('PLATFORM_TASK')
  const config: Config = {
    http,
    internal: read.loopback('INTERNAL_ADDR', '127.0.0.1:8090'),
    oidc: {
      issuer,
      audience,
      clientId: read.text('OIDC_CLIENT_ID', ''),
      memoryAudience: read.text('MEMORY_AUDIENCE', ''),
    },
    identity: readIdentity(read, task),
    model: read.text('MODEL', ''),
    effort: read.oneOf('EFFORT', efforts, ''),
    permissionMode: read.oneOf('PERMISSION_MODE', permissionModes, 'bypassPermissions'),
    modelBaseUrl: read.url('MODEL_BASE_URL') || 'https://api.anthropic.com',
    repositories: readRepositories(read),
    taskBranch: `platform/${task.slice(task.indexOf('/') + 1)}`,
    turnTimeoutMs: read.seconds('TURN_TIMEOUT_SECONDS', 1800, 1),
    turnTokenCeiling: read.integer('TURN_TOKEN_CEILING', 0, 0),
    bootTimeoutMs: read.seconds('BOOT_TIMEOUT_SECONDS', 60, 5),
    ttlMs: read.seconds('AGENT_POD_TTL_SECONDS', 3600, 1),
    pushIntervalMs: read.seconds('BRANCH_PUSH_INTERVAL_SECONDS', 120, 0),
    statuslinePath: read.text('STATUSLINE_PATH', '/usr/local/bin/cc-statusline'),
    extraMcpServers: read.text('PLATFORM_EXTRA_MCP_SERVERS', ''),
    agentCli: read.json('AGENT_CLI', Command, ['claude']),
    seclusion: read.oneOf('AGENT_SECLUSION', seclusions, 'required') as Config['seclusion'],
    callbackUrl: read.url('CALLBACK_URL'),
    operatorUrl: read.url('PLATFORM_OPERATOR_URL'),
    memoryUrl: read.url('PLATFORM_MEMORY_URL'),
    skills: { url: read.text('SKILLS_REPO_URL', ''), ref: read.text('SKILLS_REF', 'main') },
    hooks: parseLifecycleHooks(read),
    bot: {
      login: read.text('BOT_LOGIN', 'platform-bot'),
      email: read.text('BOT_EMAIL', 'platform-bot@users.noreply.invalid'),
    },
    workspaceDir: resolve(read.text('WORKSPACE_DIR', '/workspace')),
    stateDir,
    home: resolve(home),
    configDir: read.text('CONFIG_DIR', '/etc/wrapper'),
    path: read.text('PATH', defaultPath),
    lang: read.text('LANG', 'C.UTF-8'),
    secrets: readSecrets(read),
  }
  refuseContradictions(config, read)
  if (read.faults.length > 0) throw new ConfigError(read.faults)
  return config
}

/** What it takes to serve one orchestrator and nothing else. */
export interface Serving {
  readonly http: Address
  readonly issuer: string
  readonly audience: string
  readonly home: string
  readonly stateDir: string
}

export function readServing(read: EnvironmentReader): Serving {
  const home = read.text('HOME', homedir())
  return {
    http: read.address('HTTP_ADDR', ':8080'),
    issuer: read.requiredUrl('OIDC_ISSUER'),
    audience: read.required('OIDC_AUDIENCE'),
    home,
    stateDir: resolve(read.text('STATE_DIR', join(home, '.wrapper'))),
  }
}

function readIdentity(read: EnvironmentReader, task: string): Identity {
  return {
    task,
    project: read.required('PLATFORM_PROJECT'),
    profile: read.text('PLATFORM_TOOL_PROFILE', ''),
    pod: read.integer('PLATFORM_POD', 1, 0),
    contractVersion: read.requiredInteger(contractVersionVariable, 0),
  }
}

/** Each secret may come as a file, which is read once and removed: a file or variable that stays is in the agent's reach (SECURITY-RULE-1). */
export function readSecrets(read: EnvironmentReader): Secrets {
  return {
    podToken: read.secretFile('PLATFORM_POD_TOKEN_FILE'),
    oauthToken: read.secret('AGENT_RUNTIME_OAUTH_TOKEN'),
    apiKey: read.secret('MODEL_PROVIDER_API_KEY'),
    callbackSecret: read.secret('CALLBACK_HMAC_SECRET'),
    oidcClientSecret: read.secret('OIDC_CLIENT_SECRET'),
  }
}

function refuseContradictions(config: Config, read: EnvironmentReader): void {
  if (!config.secrets.oauthToken && !config.secrets.apiKey) {
    read.fault('one of AGENT_RUNTIME_OAUTH_TOKEN and MODEL_PROVIDER_API_KEY must be set')
  }
  if (config.memoryUrl && (!config.oidc.clientId || !config.secrets.oidcClientSecret || !config.oidc.memoryAudience)) {
    read.fault('PLATFORM_MEMORY_URL needs OIDC_CLIENT_ID, OIDC_CLIENT_SECRET and MEMORY_AUDIENCE')
  }
}
