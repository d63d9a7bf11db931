/** Project, as docs/contract/resources.md gives it field by field. Defaults are applied on write; deprecated fields are accepted and ignored. */
import { Type, type Static, type TSchema } from 'typebox'
import { goDurationPattern } from './duration.ts'
import { celKeyword, longestQuantity, noneOf, onlyGrows, unchangeable, volumeSize } from './cel.ts'
import { AtLeast, Block, Choice, closed, Deprecated, Flag, List, OneOf, Percent, Spec, Text, Whole } from './fields.ts'
import { ForgeAddress } from './forge-address.ts'
import { isVolumeSize } from './quantity.ts'
import { by, refused, type FieldUse } from './readers.ts'
import { defaultTokensPerTurn } from '../machines/rules/spending.ts'
import { agentKinds } from '../machines/task/events.ts'

const Optional = Type.Optional
const efforts = ['low', 'medium', 'high', 'xhigh', 'max']
/** Without a person a turn ends only in these modes of the agent CLI (WRAPPER-ENV-7); a wrapper starts with no other. */
const permissionModes = ['bypassPermissions', 'dontAsk']
const askingModes = ['acceptEdits', 'auto', 'manual', 'plan']
const ByKind = <T extends TSchema>(description: string, use: FieldUse, value: T) =>
  Optional(
    Type.Object(Object.fromEntries(agentKinds.map((kind) => [kind, Optional(value)])), {
      ...closed,
      use,
      whole: true,
      description,
    }),
  )
const Free = (use: FieldUse, description: string) =>
  List(description, Type.Object({}, { additionalProperties: true }), { use })
const Logins = (whose: string) => List(`Logins on the forge ${whose}`, Type.String({ minLength: 1 }))

const ofKind = 'of pods of this kind of agent'
const modelId = { pattern: '^claude-', maxLength: 64 } as const
/** Model ids start with the family's prefix (PROJECT-AGENT-11). */
export const ModelId = Type.String(modelId)
/** The wrapper has servers of these names of its own, or will, and skips any other of the name (PROJECT-MCP-6). */
export const reservedServers: readonly string[] = ['platform', 'wiring', 'alerting', 'code-navigation']
const reservedServer = 'is a name of the platform’s own: choose another one'

const McpServer = Type.Object(
  {
    name: Type.String({
      pattern: '^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$',
      maxLength: 32,
      [celKeyword]: [noneOf(reservedServers, reservedServer)],
      description: 'Name of the server, and part of the names of its tools.',
    }),
    url: Type.String({ pattern: '^https?://', description: 'Address of the server, http or https.' }),
    type: Choice(['http', 'sse'], 'Transport of the server.', { default: 'http' }),
  },
  closed,
)

const Size = (fallback: string, description: string) =>
  Text(description, { default: fallback, maxLength: longestQuantity, [celKeyword]: [volumeSize, onlyGrows] })

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
      if (typeof size !== 'string' || isVolumeSize(size)) return []
      return [{ path: `/${block}/${name}`, message: volumeSize.message }]
    }),
  )
}

const AgentSpec = Block('The pods of agents: model, effort, time limits and additions.', by.directory, {
  model: Text('Model for all kinds of agents. Empty: the default of the operator, then of the wrapper.', {
    use: by.models,
    maxLength: 64,
  }),
  image: Text('Container image of the wrapper. Empty: the default of the operator.', { use: refused.image }),
  permissionMode: Choice(permissionModes, 'Mode of permissions of the agent. Both run without a person.', {
    default: 'bypassPermissions',
  }),
  maxTurnsPerPod: Deprecated,
  maxTurnsPerTask: Deprecated,
  maxReviewRounds: Deprecated,
  maxPodRecreations: Deprecated,
  turnTimeoutSeconds: AtLeast(1, 1800, 'Silence of a turn after which the orchestrator sends a probe, in seconds.'),
  stallProbeGraceSeconds: AtLeast(60, 300, 'How long a probe waits for its answer, in seconds.'),
  stallProbeMaxAttempts: Whole('Unanswered probes before the turn is interrupted.', {
    minimum: 1,
    maximum: 5,
    default: 2,
  }),
  effort: Choice(efforts, 'Effort of the model, for all kinds of agents.', { default: 'xhigh', use: by.models }),
  modelByKind: ByKind(
    'Model by kind of agent. A kind that is not listed uses agent.model.',
    by.models,
    Type.String({ ...modelId, description: `Model ${ofKind}. It starts with claude-.` }),
  ),
  effortByKind: ByKind(
    'Effort by kind of agent. A kind that is not listed uses agent.effort.',
    by.models,
    OneOf(efforts, `Effort ${ofKind}.`),
  ),
  skillsRef: Text('Branch, tag or commit of the skills repository that a pod clones.', {
    default: 'main',
    use: { reader: 'orchestrator/pods/pod-environment.ts', needs: 'SKILLS_REPO_URL' },
  }),
  hooks: Block("Shell commands that the wrapper runs at points of a pod's life.", by.hooks, {
    preClone: Text('Runs before the wrapper clones the repositories.'),
    postClone: Text('Runs after the wrapper has cloned the repositories.'),
    conversationStart: Text('Runs when the agent begins its first conversation.'),
    conversationRestart: Text('Runs when the agent begins a conversation anew.'),
    agentTurnFinished: Text('Runs after each turn of the agent.'),
    conversationFinished: Text('Runs when the conversation is over, before the pod ends.'),
  }),
  extraEnvs: Free(
    refused.environment,
    "Variables of the wrapper, the hooks and the agent's commands, as Kubernetes writes them. They cannot replace one of the contract.",
  ),
  extraEnvsFrom: Free(
    refused.environment,
    "Sources of variables of the wrapper, the hooks and the agent's commands, as Kubernetes writes them.",
  ),
  extraVolumeMounts: Free(refused.volumes, 'Mounts of the wrapper, as Kubernetes writes them.'),
  extraVolumes: Free(refused.volumes, 'Volumes of the pod, as Kubernetes writes them.'),
  extraSidecarContainers: Free(refused.image, 'Containers beside the wrapper, as Kubernetes writes them.'),
  extraInitContainers: Free(refused.image, 'Containers that end before the wrapper starts, as Kubernetes writes them.'),
  mcpServers: List('More MCP servers for the agent, each by a name of its own.', McpServer, {
    use: by.servers,
    maxItems: 32,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
  }),
})

