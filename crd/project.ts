/** Project, as docs/contract/resources.md gives it field by field. Defaults are applied on write; deprecated fields are accepted and ignored. */
import { Type, type Static, type TObject, type TProperties } from 'typebox'
import { goDurationPattern } from './duration.ts'
import { aboveZero, celKeyword, longestQuantity, noneOf, onlyGrows, unchangeable } from './cel.ts'
import { ForgeAddress } from './forge-address.ts'
import { isQuantityAboveZero } from './quantity.ts'
import { defaultTokensPerTurn } from '../machines/rules/spending.ts'
import { agentKinds } from '../machines/task/events.ts'

function Closed<P extends TProperties>(properties: P, description?: string): TObject<P> {
  return Type.Object(properties, { additionalProperties: false, ...(description ? { description } : {}) })
}
const Optional = Type.Optional
const Text = (description?: string) => Optional(Type.String(description ? { description } : {}))
const Deprecated = Optional(Type.Integer({ deprecated: true, description: 'accepted and ignored' }))
const Percent = (fallback: number) => Optional(Type.Integer({ minimum: 0, maximum: 100, default: fallback }))
const Level = (fallback: string) =>
  Optional(
    Type.Union(
      ['low', 'medium', 'high', 'xhigh', 'max'].map((level) => Type.Literal(level)),
      { default: fallback },
    ),
  )
/** Without a person a turn ends only in these modes of the agent CLI (WRAPPER-ENV-7); a wrapper starts with no other. */
const permissionModes = ['bypassPermissions', 'dontAsk']
const askingModes = ['acceptEdits', 'auto', 'manual', 'plan']
const ByKind = <T extends TProperties[string]>(value: T) =>
  Optional(Closed(Object.fromEntries(agentKinds.map((kind) => [kind, Optional(value)]))))
const Free = Optional(Type.Array(Type.Object({}, { additionalProperties: true })))
const Logins = Optional(Type.Array(Type.String({ minLength: 1 })))

/** Model ids start with the family's prefix (PROJECT-AGENT-11). */
export const ModelId = Type.String({ pattern: '^claude-', maxLength: 64 })
/** The wrapper has servers of these names of its own, or will, and skips any other of the name (PROJECT-MCP-6). */
export const reservedServers: readonly string[] = ['platform', 'wiring', 'alerting', 'code-navigation']
const reservedServer = 'is a name of the platform’s own: choose another one'

const McpServer = Closed({
  name: Type.String({
    pattern: '^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$',
    maxLength: 32,
    [celKeyword]: [noneOf(reservedServers, reservedServer)],
  }),
  url: Type.String({ pattern: '^https?://' }),
  type: Optional(Type.Union([Type.Literal('http'), Type.Literal('sse')], { default: 'http' })),
})

const Size = (fallback: string) =>
  Optional(Type.String({ default: fallback, maxLength: longestQuantity, [celKeyword]: [aboveZero, onlyGrows] }))

interface Fault {
  readonly path: string
  readonly message: string
}

/** What the rules of the CRD say of a Project as it stands, without a server. */
export function projectFaults(spec: unknown): readonly Fault[] {
  const { agent, ...blocks } = spec as Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>
  return [...serverFaults(agent?.['mcpServers']), ...sizeFaults(blocks)]
}

function serverFaults(given: unknown): readonly Fault[] {
  const names = (Array.isArray(given) ? (given as readonly unknown[]) : []).map(
    (server) => ((server ?? {}) as { readonly name?: unknown }).name,
  )
  return names.flatMap((name, index) => {
    const path = `/agent/mcpServers/${index}/name`
    if (reservedServers.includes(String(name))) return [{ path, message: reservedServer }]
    return name !== undefined && names.indexOf(name) < index
      ? [{ path, message: 'is the name of another server of the list' }]
      : []
  })
}

const sizes = {
  memory: ['pgStorage', 'pgWalStorage', 'neo4jStorage'],
  workspace: ['size', 'cacheSize'],
} as const

function sizeFaults(blocks: Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>): readonly Fault[] {
  return Object.entries(sizes).flatMap(([block, names]) =>
    names.flatMap((name) => {
      const size = blocks[block]?.[name]
      if (typeof size !== 'string' || isQuantityAboveZero(size)) return []
      return [{ path: `/${block}/${name}`, message: aboveZero.message }]
    }),
  )
}

