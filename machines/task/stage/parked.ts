/** The parks: the Task keeps what it owns and waits for a human. Nothing a pod says moves one (LAW-21). */
import { accept, closeIssue, closesLast, grant, ownsIssue, revoke, ungrantAll, withGrant } from '../approvals.ts'
import { answer, refuses } from '../answers.ts'
import { maxLaps } from '../budgets.ts'
import type { Cause, EventOf } from '../../decide.ts'
import {
  does,
  meta,
  sequence,
  when,
  type Change,
  type Decide,
  type Meta,
  type Row,
  type Rows,
  type StateConfig,
} from '../chart.ts'
import type { TaskEvent } from '../events.ts'
import { comments } from '../comments.ts'
import type { Head, TaskContext } from '../context.ts'
import { retriedStage } from '../hold.ts'
import {
  coversHeads,
  grantsHold,
  hasOpenMergeRequest,
  isHeld,
  isReviewKind,
  isSameHead,
  ownStage,
  resumedStage,
  type ResumedStage,
} from '../queries.ts'
import { findMergeRequest, isForeignHead, recordMovedHead } from '../merge-requests.ts'
import { appendForgeEvent, appendGoAhead } from '../pending.ts'
import type { Reason } from '../reasons.ts'
import { raiseBudget } from '../spending.ts'
import { parkedTakeoverRows } from '../takeover.ts'
import { because, enterParked } from '../stage-entry.ts'
import { codeStages, rowsTo, workStages } from './rows.ts'

type Commented = EventOf<TaskEvent, 'human.commented'>
type Retried = EventOf<TaskEvent, 'task.retry'>

/** Released by their own rows only: an ordinary comment is read later, and moves nothing [PARK-2]. */
const ownRelease: ReadonlySet<string | null> = new Set<Reason>([
  'approval-revoked',
  'needs-maintainer',
  'over-auto-approve-ceiling',
  'budget',
  'fold-unanswered',
  'withheld',
  'held',
])
/** Waits for a maintainer's go-ahead on exactly the reviewed heads. */
const needsGoAhead: ReadonlySet<string | null> = new Set<Reason>(['needs-maintainer', 'over-auto-approve-ceiling'])

function isParkedBy(context: TaskContext, ...reasons: readonly Reason[]): boolean {
  return reasons.some((reason) => reason === context.stage.reason)
}

function isGoAheadPark(context: TaskContext): boolean {
  return needsGoAhead.has(context.stage.reason)
}

/** A maintainer's word there is about a merge: it gives no lap of work. */
function asksAboutMerge(context: TaskContext): boolean {
  return isGoAheadPark(context) || isParkedBy(context, 'optional-check')
}

type Word = Pick<Commented, 'maintainer' | 'on' | 'repository' | 'number'>

function releasesByComment(context: TaskContext, event: Word): boolean {
  if (ownRelease.has(context.stage.reason)) return false
  if (isParkedBy(context, 'stage-deadline') && context.stage.deadlines >= 2) return false
  // `/allow-ci-changes` comes as a comment: the merge asks for it again.
  if (isParkedBy(context, 'protected-paths')) return event.maintainer
  if (!isReviewKind(context)) return true
  return event.on === 'mr' && findMergeRequest(context, event) !== undefined && context.stage.reviewLaps < maxLaps
}

/** They ask for a merge and not for work: what is red still is asked about at once (MERGE-15). */
const aboutMerge: ReadonlySet<string> = new Set(['mr.goAhead', 'mr.headMoved'] satisfies TaskEvent['type'][])

function lapsAfter(context: TaskContext, { type }: Cause): TaskContext['forge']['optionalLaps'] {
  return isParkedBy(context, 'optional-check') && aboutMerge.has(type) ? context.forge.optionalLaps : {}
}

/** A human let it go on: soon, and without what machines did wrong before. */
const release: Decide<Cause> = (context, event) => ({
  context: {
    pod: { released: true, lostInRow: 0, startFailures: 0, respawnDelayMs: 0 },
    forge: { failedOpenings: 0, optionalLaps: lapsAfter(context, event) },
  },
})