/** A name between `/`, with `*` for characters of it; `.`, `..` and `**` are none. */
const nameInPath = '((\\*|\\*?\\.\\*?)?[^*/.\\\\\\x00-\\x1f])+(\\.?\\*)?'

/** Empty switches off. What the fields mean is judged where ticks are computed; this catches six fields and nicknames. */
const Schedule = Text(
  'Five-field cron expression in the time zone of the orchestrator, UTC by default. An empty text switches the schedule off.',
  { pattern: '^\\s*([0-9A-Za-z*,/-]+(\\s+[0-9A-Za-z*,/-]+){4}\\s*)?$' },
)

const CronSpec = Block('Work that a schedule starts.', by.schedule, {
  issueScan: Block('The sweep: it mints Tasks for issues that nobody took.', by.schedule, {
    schedule: Schedule,
    maxPerRepo: AtLeast(1, 1, 'Most open implement Tasks of one repository.'),
  }),
  brainstorm: Block('Proposals of the agent.', by.schedule, {
    schedule: Schedule,
    enabled: Flag(false, 'Must be true for any brainstorm.'),
    // No default of the schema: the deprecated alias counts where it is not set.
    targetOpenProposals: Whole('Default: 3. 0 switches the refill off.', { minimum: 0 }),
    maxOpenProposals: Whole('used only if targetOpenProposals is not set', { deprecated: true }),
    historyWindow: AtLeast(0, 20, 'Recent proposals that the agent reads first. 0 shows none.', { use: by.directory }),
    minSessionIntervalMinutes: Whole(
      'Least time between two sessions. 0 means the default, a negative value no limit.',
      { default: 12 },
    ),
    staleProposalDays: Deprecated,
    sources: List(
      'Where the agent looks for ideas. Empty: in the repositories alone.',
      Type.Union([Type.Literal('docs'), Type.Literal('memory'), Type.Literal('internet')]),
      { use: by.directory },
    ),
  }),
  documentation: Block('The nightly batch of documentation.', by.schedule, {
    schedule: Schedule,
    maxPerRepo: AtLeast(1, 1, 'Most open documentation Tasks of one repository.'),
  }),
  refine: Block('Refining of issues before they are approved.', by.directory, {
    closedLookbackDays: AtLeast(0, 30, 'Days of closed issues that a refine reads. 0 means 30.'),
  }),
  upgrade: Block('Upgrades of dependencies.', by.schedule, {
    schedule: Schedule,
    maxOpenUpgrades: Whole('Most upgrades that are open at once.', { minimum: 1, maximum: 10, default: 1 }),
  }),
})

const Label = (fallback: string, of: string) =>
  Text(`Label of an issue that ${of}. Empty switches it off.`, { default: fallback })

