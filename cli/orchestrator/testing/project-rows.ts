/** What S3 says of a Project: its fields, labels, gates and status. */
import type { Row } from './contract-rows.ts'

const project = 'crd/project.test.ts'
const validate = 'crd/validate.test.ts'
const models = 'crd/models.test.ts'
const status = 'crd/status.test.ts'
const directory = 'edges/local/project-directory.test.ts'
const settings = 'edges/schedule/settings.test.ts'
const usage = 'edges/schedule/usage.test.ts'
const backlog = 'edges/schedule/read-backlog.test.ts'
const ticks = 'edges/schedule/next-tick.test.ts'
const text = 'edges/agents/bundle/turn-text.test.ts'
const mirror = 'edges/forge/mirror/mirror.test.ts'
const writes = 'edges/forge/outbound/writes.test.ts'
const gauges = 'edges/telemetry/account-usage.test.ts'
const metric = 'edges/telemetry/metrics.test.ts'
const scheduled = 'cli/orchestrator/schedule.integration.test.ts'
const pods = 'cli/pod-environment.test.ts'
const people = 'machines/rules/people.test.ts'
const issue = 'machines/issue/machine.test.ts'
const spending = 'machines/project/spending.test.ts'
const runs = 'machines/project/runs.test.ts'

const fields: readonly Row[] = [
  ['every default', project, '%s is %j unless it is said'],
  ['every enumeration, minimum and maximum', project, '%s takes its edge values and nothing beyond them'],
  ['every required field', project, '%s takes its edge values and nothing beyond them'],
  [
    'scmSecretRef: a missing Secret or an empty key is SecretMissingKeys',
    writes,
    'rulings 1.23: each thing that is wrong with a Project is named',
  ],
  [
    'scmSecretRef: in the same namespace',
    directory,
    'has the Secret that it names in its own namespace, as it is at this moment',
  ],
  [
    'triggerLabel: an issue needs it',
    mirror,
    'an issue without the label has no actor, and one that loses it by a maintainer says so; the label again asks anew',
  ],
  ['maxConcurrentAgents: 0 pauses, without a minimum of 1', validate, 'takes 0 as the pause of a whole Project'],
  ['maxConcurrentAgents: 0 mints nothing', scheduled, 'while paused records its tick, and no Task comes into being'],
  [
    'autoApproveMaxSignificance: off lets nothing through',
    'machines/rules/significance.test.ts',
    'a ceiling that is off lets nothing through, not even a patch',
  ],
  [
    'autoApproveMaxSignificance: empty is off',
    directory,
    'S3 Project: an empty autoApproveMaxSignificance reads as off',
  ],
  [
    'autoApproveMaxSignificance: the ceiling and what is below it',
    'machines/rules/significance.test.ts',
    'a level is within its own ceiling and within every higher one',
  ],
  [
    'autoApproveMaxSignificance: a cited approval is never limited',
    'machines/task/outcomes.test.ts',
    'S3: an approval that a maintainer gave is never limited',
  ],
  ['what is said reaches Tasks', directory, 'that says it all is taken at its word'],
  [
    'unknown keys: pruned by servers, refused by the client',
    validate,
    'with a typo is refused with the nearest known key, and every other fault beside it',
  ],
  [
    'a structural schema',
    'crd/manifest.test.ts',
    'has one type at every field and no keyword that a structural schema may not have',
  ],
  ['deprecated fields are accepted and ignored', project, '%s is accepted, and said to be deprecated'],
  ['removed fields are left out', project, '%s no longer exists: it is left out with a warning'],
]

const agent: readonly Row[] = [
  ['model: empty is the default of the release', models, 'is that of the release where the Project’s is empty'],
  [
    'modelByKind: locked defaults',
    models,
    'is the one of this release for its kind; upgrade leaves it to the wrapper (rulings 3.30)',
  ],
  ['modelByKind: falls back to model', models, 'is the Project’s for every kind that has none of its own'],
  [
    'modelByKind: the family’s prefix, 64 characters',
    validate,
    'whose modelByKind is of another family, or longer than 64 characters, is refused',
  ],
  [
    'effortByKind: falls back to effort',
    models,
    'the effort of an agent is that of its kind, else the Project’s, else xhigh',
  ],
  [
    'model, effort, permissionMode, timeouts and botEmail reach the pod',
    pods,
    'the wrapper of a pod knows its Task, its place and its repositories through the gateway',
  ],
  [
    'mcpServers, hooks, skillsRef: told to the wrapper, omitted when empty',
    pods,
    'S3 AgentSpec: the extra MCP servers, hooks and skills ref of the Project are told to its wrapper, and nothing where there are none',
  ],
  ['mcpServers: http unless said', project, 'an extra MCP server is reached by http unless it says otherwise'],
  ['extra environment, volumes and containers are taken whole', project, '%s is taken as Kubernetes writes it'],
  [
    'maxPodRecreations: counted, not ended',
    metric,
    'pods are counted by how they ended, by who wrote the note, and by why another one came',
  ],
]

