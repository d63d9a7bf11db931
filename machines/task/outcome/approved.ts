/** `approved`: a claim that each live Issue judges; the call is answered before (APPROVAL-3, APPROVAL-4). */
import { tellIssue } from '../../emit.ts'
import type { Change } from '../chart.ts'
import { withChanges, type TaskContext, type TaskIssue } from '../context.ts'
import type { ApprovalClaim } from '../events.ts'
import { gatedIssues } from '../queries.ts'
import { tell } from '../pending.ts'
import { heard, refused, type Judge, type Outcome } from './judgement.ts'
import type { ApprovedPayload } from './payloads.ts'

/** The plan's own conjuncts of APPROVAL-2: the note exists, is a plan by an agent of this Task, and no newer one does. */
function planFault(context: TaskContext, noteId: string): string | undefined {
  const note = context.journal.notes.find(({ id }) => id === noteId)
  if (note?.kind !== 'plan' || note.source !== 'agent') return 'plan-missing'
  return noteId === context.journal.planNoteId ? undefined : 'plan-superseded'
}

function claimOf(event: Outcome, { issue }: TaskIssue, fault: string | undefined): ApprovalClaim {
  const claim = event.claims.find((one) => one.issue === issue) ?? { issue }
  const refusedBy = claim.refusedBy ?? fault
  return refusedBy === undefined ? claim : { ...claim, refusedBy }
}

function claim(context: TaskContext, event: Outcome): Change {
  const { plan_note_id, approving_maintainer } = event.payload as unknown as ApprovedPayload
  const note = context.journal.notes.find(({ id }) => id === plan_note_id)
  const fault = planFault(context, plan_note_id)
  const live = gatedIssues(context)
  return {
    context: {
      turn: { spoke: true },
      forge: { claims: live.map(({ issue }) => issue), claimedMaintainer: approving_maintainer ?? null },
    },
    effects: live.map((owned) =>
      tellIssue(owned.issue, {
        type: 'approval.claimed',
        task: context.id,
        planHash: note?.bodyHash ?? '',
        claim: claimOf(event, owned, fault),
      }),
    ),
  }
}

/** A Task that never owned an issue needs nobody's word: the agent is told so instead. */
function goAhead(context: TaskContext): Change {
  const told = tell(context, 'approval', 'no issue gates this Task: write the code')
  return { context: withChanges(told.context, { turn: { spoke: true, prompt: 'write-code' } }) }
}

export const approved: Judge = (context, event) => {
  if (context.forge.claims.length > 0)
    return refused('outcome-recorded', 'the platform still checks an earlier approval claim')
  return heard(context, event, gatedIssues(context).length > 0 ? claim(context, event) : goAhead(context))
}
