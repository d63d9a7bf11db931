/** What the Task is about. Rows of `live` hold wherever a stage or park has no row of its own. */
import { accept, dropClaim, grant, lapse, reopenIssue, revoke } from '../approvals.ts'
import { answer, refuses } from '../answers.ts'
import type { EventOf } from '../../decide.ts'
import { does, meta, sequence, when, type Decide, type Row, type Rows, type StateConfig } from '../chart.ts'
import type { TaskEvent } from '../events.ts'
import { staysOpen } from '../comments.ts'
import { tellMergeRequest } from '../../emit.ts'
import {
  recordClosed,
  recordMerged,
  recordMovedHead,
  recordReady,
  recordReopened,
  withClosed,
  withMerged,
  withReady,
} from '../merge-requests.ts'
import { adopt, firstStage, returnSlot, type FirstStage } from '../mint.ts'
import {
  closedBy,
  closeFolds,
  completesFolds,
  endsClosed,
  finishFolds,
  fold,
  giveBack,
  isFoldable,
  recordFold,
  refuseFold,
} from '../folds.ts'
import { hold } from '../hold.ts'
import { isFolding } from '../queries.ts'
import { raiseBudget, sayNotRaised } from '../spending.ts'
import { refuseTakeover } from '../takeover.ts'
import { judge, takeOutcome } from '../outcome/judge.ts'
import { outcomeTargets, type OutcomeTarget } from '../outcome/judgement.ts'
import { appendForgeEvent, appendGoAhead } from '../pending.ts'
import { noteAlert } from '../notes.ts'
import { enterFinal } from '../stage-entry.ts'
import { active } from './active.ts'
import { issueClosedRows, parked } from './parked.ts'
import { noneOpenRows } from './rows.ts'

type Minted = EventOf<TaskEvent, 'task.minted'>

function mintRow(stage: FirstStage, target: string, ...decides: readonly Decide<Minted>[]): Row<Minted> {
  return {
    guard: when((_context, event) => firstStage(event) === stage),
    target,
    actions: [adopt, ...decides].map((decide) => does(decide)),
  }
}

const minted: StateConfig = {
  meta: meta('platform', 'is being minted', 'left in the same step'),
  on: {
    'task.minted': [
      mintRow('backlog-sweep', '#backlog-sweep', returnSlot),
      mintRow('reviewing', '#reviewing.fresh'),
      mintRow('implementing', '#implementing'),
      mintRow('brainstorming', '#brainstorming'),
      mintRow('investigating', '#investigating'),
      mintRow('refining', '#refining'),
      mintRow('documenting', '#documenting'),
      mintRow('upgrading', '#upgrading'),
      mintRow('refined', '#refined'),
    ],
  },
}

const outcomeState: { readonly [T in OutcomeTarget]: string } = {
  opening: '#reviewing.opening',
  merging: '#merging',
  implementing: '#implementing',
  documenting: '#documenting',
  upgrading: '#upgrading',
  folding: '#refining.folding',
  delivered: '#delivered',
  'awaiting-human': '#awaiting-human',
  'implement-declined': '#implement-declined',
  rejected: '#rejected',
}

/** One judgement, read by every guard; what moves no stage is answered by the last row. */
const outcomeTransitions: readonly Row<EventOf<TaskEvent, 'outcome'>>[] = [
  ...outcomeTargets.map((to) => ({
    guard: when((context, event: EventOf<TaskEvent, 'outcome'>) => judge(context, event).to === to),
    target: outcomeState[to],
    actions: does(takeOutcome),
  })),
  { actions: does(takeOutcome) },
]

const cancel: Decide<EventOf<TaskEvent, 'task.close'>> = (_context, { by, reason }) => ({
  context: { stage: { reason: 'cancelled', detail: closedBy(by, reason) } },
  effects: [answer({ status: 200, body: { accepted: true, task: { stage: 'rejected' } } })],
})

/** Labels and sticky comments are repaired by the next write; anything else that fails for good needs a human (ACTOR-4). */
const effectFailed: Row<EventOf<TaskEvent, 'effect.failed'>> = {
  guard: when((_context, { effect }) => effect !== 'writeLabels'),
  target: '#operator-error',
  actions: does((_context, { effect, reason }) => ({
    context: { stage: { reason: 'effect-failed', detail: `${effect}: ${reason}` } },
  })),
}

/** The last answer finishes the refine Task, wherever it waits for it; one that was closed meanwhile mints nothing. */
const foldRows: readonly Row<EventOf<TaskEvent, 'fold.accepted' | 'fold.refused'>>[] = [
  { guard: when(endsClosed), target: '#rejected', actions: does(sequence(recordFold, giveBack)) },
  { guard: when(completesFolds), target: '#delivered', actions: does(sequence(recordFold, finishFolds)) },
  { actions: does(recordFold) },
]

