/** Resources of the kinds that only the orchestrator writes, made from their actors: snapshot to status, level-triggered. */
import type { AccountReport, AccountWindow } from '../machines/event.ts'
import type { Block, ProjectContext, Scheduled } from '../machines/project/context.ts'
import type { SpendingLimits } from '../machines/ledger/events.ts'
import { isReady } from '../machines/project/machine.ts'
import { positions } from '../machines/queue/admission.ts'
import type { QueueContext, WaitingEntry } from '../machines/queue/context.ts'
import type { TaskContext } from '../machines/task/context.ts'
import { taskResting } from '../machines/why/reason.ts'
import { worstCaseOf } from '../machines/why/worst-case.ts'

interface ActorShape {
  readonly id: string
  readonly path: string
  readonly seq: number
  readonly context: unknown
}

export interface DerivedResource {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace: string; readonly generation: number }
  readonly spec: object
  readonly status: object
}

const apiVersion = 'platform.dev/v1alpha1'

function metadataOf(actor: ActorShape): DerivedResource['metadata'] {
  const [namespace = 'default', ...name] = actor.id.split('/')
  return { name: name.join('/'), namespace, generation: actor.seq }
}

function time(at: number | null): string | null {
  return at === null || at === 0 ? null : new Date(at).toISOString()
}

export function taskResource(actor: ActorShape): DerivedResource {
  const task = actor.context as TaskContext
  const spec = {
    projectRef: task.config.project.slice(task.config.project.indexOf('/') + 1),
    kind: task.kind,
    goal: task.goal,
    repositories: task.repositories,
    issues: task.issues.map(({ repository, number }) => ({ repository, number })),
    priority: task.priority,
    origin: task.origin,
  }
  const status = {
    stage: task.stage,
    stageClass: task.stageClass,
    stageReason: task.stageReason,
    /** Of the one enum of reasons; `statewright why` says more. */
    why: taskResting(task, actor.path) ?? null,
    stageEnteredAt: time(task.stageEnteredAt),
    stageWorkStartedAt: time(task.stageWorkStartedAt),
    podStartedAt: time(task.podStartedAt),
    agentKind: task.agentKind,
    pod: task.podAlive ? { ordinal: task.podOrdinal, phase: task.podWorked ? 'working' : 'starting' } : null,
    issues: task.issues.map(({ repository, number, state, accepted, grant }) => ({
      repository,
      number,
      state,
      accepted,
      granted: grant !== null,
    })),
    mergeRequests: task.mergeRequests.map(({ repository, number, state, headSha, url, mergeCommit }) => ({
      repository,
      number,
      state,
      headSha,
      url,
      mergeCommit,
    })),
    planHash: task.planHash,
    changeSignificance: task.significance,
    mergeOrder: task.submission?.mergeOrder ?? null,
    pendingEvents: task.pending.length,
    reviewLaps: task.reviewLaps,
    usage: task.usage,
    accountUsage: task.accountUsage ? accountStatus(task.accountUsage) : null,
    notes: task.notes.map(({ id, agent, pod, at, kind, source, body, spilled }) => ({
      id,
      agent,
      pod,
      at: time(at),
      kind,
      source,
      body,
      ...(spilled && { spilled }),
    })),
    lastTurnFinalText: task.lastTurnFinalText,
    lastTurnPushedRepos: task.lastTurnPushedRepos,
    lastTurnFailedRepos: task.lastTurnFailedRepos,
    stages: task.stages.map(({ stage, at, reason }) => ({ stage, at: time(at), reason })),
  }
  return { apiVersion, kind: 'Task', metadata: metadataOf(actor), spec, status }
}

/** In the words in which wrappers tell it (WRAPPER-RULE-6). */
function accountStatus({ fiveHour, weekly, reportedAt }: AccountReport): object {
  const window = ({ usedPercent, resetsAt }: AccountWindow): object => ({ usedPercent, resetsAt: time(resetsAt) })
  return { fiveHour: window(fiveHour), sevenDay: window(weekly), reportedAt: time(reportedAt) }
}

/** What the cost of an entry is told from: the limits of its Project's ledger, and the Tasks that wait for their next pod. */
export interface CostFacts {
  readonly limits?: SpendingLimits
  readonly tasks: ReadonlyMap<string, Pick<TaskContext, 'kind' | 'config'>>
}

/** What the Task of an entry costs at most, once through its stages and by its ledger; null: nothing names a most. */
function costOf({ seed, task }: WaitingEntry, { limits, tasks }: CostFacts): { readonly worstCase?: object } {
  const of = seed ?? tasks.get(task)
  if (of === undefined) return {}
  const { tokensPerPass, laps, tokensAtMost } = worstCaseOf(of, limits)
  return { worstCase: { tokensPerPass, laps, tokensAtMost, assumes: 'nobody comments, and no pod is lost' } }
}

/** Issue, MergeRequest and QueuedEvent carry their actor's own facts; `path` is the state. */
export function factsResource(kind: 'Issue' | 'MergeRequest', actor: ActorShape): DerivedResource {
  const context = actor.context as {
    readonly facts?: { readonly repository?: string; readonly number?: number } | null
  }
  const spec = { repositoryRef: context.facts?.repository ?? null, number: context.facts?.number ?? null }
  const status = { status: actor.path.slice(actor.path.lastIndexOf('.') + 1), ...(context as object) }
  return { apiVersion, kind, metadata: metadataOf(actor), spec, status }
}

