/**
 * Who obeys each field of the six kinds on one machine. An operator who sets a field that nothing reads learns it at
 * `apply`: it is refused, or it is said to have no effect (RESOURCE-API-6, RESOURCE-API-7). The table is total by its
 * type: a new field without an entry does not compile.
 */
import type { Static } from 'typebox'
import type { IssueSpec, QueuedEventSpec, RepositorySpec, TaskSpec } from './kinds.ts'
import type { ProjectSpec } from './project.ts'

type File = `${string}.ts`

export type FieldUse =
  /** This file reads it by its name. */
  | File
  /** This file reads it with the whole block of that name, or needs a setting of the orchestrator. */
  | {
      readonly reader: File
      readonly within?: string
      readonly needs?: string
    }
  /** Nothing reads it: `apply` refuses it with the sentence. A value of `unless`, the default and an empty one ask for nothing. */
  | { readonly refused: string; readonly unless?: readonly unknown[] }
  /** Nothing reads it: `apply` takes it and warns with the sentence. */
  | { readonly inert: string }
  /** Its schema says `deprecated`, and `apply` warns of it. */
  | 'deprecated'
  /** The kind is the orchestrator's own, which writes the field there; `apply` refuses the kind. */
  | { readonly written: File }

type Leaf = string | number | boolean
type Never<T> = [T] extends [never] ? true : false
type IsOpen<T> = string extends keyof T ? true : Never<keyof T>
type Below<Name extends string, Value> =
  Never<Value> extends true
    ? Name
    : Value extends Leaf
      ? Name
      : Value extends readonly (infer Item)[]
        ? Item extends Leaf
          ? Name
          : IsOpen<Item> extends true
            ? Name
            : `${Name}/*/${FieldPath<Item>}`
        : IsOpen<Value> extends true
          ? Name
          : `${Name}/${FieldPath<Value>}`

/** Paths of all fields below a spec; `*` is any item of a list. A map from names that are not fixed is one field. */
type FieldPath<Spec> = {
  [Name in keyof Spec & string]-?: Below<Name, NonNullable<Spec[Name]>>
}[keyof Spec & string]

type Uses<Spec> = { readonly [Path in FieldPath<Spec>]: FieldUse }

const onOneMachine = (reason: string) => ({ refused: `cannot be obeyed on one machine: ${reason}` }) as const
const ofImage = onOneMachine(
  'a pod of one machine is a process of this installation: it runs no image and no other container',
)
const ofVolumes = onOneMachine('a pod of one machine has a folder, which has no size and no class')
const ofEnvironment = onOneMachine('a pod of one machine gets the variables of docs/contract/wrapper.md and no others')
const ofMemory = onOneMachine('one machine makes no memory stack of its own')
const ofBoards = { refused: 'has no effect: this version writes to no board of a forge' } as const

const directory = 'edges/forge/project-directory.ts'
const schedule = 'edges/schedule/settings.ts'
const models = 'crd/models.ts'
const hooks = 'machines/turn/pod-environment.ts'
const spending = 'orchestrator/resources/spending.ts'
const resources = 'orchestrator/resources/resources.ts'
const byHandTasks = 'orchestrator/resources/tasks-by-hand.ts'
const upgrade = { reader: 'edges/agents/bundle/preface.ts', within: 'upgradePolicy' } as const

