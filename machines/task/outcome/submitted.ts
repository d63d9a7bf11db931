/** `submitted`: the code gate. Grants, plan, ceiling and merge order, in this order (OUTCOME-IMPLEMENT-10, OUTCOME-18, LAW-3, LAW-18). */
import { coversRepositories } from '../../rules/merge-order.ts'
import type { TaskContext, TaskIssue } from '../context.ts'
import { ceilingHolds, gatedIssues, grantsHold, liveIssues, openMergeRequests, planHolds } from '../queries.ts'
import { accepted, ceilingOf, refused, type Judge, type Outcome } from './judgement.ts'
import type { SubmittedPayload } from './payloads.ts'

const guidance = {
  'needs-maintainer-comment':
    'A maintainer has to approve on this issue: ask there, then end the turn or send `discuss`.',
  'needs-approval-tool': 'A maintainer approved on this issue: send the outcome `approved` with the citation first.',
} as const

function missingApproval({ repository, number, issue, accepted: isAccepted }: TaskIssue): {
  readonly [key: string]: unknown
} {
  const detail = isAccepted ? 'needs-approval-tool' : 'needs-maintainer-comment'
  return { repo: repository, number, issue, detail, guidance: guidance[detail] }
}

/** Live ones without a grant; when all are closed, all of them: closing is no approval [APPROVAL-8]. */
function blockingIssues(context: TaskContext): readonly { readonly [key: string]: unknown }[] {
  const ungranted = gatedIssues(context).filter(({ grant }) => grant === null)
  return (liveIssues(context).length > 0 ? ungranted : context.forge.issues).map(missingApproval)
}

/** The turns that ended say what they pushed; what this one pushed the gateway has written down. */
function touchedRepositories(context: TaskContext, { pushed = [] }: Outcome): readonly string[] {
  const open = openMergeRequests(context).map(({ repository }) => repository)
  return [...new Set([...context.turn.pushedRepositories, ...pushed, ...open])]
}

export const submitted: Judge = (context, event) => {
  const { title, body, change_significance: significance, merge_order } = event.payload as unknown as SubmittedPayload
  const mergeOrder = merge_order ?? null
  if (!grantsHold(context)) {
    return refused('approval-required', "every issue of this Task needs a maintainer's approval first", {
      reason: 'approval-required',
      issues: blockingIssues(context),
    })
  }
  if (!planHolds(context))
    return refused('plan-changed', 'the newest plan is not the approved one: ask a maintainer to approve it')
  const ceiling = ceilingOf(context, event)
  if (!ceilingHolds(context, significance, ceiling)) {
    return refused(
      'over-auto-approve-ceiling',
      `a ${significance} change needs a maintainer's comment; without one at most ${ceiling} may merge`,
      { ceiling, significance },
    )
  }
  const repositories = touchedRepositories(context, event)
  if (!coversRepositories(mergeOrder, repositories)) {
    return refused('merge-order-required', 'merge_order must name every repository with changes once', { repositories })
  }
  const submission = { title, body, significance, mergeOrder }
  const change = { context: { forge: { submission, significance, verdict: null, reviewed: null } } }
  return accepted(context, event, { to: 'opening', change })
}
