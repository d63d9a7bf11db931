/** What guards ask of a Task's context. Pure reads, no decision is taken here. */
import { nextToMerge } from '../rules/merge-order.ts'
import { taskBranch } from '../rules/names.ts'
import { isWithin, type Ceiling, type Level } from '../rules/significance.ts'
import type { Head, TaskContext, TaskIssue, TaskMergeRequest } from './context.ts'
import type { AgentKind } from './events.ts'
import type { Reason } from './reasons.ts'

/** Own work stage by the kind a Task was minted for (STAGE-1). */
const ownStages = {
  brainstorm: 'brainstorming',
  incident: 'investigating',
  implement: 'implementing',
  review: 'reviewing',
  refine: 'refining',
  documentation: 'documenting',
  upgrade: 'upgrading',
} as const satisfies { readonly [K in AgentKind]: string }

export type WorkStage = (typeof ownStages)[AgentKind]
/** Stages whose work ends in merge requests. */
export type CodeStage = Extract<WorkStage, 'implementing' | 'documenting' | 'upgrading'>
/** Where a released Task can go on; `folding` waits for members instead of a pod. */
export type ResumedStage = WorkStage | 'folding'

export function ownStageOf(kind: AgentKind): WorkStage {
  return ownStages[kind]
}

export function ownStage(context: TaskContext): WorkStage {
  return ownStages[context.kind]
}

/** Somebody may answer there; a Task that owns nothing hears of no comment. */
export function isHeard(context: TaskContext): boolean {
  return context.forge.issues.length > 0 || hasOpenMergeRequest(context)
}

export function isFolding({ forge: { folds } }: TaskContext): boolean {
  return folds.some(({ answer }) => answer === null)
}

export function isReviewKind(context: TaskContext): boolean {
  return context.kind === 'review'
}

export function podId(context: TaskContext): string {
  return `${context.id}/${context.pod.ordinal}`
}

export function openMergeRequests(context: TaskContext): readonly TaskMergeRequest[] {
  return context.forge.mergeRequests.filter(({ state }) => state === 'open')
}

export function hasOpenMergeRequest(context: TaskContext): boolean {
  return openMergeRequests(context).length > 0
}

/** A merged merge request of the repository: nothing more is opened there (TOOL-OPEN-4). */
export function isMergedIn(context: TaskContext, repository: string): boolean {
  return context.forge.mergeRequests.some((mr) => mr.repository === repository && mr.state === 'merged')
}

/** An adopted merge request keeps its branch; any other work is on the Task's own (NAME-6). */
export function branchIn(context: TaskContext, repository: string): string {
  return openMergeRequests(context).find((mr) => mr.repository === repository)?.headBranch ?? taskBranch(context.id)
}

export function liveIssues(context: TaskContext): readonly TaskIssue[] {
  return context.forge.issues.filter(({ state }) => state === 'open')
}

/**
 * Issues whose approval decides about what is still to come. Where a merge request is merged the word was kept already,
 * but a word that is taken back there stops what is left of the Task (APPROVAL-16).
 */
export function gatedIssues(context: TaskContext): readonly TaskIssue[] {
  return liveIssues(context).filter(
    ({ repository, withdrawn }) => withdrawn === true || !isMergedIn(context, repository),
  )
}

/** Whose own word is asked at the merge: also of an issue whose change is merged, for a withdrawal that this Task has not heard of yet (LAW-18). */
export function judgedIssues(context: TaskContext): readonly TaskIssue[] {
  const gated = gatedIssues(context)
  return liveIssues(context).filter((issue) => issue.grant !== null || gated.includes(issue))
}

/** Every gated issue is granted; a Task whose issues are all closed is NOT ungated, only one that never owned any [APPROVAL-8, LAW-3]. */
export function grantsHold(context: TaskContext): boolean {
  if (!context.forge.everOwnedIssue) return true
  return liveIssues(context).length > 0 && gatedIssues(context).every(({ grant }) => grant !== null)
}

/** A grant names the plan it was given for; a plan swapped afterwards voids it (CLAIM-17). */
export function planHolds(context: TaskContext): boolean {
  return gatedIssues(context).every(({ grant }) => grant === null || grant.planHash === context.journal.planHash)
}

/** Only what ships without a maintainer's comment is limited (PROJECT-15, PROJECT-20). `ceiling`: as the Project has it now (PROJECT-18). */
export function ceilingHolds(context: TaskContext, level: Level | null, ceiling: Ceiling): boolean {
  const limited = gatedIssues(context).some(({ grant }) => grant?.self === true)
  return !limited || isWithin(level, ceiling)
}

/** The same head against the same base (HEAD-1). */
export function isSameHead(one: Head, other: Head): boolean {
  return (
    one.repository === other.repository &&
    one.number === other.number &&
    one.sha === other.sha &&
    one.base === other.base
  )
}

export function headOf({ repository, number, headSha, baseBranch }: TaskMergeRequest): Head {
  return { repository, number, sha: headSha, ...withBase(baseBranch) }
}

export function withBase(base: string | undefined): { readonly base?: string } {
  return base === undefined ? {} : { base }
}

/** Exactly these heads: every open merge request stands where `heads` says. */
export function coversHeads(context: TaskContext, heads: readonly Head[] | null): boolean {
  return heads !== null && openMergeRequests(context).every((mr) => heads.some((head) => isSameHead(head, headOf(mr))))
}

export function nextMerge(context: TaskContext): TaskMergeRequest | undefined {
  return nextToMerge(context.forge.submission?.mergeOrder ?? null, openMergeRequests(context))
}

/** The pod was started for this very visit of the stage, and the stage still wants it [POD-7]. */
export function servesStage(context: TaskContext): boolean {
  return context.pod.alive && context.pod.visit === context.stage.visit && context.stage.wants !== null
}

/** `mr.noneOpen`: owned >= 1, and no repository still waits for its own [STAGE-11]. */
export function isNoneOpen(context: TaskContext): boolean {
  return (
    context.forge.mergeRequests.length > 0 && !hasOpenMergeRequest(context) && context.forge.awaitingOpen.length === 0
  )
}

export function isAnyMerged(context: TaskContext): boolean {
  return context.forge.mergeRequests.some(({ state }) => state === 'merged')
}

/** Parked before its work was up for review: an older merge request that is open shows none of it. */
const neverOpened: ReadonlySet<string | null> = new Set<Reason>(['not-opened', 'open-deadline'])

/** By an operator (PARK-14). */
export function isHeld(context: TaskContext): boolean {
  return context.stage.reason === 'held'
}

/** Where a released park goes on (PARK-1): a merge is judged again, a review without an open merge request has nothing to read. */
export function resumedStage(context: TaskContext): ResumedStage {
  if (isFolding(context)) return 'folding'
  const isReview = context.stage.parkedFrom === 'merging' || context.stage.parkedFrom === 'reviewing'
  const isOpen = hasOpenMergeRequest(context) && !neverOpened.has(context.stage.reason)
  return isReview && isOpen ? 'reviewing' : ownStage(context)
}
