/** The stages in which the Task moves by itself. */
import { dropClaim, ownsIssue, revoke, sayRefused } from '../approvals.ts'
import type { EventOf } from '../../decide.ts'
import { does, meta, sequence, when, type Row, type StateConfig } from '../chart.ts'
import type { TaskEvent } from '../events.ts'
import type { TaskContext } from '../context.ts'
import { coversHeads, grantsHold, hasOpenMergeRequest, ownStage } from '../queries.ts'
import { askMembers } from '../folds.ts'
import {
  answerReview,
  askAboutChecks,
  asksForLap,
  askToMerge,
  isOpenForLong,
  isOptionalForLong,
  isOwnAsk,
  leaveMerging,
  sayConflict,
  sayRed,
  sayRefusedMerge,
  withdrawMerge,
} from '../merging.ts'
import {
  findMergeRequest,
  isUnjudgedHead,
  recordClosed,
  recordMerged,
  recordMovedHead,
  recordReady,
  recordReopened,
  withClosed,
  withMerged,
  withReady,
} from '../merge-requests.ts'
import {
  askToOpen,
  isLastOpening,
  isOwnOpening,
  opened,
  openingFault,
  sayNeverOpened,
  sayOpeningFault,
  sayOpenFailed,
  withdrawOpening,
} from '../opening.ts'
import { isOwnGrant } from '../pods.ts'
import { takeoverRows } from '../takeover.ts'
import { isOfPod } from '../turns.ts'
import { because, enterActive } from '../stage-entry.ts'
import { backToWork, codeStages, noneOpenRows, rowsTo, workStage } from './rows.ts'

const refined: StateConfig = {
  id: 'refined',
  meta: meta('queue', 'waits for its first slot', 'a slot of the Project becomes free'),
  entry: does(enterActive('refined', 'implement')),
  on: { 'slot.granted': { guard: when(isOwnGrant), target: '#implementing' } },
}

const implementing = workStage({
  name: 'implementing',
  wants: 'implement',
  budget: 'implementingBudget',
  meta: meta(
    'agent',
    'the agent plans, asks and writes the change',
    'the agent submits its outcome, or a person answers its question',
  ),
  on: {
    'approval.refused': {
      guard: when((context, event) => ownsIssue(context, event.issue)),
      target: '#identity-unverified',
      actions: does(sequence(dropClaim, sayRefused)),
    },
  },
})

const brainstorming = workStage({
  name: 'brainstorming',
  wants: 'brainstorm',
  budget: 'brainstormingBudget',
  meta: meta('agent', 'the agent looks for work to propose', 'the agent submits its proposals, or none'),
})

const investigating = workStage({
  name: 'investigating',
  wants: 'incident',
  budget: 'investigatingBudget',
  meta: meta('agent', 'the agent investigates an alert', 'the agent files an issue, or reports a false alert'),
})

/** Members are asked once the outcome stands; nothing is owned here in between: it goes from them to the Task that is minted. */
const folding: StateConfig = {
  meta: meta(
    'platform',
    'the Task waits for member Tasks to fold',
    'the members answer; after 10 minutes the Task is parked until they do',
  ),
  entry: does(askMembers),
  after: { foldWait: { target: '#awaiting-human', actions: does(because('fold-unanswered')) } },
}

const refining = workStage({
  name: 'refining',
  wants: 'refine',
  budget: 'refiningBudget',
  meta: meta('agent', 'the agent sorts the open issues', 'the agent submits its outcome'),
  states: { folding },
})

const documenting = workStage({
  name: 'documenting',
  wants: 'documentation',
  budget: 'documentingBudget',
  meta: meta('agent', 'the agent updates the documentation', 'the agent submits its outcome'),
})

const upgrading = workStage({
  name: 'upgrading',
  wants: 'upgrade',
  budget: 'upgradingBudget',
  meta: meta('agent', 'the agent upgrades a dependency', 'the agent submits its outcome'),
})

