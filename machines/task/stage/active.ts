/** The stages in which the Task moves by itself. */
import { dropClaim, ownsIssue, revoke, sayRefused } from '../approvals.ts'
import { does, meta, sequence, when, type EventOf, type Row, type StateConfig } from '../chart.ts'
import type { TaskContext } from '../context.ts'
import { coversHeads, grantsHold, hasOpenMergeRequest } from '../facts.ts'
import { askToMerge, isOwnAsk, leaveMerging, sayConflict, sayRed, sayRefusedMerge, withdrawMerge } from '../merging.ts'
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
import { askToOpen, isOwnOpening, openingFault, sayOpeningFault, sayOpenFailed, withdrawOpening } from '../opening.ts'
import { isOwnGrant } from '../pods.ts'
import { because, enterActive } from '../visit.ts'
import { backToWork, noneOpenRows, workStage } from './rows.ts'

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
  meta: meta('agent', 'the agent plans, asks and writes the change', 'its outcome, or a comment that answers it'),
  on: {
    'approval.refused': {
      guard: when((context, event) => ownsIssue(context, event.issue)),
      target: '#identity-unverified',
      actions: does(sequence(dropClaim, sayRefused)),
    },
  },
})

/** A withdrawal takes the verdict along; the merge may be on its way, so the stage is left at once (rulings 4.2, H20). */
const revokedHere: Row<EventOf<'approval.revoked'>> = {
  guard: when((context, event) => ownsIssue(context, event.issue)),
  target: '#awaiting-human',
  actions: [does(revoke), does(because('approval-revoked'))],
}

function opensAll(after: (context: TaskContext) => TaskContext): (context: TaskContext) => boolean {
  return (context) => after(context).awaitingOpen.length === 0 && hasOpenMergeRequest(after(context))
}

const asksToOpen: StateConfig = {
  meta: meta('forge', 'merge requests are being opened', 'the forge answers'),
  entry: does(askToOpen),
  exit: does(withdrawOpening),
  on: {
    'mr.ready': [
      ...noneOpenRows(withReady, recordReady),
      {
        guard: when((context, event) => opensAll((now) => withReady(now, event))(context)),
        target: '#reviewing.fresh',
        actions: does(recordReady),
      },
      { actions: does(recordReady) },
    ],
    'mr.merged': [
      ...noneOpenRows(withMerged, recordMerged),
      {
        guard: when((context, event) => opensAll((now) => withMerged(now, event))(context)),
        target: '#reviewing.fresh',
        actions: does(recordMerged),
      },
      { actions: does(recordMerged) },
    ],
    'mr.openFailed': { guard: when(isOwnOpening), target: '#implementing', actions: does(sayOpenFailed) },
  },
}

const opening: StateConfig = {
  meta: meta('platform', 'turns pushed work into merge requests', 'left in time: every answer moves it'),
  initial: 'settling',
  states: {
    settling: {
      meta: meta('platform', 'waits for the end of the pod that submitted', 'the pod stops'),
      always: [
        {
          guard: when((context) => !context.podAlive && openingFault(context) !== null),
          target: '#implementing',
          actions: does(sayOpeningFault),
        },
        { guard: when((context) => !context.podAlive), target: 'asked' },
      ],
    },
    asked: asksToOpen,
  },
}

const reviewing = workStage({
  name: 'reviewing',
  wants: 'review',
  budget: 'reviewingBudget',
  meta: meta('agent', 'another agent reviews the heads', 'its verdict'),
  on: { 'approval.revoked': revokedHere },
  states: { opening },
})

const answers = {
  'mr.conflict': backToWork(isOwnAsk, 'conflict', [sayConflict]),
  'mr.ciRed': backToWork(isOwnAsk, 'ci-red', [sayRed]),
  'mr.ciPending': { guard: when(isOwnAsk), target: 'backingOff' },
  'mr.notMergeableYet': { guard: when(isOwnAsk), target: 'backingOff' },
  'mr.mergeRefused': { guard: when(isOwnAsk), target: '#awaiting-human', actions: does(sayRefusedMerge) },
} satisfies StateConfig['on']

const mergingSettling: StateConfig = {
  meta: meta('platform', 'waits for the end of the review pod', 'the pod stops'),
  always: [
    {
      guard: when((context) => !context.podAlive && !grantsHold(context)),
      target: '#awaiting-human',
      actions: does(because('approval-revoked')),
    },
    {
      guard: when((context) => !context.podAlive && !coversHeads(context, context.verdict)),
      target: '#reviewing.fresh',
      actions: does(() => ({ context: { verdict: null } })),
    },
    { guard: when((context) => !context.podAlive), target: 'asked' },
  ],
}

const mergingAsked: StateConfig = {
  meta: meta('forge', 'a merge is asked for', 'the forge merges, or says why not'),
  initial: 'outstanding',
  exit: does(withdrawMerge),
  states: {
    outstanding: {
      meta: meta('forge', 'the merge is on its way', 'the forge answers'),
      entry: does(askToMerge),
      on: answers,
    },
    backingOff: {
      meta: meta('forge', 'checks are still running, or the forge is not ready', 'asked again after 5 s to 5 min'),
      after: { mergeDelay: { target: 'outstanding' } },
    },
  },
}

const forgetVerdict = () => ({ context: { verdict: null } })

const merging: StateConfig = {
  id: 'merging',
  meta: meta('forge', 'the judged heads are being merged', 'the forge merges them; parked after 6 hours'),
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

export const active: StateConfig = {
  meta: meta('platform', 'the Task is under way', 'its stage says who'),
  initial: 'refined',
  states: { refined, implementing, reviewing, merging },
}
