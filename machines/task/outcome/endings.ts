/** Outcomes by which an implement agent stops: `rejected`, `declined`, `discuss`. */
import { tellIssue } from '../../emit.ts'
import { afterPod, comments, issueComments } from '../comments.ts'
import { accepted, type Judge } from './judgement.ts'
import type { ReasonPayload } from './payloads.ts'

/** One agent's word closes nothing: the forge's issue stays open, and who can undo it is said (rulings 5.25). */
export const rejected: Judge = (context, event) => {
  const { reason = '' } = event.payload as ReasonPayload
  const body = `The agent rejects this request: ${reason}\n\nThe issue stays open. A maintainer can undo this by approving here (\`/approve\`) or by \`/retry\`.`
  return accepted(context, event, 'rejected', afterPod(context, issueComments(context, body)), 'rejected', reason)
}

/** The issues are given up in the same commit, so that a later approval may mint anew without a second owner [N12]. */
export const declined: Judge = (context, event) => {
  const { decline_reason: reason = '' } = event.payload as ReasonPayload
  const body = `The agent declines to make this change: ${reason}\n\nA maintainer can have it tried again by \`/retry\`.`
  const said = afterPod(context, issueComments(context, body))
  const givenUp = context.issues.map(({ issue }) =>
    tellIssue(issue, { type: 'task.ended', task: context.id, stage: 'implement-declined', reason }),
  )
  const change = {
    context: { ...said.context, issues: [], claims: [] },
    effects: [...givenUp, ...(said.effects ?? [])],
  }
  return accepted(context, event, 'implement-declined', change, 'declined', reason)
}

/** An implement Task may pause without a merge request (rulings 1.13). */
export const discuss: Judge = (context, event) => {
  const { reason = '' } = event.payload as ReasonPayload
  return accepted(context, event, 'awaiting-human', afterPod(context, comments(context, reason)), 'discuss', reason)
}