const liveRows: Rows = {
  outcome: outcomeTransitions,
  'task.minted': { actions: does(returnSlot) },
  'task.close': [
    { guard: when(isFolding), actions: does(closeFolds) },
    { target: '#rejected', actions: does(cancel) },
  ],
  'task.retry': { actions: does(refuses('conflict', 'only a parked Task accepts a retry', { reason: 'not-parked' })) },
  'task.hold': [
    {
      guard: when(isFolding),
      actions: does(refuses('conflict', 'its members are asked to fold: their answers end it', { reason: 'folding' })),
    },
    { target: '#awaiting-human', actions: does(hold) },
  ],
  'issue.closed': issueClosedRows,
  'issue.reopened': { actions: does(reopenIssue) },
  'approval.granted': { actions: does(grant) },
  'approval.refused': { actions: does(dropClaim) },
  'approval.revoked': { actions: does(revoke) },
  'approval.commented': { actions: does(accept) },
  'approval.lapsed': { actions: does(lapse) },
  'mr.ready': [...noneOpenRows(withReady, recordReady), { actions: does(recordReady) }],
  'mr.merged': [...noneOpenRows(withMerged, recordMerged), { actions: does(recordMerged) }],
  'mr.closed': [...noneOpenRows(withClosed, recordClosed), { actions: does(recordClosed) }],
  'mr.reopened': { actions: does(recordReopened) },
  'mr.headMoved': { actions: does(recordMovedHead) },
  'fold.requested': [
    { guard: when(isFoldable), target: '#folded', actions: does(fold) },
    { actions: does(refuseFold) },
  ],
  'fold.accepted': foldRows,
  'fold.refused': foldRows,
  'takeover.accepted': { actions: does(refuseTakeover) },
  'budget.raised': { actions: does(raiseBudget) },
  'budget.refused': { actions: does(sayNotRaised) },
  'human.commented': { actions: does(appendForgeEvent) },
  'mr.goAhead': { actions: does(appendGoAhead) },
  'forge.event': { actions: does(appendForgeEvent) },
  'alert.joined': { actions: does(noteAlert) },
  'effect.failed': effectFailed,
}

/** An opening that succeeded too late: nobody owns that merge request, and people are told. */
const giveUp: Decide<EventOf<TaskEvent, 'mr.ready'>> = (context, event) => {
  const mr = { ...event, state: 'open', mergeCommit: null } as const
  const reason = context.stage.reason ?? context.stage.name
  return {
    effects: [
      tellMergeRequest(event.mergeRequest, { type: 'mr.released', task: context.id, reason }),
      staysOpen(context, mr, reason),
    ],
  }
}

/** The stage never changes again (LAW-5); while the last pod still stops, its calls get their answers. */
const finalRows: Rows = {
  outcome: { actions: does(takeOutcome) },
  'task.minted': { actions: does(returnSlot) },
  'task.close': { actions: does(refuses('task-terminal', 'the Task has ended')) },
  'task.retry': { actions: does(refuses('task-terminal', 'the Task has ended')) },
  'task.hold': { actions: does(refuses('task-terminal', 'the Task has ended')) },
  'mr.ready': { actions: does(giveUp) },
  'fold.requested': { actions: does(refuseFold) },
  'takeover.accepted': { actions: does(refuses('task-terminal', 'the Task has ended')) },
  'alert.joined': { actions: does(noteAlert) },
}

/** `on`: of one that may still have a pod. */
function final(name: string, said: string, on: Rows = finalRows): StateConfig {
  return {
    id: name,
    type: 'final',
    meta: meta('none', said, 'nothing: it has ended'),
    entry: does(enterFinal(name)),
    on,
  }
}

export const stage: StateConfig = {
  meta: meta('platform', 'decides what the Task is about', 'its states name who'),
  initial: 'live',
  states: {
    live: {
      meta: meta('platform', 'the Task has not ended', 'its stages name who'),
      initial: 'minted',
      on: liveRows,
      states: { minted, active, parked },
    },
    // Direct children of the region: a final state nested deeper never finishes it.
    delivered: final('delivered', 'delivered'),
    rejected: final('rejected', 'rejected, cancelled or closed by a human'),
    failed: final('failed', 'failed'),
    // Who folds has no pod, so it settles in the same step and hears nothing more.
    folded: final('folded', 'folded into another Task, which owns what it had', {}),
  },
}
