/** A Task (TASK-RESOURCE): its own words, and those of its pod, of its turn and of its issues. */
import { bareName } from '../resource-id.ts'
import type { AccountReport, AccountWindow } from '../../machines/event.ts'
import type { IssueContext } from '../../machines/issue/context.ts'
import type { PodContext } from '../../machines/pod/context.ts'
import type { TaskContext } from '../../machines/task/context.ts'
import { shownGoal } from '../../machines/task/shown-goal.ts'
import type { TurnContext } from '../../machines/turn/context.ts'
import { taskResting } from '../../machines/why/reason.ts'
import { bounded } from './bounded.ts'
import { apiVersion, metadataOf, stateOf, time, type ActorShape, type DerivedResource } from './shape.ts'
import { taskConditions } from './task-conditions.ts'

/** Actors whose word a Task shows; what is not there is not shown. */
export interface TaskRelations {
  /** The live pod. */
  readonly pod?: ActorShape<PodContext>
  /** When the newest pod came to its end, if it has. */
  readonly podEndedAt?: number
  /** The turn in flight, and when it was asked for. */
  readonly turn?: ActorShape<TurnContext> & { readonly startedAt: number | null }
  /** Those that it owns or owned. */
  readonly issues: readonly ActorShape<IssueContext>[]
}

const alone: TaskRelations = { issues: [] }

/** Undefined before it was minted: until then nothing is known of it. */
export function taskResource(
  actor: ActorShape<TaskContext>,
  relations: TaskRelations = alone,
): DerivedResource | undefined {
  const { pod, turn, issues } = relations
  const task = actor.context
  if (task.config.project === '') return undefined
  const spec = {
    projectRef: bareName(task.config.project),
    kind: task.kind,
    goal: shownGoal(task),
    repositories: task.repositories,
    issues: task.forge.issues.map(({ repository, number }) => ({ repository, number })),
    priority: task.priority,
    origin: task.origin,
  }
  const metadata = metadataOf(actor)
  const status = {
    conditions: taskConditions(task, relations, metadata.generation),
    stage: task.stage.name,
    stageClass: task.stage.class,
    stageReason: task.stage.reason,
    /** Of the one enum of reasons; `statewright why` says more. */
    why: taskResting(task, actor.path) ?? null,
    stageEnteredAt: time(task.stage.enteredAt),
    stageWorkStartedAt: time(task.stage.workStartedAt),
    podStartedAt: time(task.pod.startedAt),
    agentKind: task.pod.agentKind,
    pod: task.pod.alive ? podStatus(task, pod) : null,
    turn: turn === undefined ? null : turnStatus(turn),
    issues: task.forge.issues.map(({ repository, number, state, accepted, grant }) => ({
      repository,
      number,
      state,
      accepted,
      granted: grant !== null,
    })),
    mergeRequests: task.forge.mergeRequests.map(({ repository, number, state, headSha, url, mergeCommit }) => ({
      repository,
      number,
      state,
      headSha,
      url,
      mergeCommit,
    })),
    approvals: issues.flatMap(approvalsOf),
    planHash: task.journal.planHash,
    changeSignificance: task.forge.significance,
    mergeOrder: task.forge.submission?.mergeOrder ?? null,
    pendingEvents: task.journal.pending.length,
    reviewLaps: task.stage.reviewLaps,
    usage: task.turn.usage,
    accountUsage: task.turn.accountUsage ? accountStatus(task.turn.accountUsage) : null,
    notes: task.journal.notes.map(({ id, agent, pod, at, kind, source, body, spilled }) => ({
      id,
      agent,
      pod,
      at: time(at),
      kind,
      source,
      body,
      ...(spilled && { spilled }),
    })),
    lastTurnFinalText: task.turn.lastFinalText,
    lastTurnPushedRepos: task.turn.lastPushedRepos,
    lastTurnFailedRepos: task.turn.lastFailedRepos,
    stages: task.stage.history.map(({ stage, at, reason }) => ({ stage, at: time(at), reason })),
  }
  return { apiVersion, kind: 'Task', metadata, spec, status: bounded(status) }
}

function podStatus(
  { pod: { ordinal: podOrdinal, worked: podWorked } }: TaskContext,
  pod: ActorShape<PodContext> | undefined,
): object {
  const { name } = pod?.context ?? { name: '' }
  return { ordinal: podOrdinal, name: name || null, phase: podWorked ? 'working' : 'starting' }
}

/** Its id is the wrapper's own, once the wrapper has taken it. */
function turnStatus(turn: NonNullable<TaskRelations['turn']>): object {
  const { turnId } = turn.context
  return { id: turnId || null, state: stateOf(turn), startedAt: time(turn.startedAt) }
}

/** The approvals that still stand and that a plan is known for, each with the plan that it speaks for (APPROVAL-10). */
function approvalsOf(issue: ActorShape<IssueContext>): readonly object[] {
  const { facts, boundPlans } = issue.context
  return (facts?.approvals ?? []).flatMap(({ commentId, author, at }) => {
    const planHash = boundPlans[commentId]
    if (facts === null || planHash === undefined) return []
    return [{ repository: facts.repository, number: facts.number, commentId, author, planHash, at: time(at) }]
  })
}

/** In the words in which wrappers tell it (WRAPPER-RULE-6). */
function accountStatus({ fiveHour, weekly, reportedAt }: AccountReport): object {
  const window = ({ usedPercent, resetsAt }: AccountWindow): object => ({ usedPercent, resetsAt: time(resetsAt) })
  return { fiveHour: window(fiveHour), sevenDay: window(weekly), reportedAt: time(reportedAt) }
}