const countLap: Decide<Cause> = (context) => ({
  context: { stage: { reviewLaps: isReviewKind(context) ? context.stage.reviewLaps + 1 : context.stage.reviewLaps } },
})

function goOn<E extends Cause>(
  places: readonly ResumedStage[],
  to: (context: TaskContext) => ResumedStage,
  guard: (context: TaskContext, event: E) => boolean,
  actions: readonly Decide<E>[],
): readonly Row<E>[] {
  return rowsTo(places, to, guard, [...actions, release])
}

/** As status names it. */
function nameOf(stage: ResumedStage | 'refined'): string {
  return stage === 'folding' ? 'refining' : stage
}

function answerRetry(stage: (context: TaskContext) => ResumedStage | 'refined'): Decide<Retried> {
  return (context): Change => ({
    context: { stage: { deadlines: 0 } },
    effects: [answer({ status: 200, body: { accepted: true, task: { stage: nameOf(stage(context)) } } })],
  })
}

const retryRows = goOn<Retried>([...workStages, 'folding'], retriedStage, () => true, [answerRetry(retriedStage)])

/** Back to where a review is due, or to the work when there is nothing to review. */
function byOpenMergeRequest(context: TaskContext): ResumedStage {
  return hasOpenMergeRequest(context) ? 'reviewing' : ownStage(context)
}

function grantsAgain(context: TaskContext, event: EventOf<TaskEvent, 'approval.granted'>): boolean {
  return ownsIssue(context, event.issue) && grantsHold(withGrant(context, event))
}

type HeadMoved = EventOf<TaskEvent, 'mr.headMoved'>

const headRows: readonly Row<HeadMoved>[] = [
  { guard: when(isHeld), actions: does(recordMovedHead) },
  {
    guard: when(
      (context, event) => isReviewKind(context) && isForeignHead(context, event) && context.stage.reviewLaps < maxLaps,
    ),
    target: '#reviewing.fresh',
    actions: [does(recordMovedHead), does(countLap), does(release)],
  },
  {
    guard: when((context, event) => isReviewKind(context) && isForeignHead(context, event)),
    actions: [does(recordMovedHead), does(because('laps'))],
  },
  {
    guard: when((context, event) => asksAboutMerge(context) && isForeignHead(context, event)),
    target: '#reviewing.fresh',
    actions: [does(recordMovedHead), does(release)],
  },
  { actions: does(recordMovedHead) },
]

type GoAhead = EventOf<TaskEvent, 'mr.goAhead'>

/** Go-aheads count on exactly the reviewed heads; any other sha was never judged. */
function letMerge(context: TaskContext, { shas }: GoAhead): readonly Head[] {
  const reviewed = context.forge.reviewed ?? []
  return [...context.forge.goAheads, ...shas].filter((head) => reviewed.some((read) => isSameHead(read, head)))
}

/** Every open merge request has its go-ahead, stands where it was reviewed, and every grant is on [REVIEW-5]. */
function isGoAhead(context: TaskContext, event: GoAhead): boolean {
  return (
    isGoAheadPark(context) &&
    hasOpenMergeRequest(context) &&
    coversHeads(context, letMerge(context, event)) &&
    grantsHold(context)
  )
}

/** The answer yes, on exactly the head of the question, while every merge request stands where it was reviewed (MERGE-15). */
function allowsChecks(context: TaskContext, { shas }: GoAhead): boolean {
  const { checkQuestion, verdict } = context.forge
  return (
    checkQuestion !== null &&
    shas.some((head) => isSameHead(checkQuestion, head)) &&
    isParkedBy(context, 'optional-check') &&
    findMergeRequest(context, checkQuestion)?.state === 'open' &&
    coversHeads(context, verdict) &&
    grantsHold(context)
  )
}

const allowChecks: Decide<GoAhead> = ({ forge: { checkQuestion } }) => ({
  context: {
    forge: { checkQuestion: checkQuestion === null ? null : { ...checkQuestion, isAllowed: true } },
    pod: { released: true },
  },
})