const ScmSpec = Spec('The forge, its people and its paths.', by.directory, {
  provider: OneOf(['forge_a', 'forge_b'], 'forge_a is GitHub, forge_b is GitLab. It cannot change.', {
    use: 'edges/forge/transport/open-forge.ts',
    [celKeyword]: [unchangeable('the forge')],
  }),
  owner: Type.String({
    minLength: 1,
    maxLength: 255,
    [celKeyword]: [unchangeable('the owner')],
    description: 'Organization, group or user on the forge. Every repository lies below it. It cannot change.',
  }),
  botLogin: Type.String({
    minLength: 1,
    description: 'Login of the account whose token scmSecretRef holds. Its comments approve nothing.',
  }),
  botEmail: Text('Author address of commits. Empty: the default of the wrapper.'),
  apiURL: Optional(ForgeAddress('the public forge')),
  webURL: Optional(ForgeAddress('the public forge')),
  maintainerLogins: Logins('whose comments approve. Without one nothing can be approved.'),
  reporterLogins: Logins('whose issues are let in.'),
  prReactionScope: Choice(
    ['labeledOrMentioned', 'all', ''],
    'Which merge requests of people are reviewed. labeledOrMentioned: with the trigger label or a mention. all and empty: every open one.',
  ),
  protectedPaths: List(
    'Pods may change these files and folders only after `/allow-ci-changes`. The platform adds its own list. `*` matches characters within one name. A leading `/` means the root of the repository.',
    Type.String({ pattern: `^/?${nameInPath}(/(\\*|${nameInPath}))*/?$`, maxLength: 200 }),
    { maxItems: 64 },
  ),
  includeConfidential: Flag(
    false,
    'Whether agents read confidential issues and internal notes of GitLab. They can quote them in public threads.',
  ),
  guidance: Text('The platform appends this text verbatim to the goal of a brainstorm.', { use: by.schedule }),
  board: Block('A board of the forge that shows the phase of Tasks.', refused.boards, {
    githubProjectNumber: Whole('Number of a project of GitHub.'),
    gitlabBoardId: Whole('Id of a board of GitLab.'),
    statusField: Text('Field of the board that gets the phase.', { default: 'Status' }),
  }),
  brainstormingLabel: Label('platform-brainstorming', 'is being thought about'),
  approvedLabel: Text('Label of an issue whose plan is approved. Empty switches it off.', {
    default: 'platform-approved',
  }),
  implementationLabel: Label('platform-implementation', 'is being implemented'),
  declinedLabel: Label('platform-declined', 'was declined'),
  incidentLabel: Label('platform-incident', 'an alert opened'),
  priorityLabel: Text('Label of an issue that goes first. Empty switches it off.'),
  cron: CronSpec,
})

const TokenBudget = Block('A gate that admits no pod once a share of a window of tokens is used.', by.schedule, {
  enabled: Flag(false, 'Whether the gate is on.'),
  mode: Choice(
    ['customWindow', 'claudeSubscription'],
    'customWindow counts tokens of this Project. claudeSubscription uses what the account reports.',
    { default: 'customWindow' },
  ),
  proactivePercent: Percent(50, 'Share of the window at which normal work waits.'),
  emergencyPercent: Percent(80, 'Share of the window at which alerts wait too.'),
  resetSchedule: Schedule,
  windowDuration: Text('Longest duration of a window, such as `5h`.', { pattern: `^$|${goDurationPattern}` }),
  tokenLimit: Whole('Tokens of one window, for customWindow.', { minimum: 0 }),
  fiveHourProactivePercent: Percent(0, 'proactivePercent of the five-hour window, for claudeSubscription. 0 inherits.'),
  fiveHourEmergencyPercent: Percent(0, 'emergencyPercent of the five-hour window, for claudeSubscription. 0 inherits.'),
  weeklyProactivePercent: Percent(0, 'proactivePercent of the weekly window, for claudeSubscription. 0 inherits.'),
  weeklyEmergencyPercent: Percent(0, 'emergencyPercent of the weekly window, for claudeSubscription. 0 inherits.'),
  spawnCeilingByKind: ByKind(
    'Accepted, without effect.',
    { inert: 'has no effect: no ceiling by kind is enforced (PROJECT-BUDGET-15)' },
    Type.Integer({ minimum: 0, maximum: 100, description: 'Accepted, without effect.' }),
  ),
})

const Upgrade = Block('What the upgrade agent is told, and which merge requests of an engine it adopts.', by.bundle, {
  engine: Choice(
    ['external', 'none'],
    'external: a command of the repository lists upgrades. none: the agent lists them.',
    { default: 'none' },
  ),
  majorStrategy: Choice(['nextHopOnly', 'latest'], 'nextHopOnly takes the smallest step, latest the newest release.', {
    default: 'nextHopOnly',
  }),
  minimumReleaseAge: Block('How old a release must be before it is proposed.', by.bundle, {
    major: AtLeast(0, 0, 'Of a major release: days since the release.'),
    minor: AtLeast(0, 0, 'Of a minor release: days since the release.'),
    patch: AtLeast(0, 0, 'Of a patch release: days since the release.'),
  }),
  adoptBranchPrefix: Text('Ends in `/`. Empty switches adoption off.', {
    maxLength: 200,
    pattern: '^$|/$',
    use: by.directory,
  }),
  upgradeEngineLogins: List(
    'Logins on the forge of upgrade engines, whose merge requests the platform adopts.',
    Type.String(),
    { maxItems: 8, use: by.directory },
  ),
})