/** A withdrawal takes the verdict along; the merge may be on its way, so the stage is left at once (APPROVAL-7). */
const revokedHere: Row<EventOf<TaskEvent, 'approval.revoked'>> = {
  guard: when((context, event) => ownsIssue(context, event.issue)),
  target: '#awaiting-human',
  actions: [does(revoke), does(because('approval-revoked'))],
}

function opensAll(after: (context: TaskContext) => TaskContext): (context: TaskContext) => boolean {
  return (context) => after(context).forge.awaitingOpen.length === 0 && hasOpenMergeRequest(after(context))
}

const asksToOpen: StateConfig = {
  meta: meta('forge', 'the platform opens the merge requests', 'the forge answers; after 6 hours the Task is parked'),
  entry: does(askToOpen),
  exit: does(withdrawOpening),
  // A forge that never answers must not hold the Task for ever (LAW-14).
  after: { openingBudget: { target: '#awaiting-human', actions: does(because('open-deadline')) } },
  on: {
    'mr.ready': [
      ...noneOpenRows(withReady, recordReady),
      {
        guard: when((context, event) => opensAll((now) => withReady(now, event))(context)),
        target: '#reviewing.fresh',
        actions: does(sequence(recordReady, opened)),
      },
      { actions: does(recordReady) },
    ],
    'mr.merged': [
      ...noneOpenRows(withMerged, recordMerged),
      {
        guard: when((context, event) => opensAll((now) => withMerged(now, event))(context)),
        target: '#reviewing.fresh',
        actions: does(sequence(recordMerged, opened)),
      },
      { actions: does(recordMerged) },
    ],
    'mr.openFailed': [
      {
        guard: when((context, event) => isOwnOpening(context, event) && isLastOpening(context)),
        target: '#awaiting-human',
        actions: [does(sayOpenFailed), does(sayNeverOpened)],
      },
      ...rowsTo(codeStages, ownStage, isOwnOpening, [sayOpenFailed]),
    ],
  },
}

function isFaulty(context: TaskContext): boolean {
  return !context.pod.alive && openingFault(context) !== null
}

const opening: StateConfig = {
  meta: meta(
    'platform',
    'the platform opens merge requests for the pushed work',
    'each answer of the forge; it never rests here',
  ),
  initial: 'settling',
  states: {
    settling: {
      meta: meta('platform', 'waits for the end of the pod that submitted', 'the pod stops'),
      always: [
        {
          guard: when((context) => isFaulty(context) && isLastOpening(context)),
          target: '#awaiting-human',
          actions: [does(sayOpeningFault), does(sayNeverOpened)],
        },
        ...rowsTo(codeStages, ownStage, isFaulty, [sayOpeningFault]),
        { guard: when((context) => !context.pod.alive), target: 'asked' },
      ],
    },
    asked: asksToOpen,
  },
}

const reviewing = workStage({
  name: 'reviewing',
  wants: 'review',
  budget: 'reviewingBudget',
  meta: meta('agent', 'another agent reviews the change', 'the agent submits its verdict'),
  on: { 'approval.revoked': revokedHere, 'takeover.accepted': takeoverRows },
  states: { opening },
})

const answers = {
  'mr.conflict': backToWork(isOwnAsk, 'conflict', [sayConflict]),
  'mr.ciRed': [
    {
      guard: when((context, event) => isOwnAsk(context, event) && isOptionalForLong(context, event)),
      target: '#awaiting-human',
      actions: does(askAboutChecks),
    },
    ...backToWork(isOwnAsk, 'ci-red', [sayRed]),
  ],
  'mr.ciPending': [
    {
      guard: when((context, event) => isOwnAsk(context, event) && isOpenForLong(context, event)),
      target: '#awaiting-human',
      actions: does(askAboutChecks),
    },
    { guard: when(isOwnAsk), target: 'backingOff' },
  ],
  'mr.notMergeableYet': { guard: when(isOwnAsk), target: 'backingOff' },
  'mr.mergeRefused': [
    ...rowsTo<EventOf<TaskEvent, 'mr.mergeRefused'>>(
      codeStages,
      ownStage,
      (context, event) => isOwnAsk(context, event) && asksForLap(context, event),
      [answerReview],
    ),
    { guard: when(isOwnAsk), target: '#awaiting-human', actions: does(sayRefusedMerge) },
  ],
} satisfies StateConfig['on']