const LifecycleHooks = Closed({
  preClone: Text(),
  postClone: Text(),
  conversationStart: Text(),
  conversationRestart: Text(),
  agentTurnFinished: Text(),
  conversationFinished: Text(),
})

const AgentSpec = Closed({
  model: Optional(Type.String({ maxLength: 64 })),
  image: Text(),
  permissionMode: Optional(
    Type.Union(
      permissionModes.map((mode) => Type.Literal(mode)),
      { default: 'bypassPermissions' },
    ),
  ),
  maxTurnsPerPod: Deprecated,
  maxTurnsPerTask: Deprecated,
  maxReviewRounds: Deprecated,
  maxPodRecreations: Deprecated,
  turnTimeoutSeconds: Optional(Type.Integer({ minimum: 1, default: 1800 })),
  stallProbeGraceSeconds: Optional(Type.Integer({ minimum: 60, default: 300 })),
  stallProbeMaxAttempts: Optional(Type.Integer({ minimum: 1, maximum: 5, default: 2 })),
  effort: Level('xhigh'),
  modelByKind: ByKind(ModelId),
  effortByKind: ByKind(Type.Union(['low', 'medium', 'high', 'xhigh', 'max'].map((level) => Type.Literal(level)))),
  skillsRef: Optional(Type.String({ default: 'main' })),
  hooks: Optional(LifecycleHooks),
  extraEnvs: Free,
  extraEnvsFrom: Free,
  extraVolumeMounts: Free,
  extraVolumes: Free,
  extraSidecarContainers: Free,
  extraInitContainers: Free,
  mcpServers: Optional(
    Type.Array(McpServer, {
      maxItems: 32,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    }),
  ),
})

/** A name between `/`, with `*` for characters of it; `.`, `..` and `**` are none. */
const nameInPath = '((\\*|\\*?\\.\\*?)?[^*/.\\\\\\x00-\\x1f])+(\\.?\\*)?'

/** Empty switches off. What the fields mean is judged where ticks are computed; this catches six fields and nicknames. */
const Schedule = Optional(
  Type.String({
    pattern: '^\\s*([0-9A-Za-z*,/-]+(\\s+[0-9A-Za-z*,/-]+){4}\\s*)?$',
    description:
      'Five-field cron expression in the time zone of the orchestrator, UTC by default. An empty text switches the schedule off.',
  }),
)
const CronBlock = <const Extra extends TProperties>(extra: Extra) => Optional(Closed({ schedule: Schedule, ...extra }))

