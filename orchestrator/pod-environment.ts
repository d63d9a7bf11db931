import { dirname, join } from 'node:path'
import { tokenLifetimeSeconds, type PodTokens } from '../edges/agents/pod-tokens.ts'
import type { ProjectDirectory, ProjectSettings } from '../edges/forge/projects.ts'
import { bareName } from '../edges/forge/projects.ts'
import type { PodFolder } from '../edges/local/pod-folder.ts'
import type { PodSpec } from '../edges/ports/pods.ts'
import { callbackSecret } from '../edges/pods/inbound.ts'
import { contractVersion } from '../machines/turn/contract-version.ts'
import type { OrchestratorSettings } from './settings.ts'

export interface PodEnvironmentDeps {
  readonly settings: OrchestratorSettings
  readonly directory: ProjectDirectory
  readonly tokens: PodTokens
  readonly callbackMaster: string
  readonly programDir: string
  /** Where pods reach us; known once we listen. */
  readonly urls: () => { readonly operator: string; readonly internal: string }
  /** Of the effect that creates the pod; undefined while nothing is traced. */
  readonly traceparent?: () => string | undefined
}

/** The environment of one pod's wrapper (WRAPPER-ENV and POD-ENV, docs/contract/wrapper.md). Secrets go in files that it reads once and removes. */
export function podEnvironment(
  deps: PodEnvironmentDeps,
): (spec: PodSpec, folder: PodFolder) => Promise<Record<string, string>> {
  const { settings } = deps
  return async (spec, folder) => {
    const { operator, internal } = deps.urls()
    const project = await deps.directory.project(spec.project)
    const claims = {
      project: spec.project,
      ...(project === undefined ? {} : { projectUid: project.uid }),
      task: spec.task,
      pod: spec.ordinal,
      agentKind: spec.agentKind as 'implement',
    }
    const token = await deps.tokens.mint(claims, tokenLifetimeSeconds(spec))
    const gateway = `${operator}/git/${bareName(spec.project)}`
    return {
      HTTP_ADDR: '127.0.0.1:0',
      INTERNAL_ADDR: '127.0.0.1:0',
      OIDC_ISSUER: settings.oidc.issuer,
      OIDC_AUDIENCE: settings.oidc.wrapperAudience,
      MODEL: spec.model,
      EFFORT: spec.effort,
      PERMISSION_MODE: spec.permissionMode,
      TURN_TIMEOUT_SECONDS: String(spec.turnTimeoutSeconds),
      AGENT_POD_TTL_SECONDS: String(spec.agentPodTTLSeconds),
      ...ceilingOf(project?.taskConfig.tokensPerTurn),
      ...agentOf(project?.agent),
      ...(settings.skillsRepoUrl === '' ? {} : { SKILLS_REPO_URL: settings.skillsRepoUrl }),
      PLATFORM_TASK: spec.task,
      PLATFORM_PROJECT: spec.project,
      PLATFORM_TOOL_PROFILE: spec.agentKind,
      PLATFORM_POD: String(spec.ordinal),
      PLATFORM_CONTRACT_VERSION: String(contractVersion),
      PLATFORM_OPERATOR_URL: operator,
      ...memoryOf(settings, folder, spec.project),
      PLATFORM_POD_TOKEN_FILE: folder.secret('pod-token', token),
      CALLBACK_URL: `${internal}/internal/turn-complete`,
      CALLBACK_HMAC_SECRET_FILE: folder.secret('callback-secret', callbackSecret(deps.callbackMaster, spec.pod)),
      REPOS: JSON.stringify(
        spec.repositories.map(({ name, base, branch, sha }) => ({
          name,
          base,
          branch,
          sha: sha ?? '',
          url: `${gateway}/${name}.git`,
        })),
      ),
      AGENT_CLI: JSON.stringify(settings.agentCli),
      AGENT_SECLUSION: settings.seclusion,
      BOT_LOGIN: project?.scm.botLogin ?? '',
      ...(project?.scm.botEmail === undefined ? {} : { BOT_EMAIL: project.scm.botEmail }),
      ...(settings.modelBaseUrl === '' ? {} : { MODEL_BASE_URL: settings.modelBaseUrl }),
      ...(settings.modelKey === ''
        ? {}
        : { MODEL_PROVIDER_API_KEY_FILE: folder.secret('model-key', settings.modelKey) }),
      ...(settings.oauthToken === ''
        ? {}
        : { AGENT_RUNTIME_OAUTH_TOKEN_FILE: folder.secret('oauth-token', settings.oauthToken) }),
      CONFIG_DIR: join(folder.path, 'config'),
      STATUSLINE_PATH: join(deps.programDir, 'wrapper', 'usage', 'statusline.mjs'),
      PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
      LANG: 'C.UTF-8',
      LOG_LEVEL: settings.logLevel,
      ...tracingOf(settings, deps.traceparent?.()),
    }
  }
}

/** The wrapper's own client, apart from the orchestrator's: it may ask for tokens of the memory's audience and no other. */
function memoryOf(
  { memory }: OrchestratorSettings,
  folder: PodFolder,
  project: string,
): Readonly<Record<string, string>> {
  const url = memory.urls[project]
  if (url === undefined) return {}
  return {
    PLATFORM_MEMORY_URL: url,
    MEMORY_AUDIENCE: memory.audience,
    OIDC_CLIENT_ID: memory.clientId,
    OIDC_CLIENT_SECRET_FILE: folder.secret('memory-client', memory.clientSecret),
  }
}

/** Omitted where the Project says nothing (PROJECT-HOOKS-2, PROJECT-MCP-1). */
function agentOf({ mcpServers = [], hooks = {}, skillsRef = '' }: ProjectSettings['agent'] = {}): Record<
  string,
  string
> {
  return {
    ...(mcpServers.length === 0 ? {} : { PLATFORM_EXTRA_MCP_SERVERS: JSON.stringify(mcpServers) }),
    ...(Object.keys(hooks).length === 0 ? {} : { LIFECYCLE_HOOKS: JSON.stringify(hooks) }),
    ...(skillsRef === '' ? {} : { SKILLS_REF: skillsRef }),
  }
}

/** What the ledger reserves for a turn is the most that it may use. */
function ceilingOf(tokensPerTurn: number | undefined): Record<string, string> {
  return tokensPerTurn === undefined ? {} : { TURN_TOKEN_CEILING: String(tokensPerTurn) }
}

/** The collector's address without the headers that a collector may ask for: the agent can read this environment. */
function tracingOf(settings: OrchestratorSettings, traceparent: string | undefined): Record<string, string> {
  if (traceparent === undefined || settings.otlpEndpoint === '') return {}
  return { TRACEPARENT: traceparent, OTEL_EXPORTER_OTLP_ENDPOINT: settings.otlpEndpoint }
}
