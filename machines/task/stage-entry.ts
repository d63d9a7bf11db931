/** Entering a stage. The pod region reads `wants` and `visit`, and nothing else of the stage region (POD-2). */
import { tellIssue, tellMergeRequest, tellProject } from '../emit.ts'
import type { Cause } from '../decide.ts'
import type { Change, Decide } from './chart.ts'
import { afterPod, staysOpen } from './comments.ts'
import type { StageClass, TaskContext } from './context.ts'
import type { AgentKind } from './events.ts'
import { openMergeRequests } from './queries.ts'
import type { Reason } from './reasons.ts'

const maxHistory = 200

/** An admitted `refined` becomes `implementing` with the slot it waited for: the same visit. */
function isSameVisit(context: TaskContext, stage: string): boolean {
  return context.stage === 'refined' && stage === 'implementing'
}

function stageEntry(context: TaskContext, stage: string, stageClass: StageClass): Partial<TaskContext> {
  const reason = stageClass === 'active' ? null : context.stageReason
  const visit = isSameVisit(context, stage) ? context.visit : context.visit + 1
  const stages = [...context.stages, { stage, at: context.at, reason }].slice(-maxHistory)
  return { stage, stageClass, stageReason: reason, stageEnteredAt: context.at, stageWorkStartedAt: null, visit, stages }
}

const freshCounters = { silentTurns: 0, failedTurns: 0, visitResidencyMs: 0, turnDelayMs: 0 } as const

export function enterActive(stage: string, wants: AgentKind | null): Decide<Cause> {
  return (context) => ({
    context: { ...stageEntry(context, stage, 'active'), ...freshCounters, stageDetail: null, parkedFrom: null, wants },
  })
}

/** A park on a park keeps where the first one came from. */
export function enterParked(stage: string): Decide<Cause> {
  return (context) => ({
    context: {
      ...stageEntry(context, stage, 'parked'),
      wants: null,
      parkedFrom: context.stageClass === 'active' ? context.stage : context.parkedFrom,
    },
  })
}

export function startWork(context: TaskContext): Change {
  return { context: { stageWorkStartedAt: context.stageWorkStartedAt ?? context.at } }
}

export function because(reason: Reason, detail: string | null = null): Decide<Cause> {
  return () => ({ context: { stageReason: reason, stageDetail: detail } })
}

/** What was handed over belongs to another Task, which says so itself. */
function isOurs({ state }: { readonly state: string }): boolean {
  return state !== 'handedOver'
}

function tellIssues(context: TaskContext, stage: string): NonNullable<Change['effects']> {
  return context.issues
    .filter(isOurs)
    .map(({ issue }) =>
      tellIssue(
        issue,
        stage === 'delivered'
          ? { type: 'task.delivered', task: context.id }
          : { type: 'task.ended', task: context.id, stage, reason: context.stageReason ?? stage },
      ),
    )
}

/** A run of the Project's own schedule waits for its Task. */
function tellSchedule({ id, origin, config, stageReason }: TaskContext, stage: string): NonNullable<Change['effects']> {
  if (origin.kind !== 'cron') return []
  return [tellProject(config.project, { type: 'task.ended', task: id, stage, reason: stageReason ?? stage })]
}

/** `delivered` closes and clears labels by the Issues' own rows [ISSUE-5]; what is still open loses its owner and is said so. */
export function enterFinal(stage: string): Decide<Cause> {
  return (context) => {
    const why = context.stageReason ?? stage
    const left = context.mergeRequests.filter((mr) => isOurs(mr) && mr.state !== 'merged')
    const said = afterPod(
      context,
      openMergeRequests(context).map((mr) => staysOpen(context, mr, why)),
    )
    return {
      context: { ...stageEntry(context, stage, 'terminal'), ...said.context, wants: null, claims: [], verdict: null },
      effects: [
        ...tellIssues(context, stage),
        ...tellSchedule(context, stage),
        ...left.map((mr) => tellMergeRequest(mr.mergeRequest, { type: 'mr.released', task: context.id, reason: why })),
        ...(said.effects ?? []),
      ],
    }
  }
}