/** It is a maintainer's comment too, on the merge request that it names (OUTCOME-IMPLEMENT-20). */
function releasesByGoAhead(context: TaskContext, { shas: [head] }: GoAhead): boolean {
  return head !== undefined && releasesByComment(context, { ...head, maintainer: true, on: 'mr' })
}

const goAheadRows: readonly Row<GoAhead>[] = [
  // The merge reads all threads again: it says whether the word is lifted.
  {
    guard: when((context) => isParkedBy(context, 'withheld')),
    target: '#reviewing.fresh',
    actions: [does(appendGoAhead), does(release)],
  },
  {
    guard: when(isGoAhead),
    target: '#merging',
    actions: does(
      sequence(appendGoAhead, (context, event: GoAhead) => ({
        context: {
          forge: { verdict: letMerge(context, event), reviewed: null, goAheads: [] },
          pod: { released: true },
        },
      })),
    ),
  },
  { guard: when(allowsChecks), target: '#merging', actions: [does(appendGoAhead), does(allowChecks)] },
  {
    guard: when(isGoAheadPark),
    actions: does(
      sequence(appendGoAhead, (context, event: GoAhead) => ({
        context: { forge: { goAheads: letMerge(context, event) } },
      })),
    ),
  },
  ...goOn<GoAhead>([...codeStages, 'reviewing'], resumedStage, releasesByGoAhead, [appendGoAhead, countLap]),
  { actions: does(appendGoAhead) },
]

function closedRows(
  withOpenMergeRequest: Pick<Row<EventOf<TaskEvent, 'issue.closed'>>, 'target' | 'actions'>,
): readonly Row<EventOf<TaskEvent, 'issue.closed'>>[] {
  return [
    {
      guard: when((context, event) => closesLast(context, event) && hasOpenMergeRequest(context)),
      ...withOpenMergeRequest,
    },
    {
      guard: when(closesLast),
      target: '#rejected',
      actions: [does(sequence(closeIssue, ungrantAll)), does(because('issue-closed'))],
    },
    { actions: does(closeIssue) },
  ]
}

/** `issue.allClosed` in an active stage and in `awaiting-human`. */
export const issueClosedRows = closedRows({
  target: '#awaiting-human',
  actions: [does(sequence(closeIssue, ungrantAll)), does(because('issue-closed'))],
})

const awaitingHuman: Rows = {
  'human.commented': [
    ...goOn<Commented>([...codeStages, 'reviewing'], resumedStage, releasesByComment, [appendForgeEvent, countLap]),
    { actions: does(appendForgeEvent) },
  ],
  'task.retry': retryRows,
  'takeover.accepted': parkedTakeoverRows,
  'budget.raised': [
    ...goOn<EventOf<TaskEvent, 'budget.raised'>>(workStages, resumedStage, (context) => isParkedBy(context, 'budget'), [
      raiseBudget,
    ]),
    { actions: does(raiseBudget) },
  ],
  'budget.renewed': goOn<EventOf<TaskEvent, 'budget.renewed'>>(
    workStages,
    resumedStage,
    (context) => isParkedBy(context, 'budget'),
    [],
  ),
  'approval.granted': [
    ...goOn<EventOf<TaskEvent, 'approval.granted'>>(
      ['implementing', 'reviewing'],
      byOpenMergeRequest,
      (context, event) => isParkedBy(context, 'approval-revoked', 'withheld') && grantsAgain(context, event),
      [grant],
    ),
    { actions: does(grant) },
  ],
  'approval.commented': [
    {
      guard: when((context, event) => isParkedBy(context, 'approval-revoked') && ownsIssue(context, event.issue)),
      target: '#implementing',
      actions: [does(accept), does(release)],
    },
    {
      guard: when((context, event) => isParkedBy(context, 'withheld') && ownsIssue(context, event.issue)),
      target: '#reviewing.fresh',
      actions: [does(accept), does(release)],
    },
    { actions: does(accept) },
  ],
  'approval.revoked': [
    {
      guard: when(
        (context, event) =>
          (asksAboutMerge(context) || isParkedBy(context, 'withheld')) && ownsIssue(context, event.issue),
      ),
      actions: [does(revoke), does(because('approval-revoked'))],
    },
    { actions: does(revoke) },
  ],
  'mr.headMoved': headRows,
  'mr.goAhead': goAheadRows,
  'issue.closed': [
    {
      guard: when((context, event) => isHeld(context) && closesLast(context, event) && hasOpenMergeRequest(context)),
      actions: does(sequence(closeIssue, ungrantAll)),
    },
    ...issueClosedRows,
  ],
}