const mergingSettling: StateConfig = {
  meta: meta('platform', 'waits for the end of the review pod', 'the pod stops'),
  always: [
    {
      guard: when((context) => !context.pod.alive && !grantsHold(context)),
      target: '#awaiting-human',
      actions: does(because('approval-revoked')),
    },
    {
      guard: when((context) => !context.pod.alive && !coversHeads(context, context.forge.verdict)),
      target: '#reviewing.fresh',
      actions: does(() => ({ context: { forge: { verdict: null } } })),
    },
    { guard: when((context) => !context.pod.alive), target: 'asked' },
  ],
}

const mergingAsked: StateConfig = {
  meta: meta('forge', 'the platform asks the forge to merge', 'the forge merges, or refuses with a reason'),
  initial: 'outstanding',
  exit: does(withdrawMerge),
  states: {
    outstanding: {
      meta: meta('forge', 'the forge has the request to merge', 'the forge answers'),
      entry: does(askToMerge),
      on: answers,
    },
    backingOff: {
      meta: meta(
        'forge',
        'checks are still running, or the forge is not ready',
        'the platform retries after 5 s to 5 min',
      ),
      after: { mergeDelay: { target: 'outstanding' } },
    },
  },
}

const forgetVerdict = () => ({ context: { forge: { verdict: null } } })

const merging: StateConfig = {
  id: 'merging',
  meta: meta(
    'forge',
    'the platform merges the reviewed heads',
    'the forge merges them; after 6 hours the Task is parked',
  ),
  initial: 'settling',
  entry: does(enterActive('merging', null)),
  exit: does(leaveMerging),
  after: { mergingBudget: { target: '#awaiting-human', actions: does(because('merge-deadline')) } },
  on: {
    'approval.revoked': revokedHere,
    'mr.headMoved': [
      {
        guard: when(isUnjudgedHead),
        target: '#reviewing.fresh',
        actions: does(sequence(recordMovedHead, forgetVerdict)),
      },
      { actions: does(recordMovedHead) },
    ],
    'mr.merged': [
      ...noneOpenRows(withMerged, recordMerged),
      {
        guard: when((context, event) => findMergeRequest(context, event) !== undefined),
        target: '#merging.settling',
        actions: does(recordMerged),
      },
    ],
    'mr.closed': [
      ...noneOpenRows(withClosed, recordClosed),
      {
        guard: when((context, event) => findMergeRequest(context, event)?.state === 'open'),
        target: '#awaiting-human',
        actions: [does(recordClosed), does(because('mr-closed'))],
      },
    ],
    'mr.ready': [...noneOpenRows(withReady, recordReady), { target: '#merging.settling', actions: does(recordReady) }],
    'mr.reopened': {
      guard: when((context, event) => findMergeRequest(context, event) !== undefined),
      target: '#merging.settling',
      actions: does(recordReopened),
    },
  },
  states: { settling: mergingSettling, asked: mergingAsked },
}

/** Two pods must never write to one volume, so no other begins; people are to look (POD-21, LAW-7). */
const notEnding: Row<EventOf<TaskEvent, 'pod.notEnding'>> = {
  guard: when(isOfPod<EventOf<TaskEvent, 'pod.notEnding'>>),
  target: '#operator-error',
  actions: does((_context, { name }) => ({ context: { stage: { reason: 'pod-not-ending', detail: name || null } } })),
}

export const active: StateConfig = {
  meta: meta('platform', 'the Task is under way', 'its stage names who'),
  initial: 'refined',
  on: { 'pod.notEnding': notEnding },
  states: {
    refined,
    brainstorming,
    investigating,
    refining,
    implementing,
    documenting,
    upgrading,
    reviewing,
    merging,
  },
}