const ScmSpec = Closed({
  provider: Type.Union([Type.Literal('forge_a'), Type.Literal('forge_b')], {
    [celKeyword]: [unchangeable('the forge')],
  }),
  owner: Type.String({ minLength: 1, maxLength: 255, [celKeyword]: [unchangeable('the owner')] }),
  botLogin: Type.String({ minLength: 1 }),
  botEmail: Text(),
  apiURL: Optional(ForgeAddress('the public forge')),
  webURL: Optional(ForgeAddress('the public forge')),
  maintainerLogins: Logins,
  reporterLogins: Logins,
  prReactionScope: Optional(Type.Union([Type.Literal('labeledOrMentioned'), Type.Literal('all'), Type.Literal('')])),
  protectedPaths: Optional(
    Type.Array(Type.String({ pattern: `^/?${nameInPath}(/(\\*|${nameInPath}))*/?$`, maxLength: 200 }), {
      maxItems: 64,
      description:
        'Pods may change these files and folders only after `/allow-ci-changes`. The platform adds its own list. `*` matches characters within one name. A leading `/` means the root of the repository.',
    }),
  ),
  includeConfidential: Optional(Type.Boolean({ default: false })),
  guidance: Text('The platform appends this text verbatim to the goal of a brainstorm.'),
  board: Optional(
    Closed({
      githubProjectNumber: Optional(Type.Integer()),
      gitlabBoardId: Optional(Type.Integer()),
      statusField: Optional(Type.String({ default: 'Status' })),
    }),
  ),
  brainstormingLabel: Optional(Type.String({ default: 'platform-brainstorming' })),
  approvedLabel: Optional(Type.String({ default: 'platform-approved' })),
  implementationLabel: Optional(Type.String({ default: 'platform-implementation' })),
  declinedLabel: Optional(Type.String({ default: 'platform-declined' })),
  incidentLabel: Optional(Type.String({ default: 'platform-incident' })),
  priorityLabel: Text(),
  cron: Optional(
    Closed({
      issueScan: CronBlock({ maxPerRepo: Optional(Type.Integer({ minimum: 1, default: 1 })) }),
      brainstorm: CronBlock({
        enabled: Optional(Type.Boolean({ default: false })),
        // No default of the schema: the deprecated alias counts where it is not set.
        targetOpenProposals: Optional(
          Type.Integer({ minimum: 0, description: 'Default: 3. 0 switches the refill off.' }),
        ),
        maxOpenProposals: Optional(
          Type.Integer({ deprecated: true, description: 'used only if targetOpenProposals is not set' }),
        ),
        historyWindow: Optional(Type.Integer({ minimum: 0, default: 20 })),
        minSessionIntervalMinutes: Optional(
          Type.Integer({
            default: 12,
            description: 'Least time between two sessions. 0 means the default, a negative value no limit.',
          }),
        ),
        staleProposalDays: Deprecated,
        sources: Optional(
          Type.Array(Type.Union([Type.Literal('docs'), Type.Literal('memory'), Type.Literal('internet')])),
        ),
      }),
      documentation: CronBlock({ maxPerRepo: Optional(Type.Integer({ minimum: 1, default: 1 })) }),
      refine: Optional(Closed({ closedLookbackDays: Optional(Type.Integer({ minimum: 0, default: 30 })) })),
      upgrade: CronBlock({ maxOpenUpgrades: Optional(Type.Integer({ minimum: 1, maximum: 10, default: 1 })) }),
    }),
  ),
})

const ReleaseAge = Closed({
  major: Optional(Type.Integer({ minimum: 0, default: 0 })),
  minor: Optional(Type.Integer({ minimum: 0, default: 0 })),
  patch: Optional(Type.Integer({ minimum: 0, default: 0 })),
})

