/** Entering a stage. The pod region reads `wants` and `visit`, and nothing else of the stage region (POD-2). */
import { tellIssue, tellMergeRequest, tellProject } from '../emit.ts'
import type { Cause } from '../decide.ts'
import type { Change, Decide } from './chart.ts'
import { afterPod, staysOpen } from './comments.ts'
import { withChanges, type StageClass, type TaskContext, type TaskPatch } from './context.ts'
import type { AgentKind } from './events.ts'
import { openMergeRequests } from './queries.ts'
import type { Reason } from './reasons.ts'

const maxHistory = 200

/** An admitted `refined` becomes `implementing` with the slot it waited for: the same visit. */
function isSameVisit(context: TaskContext, stage: string): boolean {
  return context.stage.name === 'refined' && stage === 'implementing'
}

function stageEntry(context: TaskContext, stage: string, stageClass: StageClass): TaskPatch {
  const reason = stageClass === 'active' ? null : context.stage.reason
  const visit = isSameVisit(context, stage) ? context.stage.visit : context.stage.visit + 1
  const stages = [...context.stage.history, { stage, at: context.at, reason }].slice(-maxHistory)
  return {
    stage: {
      name: stage,
      class: stageClass,
      reason,
      enteredAt: context.at,
      workStartedAt: null,
      clockedAt: context.at,
      spentMs: 0,
      visit,
      history: stages,
    },
  }
}

const freshCounters = { turn: { silentInRow: 0, failedInRow: 0, delayMs: 0 }, pod: { visitResidencyMs: 0 } } as const

export function enterActive(stage: string, wants: AgentKind | null): Decide<Cause> {
  return (context) => ({
    context: withChanges(stageEntry(context, stage, 'active'), freshCounters, {
      stage: { detail: null, parkedFrom: null, wants },
    }),
  })
}

/** A park on a park keeps where the first one came from. */
export function enterParked(stage: string): Decide<Cause> {
  return (context) => ({
    context: withChanges(stageEntry(context, stage, 'parked'), {
      stage: {
        wants: null,
        parkedFrom: context.stage.class === 'active' ? context.stage.name : context.stage.parkedFrom,
      },
    }),
  })
}

export function startWork(context: TaskContext): Change {
  return { context: { stage: { workStartedAt: context.stage.workStartedAt ?? context.at } } }
}

export function because(reason: Reason, detail: string | null = null): Decide<Cause> {
  return () => ({ context: { stage: { reason, detail } } })
}

/** What was handed over belongs to another Task, which says so itself. */
function isOurs({ state }: { readonly state: string }): boolean {
  return state !== 'handedOver'
}

function tellIssues(context: TaskContext, stage: string): NonNullable<Change['effects']> {
  return context.forge.issues
    .filter(isOurs)
    .map(({ issue }) =>
      tellIssue(
        issue,
        stage === 'delivered'
          ? { type: 'task.delivered', task: context.id }
          : { type: 'task.ended', task: context.id, stage, reason: context.stage.reason ?? stage },
      ),
    )
}

/** A run of the Project's own schedule waits for its Task. */
function tellSchedule(
  { id, origin, config, stage: { reason: stageReason } }: TaskContext,
  stage: string,
): NonNullable<Change['effects']> {
  if (origin.kind !== 'cron') return []
  return [tellProject(config.project, { type: 'task.ended', task: id, stage, reason: stageReason ?? stage })]
}

/** `delivered` closes and clears labels by the Issues' own rows [ISSUE-5]; what is still open loses its owner and is said so. */
export function enterFinal(stage: string): Decide<Cause> {
  return (context) => {
    const why = context.stage.reason ?? stage
    const left = context.forge.mergeRequests.filter((mr) => isOurs(mr) && mr.state !== 'merged')
    const said = afterPod(
      context,
      openMergeRequests(context).map((mr) => staysOpen(context, mr, why)),
    )
    return {
      context: withChanges(stageEntry(context, stage, 'terminal'), said.context, {
        stage: { wants: null },
        forge: { claims: [], verdict: null },
      }),
      effects: [
        ...tellIssues(context, stage),
        ...tellSchedule(context, stage),
        ...left.map((mr) => tellMergeRequest(mr.mergeRequest, { type: 'mr.released', task: context.id, reason: why })),
        ...(said.effects ?? []),
      ],
    }
  }
}