const ofProject: Uses<ProjectSpec> = {
  scmSecretRef: directory,
  triggerLabel: directory,
  maxConcurrentAgents: resources,
  agentPodTTLSeconds: directory,
  maxNewTasksPerSweep: schedule,
  maxOpenTasks: schedule,
  maxBundleBytes: 'orchestrator/wiring/compose-handlers.ts',
  autoApproveMaxSignificance: directory,
  'agent/model': models,
  'agent/image': ofImage,
  'agent/permissionMode': directory,
  'agent/maxTurnsPerPod': 'deprecated',
  'agent/maxTurnsPerTask': 'deprecated',
  'agent/maxReviewRounds': 'deprecated',
  'agent/maxPodRecreations': 'deprecated',
  'agent/turnTimeoutSeconds': directory,
  'agent/stallProbeGraceSeconds': directory,
  'agent/stallProbeMaxAttempts': directory,
  'agent/effort': models,
  'agent/modelByKind': models,
  'agent/effortByKind': models,
  'agent/skillsRef': { reader: 'orchestrator/pods/pod-environment.ts', needs: 'SKILLS_REPO_URL' },
  'agent/hooks/preClone': hooks,
  'agent/hooks/postClone': hooks,
  'agent/hooks/conversationStart': hooks,
  'agent/hooks/conversationRestart': hooks,
  'agent/hooks/agentTurnFinished': hooks,
  'agent/hooks/conversationFinished': hooks,
  'agent/extraEnvs': ofEnvironment,
  'agent/extraEnvsFrom': ofEnvironment,
  'agent/extraVolumeMounts': ofVolumes,
  'agent/extraVolumes': ofVolumes,
  'agent/extraSidecarContainers': ofImage,
  'agent/extraInitContainers': ofImage,
  'agent/mcpServers/*/name': 'wrapper/boot/mcp-config.ts',
  'agent/mcpServers/*/url': 'wrapper/boot/mcp-config.ts',
  'agent/mcpServers/*/type': 'wrapper/boot/mcp-config.ts',
  'memory/pgInstances': ofMemory,
  'memory/pgStorage': ofMemory,
  'memory/pgWalStorage': ofMemory,
  'memory/neo4jStorage': ofMemory,
  'workspace/enabled': ofVolumes,
  'workspace/storageClass': ofVolumes,
  'workspace/size': ofVolumes,
  'workspace/cacheEnabled': onOneMachine('a pod of one machine has no build cache to switch off'),
  'workspace/cacheSize': ofVolumes,
  'scm/provider': 'edges/forge/transport/open-forge.ts',
  'scm/owner': directory,
  'scm/botLogin': directory,
  'scm/botEmail': directory,
  'scm/apiURL': directory,
  'scm/webURL': directory,
  'scm/maintainerLogins': directory,
  'scm/reporterLogins': directory,
  'scm/prReactionScope': directory,
  'scm/protectedPaths': directory,
  'scm/includeConfidential': directory,
  'scm/guidance': schedule,
  'scm/board/githubProjectNumber': ofBoards,
  'scm/board/gitlabBoardId': ofBoards,
  'scm/board/statusField': ofBoards,
  'scm/brainstormingLabel': directory,
  'scm/approvedLabel': directory,
  'scm/implementationLabel': directory,
  'scm/declinedLabel': directory,
  'scm/incidentLabel': directory,
  'scm/priorityLabel': directory,
  'scm/cron/issueScan/schedule': schedule,
  'scm/cron/issueScan/maxPerRepo': schedule,
  'scm/cron/brainstorm/schedule': schedule,
  'scm/cron/brainstorm/enabled': schedule,
  'scm/cron/brainstorm/targetOpenProposals': schedule,
  'scm/cron/brainstorm/maxOpenProposals': schedule,
  'scm/cron/brainstorm/historyWindow': directory,
  'scm/cron/brainstorm/minSessionIntervalMinutes': schedule,
  'scm/cron/brainstorm/staleProposalDays': 'deprecated',
  'scm/cron/brainstorm/sources': directory,
  'scm/cron/documentation/schedule': schedule,
  'scm/cron/documentation/maxPerRepo': schedule,
  'scm/cron/refine/closedLookbackDays': directory,
  'scm/cron/upgrade/schedule': schedule,
  'scm/cron/upgrade/maxOpenUpgrades': schedule,
  'alerting/enabled': 'orchestrator/resources/alerting.ts',
  'alerting/url': { refused: 'has no effect: no tool of this version queries the alerting system' },
  'alerting/secretRef': 'orchestrator/resources/alerting.ts',
  'alerting/cooldownSeconds': 'deprecated',
  'documentation/enabled': schedule,
  'documentation/repo': directory,
  'queue/capacity': resources,
  'queue/alertCapacity': resources,
  'tokenBudget/enabled': schedule,
  'tokenBudget/mode': schedule,
  'tokenBudget/proactivePercent': schedule,
  'tokenBudget/emergencyPercent': schedule,
  'tokenBudget/resetSchedule': schedule,
  'tokenBudget/windowDuration': schedule,
  'tokenBudget/tokenLimit': schedule,
  'tokenBudget/fiveHourProactivePercent': schedule,
  'tokenBudget/fiveHourEmergencyPercent': schedule,
  'tokenBudget/weeklyProactivePercent': schedule,
  'tokenBudget/weeklyEmergencyPercent': schedule,
  'tokenBudget/spawnCeilingByKind': { inert: 'has no effect: no ceiling by kind is enforced (PROJECT-BUDGET-15)' },
  'spending/tokensPerTurn': spending,
  'spending/tokensPerTask': spending,
  'spending/tokensPerDay': spending,
  'spending/tokensPerProject': spending,
  'spending/maxRaisePerDay': spending,
  'upgradePolicy/engine': upgrade,
  'upgradePolicy/majorStrategy': upgrade,
  'upgradePolicy/minimumReleaseAge/major': upgrade,
  'upgradePolicy/minimumReleaseAge/minor': upgrade,
  'upgradePolicy/minimumReleaseAge/patch': upgrade,
  'upgradePolicy/adoptBranchPrefix': directory,
  'upgradePolicy/upgradeEngineLogins': directory,
}

const ofRepository: Uses<RepositorySpec> = {
  projectRef: directory,
  url: directory,
  defaultBranch: directory,
  maintainerLogins: directory,
  reporterLogins: directory,
}

const byHand = { refused: 'only the orchestrator writes it: a Task that a person applies has the origin `human`' }

const ofTask: Uses<TaskSpec> = {
  projectRef: byHandTasks,
  kind: byHandTasks,
  goal: byHandTasks,
  repositories: byHandTasks,
  'issues/*/repository': byHandTasks,
  'issues/*/number': byHandTasks,
  priority: byHandTasks,
  'origin/kind': { ...byHand, unless: ['human'] },
  // As a read shows it: people apply what they read.
  'origin/ref': { reader: 'crd/status/task.ts', within: 'origin' },
}

const queued = { written: 'crd/status/queued-event.ts' } as const

const ofQueuedEvent: Uses<Static<typeof QueuedEventSpec>> = {
  projectRef: queued,
  sort: queued,
  class: queued,
  priority: queued,
  sequence: queued,
  kind: queued,
  taskRef: queued,
  payload: { inert: 'has no effect: no entry of a queue has one' },
}

type ForgeObject = Static<typeof IssueSpec>
const issue = { written: 'crd/status/issue.ts' } as const
const mergeRequest = { written: 'crd/status/merge-request.ts' } as const

export const fieldUses: Readonly<Record<string, Readonly<Record<string, FieldUse>>>> = {
  Project: ofProject,
  Repository: ofRepository,
  Task: ofTask,
  QueuedEvent: ofQueuedEvent,
  Issue: { repositoryRef: issue, number: issue } satisfies Uses<ForgeObject>,
  MergeRequest: { repositoryRef: mergeRequest, number: mergeRequest } satisfies Uses<ForgeObject>,
}
