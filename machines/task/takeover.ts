/** The author of a merge request, or a maintainer, hands it over: an implement Task is minted that owns it (OWNERSHIP-12). */
import { taskName } from '../rules/names.ts'
import { answer, refusal, refuses } from './answers.ts'
import type { EventOf } from '../decide.ts'
import { does, when, type Change, type Row } from './chart.ts'
import type { TaskEvent } from './events.ts'
import { withChanges, type TaskContext } from './context.ts'
import { isHeld, isReviewKind } from './queries.ts'
import { handedMergeRequests, handOver, heirOf, mintHeir } from './hand-over.ts'
import { findMergeRequest } from './merge-requests.ts'

type Accepted = EventOf<TaskEvent, 'takeover.accepted'>

/** A person asked for it: QUEUE-1. */
const asked = 20

function isTakeover(context: TaskContext, event: Accepted): boolean {
  return isReviewKind(context) && findMergeRequest(context, event)?.state === 'open'
}

function takeOver(context: TaskContext, event: Accepted): Change {
  const { repository, number, by, commentId } = event
  const namespace = context.id.slice(0, context.id.indexOf('/'))
  const heir = heirOf(`${namespace}/${taskName('implement', repository, number, `${context.id}/takeover`)}`)
  const handed = handOver(context, heir)
  const mergeRequests = handedMergeRequests(context).map((mr) => ({ ...mr, writable: true }))
  return {
    context: withChanges(handed.context, { stage: { reason: 'taken-over', detail: heir.to } }),
    effects: [
      ...handed.effects,
      mintHeir(heir, {
        kind: 'implement',
        goal: `Takeover of ${repository}!${number}, asked for by ${by}. ${context.goal}`,
        repositories: [...new Set(mergeRequests.map((mr) => mr.repository))],
        issues: [],
        mergeRequests,
        priority: asked,
        origin: { kind: 'takeover', ref: commentId },
        config: context.config,
      }),
      answer({ status: 200, body: { accepted: true, task: { stage: 'delivered' }, mints: heir.to } }),
    ],
  }
}

export const takeoverRows: readonly Row<Accepted>[] = [
  { guard: when(isTakeover), target: '#delivered', actions: does(takeOver) },
  { actions: does(refuseTakeover) },
]

/** Where an operator may hold it. */
export const parkedTakeoverRows: readonly Row<Accepted>[] = [
  {
    guard: when((context, event) => isTakeover(context, event) && isHeld(context)),
    actions: does(refuses('takeover-refused', 'an operator holds the Task', { reason: 'held' })),
  },
  ...takeoverRows,
]

export function refuseTakeover(): Change {
  const detail = 'only the review of an open merge request can be taken over'
  return { effects: [answer(refusal('takeover-refused', detail, { reason: 'not-under-review' }))] }
}