export const ProjectSpec = Spec('One owner on a forge, whose repositories agents work on.', by.directory, {
  scmSecretRef: Type.String({
    minLength: 1,
    description: 'Name of the Secret with the keys `token` and `webhookSecret`.',
  }),
  triggerLabel: Text('Label that lets an issue in. Issues of the bot need none.', { default: 'platform' }),
  maxConcurrentAgents: AtLeast(0, 3, '0 pauses the Project.', { use: by.resources }),
  agentPodTTLSeconds: AtLeast(300, 3600, 'Longest life of one pod, in seconds. It does not limit the Task.'),
  maxNewTasksPerSweep: AtLeast(1, 5, 'Most Tasks that one sweep mints.', { use: by.schedule }),
  maxOpenTasks: AtLeast(1, 6, 'Most Tasks in work. Parked, merging and terminal Tasks do not count.', {
    use: by.schedule,
  }),
  maxBundleBytes: AtLeast(50_000, 400_000, 'Hard limit of the text that a pod gets as its assignment, in bytes.', {
    use: 'orchestrator/wiring/compose-handlers.ts',
  }),
  autoApproveMaxSignificance: Choice(
    ['off', 'patch', 'minor', 'major', ''],
    'Largest change that an issue of the bot may ship without a maintainer\'s comment. Write "off" in quotes. Empty means off.',
    { default: 'off' },
  ),
  agent: AgentSpec,
  memory: Block('The memory stack, and its sizes. They only grow.', refused.memory, {
    profile: Choice(
      ['full', 'light'],
      'What the stack has. `light`: the service with its own engine, on PostgreSQL. `full`: Neo4j and LightRAG too. Default: the setting MEMORY_PROFILE.',
      { use: refused.profile },
    ),
    pgInstances: AtLeast(1, 1, 'Instances of the relational database. Three give high availability.'),
    pgStorage: Size('10Gi', 'Volume of each instance of the relational database.'),
    pgWalStorage: Size('8Gi', 'Volume of the write-ahead log of each instance.'),
    neo4jStorage: Size('10Gi', 'Volume of the graph database.'),
  }),
  workspace: Block('Volumes of Tasks, and of the build cache. Sizes only grow.', refused.volumes, {
    enabled: Flag(true, 'Only false switches the volumes off.'),
    storageClass: Text(
      'Storage class of the volumes. It must allow reading and writing from several nodes. Empty: the class of the cluster.',
    ),
    size: Size('10Gi', 'Volume of each Task.'),
    cacheEnabled: Flag(true, 'Whether pods of the Project share a build cache.', { use: refused.cache }),
    cacheSize: Size('20Gi', 'Volume of the build cache.'),
  }),
  scm: ScmSpec,
  alerting: Block('Incidents that an alerting system opens.', by.alerting, {
    enabled: Flag(false, 'Whether alerts open incidents.'),
    url: Text('Address of the alerting system.', { use: refused.alerts }),
    secretRef: Text('Name of the Secret with the keys serviceAccountToken and webhookSecret.'),
    cooldownSeconds: Deprecated,
  }),
  documentation: Block('The documentation agent.', by.schedule, {
    enabled: Flag(false, 'Whether the documentation agent works.'),
    repo: Text('Repository that gets the documentation. Empty: each repository its own.', { use: by.directory }),
  }),
  queue: Block('Slots for pods.', by.resources, {
    capacity: Whole('Pods of the class normal at most. Default: maxConcurrentAgents.', { minimum: 0 }),
    alertCapacity: AtLeast(0, 1, 'Slots that only alerts get.'),
  }),
  tokenBudget: TokenBudget,
  spending: Block(
    'Limits in tokens, including sub-agents. 0 means no limit. With this block, every turn reserves tokens before it begins.',
    by.spending,
    {
      tokensPerTurn: AtLeast(
        1,
        defaultTokensPerTurn,
        'Limit of one turn. The platform reserves it before the turn begins.',
      ),
      tokensPerTask: AtLeast(0, 0, 'Limit of one Task. 0 means no limit.'),
      tokensPerDay: AtLeast(0, 0, 'A day begins at midnight UTC.'),
      tokensPerProject: AtLeast(0, 0, 'Limit of the whole Project. 0 means no limit.'),
      maxRaisePerDay: AtLeast(0, 0, 'The most that `/budget +N` may add in one day. 0 switches the command off.'),
    },
  ),
  upgradePolicy: Upgrade,
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