const scm: readonly Row[] = [
  [
    'owner: repositories live under it, botLogin is the token’s account',
    writes,
    'rulings 1.23: each thing that is wrong with a Project is named',
  ],
  [
    'botLogin: its comments are dropped at intake',
    mirror,
    'law 4, rulings 1.4: the bot wakes nobody, and strangers neither where reporters are listed; a pasted marker makes no comment ours',
  ],
  [
    'maintainerLogins, reporterLogins: overridable per repository',
    directory,
    'has its address from the forge unless it names one, and its lists only where it has any',
  ],
  [
    'prReactionScope',
    people,
    'prReactionScope: labeledOrMentioned wants the label or a mention, all and empty want everyone (S3 ScmSpec)',
  ],
  [
    'prReactionScope: on the forge',
    mirror,
    'prReactionScope: with labeledOrMentioned a human change is wanted once the bot is mentioned',
  ],
  [
    'guidance: verbatim',
    runs,
    'Project brainstorm/refill: one Task towards the target, which the guidance closes verbatim',
  ],
  ['merging: who may', people, '%s: %s on %s'],
  [
    'merging: by the orchestrator alone, at the reviewed head',
    'edges/forge/outbound/merge.test.ts',
    'a merge request at the reviewed head is merged once, its task branch deleted, and the merge observed without waiting for the webhook',
  ],
]

const upgrades: readonly Row[] = [
  ['policy: verbatim', text, 'S3 UpgradePolicySpec: an upgrade has the policy verbatim'],
  [
    'adoption: prefix and author, never a human',
    mirror,
    'S3 UpgradePolicySpec: an engine’s merge request is adopted by prefix and author; a person under the same prefix is a person',
  ],
  ['adoption: the trailing slash is enforced', people, 'a prefix without its slash'],
  ['adoption: without a prefix none', people, 'without a prefix nothing is adopted'],
]

const workspace: readonly Row[] = [
  [
    'the Task’s own: outlives its pods, not the Task',
    'edges/local/pods.test.ts',
    'a workspace is made once, outlives its pods, and is deleted when it is asked for',
  ],
  [
    'a review is told where its edits go',
    text,
    'S3 WorkspaceSpec: of a review says that whatever it edits goes into the merge request',
  ],
]

const cron: readonly Row[] = [
  ['five fields', ticks, 'refused with a reason: %s'],
  [
    'an empty schedule disables',
    settings,
    'a Project without schedules and budget does nothing by itself; an empty schedule is none',
  ],
  ['defaults as the actor is told them', settings, 'S3 Cron: defaults are those of the contract'],
  ['brainstorm.enabled', settings, 'must be enabled'],
  ['brainstorm.targetOpenProposals, maxOpenProposals', settings, '%s is what it refills to'],
  [
    'brainstorm.targetOpenProposals: as its Tasks see it',
    directory,
    'S3 Cron: with %s the target of proposals is %o -> %i',
  ],
  ['brainstorm.targetOpenProposals: 0 disables', settings, 'a target of 0 disables it, whatever the alias says'],
  [
    'brainstorm.historyWindow: 0 omits',
    text,
    'S3 Cron: a history window of 0 shows no proposals, and a full backlog says so',
  ],
  [
    'brainstorm.minSessionIntervalMinutes: positive, 0, negative',
    settings,
    'minSessionIntervalMinutes %d is a floor of %d ms',
  ],
  [
    'brainstorm.sources: words',
    validate,
    'whose brainstorm draws on other sources than docs, memory and internet is refused',
  ],
  [
    'brainstorm.sources: empty is the repositories alone',
    text,
    'S3 Cron: a brainstorm draws on the sources of its Project, and on the repositories alone without any',
  ],
  ['documentation: schedule and enabled', settings, 'S3 Cron: documentation has a double gate'],
  [
    'documentation.repo: enrolled',
    writes,
    'documentation that is not enrolled is said, and holds nothing up; enrolled under another spelling it is found',
  ],
  ['refine.closedLookbackDays', text, 'a refine sees all Tasks of its Project and how far back to look'],
  ['refine.closedLookbackDays: 0 is 30', directory, 'S3 Cron: with %s the target of proposals is %o -> %i'],
  [
    'refine: before each scan',
    scheduled,
    'refines first, then mints as many as one sweep may, parked because a person has to speak for them',
  ],
]

