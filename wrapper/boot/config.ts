import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { LifecycleHooks } from '../../machines/turn/pod-environment.ts'
import { commandVariablesOf, type CommandVariables } from './command-variables.ts'
import { EnvironmentReader, type Address, type Environment } from './environment.ts'
import { readRepositories, type RepositoryConfig } from './repositories.ts'
import { readSecret, variablesOf, type ReadVariable } from './variables.ts'

export interface Identity {
  readonly task: string
  readonly project: string
  readonly profile: string
  readonly pod: number
  readonly contractVersion: number
}

/** Everything that the wrapper must never hand to the agent; kept apart from the rest on purpose. */
interface Secrets {
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
  /** Longest time of one git command of the workspace. */
  readonly gitLimitMs: number
  /** Of the files of one commit. */
  readonly mostCheckoutBytes: number
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
  readonly commandVariables: CommandVariables
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

/** Reads and checks every variable; throws one `ConfigError` that lists every fault. */
export function loadConfig(env: Environment, readSecretFile: (path: string) => string): Config {
  const read = new EnvironmentReader(env, readSecretFile)
  const of = variablesOf(read)
  const { http, issuer, audience, home, stateDir } = readServing(read)
  const task = of('PLATFORM_TASK')
  const config: Config = {
    http,
    internal: of('INTERNAL_ADDR'),
    oidc: { issuer, audience, clientId: of('OIDC_CLIENT_ID'), memoryAudience: of('MEMORY_AUDIENCE') },
    identity: readIdentity(of, task),
    model: of('MODEL'),
    effort: of('EFFORT'),
    permissionMode: of('PERMISSION_MODE'),
    modelBaseUrl: of('MODEL_BASE_URL'),
    repositories: readRepositories(read),
    taskBranch: `platform/${task.slice(task.indexOf('/') + 1)}`,
    turnTimeoutMs: of('TURN_TIMEOUT_SECONDS') * 1000,
    turnTokenCeiling: of('TURN_TOKEN_CEILING'),
    bootTimeoutMs: of('BOOT_TIMEOUT_SECONDS') * 1000,
    ttlMs: of('AGENT_POD_TTL_SECONDS') * 1000,
    mostCheckoutBytes: of('GIT_MOST_CHECKOUT_BYTES'),
    gitLimitMs: of('GIT_LONGEST_RUN_SECONDS') * 1000,
    pushIntervalMs: of('BRANCH_PUSH_INTERVAL_SECONDS') * 1000,
    statuslinePath: of('STATUSLINE_PATH'),
    extraMcpServers: of('PLATFORM_EXTRA_MCP_SERVERS'),
    agentCli: of('AGENT_CLI'),
    seclusion: of('AGENT_SECLUSION'),
    callbackUrl: of('CALLBACK_URL'),
    operatorUrl: of('PLATFORM_OPERATOR_URL'),
    memoryUrl: of('PLATFORM_MEMORY_URL'),
    skills: { url: of('SKILLS_REPO_URL'), ref: of('SKILLS_REF') },
    hooks: of('LIFECYCLE_HOOKS'),
    bot: { login: of('BOT_LOGIN'), email: of('BOT_EMAIL') },
    workspaceDir: resolve(of('WORKSPACE_DIR')),
    stateDir,
    home: resolve(home),
    configDir: of('CONFIG_DIR'),
    path: of('PATH'),
    lang: of('LANG'),
    commandVariables: commandVariablesOf(env, of('COMMAND_VARIABLES')),
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
  const of = variablesOf(read)
  const home = of('HOME') || homedir()
  return {
    http: of('HTTP_ADDR'),
    issuer: of('OIDC_ISSUER'),
    audience: of('OIDC_AUDIENCE'),
    home,
    stateDir: resolve(of('STATE_DIR') || join(home, '.wrapper')),
  }
}

function readIdentity(of: ReadVariable, task: string): Identity {
  return {
    task,
    project: of('PLATFORM_PROJECT'),
    profile: of('PLATFORM_TOOL_PROFILE'),
    pod: of('PLATFORM_POD'),
    contractVersion: of(contractVersionVariable),
  }
}

/** Each secret may come as a file, which is read once and removed: a file or variable that stays is in the agent's reach (SECURITY-RULE-1). */
export function readSecrets(read: EnvironmentReader): Secrets {
  return {
    podToken: readSecret(read, 'PLATFORM_POD_TOKEN_FILE'),
    oauthToken: readSecret(read, 'AGENT_RUNTIME_OAUTH_TOKEN_FILE'),
    apiKey: readSecret(read, 'MODEL_PROVIDER_API_KEY_FILE'),
    callbackSecret: readSecret(read, 'CALLBACK_HMAC_SECRET_FILE'),
    oidcClientSecret: readSecret(read, 'OIDC_CLIENT_SECRET_FILE'),
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
