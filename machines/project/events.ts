import { Type, type Static } from 'typebox'
import { AccountReport, At, EffectFailed } from '../event.ts'
import { AgentKind, TaskConfig } from '../task/events.ts'

export const blockNames = ['issueScan', 'brainstorm', 'documentation', 'upgrade'] as const
/** A cron block of the Project (PROJECT-CRON, docs/contract/resources.md). */
export type BlockName = (typeof blockNames)[number]

const Schedule = { schedule: Type.String({ description: 'five-field cron; empty: off' }) }
const percents = {
  proactivePercent: Type.Integer(),
  emergencyPercent: Type.Integer(),
}

/** The token budget with every default applied; absent where the gate is off (PROJECT-BUDGET-1). */
export const BudgetSettings = Type.Object({
  mode: Type.Union([Type.Literal('customWindow'), Type.Literal('claudeSubscription')]),
  ...percents,
  resetSchedule: Type.String(),
  /** 0: a window ends at its reset only. */
  windowMs: Type.Integer({ minimum: 0 }),
  /** 0: no limit. */
  tokenLimit: Type.Integer({ minimum: 0 }),
  fiveHour: Type.Object(percents),
  weekly: Type.Object(percents),
})
export type BudgetSettings = Static<typeof BudgetSettings>

/** What a Project does by itself, with every default applied. A Project without any of it has no `settings`. */
export const ScheduleSettings = Type.Object({
  maxNewTasksPerSweep: Type.Integer({ minimum: 1 }),
  maxOpenTasks: Type.Integer({ minimum: 1 }),
  issueScan: Type.Object({ ...Schedule, maxPerRepo: Type.Integer({ minimum: 1 }) }),
  brainstorm: Type.Object({
    ...Schedule,
    targetOpenProposals: Type.Integer({ minimum: 0 }),
    /** 0: none. */
    minSessionIntervalMs: Type.Integer({ minimum: 0 }),
    guidance: Type.String(),
  }),
  documentation: Type.Object({ ...Schedule, maxPerRepo: Type.Integer({ minimum: 1 }) }),
  upgrade: Type.Object({ ...Schedule, maxOpenUpgrades: Type.Integer({ minimum: 1 }) }),
  budget: Type.Optional(BudgetSettings),
})
export type ScheduleSettings = Static<typeof ScheduleSettings>

/** A Task that lives, or one that waits in the queue to be minted: caps count both. */
export const LiveTask = Type.Object({
  task: Type.String(),
  kind: AgentKind,
  repositories: Type.Array(Type.String()),
  /** In a work stage, `reviewing` or `refined`: counts towards `maxOpenTasks` (SCHEDULE-9). */
  open: Type.Boolean(),
})
export type LiveTask = Static<typeof LiveTask>

/** What there is to do, as it was read for one run. */
export const Backlog = Type.Object({
  tasks: Type.Array(LiveTask),
  /** Open issues of the lifecycle, oldest first. `print` changes when the issue does; `offerable`: it waits for a sweep. */
  issues: Type.Array(
    Type.Object({
      issue: Type.String(),
      repository: Type.String(),
      print: Type.String(),
      offerable: Type.Boolean(),
    }),
  ),
  /** Open merge requests that are wanted and that nobody owns. */
  mergeRequests: Type.Array(
    Type.Object({ mergeRequest: Type.String(), repository: Type.String(), headSha: Type.String() }),
  ),
  openProposals: Type.Integer({ minimum: 0 }),
  repositories: Type.Array(Type.String()),
  /** Name of the Repository that holds the documentation, where it is enabled and enrolled. */
  documentation: Type.Optional(Type.String()),
  config: TaskConfig,
})
export type Backlog = Static<typeof Backlog>

/** `repository`: of this one alone. */
const Fault = Type.Object({
  reason: Type.String(),
  message: Type.String(),
  blocks: Type.Boolean(),
  repository: Type.Optional(Type.String()),
})

export const ProjectEvent = Type.Union([
  /** The Project or one of its Repositories was applied. */
  Type.Object({
    type: Type.Literal('project.applied'),
    ...At,
    generation: Type.Integer(),
    maxConcurrentAgents: Type.Integer(),
    capacity: Type.Integer(),
    alertCapacity: Type.Integer(),
    settings: Type.Optional(ScheduleSettings),
    /** `metadata.generation` of each resource that `generation` stands for, by kind and name: `Repository/lib`. */
    resources: Type.Optional(Type.Record(Type.String(), Type.Integer())),
  }),
  Type.Object({
    type: Type.Literal('project.checked'),
    ...At,
    generation: Type.Integer(),
    ready: Type.Boolean(),
    reason: Type.String(),
    message: Type.String(),
    /** Everything that was found, the first blocking one being `reason`. */
    faults: Type.Optional(Type.Array(Fault)),
  }),
  /** `run`: of the run that asked for it. */
  Type.Object({ type: Type.Literal('project.resynced'), ...At, run: Type.Optional(Type.String()) }),
  Type.Object({ type: Type.Literal('project.deleted'), ...At }),
  /** An orchestrator started: what happened while none ran is unknown. */
  Type.Object({ type: Type.Literal('project.restarted'), ...At }),

  /**
   * The first tick of the schedule after the time that was asked about, and the last one that is not after it.
   * `name`: a block, or `window`.
   */
  Type.Object({
    type: Type.Literal('tick.planned'),
    ...At,
    name: Type.String(),
    schedule: Type.String(),
    next: Type.Integer(),
    previous: Type.Optional(Type.Integer()),
  }),
  /** The schedule is no five-field cron, or never comes. */
  Type.Object({
    type: Type.Literal('tick.refused'),
    ...At,
    name: Type.String(),
    schedule: Type.String(),
    reason: Type.String(),
  }),
  Type.Object({ type: Type.Literal('backlog.read'), ...At, run: Type.String(), backlog: Backlog }),
  /** A Task that a run had minted is final. */
  Type.Object({
    type: Type.Literal('task.ended'),
    ...At,
    task: Type.String(),
    stage: Type.String(),
    reason: Type.String(),
  }),

  /** A turn's tokens, told once for each turn. */
  Type.Object({ type: Type.Literal('usage.spent'), ...At, turn: Type.String(), tokens: Type.Integer({ minimum: 0 }) }),
  /** What the subscription's account has used, as some pod was told: the fleet shares one account. */
  Type.Object({ type: Type.Literal('usage.reported'), ...At, ...AccountReport.properties }),
  EffectFailed,
])
export type ProjectEvent = Static<typeof ProjectEvent>