const labels: readonly Row[] = [
  [
    'a projection of the status',
    people,
    'every status has a projection, within what is managed; an empty name switches a label off',
  ],
  ['written to the forge; those of people stay', writes, 'labels become what the Issue says; those of people stay'],
  [
    'write-only',
    mirror,
    'S3 Labels: labels that the platform writes say nothing when people write them: no approval, no decline, no status',
  ],
  [
    'the parked marker is read for the cost of a mint',
    backlog,
    'the parked marker is read for the order alone: an issue whose Task was parked before is offered last',
  ],
  ['approvedLabel', issue, 'approved and labelled when the comment is accepted; the owner hears who'],
  ['implementationLabel', issue, 'the implement agent runs: its label beside the phase; implementing once granted'],
  [
    'declinedLabel',
    issue,
    'Issue owner/ended: the owner ended %s, %s: rejected, declined label, given up, no new Task by itself',
  ],
  [
    'renamed: the old name is cleared',
    issue,
    'S3 Labels: a renamed label is written anew, and its old name is cleared',
  ],
  ['incidentLabel: from the start', writes, 'S3 Labels: an incident carries the incident label from the start'],
  [
    'incidentLabel: never swept',
    writes,
    'S3 Labels: the incident label is swept by no change of phase, not even where it is all that is left',
  ],
  [
    'priorityLabel',
    'machines/issue/hand-over.test.ts',
    '3.11: the priority label stands while a person speaks for an issue in work, and goes with its end',
  ],
]

const queue: readonly Row[] = [
  [
    'capacity: maxConcurrentAgents, else 3; alertCapacity: 1',
    'cli/orchestrator/resources.test.ts',
    'S3 QueueSpec: with %j there are %i agents, of which %i normal, and %i for alerts',
  ],
  [
    'states of entries as resources',
    status,
    'say where they wait in the order of admission, and those that have a slot since when',
  ],
]

const budget: readonly Row[] = [
  ['off unless the block says so', settings, 'is on only where the block says so'],
  [
    'emergencyPercent is raised to proactivePercent',
    spending,
    'an emergency percent below the proactive one is raised to it',
  ],
  [
    'windowDuration bounds the reset search',
    spending,
    'a reset by schedule comes first, at most windowDuration after the start',
  ],
  ['windowDuration: Go’s durations', validate, 'whose windowDuration is no duration of Go is refused'],
  [
    'customWindow: our own count, each turn once',
    usage,
    'its tokens go to its own Project where that meters, once for each turn',
  ],
  [
    'claudeSubscription: fleet-wide',
    usage,
    'the account’s usage goes to every Project that is gated by it, whoever ran the turn',
  ],
  [
    'claudeSubscription: into the status of the Task',
    usage,
    'the account’s usage goes to the turn’s own Task, as long as that lives',
  ],
  [
    'claudeSubscription: never reported is not 0',
    usage,
    'a turn that reported nothing tells nothing: never-reported and 0 percent stay distinguishable',
  ],
  ['claudeSubscription: meters no tokens', spending, 'tokens are not metered'],
  ['five-hour and weekly pairs: 0 inherits', spending, 'each window may have a pair of its own; 0 inherits'],
  ['spawnCeilingByKind: inert', settings, 'S3 TokenBudgetSpec: spawnCeilingByKind is accepted and holds nothing'],
  [
    'platform_account_usage_gate_ready',
    gauges,
    'S3 TokenBudgetSpec: past 90 minutes the gate is not ready, and the age goes on',
  ],
  ['platform_account_usage_snapshot_age_seconds', gauges, 'the newest report of any Project is what is known'],
]

const statuses: readonly Row[] = [
  ['Task: reasons that are no longer produced', status, 'S3 States: no Task rests for %s any more'],
  ['Project: webhookURL', scheduled, 'says what is wrong beside it, and what it would do when'],
  ['Project: conditions', status, 'says everything that is wrong under its own name'],
  [
    'Project: tokenBudget, its deprecated fields unwritten',
    status,
    'shows the window of a metered budget, what it holds, and that it has none',
  ],
  ['Project: the last runs', status, 'says what a run could not do, and a schedule that cannot be followed'],
  [
    'Project: retired fields are pruned',
    'crd/manifest.test.ts',
    'a retired field of a Project’s status is pruned, while a Task shows whatever its snapshot holds',
  ],
  ['Task: times of stage, work and pod', status, 'shows times as text, and none where nothing happened yet'],
  [
    'Task: the last turn',
    'machines/task/turns-and-notes.test.ts',
    'what status shows of the last turn and of all of them',
  ],
  [
    'Task: accountUsage',
    status,
    'shows what a turn heard of the account, and null while none did (document 3, Other resources)',
  ],
  ['Issue, MergeRequest: status', status, 'is its actor’s facts, with the innermost state as its status'],
  ['six kinds', 'crd/manifest.test.ts', 'S3: six kinds, in one namespaced group and version'],
]

export const projectRows = {
  'Project spec': fields,
  AgentSpec: agent,
  ScmSpec: scm,
  WorkspaceSpec: workspace,
  UpgradePolicySpec: upgrades,
  'Cron blocks': cron,
  Labels: labels,
  QueueSpec: queue,
  TokenBudgetSpec: budget,
  Status: statuses,
}