const identityUnverified: Rows = {
  'human.commented': [
    {
      guard: when((_context, event) => event.maintainer),
      target: '#implementing',
      actions: [does(appendForgeEvent), does(release)],
    },
    { actions: does(appendForgeEvent) },
  ],
  'approval.granted': [
    { guard: when(grantsAgain), target: '#implementing', actions: [does(grant), does(release)] },
    { actions: does(grant) },
  ],
  'approval.commented': {
    guard: when((context, event) => ownsIssue(context, event.issue)),
    target: '#implementing',
    actions: [does(accept), does(release)],
  },
  'mr.goAhead': { target: '#implementing', actions: [does(appendGoAhead), does(release)] },
  'task.retry': { target: '#implementing', actions: [does(answerRetry(ownStage)), does(release)] },
}

/** A park that never ran: any sign of a human is enough. */
const backlogSweep: Rows = {
  'human.commented': { target: '#refined', actions: [does(appendForgeEvent), does(release)] },
  'approval.granted': {
    guard: when((context, event) => ownsIssue(context, event.issue)),
    target: '#refined',
    actions: [does(grant), does(release)],
  },
  'approval.commented': {
    guard: when((context, event) => ownsIssue(context, event.issue)),
    target: '#refined',
    actions: [does(accept), does(release)],
  },
  'mr.goAhead': { target: '#refined', actions: [does(appendGoAhead), does(release)] },
  'task.retry': { target: '#refined', actions: [does(answerRetry(() => 'refined')), does(release)] },
}

/** A park stays where it is; that a write failed for good is said once, unless saying is what failed. */
const sayFailure: Decide<EventOf<TaskEvent, 'effect.failed'>> = (context, { effect, reason }) => {
  if (effect === 'postComment' || effect === 'writeLabels') return {}
  return { effects: comments(context, `The forge refused \`${effect}\`, and a retry would not help: ${reason}`) }
}

function park(name: string, said: Meta, on: Rows): StateConfig {
  return { id: name, meta: said, entry: does(enterParked(name)), on }
}

export const parked: StateConfig = {
  meta: meta('human', 'the Task waits for a human', 'its park names the reason'),
  initial: 'awaiting-human',
  on: {
    'effect.failed': { actions: does(sayFailure) },
    'issue.closed': closedRows({ actions: does(sequence(closeIssue, ungrantAll)) }),
  },
  states: {
    'awaiting-human': park(
      'awaiting-human',
      meta(
        'human',
        'waits for a human, for the reason given',
        'a comment on its issue or merge request, or `/retry` by a maintainer',
      ),
      awaitingHuman,
    ),
    'backlog-sweep': park(
      'backlog-sweep',
      meta('human', 'the platform proposed this issue itself', 'any comment by a person, an approval, or `/retry`'),
      backlogSweep,
    ),
    'identity-unverified': park(
      'identity-unverified',
      meta('human', 'the approval that the agent cited is not valid', "a maintainer's comment, or `/retry`"),
      identityUnverified,
    ),
    'implement-declined': park(
      'implement-declined',
      meta('human', 'the agent declined', 'nothing; `/retry` on the issue starts a new Task'),
      {
        'task.retry': {
          actions: does(
            refuses('conflict', 'a declined Task cannot restart: `/retry` on its issue starts a new Task', {
              reason: 'no-re-entry',
            }),
          ),
        },
        'task.hold': {
          actions: does(refuses('conflict', 'a declined Task does nothing any more', { reason: 'no-re-entry' })),
        },
      },
    ),
    'operator-error': park(
      'operator-error',
      meta(
        'human',
        'something outside the Task keeps failing',
        'an operator repairs it, then a maintainer uses `/retry`',
      ),
      { 'task.retry': retryRows },
    ),
  },
}