interface Condition {
  readonly type: string
  readonly status: 'True' | 'False'
  readonly reason: string
  readonly message: string
}

/** PROJECT-STATUS (docs/contract/resources.md); the address of its webhook is added by who knows it. */
export function projectStatus(actor: Pick<ActorShape, 'path' | 'context'> | undefined): object {
  const project = (actor?.context ?? {}) as Partial<ProjectContext>
  const { generation, checkedGeneration = 0, message = '', faults = [], scheduled } = project
  // Ready says so of what is applied now, not of what was before the last change.
  const ready = isReady(actor?.path) && generation === checkedGeneration
  const reason = ready ? 'Checked' : project.reason || 'NotChecked'
  const conditions: readonly Condition[] = [
    { type: 'Ready', status: ready ? 'True' : 'False', reason, message },
    ...faults.map((fault) => warning(fault.reason, fault.reason, fault.message)),
    ...(scheduled ? scheduleConditions(scheduled) : []),
  ]
  return {
    ready,
    reason,
    observedGeneration: checkedGeneration,
    conditions,
    ...(scheduled ? scheduleStatus(scheduled) : {}),
  }
}

/** What is wrong beside readiness, each under its own name. */
function warning(type: string, reason: string, message: string): Condition {
  return { type, status: 'True', reason, message }
}

const blockWords = {
  issueScan: 'IssueScan',
  brainstorm: 'Brainstorm',
  documentation: 'Documentation',
  upgrade: 'Upgrade',
}

function scheduleConditions({ blocks, settings, spending }: Scheduled): readonly Condition[] {
  const budget = settings.budget
  const isUnbounded = budget?.mode === 'customWindow' && budget.resetSchedule === '' && budget.windowMs === 0
  return [
    ...Object.entries(blocks).flatMap(([name, block]) =>
      blockConditions(blockWords[name as keyof typeof blocks], block),
    ),
    ...(isUnbounded
      ? [
          warning(
            'TokenBudgetUnbounded',
            'NoWindow',
            'neither resetSchedule nor windowDuration is set: the token budget limits nothing',
          ),
        ]
      : []),
    ...(spending.hold === 'open'
      ? []
      : [
          warning(
            'TokenBudgetHeld',
            spending.hold === 'allHeld' ? 'Emergency' : 'Proactive',
            spending.hold === 'allHeld'
              ? 'the token budget is used up: the queue starts nothing'
              : 'the proactive share is used up: the queue starts only alerts',
          ),
        ]),
  ]
}

function blockConditions(word: string, { refused, trouble }: Block): readonly Condition[] {
  return [
    ...(refused === '' ? [] : [warning(`${word}Unscheduled`, 'ScheduleRefused', refused)]),
    ...(trouble === '' ? [] : [warning(`${word}Incomplete`, 'LastRun', trouble)]),
  ]
}

function scheduleStatus({ blocks, refine, spending, settings }: Scheduled): object {
  const { windowStart, windowTokens } = spending
  return {
    lastIssueScan: time(blocks.issueScan.last),
    lastBrainstorm: time(blocks.brainstorm.last),
    lastDocumentation: time(blocks.documentation.last),
    lastRefine: time(refine.last),
    lastUpgrade: time(blocks.upgrade.last),
    ...(settings.budget?.mode === 'customWindow'
      ? { tokenBudget: { windowStart: time(windowStart), windowTokens } }
      : {}),
  }
}

/** One resource per entry that waits or holds a slot; where it waits and why is the queue's own word. */
export function queuedEventResources(
  actor: ActorShape,
  costs: CostFacts = { tasks: new Map() },
): readonly DerivedResource[] {
  const queue = actor.context as QueueContext
  const { namespace } = metadataOf(actor)
  const waiting = new Map(
    positions(queue, queue.at).map(({ entry, position, reason }) => [entry, { position, reason }]),
  )
  const held = queue.entries.map((entry) => {
    const spec = {
      projectRef: metadataOf(actor).name,
      sort: entry.sort,
      class: entry.class,
      priority: entry.priority,
      sequence: entry.sequence,
      kind: entry.kind,
      taskRef: entry.task,
    }
    const status =
      entry.admittedAt === null
        ? { state: 'Queued', ...waiting.get(entry.entry), ...costOf(entry, costs) }
        : { state: 'Admitted', admittedAt: time(entry.admittedAt), ...costOf(entry, costs) }
    const name = entry.entry.replaceAll('/', '-')
    return { apiVersion, kind: 'QueuedEvent', metadata: { name, namespace, generation: actor.seq }, spec, status }
  })
  const left = queue.finished.slice(-shownFinished).map(({ entry, state, reason }) => {
    const name = entry.replaceAll('/', '-')
    const metadata = { name, namespace, generation: actor.seq }
    const spec = { projectRef: metadataOf(actor).name }
    return { apiVersion, kind: 'QueuedEvent', metadata, spec, status: { state, reason } }
  })
  return [...held, ...left]
}

/** Of those that left: enough to see what became of the newest. */
const shownFinished = 50
