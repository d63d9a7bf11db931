/** `merging`: one merge request at a time, in merge order, each at exactly the head that was judged (LAW-2). */
import { effect, tellMergeRequest } from '../emit.ts'
import type { EventOf } from '../decide.ts'
import type { Change } from './chart.ts'
import type { TaskEvent } from './events.ts'
import { maxOpenAsks, maxOptionalLaps } from './budgets.ts'
import { commentOnMergeRequest } from './comments.ts'
import { withChanges, type Head, type TaskContext } from './context.ts'
import { findMergeRequest } from './merge-requests.ts'
import { headOf, isSameHead, judgedIssues, nextMerge, openMergeRequests, withBase } from './queries.ts'
import { tell } from './pending.ts'

type MergeAnswer = EventOf<
  TaskEvent,
  'mr.conflict' | 'mr.ciRed' | 'mr.ciPending' | 'mr.notMergeableYet' | 'mr.mergeRefused'
>

/** A sha alone is not enough: an answer to an earlier ask of the same head may come late [MERGE-2]. */
export function isOwnAsk(context: TaskContext, { repository, number, sha, attempt }: MergeAnswer): boolean {
  const { merging } = context.forge
  return (
    merging?.repository === repository &&
    merging.number === number &&
    merging.sha === sha &&
    attempt === context.forge.mergeAttempt
  )
}

export function askToMerge(context: TaskContext): Change {
  const next = nextMerge(context)
  if (!next) return {}
  const head = headOf(next)
  const attempt = context.forge.mergeAttempt + 1
  const isAgain = isSameHeadAsk(context, head)
  return {
    context: { forge: { merging: head, mergeAttempt: attempt, mergeAsks: isAgain ? context.forge.mergeAsks + 1 : 1 } },
    effects: [
      effect('mergeMergeRequest', {
        project: context.config.project,
        ...head,
        attempt,
        grants: judgedIssues(context).map(({ issue }) => `issue:${issue}`),
        ...leftAside(context, head),
      }),
      // Without a base it is told again each time: the answer has the one that stands (HEAD-1).
      ...(isAgain && head.base !== undefined
        ? []
        : [tellMergeRequest(next.mergeRequest, { type: 'merge.asked', task: context.id, sha: head.sha })]),
    ],
  }
}

/** A go-ahead is for the head that the question was about, and for the checks that it names. */
function leftAside({ forge: { checkQuestion } }: TaskContext, head: Head): { despite?: string[] } {
  return checkQuestion !== null && checkQuestion.isAllowed && isSameHead(checkQuestion, head)
    ? { despite: [...checkQuestion.checks] }
    : {}
}

function isSameHeadAsk({ forge: { merging } }: TaskContext, head: Head): boolean {
  return merging !== null && isSameHead(merging, head)
}

export function withdrawMerge(): Change {
  return { effects: [effect('withdrawEffects', { types: ['mergeMergeRequest'] })] }
}

/** The merge request that was asked for learns that nobody merges it now. */
export function leaveMerging(context: TaskContext): Change {
  const { merging } = context.forge
  const left = openMergeRequests(context).find(
    (mr) => mr.repository === merging?.repository && mr.number === merging.number,
  )
  const reason = context.stage.reason ?? 'withdrawn'
  return {
    context: { forge: { merging: null, mergeAsks: 0 } },
    effects: left ? [tellMergeRequest(left.mergeRequest, { type: 'merge.left', task: context.id, reason })] : [],
  }
}

export function sayConflict(context: TaskContext, event: EventOf<TaskEvent, 'mr.conflict'>): Change {
  return tell(context, 'merge_conflict', event.reason ?? 'the merge request conflicts with its base', event)
}

type Red = EventOf<TaskEvent, 'mr.ciRed'>
type Pending = EventOf<TaskEvent, 'mr.ciPending'>

/** Red or open, and not known to be required. */
function looseChecks({ optional = [], unclear = [] }: Red | Pending): readonly string[] {
  return [...optional, ...unclear]
}

/** A name of one repository is none of another. */
function countedChecks(event: Red): readonly string[] {
  return looseChecks(event).map((name) => `${event.repository} ${name}`)
}

