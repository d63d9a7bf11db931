import { tokenLifetimeSeconds, type PodTokens } from '../../edges/agents/pod-tokens.ts'
import type { ProjectDirectory, ProjectSettings } from '../../edges/forge/projects.ts'
import { bareName } from '../../edges/forge/projects.ts'
import type { PodInputs, PodSpec } from '../../edges/ports/pods.ts'
import { callbackSecret } from '../../edges/pods/inbound.ts'
import { contractVersion } from '../../machines/turn/contract-version.ts'
import { variableTexts, type PodEnvironment } from '../../machines/turn/pod-environment.ts'
import type { MemoryServices } from '../memory/memory-services.ts'
import type { OrchestratorSettings } from '../settings/settings.ts'

interface PodInputsDeps {
  readonly settings: OrchestratorSettings
  readonly directory: ProjectDirectory
  readonly memories: Pick<MemoryServices, 'addressOf'>
  readonly tokens: PodTokens
  readonly callbackMaster: string
  /** Where pods reach us; known once we listen. */
  readonly urls: () => { readonly operator: string; readonly internal: string }
  /** Of the effect that creates the pod; undefined while nothing is traced. */
  readonly traceparent?: () => string | undefined
}

type Variables = PodEnvironment['env']
type Urls = ReturnType<PodInputsDeps['urls']>

/** The operator's addresses for pods, else the listeners: behind a service of a cluster a listener is none of theirs. */
export function podUrls(settings: Pick<OrchestratorSettings, 'operatorUrl' | 'internalUrl'>, listeners: Urls): Urls {
  return {
    operator: settings.operatorUrl || listeners.operator,
    internal: settings.internalUrl || listeners.internal,
  }
}

/** What one pod's wrapper is given, as data (machines/turn/pod-environment.ts). The adapter of pods adds the places. */
export function podInputs(deps: PodInputsDeps): (spec: PodSpec) => Promise<PodInputs> {
  const { settings } = deps
  return async (spec) => {
    const { operator, internal } = deps.urls()
    const project = await deps.directory.project(spec.project)
    const memory = (await deps.memories.addressOf(spec.project))?.url
    const env: Variables = {
      OIDC_ISSUER: settings.oidc.issuer,
      OIDC_AUDIENCE: settings.oidc.wrapperAudience,
      ...ofSpec(spec),
      ...(project?.taskConfig.tokensPerTurn === undefined
        ? {}
        : // What the ledger reserves for a turn is the most that it may use.
          { TURN_TOKEN_CEILING: project.taskConfig.tokensPerTurn }),
      ...agentOf(project?.agent),
      ...(settings.skillsRepoUrl === '' ? {} : { SKILLS_REPO_URL: settings.skillsRepoUrl }),
      PLATFORM_CONTRACT_VERSION: contractVersion,
      PLATFORM_OPERATOR_URL: operator,
      ...memoryOf(settings, memory),
      CALLBACK_URL: `${internal}/internal/turn-complete`,
      REPOS: spec.repositories.map(({ name, base, branch, sha = '' }) => ({
        name,
        base,
        branch,
        sha,
        url: `${operator}/git/${bareName(spec.project)}/${name}.git`,
      })),
      AGENT_CLI: [...settings.agentCli],
      AGENT_SECLUSION: settings.seclusion,
      // The gateway and the pods that ask it give up after the same time.
      GIT_MOST_CHECKOUT_BYTES: settings.git.mostCheckoutBytes,
      GIT_LONGEST_RUN_SECONDS: settings.git.longestRunMs / 1000,
      BOT_LOGIN: project?.scm.botLogin ?? '',
      ...(project?.scm.botEmail === undefined ? {} : { BOT_EMAIL: project.scm.botEmail }),
      ...(settings.modelBaseUrl === '' ? {} : { MODEL_BASE_URL: settings.modelBaseUrl }),
      LANG: 'C.UTF-8',
      LOG_LEVEL: settings.logLevel,
      ...tracingOf(settings, deps.traceparent?.()),
    }
    const secrets: PodEnvironment['secrets'] = {
      PLATFORM_POD_TOKEN_FILE: await tokenOf(deps, spec, project?.uid),
      CALLBACK_HMAC_SECRET_FILE: callbackSecret(deps.callbackMaster, spec.pod),
      ...(settings.modelKey === '' ? {} : { MODEL_PROVIDER_API_KEY_FILE: settings.modelKey }),
      ...(settings.oauthToken === '' ? {} : { AGENT_RUNTIME_OAUTH_TOKEN_FILE: settings.oauthToken }),
      ...(memory !== undefined ? { OIDC_CLIENT_SECRET_FILE: settings.memory.clientSecret } : {}),
    }
    return { env: variableTexts(env), secrets: { ...secrets }, files: {} }
  }
}

function ofSpec(spec: PodSpec): Variables {
  return {
    MODEL: spec.model,
    EFFORT: spec.effort,
    PERMISSION_MODE: spec.permissionMode,
    TURN_TIMEOUT_SECONDS: spec.turnTimeoutSeconds,
    AGENT_POD_TTL_SECONDS: spec.agentPodTTLSeconds,
    PLATFORM_TASK: spec.task,
    PLATFORM_PROJECT: spec.project,
    PLATFORM_TOOL_PROFILE: spec.agentKind,
    PLATFORM_POD: spec.ordinal,
  }
}

function tokenOf({ tokens }: PodInputsDeps, spec: PodSpec, projectUid: string | undefined): Promise<string> {
  const { project, task, ordinal: pod } = spec
  const agentKind = spec.agentKind as 'implement'
  const claims = { project, ...(projectUid === undefined ? {} : { projectUid }), task, pod, agentKind }
  return tokens.mint(claims, tokenLifetimeSeconds(spec))
}

/** The wrapper's own client, apart from the orchestrator's: it may ask for tokens of the memory's audience and no other. */
function memoryOf({ memory }: OrchestratorSettings, url: string | undefined): Variables {
  if (url === undefined) return {}
  return { PLATFORM_MEMORY_URL: url, MEMORY_AUDIENCE: memory.audience, OIDC_CLIENT_ID: memory.clientId }
}

/** Omitted where the Project says nothing (PROJECT-HOOKS-2, PROJECT-MCP-1). */
function agentOf({ mcpServers = [], hooks = {}, skillsRef = '' }: ProjectSettings['agent'] = {}): Variables {
  return {
    ...(mcpServers.length === 0 ? {} : { PLATFORM_EXTRA_MCP_SERVERS: JSON.stringify(mcpServers) }),
    ...(Object.keys(hooks).length === 0 ? {} : { LIFECYCLE_HOOKS: hooks }),
    ...(skillsRef === '' ? {} : { SKILLS_REF: skillsRef }),
  }
}

/** The collector's address without the headers that a collector may ask for: the agent can read this environment. */
function tracingOf(settings: OrchestratorSettings, traceparent: string | undefined): Variables {
  if (traceparent === undefined || settings.otlpEndpoint === '') return {}
  return { TRACEPARENT: traceparent, OTEL_EXPORTER_OTLP_ENDPOINT: settings.otlpEndpoint }
}
