/**
 * One issue of the forge: the sole judge of approval (ISSUE and APPROVAL, docs/rules.md).
 * Upheld here: every claim is answered, in every state [APPROVAL-5]; the grant is the Issue's own and is recomputed from the
 * whole thread [APPROVAL-4, APPROVAL-6]; a withdrawal that was told stands until a maintainer takes it back [LAW-24]; one live owner
 * [LAW-7, OWNERSHIP-1]; labels equal the projection of the status [LAW-10].
 *
 * Which status holds follows from the facts (`settle.ts`); the table says which moves there are.
 */
import { setup } from 'xstate'
import { objectAt, withContext, type JsonObject, type MachineDefinition, type MachineInput } from '../definition.ts'
import { issueStatuses, type IssueStatus } from '../rules/labels.ts'
import { newIssue, type IssueContext } from './context.ts'
import { issueActions } from './decisions.ts'
import type { IssueEvent } from './events.ts'

type Guard = (args: { context: IssueContext }) => boolean

function is(status: IssueStatus): Guard {
  return ({ context }) => context.status === status
}

/** Where each status can lead in one step. `done` is left by a maintainer's word alone (ISSUE-9). */
const issueMoves: Readonly<Record<IssueStatus, readonly IssueStatus[]>> = {
  observed: ['refined', 'approved', 'implementing', 'rejected', 'closed', 'done'],
  refined: ['observed', 'approved', 'implementing', 'rejected', 'closed', 'done'],
  approved: ['observed', 'refined', 'implementing', 'rejected', 'closed', 'done'],
  implementing: ['observed', 'refined', 'approved', 'rejected', 'closed', 'done'],
  rejected: ['observed', 'refined', 'approved', 'closed'],
  closed: ['observed', 'refined', 'approved', 'implementing', 'rejected', 'done'],
  done: ['refined'],
}

function leave(status: IssueStatus): { guard: IssueStatus; target: IssueStatus }[] {
  return issueMoves[status].map((target) => ({ guard: target, target }))
}

export const issueMachine = setup({
  types: { context: {} as IssueContext, events: {} as IssueEvent, input: {} as MachineInput },
  actions: issueActions,
  guards: Object.fromEntries(issueStatuses.map((status) => [status, is(status)])) as Record<IssueStatus, Guard>,
}).createMachine({
  id: 'issue',
  context: ({ input }) => newIssue(input.id),
  initial: 'live',
  states: {
    live: {
      meta: { owner: 'human', reason: 'is followed', unblocks: 'what people do on the forge, and what its Task does' },
      initial: 'observed',
      on: {
        'issue.observed': { actions: 'observe' },
        'issue.commented': { actions: 'forwardComment' },
        'issue.event': { actions: 'forwardEvent' },
        'issue.command': { actions: 'command' },
        'issue.owned': { actions: 'own' },
        'issue.handedOver': { actions: 'handOver' },
        'issue.offered': { actions: 'takeOffer' },
        'issue.retired': { actions: 'retire' },
        'issue.projectDeleted': { actions: 'loseProject' },
        'issue.projectApplied': { actions: 'regainProject' },
        'issue.agentRunning': { actions: 'noteRunning' },
        'plan.written': { actions: 'publish' },
        'approval.claimed': { actions: 'judgeClaim' },
        'task.delivered': { actions: 'finish' },
        'task.ended': { actions: 'end' },
        // A label or comment that the forge refuses for good is a dead letter to look at; the Issue goes on (ACTOR-6).
        'effect.failed': {},
      },
      states: {
        observed: {
          meta: {
            owner: 'human',
            reason: 'the platform does not work on it',
            unblocks: 'the trigger label, from a person who may start work',
          },
          always: leave('observed'),
        },
        refined: {
          meta: {
            owner: 'maintainer',
            reason: 'waits for a plan and its approval',
            unblocks: "a maintainer's /approve",
          },
          always: leave('refined'),
        },
        approved: {
          meta: { owner: 'task', reason: 'a maintainer approved', unblocks: 'the Task claims it with its plan' },
          always: leave('approved'),
        },
        implementing: {
          meta: {
            owner: 'task',
            reason: 'the approval is granted, and an agent implements it',
            unblocks: 'the Task delivers',
          },
          always: leave('implementing'),
        },
        rejected: {
          meta: {
            owner: 'maintainer',
            reason: 'was rejected',
            unblocks: "a maintainer's /approve or /retry, or the label again",
          },
          always: leave('rejected'),
        },
        closed: {
          meta: { owner: 'human', reason: 'is closed on the forge', unblocks: 'it is reopened, or its Task delivers' },
          always: leave('closed'),
        },
        done: {
          meta: {
            owner: 'none',
            reason: 'was delivered',
            unblocks: "reopened, a maintainer's /retry, or the label set anew",
          },
          on: {
            'issue.commented': { actions: 'hearDelivered' },
            'issue.owned': { actions: 'refuseOwner' },
            'issue.retired': {},
          },
          always: leave('done'),
        },
      },
    },
  },
})

function closedIfDelivered(snapshot: JsonObject): JsonObject {
  const context = objectAt(snapshot, 'context')
  if (context['delivered'] !== true || !context['facts']) return snapshot
  return withContext(snapshot, { facts: { ...objectAt(context, 'facts'), state: 'closed' } })
}

export const issueDefinition: MachineDefinition = {
  kind: 'issue',
  version: 6,
  machine: issueMachine,
  createdBy: ['issue.observed', 'issue.owned', 'issue.retired'],
  upgrades: {
    1: (snapshot) => withContext(snapshot, { retired: false }),
    // Its facts name no comment that withdraws; the mirror's rows do, and it tells them again.
    2: (snapshot) => withContext(snapshot, { withdrawals: [] }),
    // Its facts name no Task that merged: no change counts as merged until the mirror tells them again.
    3: (snapshot) => snapshot,
    // Without the word of a deletion its Project is there.
    4: (snapshot) => snapshot,
    // It heard nothing after its delivery, which closed the issue.
    5: closedIfDelivered,
  },
}