function lapsOf({ forge: { optionalLaps } }: TaskContext, check: string): number {
  return optionalLaps[check] ?? 0
}

/** Never of a review-kind Task, which the first red check parks. Nothing red is known to be required, and each of it had its laps of work: only a human knows whether it matters (MERGE-15). */
export function isOptionalForLong(context: TaskContext, event: Red): boolean {
  const checks = countedChecks(event)
  return checks.length > 0 && checks.every((check) => lapsOf(context, check) >= maxOptionalLaps)
}

export function sayRed(context: TaskContext, event: Red): Change {
  const told = tell(context, 'ci', event.reason ?? 'a required check is red', event)
  const counted = countedChecks(event).map((check) => [check, lapsOf(context, check) + 1] as const)
  const optionalLaps = { ...context.forge.optionalLaps, ...Object.fromEntries(counted) }
  return { context: withChanges({ forge: { optionalLaps } }, told.context) }
}

/** Nothing is asked of the forge but what its records name. */
function askedHead(context: TaskContext, { repository, number, sha }: Red | Pending): Head {
  return { repository, number, sha, ...withBase(findMergeRequest(context, { repository, number })?.baseBranch) }
}

/** The reason names what could not be read. */
function whatIsKnown({ unclear = [], reason }: Red | Pending): string {
  if (unclear.length === 0) return 'The forge does not require it.'
  return `The platform cannot read whether the forge requires it (${reason ?? 'no reason'}). If it does, the forge refuses the merge.`
}

/** Nothing open is known to be required, and its hour has passed: only a human knows whether it will ever come (MERGE-15). */
export function isOpenForLong(context: TaskContext, event: Pending): boolean {
  return looseChecks(event).length > 0 && context.forge.mergeAsks >= maxOpenAsks
}

/** Said at once and once: no pod lives while a merge is asked. */
export function askAboutChecks(context: TaskContext, event: Red | Pending): Change {
  const checks = looseChecks(event)
  const names = checks.map((name) => `\`${name}\``).join(', ')
  const still =
    event.type === 'mr.ciRed' ? `Still red after ${maxOptionalLaps} laps of work` : 'Still open after an hour'
  const body = `${still}: ${names}. ${whatIsKnown(event)} Should it be green? Comment here how to go on. Or a maintainer approves with \`/approve\` or an approving review: then the platform merges exactly this head in spite of ${names}, and of no other check.`
  return {
    context: {
      stage: { reason: 'optional-check', detail: event.reason ?? names },
      forge: { checkQuestion: { ...askedHead(context, event), checks, isAllowed: false } },
    },
    effects: [commentOnMergeRequest(context, event, body)],
  }
}

type Refused = EventOf<TaskEvent, 'mr.mergeRefused'>

/** A review that requests changes has one lap of work; the agent finds it in its bundle (MERGE-13). */
export function asksForLap(context: TaskContext, event: Refused): boolean {
  const { cause, review } = event
  return cause === 'changes' && review !== undefined && !context.forge.reviewsAnswered.includes(review)
}

export function answerReview(context: TaskContext, event: Refused): Change {
  const told = tell(context, 'mr_review', event.reason ?? 'a maintainer requests changes', event)
  const reviewsAnswered = [...context.forge.reviewsAnswered, event.review ?? '']
  return { context: withChanges({ forge: { reviewsAnswered } }, told.context) }
}

const reasonOf = { withheld: 'withheld', changes: 'withheld', 'protected-paths': 'protected-paths' } as const

/** Only a human can change it, so it is said at once and once (MERGE-6, MERGE-11, MERGE-12). */
export function sayRefusedMerge(context: TaskContext, event: Refused): Change {
  const why = event.reason ?? 'the forge gave no reason'
  const body =
    event.cause === undefined
      ? `The forge refuses this merge: ${why}. Change that, then comment here, and the Task continues.`
      : `This merge has to wait: ${why}.`
  return {
    context: {
      stage: { reason: event.cause === undefined ? 'merge-refused' : reasonOf[event.cause], detail: why },
    },
    effects: [commentOnMergeRequest(context, event, body)],
  }
}
