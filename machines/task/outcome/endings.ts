/** Outcomes by which a working agent stops: `rejected`, `declined`, `discuss`. */
import { tellIssue, type EffectAction } from '../../emit.ts'
import { afterPod, comments, issueComments } from '../comments.ts'
import { withChanges, type TaskContext } from '../context.ts'
import { hasOpenMergeRequest } from '../queries.ts'
import { accepted, refused, type Judge } from './judgement.ts'
import type { ReasonPayload } from './payloads.ts'

/** One agent's word closes nothing: the forge's issue stays open, and who can undo it is said (OUTCOME-RULE-5). */
export const rejected: Judge = (context, event) => {
  const { reason = '' } = event.payload as ReasonPayload
  const body = `The agent rejects this request: ${reason}\n\nThe issue stays open. A maintainer can undo this here with \`/approve\` or \`/retry\`.`
  return accepted(context, event, {
    to: 'rejected',
    change: afterPod(context, issueComments(context, body)),
    reason: 'rejected',
    detail: reason,
  })
}

function declinedComments(context: TaskContext, reason: string): readonly EffectAction[] {
  const said = `The agent declines to make this change: ${reason}`
  if (context.forge.issues.length === 0) return comments(context, said)
  return issueComments(context, `${said}\n\nA maintainer can start it again with \`/retry\`.`)
}

/** The issues are given up in the same commit, so that a later approval may mint anew without a second owner [OWNERSHIP-2]. */
export const declined: Judge = (context, event) => {
  const { decline_reason: reason = '' } = event.payload as ReasonPayload
  const said = afterPod(context, declinedComments(context, reason))
  const givenUp = context.forge.issues.map(({ issue }) =>
    tellIssue(issue, { type: 'task.ended', task: context.id, stage: 'implement-declined', reason }),
  )
  const change = {
    context: withChanges(said.context, { forge: { issues: [], claims: [] } }),
    effects: [...givenUp, ...(said.effects ?? [])],
  }
  return accepted(context, event, { to: 'implement-declined', change, reason: 'declined', detail: reason })
}

/**
 * Nothing to upgrade is a common and right answer: parked, it would hold `maxOpenUpgrades` for ever. With a merge
 * request open somebody has to say what becomes of it [OUTCOME-RULE-6].
 */
export const declinedUpgrade: Judge = (context, event) => {
  const { decline_reason: reason = '' } = event.payload as ReasonPayload
  const to = hasOpenMergeRequest(context) ? 'awaiting-human' : 'delivered'
  return accepted(context, event, {
    to,
    change: afterPod(context, declinedComments(context, reason)),
    reason: 'declined',
    detail: reason,
  })
}

/** Somebody has to have a place to answer in (OUTCOME-WORK-6). */
export const discussOnMergeRequest: Judge = (context, event) =>
  hasOpenMergeRequest(context)
    ? discuss(context, event)
    : refused('no-open-merge-request', 'this Task has no open merge request on which somebody could answer')

/** An implement Task may pause without a merge request (OUTCOME-RULE-4). */
export const discuss: Judge = (context, event) => {
  const { reason = '' } = event.payload as ReasonPayload
  return accepted(context, event, {
    to: 'awaiting-human',
    change: afterPod(context, comments(context, reason)),
    reason: 'discuss',
    detail: reason,
  })
}
