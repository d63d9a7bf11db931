/** The orchestrator's settings (RESOURCE-RULE-6): read once from the environment, every fault told at once. */
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import type { ModelDefaults } from '../../crd/models.ts'
import type { AsymmetricAlgorithm } from '../../http/auth/claims.ts'
import type { RoleSettings } from '../../http/auth/roles.ts'
import type { StackSettings } from '../../edges/kubernetes/memory-stack/settings.ts'
import type { StackWanted } from '../../machines/memory-stack/events.ts'
import type { RetentionPolicy } from '../../runtime/journal/retention.ts'
import { EnvironmentReader, type Address, type Environment } from '../../wrapper/boot/environment.ts'
import { memoryStacksOf } from './memory-stacks.ts'
import { decodeSettings, type AgentResources } from './settings-schema.ts'
import { idOfName } from '../../crd/resource-id.ts'

export interface OrchestratorSettings {
  readonly stateDir: string
  /** Of keys that are only read; empty: those below `stateDir`, made at the first start. */
  readonly keysDir: string
  readonly place: 'machine' | 'kubernetes'
  /** Of that place. */
  readonly kubernetes: KubernetesSettings
  /** What pods of this machine may not see; the state is in it. */
  readonly coveredDir: string
  /** Empty: the embedded store below `stateDir`. */
  readonly databaseUrl: string
  /** How long the server of `databaseUrl` may take for one statement. */
  readonly databaseAnswerMs: number
  /** Among processes that share the store; empty: a random one. */
  readonly owner: string
  readonly http: Address
  readonly internal: Address
  /** Of all schedules (SCHEDULE-2). */
  readonly cronTimeZone: string
  /** What pods reach us by; empty: the listeners themselves. */
  readonly operatorUrl: string
  readonly internalUrl: string
  /** What forges and people reach us by; empty: the listener itself. */
  readonly publicUrl: string
  readonly oidc: {
    readonly issuer: string
    readonly audience: string
    readonly algorithms: readonly AsymmetricAlgorithm[]
    readonly wrapperAudience: string
    readonly clientId: string
    readonly clientSecret: string
    /** Of the command line, a public client. */
    readonly cliClientId: string
  }
  /** Of the inspector at the identity provider; `clientId` empty: browsers don't sign in there, `clientSecret` empty: it is public. */
  readonly inspector: {
    readonly clientId: string
    readonly clientSecret: string
    readonly scope: string
    /** Of the person's token; empty: the board's login is typed. */
    readonly loginClaim: string
  }
  /** What operators' tokens may do. */
  readonly roles: RoleSettings
  /** One memory service a Project (MEMORY-RULE-8), by the Project's name; how the wrappers of pods prove themselves there. */
  readonly memory: {
    readonly urls: Readonly<Record<string, string>>
    /** From outside of the cluster, where they are reached from there. */
    readonly publicUrls: Readonly<Record<string, string>>
    readonly audience: string
    readonly clientId: string
    readonly clientSecret: string
    /** Whether the orchestrator fills them. */
    readonly fills: boolean
    /** Of stacks whose Project names none. */
    readonly profile: StackWanted['profile']
    /** Of the first stack of this machine; 0: any free one. */
    readonly localPort: number
  }
  readonly modelBaseUrl: string
  readonly modelKey: string
  readonly oauthToken: string
  /** For Projects that name no model. */
  readonly models: ModelDefaults
  readonly agentCli: readonly string[]
  /** What every pod clones; empty: no skills. */
  readonly skillsRepoUrl: string
  readonly isolation: 'auto' | 'required' | 'none'
  /** Whether an agent's commands are kept from its CLI and its wrapper (decisions/0028). */
  readonly seclusion: 'auto' | 'required' | 'none'
  readonly git: {
    /** Of one push of a pod. */
    readonly mostPackBytes: number
    /** Of one checkout. */
    readonly mostCheckoutBytes: number
    /** Of one git command. */
    readonly longestRunMs: number
  }
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

interface KubernetesSettings {
  /** Path; empty: the service account of the pod. */
  readonly kubeconfig: string
  /** Empty: all. */
  readonly namespaces: readonly string[]
  /** Of the Lease; empty: where the credentials say. */
  readonly leaseNamespace: string
  /** Pods are processes of this machine although the rest is of the cluster. */
  readonly localPods: boolean
  /** What all pods of the cluster have in common. */
  readonly pods: ClusterPodSettings
  /** Undefined: no Project gets a memory stack. */
  readonly memoryStacks: StackSettings | undefined
}

interface ClusterPodSettings {
  /** Of Projects that name none. */
  readonly image: string
  /** POD-NETWORK-3; absent: the image's. */
  readonly security: { readonly runAsNonRoot: boolean; readonly runAsUser?: number; readonly fsGroup?: number }
  readonly resources: AgentResources
  /** Empty: `default`. */
  readonly serviceAccount: string
  /** PROJECT-WORKSPACE-2. */
  readonly workspaces: boolean
}

export class SettingsError extends Error {
  override readonly name = 'SettingsError'
}

/** @param agentCli the agent's CLI of pods when no setting names one. */
export function readSettings(env: Environment, agentCli: string): OrchestratorSettings {
  const read = new EnvironmentReader(env, (path) => readFileSync(path, 'utf8'))
  const given = decodeSettings(read)
  const stateDir = resolve(given.STATE_DIR)
  const settings: OrchestratorSettings = {
    stateDir,
    keysDir: given.KEYS_DIR === '' ? '' : resolve(given.KEYS_DIR),
    place: given.PLACE,
    kubernetes: kubernetesOf(given),
    coveredDir: resolve(given.COVERED_DIR || stateDir),
    databaseUrl: given.DATABASE_URL,
    databaseAnswerMs: given.DATABASE_ANSWER_SECONDS * 1000,
    owner: given.OWNER,
    http: given.HTTP_ADDR,
    internal: given.INTERNAL_ADDR,
    operatorUrl: given.OPERATOR_URL,
    internalUrl: given.INTERNAL_URL,
    publicUrl: given.PUBLIC_URL,
    cronTimeZone: given.CRON_TIME_ZONE,
    oidc: {
      issuer: given.OIDC_ISSUER,
      audience: given.OIDC_AUDIENCE,
      algorithms: given.OIDC_ALGORITHMS,
      wrapperAudience: given.WRAPPER_AUDIENCE,
      clientId: given.OIDC_CLIENT_ID,
      clientSecret: given.OIDC_CLIENT_SECRET,
      cliClientId: given.OIDC_CLI_CLIENT_ID,
    },
    inspector: inspectorOf(given, read),
    roles: rolesOf(given, read),
    memory: memoryOf(given),
    modelBaseUrl: given.MODEL_BASE_URL,
    modelKey: given.MODEL_PROVIDER_API_KEY,
    oauthToken: given.AGENT_RUNTIME_OAUTH_TOKEN,
    models: { model: given.AGENT_MODEL, byKind: given.AGENT_MODEL_BY_KIND },
    agentCli: given.AGENT_CLI.length > 0 ? given.AGENT_CLI : [agentCli],
    skillsRepoUrl: given.SKILLS_REPO_URL,
    isolation: given.POD_ISOLATION,
    seclusion: given.AGENT_SECLUSION,
    git: gitOf(given),
    logLevel: given.LOG_LEVEL,
    retention: {
      days: given.RETENTION_DAYS,
      events: given.RETENTION_EVENTS,
      finalDays: given.RETENTION_FINAL_DAYS,
    },
    retentionEveryMs: given.RETENTION_INTERVAL_SECONDS * 1000,
    otlpEndpoint: given.OTEL_EXPORTER_OTLP_ENDPOINT,
    mostWaitingAlerts: given.MOST_WAITING_ALERTS,
    standingComments: given.STANDING_COMMENTS === 'on',
    userHome: read.text('HOME', homedir()),
  }
  if (!`${stateDir}/`.startsWith(`${settings.coveredDir}/`))
    read.fault('COVERED_DIR must be STATE_DIR or a folder around it')
  // Replicas and restarted pods share a store; a folder of a pod is gone with it.
  if (settings.place === 'kubernetes' && settings.databaseUrl === '')
    read.fault('DATABASE_URL or DATABASE_URL_FILE is required with PLACE=kubernetes')
  if (settings.place === 'kubernetes' && !settings.kubernetes.localPods) requireOfCluster(settings, read)
  if (settings.oidc.clientSecret === '') read.fault('OIDC_CLIENT_SECRET or OIDC_CLIENT_SECRET_FILE is required')
  requireOfMemory(settings, read)
  if (settings.modelKey === '' && settings.oauthToken === '')
    read.fault('one of MODEL_PROVIDER_API_KEY and AGENT_RUNTIME_OAUTH_TOKEN is required')
  if (read.faults.length > 0)
    throw new SettingsError(`the orchestrator cannot start:\n${read.faults.map((fault) => `- ${fault}`).join('\n')}`)
  return settings
}

type Given = ReturnType<typeof decodeSettings>

function gitOf(given: Given): OrchestratorSettings['git'] {
  return {
    mostPackBytes: given.GIT_MOST_PACK_BYTES,
    mostCheckoutBytes: given.GIT_MOST_CHECKOUT_BYTES,
    longestRunMs: given.GIT_LONGEST_RUN_SECONDS * 1000,
  }
}

function memoryOf(given: Given): OrchestratorSettings['memory'] {
  return {
    urls: ofProjects(given.MEMORY_URLS),
    publicUrls: ofProjects(given.MEMORY_PUBLIC_URLS),
    audience: given.MEMORY_AUDIENCE,
    clientId: given.MEMORY_CLIENT_ID,
    clientSecret: given.MEMORY_CLIENT_SECRET,
    fills: given.MEMORY_FILL === 'on',
    profile: given.MEMORY_PROFILE,
    localPort: given.LOCAL_MEMORY_PORT,
  }
}

function inspectorOf(given: Given, read: EnvironmentReader): OrchestratorSettings['inspector'] {
  const { INSPECTOR_CLIENT_ID: clientId, INSPECTOR_CLIENT_SECRET: clientSecret, INSPECTOR_SCOPE: scope } = given
  const { INSPECTOR_LOGIN_CLAIM: loginClaim } = given
  if (clientId === '' && clientSecret !== '') read.fault('INSPECTOR_CLIENT_SECRET needs INSPECTOR_CLIENT_ID')
  if (clientId === '' && loginClaim !== '') read.fault('INSPECTOR_LOGIN_CLAIM needs INSPECTOR_CLIENT_ID')
  return { clientId, clientSecret, scope, loginClaim }
}

/** One without the other would let everybody in, or nobody. */
function rolesOf({ ROLE_CLAIM: claim, ROLES }: Given, read: EnvironmentReader): RoleSettings {
  const { owners = {}, ...values } = ROLES
  if (claim === '' && Object.keys(ROLES).length > 0) read.fault('ROLE_CLAIM is required with ROLES')
  if (claim !== '' && !read.has('ROLES')) read.fault('ROLES is required with ROLE_CLAIM')
  for (const project of Object.keys(owners))
    if (!projectId.test(project)) read.fault(`ROLES: ${project} under owners is no name of a Project`)
  return { claim, values, owners: ofProjects(owners) }
}

const projectId = /^([a-z0-9-]{1,63}\/)?[a-z0-9-]{1,52}$/

function kubernetesOf(given: Given): KubernetesSettings {
  const { KUBECONFIG, WATCH_NAMESPACES, LEASE_NAMESPACE } = given
  return {
    kubeconfig: KUBECONFIG === '' ? '' : resolve(KUBECONFIG),
    namespaces: [...new Set(WATCH_NAMESPACES.split(',').filter((name) => name !== ''))],
    leaseNamespace: LEASE_NAMESPACE,
    localPods: given.LOCAL_PODS === 'on',
    pods: clusterPodsOf(given),
    memoryStacks: memoryStacksOf(given.MEMORY_STACKS, { issuer: given.OIDC_ISSUER, audience: given.MEMORY_AUDIENCE }),
  }
}

function clusterPodsOf(given: Given): ClusterPodSettings {
  const { AGENT_RUN_AS_USER: user, AGENT_FS_GROUP: group } = given
  return {
    image: given.AGENT_IMAGE,
    security: {
      runAsNonRoot: given.AGENT_RUN_AS_NON_ROOT === 'on',
      ...(user === '' ? {} : { runAsUser: Number(user) }),
      ...(group === '' ? {} : { fsGroup: Number(group) }),
    },
    resources: given.AGENT_RESOURCES,
    serviceAccount: given.AGENT_SERVICE_ACCOUNT,
    workspaces: given.WORKSPACES === 'on',
  }
}

/** Pods reach a memory as a client of their own. */
function requireOfMemory({ place, kubernetes, memory }: OrchestratorSettings, read: EnvironmentReader): void {
  const { urls, publicUrls, audience, clientId, clientSecret } = memory
  const hasStacks = place === 'kubernetes' && kubernetes.memoryStacks !== undefined
  if ((Object.keys(urls).length > 0 || hasStacks) && (audience === '' || clientId === '' || clientSecret === ''))
    read.fault(
      `${hasStacks ? 'MEMORY_STACKS' : 'MEMORY_URLS'} needs MEMORY_AUDIENCE, MEMORY_CLIENT_ID and MEMORY_CLIENT_SECRET`,
    )
  for (const project of Object.keys(publicUrls))
    if (urls[project] === undefined) read.fault(`MEMORY_PUBLIC_URLS: MEMORY_URLS has no service of ${project}`)
}

/** A pod of a cluster reaches no listener of this process by the address that it listens on. */
function requireOfCluster(
  { kubernetes, operatorUrl, internalUrl }: OrchestratorSettings,
  read: EnvironmentReader,
): void {
  const needed = { AGENT_IMAGE: kubernetes.pods.image, OPERATOR_URL: operatorUrl, INTERNAL_URL: internalUrl }
  for (const [name, value] of Object.entries(needed))
    if (value === '') read.fault(`${name} is required for pods of a cluster; LOCAL_PODS=on starts them on this machine`)
}

/** By the id of the Project: a bare name is one of the namespace `default`, so that no other namespace inherits its service or its owners. */
function ofProjects<Value>(values: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [idOfName(name), value]))
}