export const ProjectSpec = Closed({
  scmSecretRef: Type.String({
    minLength: 1,
    description: 'Name of the Secret with the keys `token` and `webhookSecret`.',
  }),
  triggerLabel: Optional(Type.String({ default: 'platform' })),
  maxConcurrentAgents: Optional(Type.Integer({ minimum: 0, default: 3, description: '0 pauses the Project.' })),
  agentPodTTLSeconds: Optional(Type.Integer({ minimum: 300, default: 3600 })),
  maxNewTasksPerSweep: Optional(Type.Integer({ minimum: 1, default: 5 })),
  maxOpenTasks: Optional(Type.Integer({ minimum: 1, default: 6 })),
  maxBundleBytes: Optional(Type.Integer({ minimum: 50_000, default: 400_000 })),
  autoApproveMaxSignificance: Optional(
    Type.Union(
      [Type.Literal('off'), Type.Literal('patch'), Type.Literal('minor'), Type.Literal('major'), Type.Literal('')],
      { default: 'off' },
    ),
  ),
  agent: Optional(AgentSpec),
  memory: Optional(
    Closed({
      pgInstances: Optional(Type.Integer({ minimum: 1, default: 1 })),
      pgStorage: Size('10Gi'),
      pgWalStorage: Size('8Gi'),
      neo4jStorage: Size('10Gi'),
    }),
  ),
  workspace: Optional(
    Closed({
      enabled: Optional(Type.Boolean({ default: true })),
      storageClass: Text(),
      size: Size('10Gi'),
      cacheEnabled: Optional(Type.Boolean({ default: true })),
      cacheSize: Size('20Gi'),
    }),
  ),
  scm: ScmSpec,
  alerting: Optional(
    Closed({
      enabled: Optional(Type.Boolean({ default: false })),
      url: Text(),
      secretRef: Text(),
      cooldownSeconds: Deprecated,
    }),
  ),
  documentation: Optional(Closed({ enabled: Optional(Type.Boolean({ default: false })), repo: Text() })),
  queue: Optional(
    Closed({
      capacity: Optional(Type.Integer({ minimum: 0 })),
      alertCapacity: Optional(Type.Integer({ minimum: 0, default: 1 })),
    }),
  ),
  tokenBudget: Optional(
    Closed({
      enabled: Optional(Type.Boolean({ default: false })),
      mode: Optional(
        Type.Union([Type.Literal('customWindow'), Type.Literal('claudeSubscription')], { default: 'customWindow' }),
      ),
      proactivePercent: Percent(50),
      emergencyPercent: Percent(80),
      resetSchedule: Schedule,
      windowDuration: Optional(
        Type.String({ pattern: `^$|${goDurationPattern}`, description: 'Longest duration of a window, such as `5h`.' }),
      ),
      tokenLimit: Optional(Type.Integer({ minimum: 0 })),
      fiveHourProactivePercent: Percent(0),
      fiveHourEmergencyPercent: Percent(0),
      weeklyProactivePercent: Percent(0),
      weeklyEmergencyPercent: Percent(0),
      spawnCeilingByKind: ByKind(Type.Integer({ minimum: 0, maximum: 100 })),
    }),
  ),
  spending: Optional(
    Closed(
      {
        tokensPerTurn: Optional(
          Type.Integer({
            minimum: 1,
            default: defaultTokensPerTurn,
            description: 'Limit of one turn. The platform reserves it before the turn begins.',
          }),
        ),
        tokensPerTask: Optional(Type.Integer({ minimum: 0, default: 0 })),
        tokensPerDay: Optional(Type.Integer({ minimum: 0, default: 0, description: 'A day begins at midnight UTC.' })),
        tokensPerProject: Optional(Type.Integer({ minimum: 0, default: 0 })),
        maxRaisePerDay: Optional(
          Type.Integer({
            minimum: 0,
            default: 0,
            description: 'The most that `/budget +N` may add in one day. 0 switches the command off.',
          }),
        ),
      },
      'Limits in tokens, including sub-agents. 0 means no limit. With this block, every turn reserves tokens before it begins.',
    ),
  ),
  upgradePolicy: Optional(
    Closed({
      engine: Optional(Type.Union([Type.Literal('external'), Type.Literal('none')], { default: 'none' })),
      majorStrategy: Optional(
        Type.Union([Type.Literal('nextHopOnly'), Type.Literal('latest')], { default: 'nextHopOnly' }),
      ),
      minimumReleaseAge: Optional(ReleaseAge),
      adoptBranchPrefix: Optional(
        Type.String({ maxLength: 200, pattern: '^$|/$', description: 'Ends in `/`. Empty switches adoption off.' }),
      ),
      upgradeEngineLogins: Optional(Type.Array(Type.String(), { maxItems: 8 })),
    }),
  ),
})
export type ProjectSpec = Static<typeof ProjectSpec>

/** Fields that once existed: a warning with what replaces them, never an error (RESOURCE-RULE-2). */
export const removedProjectFields: Readonly<Record<string, string>> = {
  '/scm/approvalLabel': 'approval is by comment text only',
  '/scm/ideaLabel': 'labels are a projection of Issue state',
  '/scm/rejectedLabel': 'use scm.declinedLabel',
  '/scm/cron/mrScan': 're-review of merge requests is part of the sweep',
  '/scm/cron/healthCheck': 'removed',
  '/scm/cron/brainstorm/maxPerCycle': 'one brainstorm Task per cycle',
  '/scm/cron/brainstorm/maxConsecutiveSkips': 'there is no circuit breaker',
  '/agent/contextWindowTokens': 'removed',
  '/stageDeadlines': 'stage budgets are fixed',
}

/** People name a forge by its product, and a mode that they know from their own terminal. */
export const meantProjectValues: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '/scm/provider': {
    github: 'forge_a is GitHub',
    gitlab: 'forge_b is GitLab',
  },
  '/agent/permissionMode': Object.fromEntries(
    askingModes.map((mode) => [mode.toLowerCase(), `${mode} asks a person, and a pod has none`]),
  ),
}
