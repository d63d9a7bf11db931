/**
 * The two facts of an Issue (APPROVAL-1): the accepted comment, and the grant. Both are recomputed from the thread on
 * every change, so that an edit, a deletion, a withdrawal, a lost right or a newer plan needs no row of its own.
 */
import { refusedConjunct } from '../rules/citation.ts'
import { sameLogin } from '../rules/logins.ts'
import { planApprovedAt } from '../rules/plan-seen.ts'
import { isLevel, isWithin } from '../rules/significance.ts'
import type { Grant, HeldClaim, IssueContext } from './context.ts'
import type { IssueFacts, StandingApproval } from './events.ts'
import { approvalsOf, isSpent, withdrawerOf } from './withdrawals.ts'

function planOf({ boundPlans, plans }: IssueContext, { commentId, at }: StandingApproval): string | undefined {
  return boundPlans[commentId] ?? planApprovedAt(plans, at)?.hash
}

/**
 * Binds each approval when it is first heard (APPROVAL-10). An approval that goes missing keeps its plan: it may come back.
 * Before the first plan an approval counts, as a Task is asked for by it: that plan binds it when it comes.
 */
export function plansBound(context: IssueContext): IssueContext['boundPlans'] {
  const heard = (context.facts?.approvals ?? []).flatMap((approval): [string, string][] => {
    const plan = isSpent(context, approval) ? '' : planOf(context, approval)
    return plan === undefined ? [] : [[approval.commentId, plan]]
  })
  return { ...context.boundPlans, ...Object.fromEntries(heard) }
}

/** Not of an older plan than the newest. */
function bindsToNewest(context: IssueContext, approval: StandingApproval): boolean {
  const newest = context.plans.at(-1)
  return newest === undefined || planOf(context, approval) === newest.hash
}

function stands(context: IssueContext, approval: StandingApproval): boolean {
  return context.approvedBodies[approval.commentId] === context.facts?.bodyHash && bindsToNewest(context, approval)
}

/** The newest approval that stands. */
export function acceptedApproval(context: IssueContext): StandingApproval | undefined {
  return approvalsOf(context).findLast((approval) => stands(context, approval))
}

/**
 * Remembers under which text of the issue each approval was in order. An edit by a maintainer carries the
 * approvals that stood along; an edit by anybody else leaves them behind (APPROVAL-9).
 */
export function bodiesApproved(previous: IssueContext, facts: IssueFacts): IssueContext['approvedBodies'] {
  const before = previous.facts?.bodyHash
  const entries = facts.approvals.map(({ commentId }): [string, string] => {
    const known = previous.approvedBodies[commentId]
    const stood = known === undefined || known === before
    const moved = facts.editedByOther && known !== undefined && known !== facts.bodyHash
    return [commentId, stood && !moved ? facts.bodyHash : (known ?? facts.bodyHash)]
  })
  return Object.fromEntries(entries)
}

/**
 * A merge of its own Task closed it: what is planned now is about the Task's other issues, and takes no grant back here.
 * A merge of another Task may close it by a word alone, and then nothing of it is done.
 */
export function isMerged({ facts, retired, owner }: IssueContext): boolean {
  return facts?.state === 'closed' && facts.closedBy === 'bot' && !retired && owner !== '' && facts.mergedFor === owner
}

/** A merge that closes its issue is the Task's own doing (LAW-18 speaks of humans); one that was retired is wanted by nobody. */
export function isClosedByHuman({ facts, retired }: IssueContext): boolean {
  return retired || (facts?.state === 'closed' && facts.closedBy !== 'bot')
}

/** Why a claim is refused: a conjunct of APPROVAL-2, or what the Issue itself knows. Undefined: it is granted. */
export function refusal(context: IssueContext, held: HeldClaim): string | undefined {
  const { facts, owner, delivered, rejected } = context
  if (facts === null || held.task !== owner) return 'issue-owned'
  if (delivered) return 'issue-done'
  if (isClosedByHuman(context)) return 'issue-closed'
  if (rejected !== '') return 'issue-rejected'
  if (held.claim.refusedBy !== undefined) return held.claim.refusedBy
  return held.claim.citation ? refusedCitation(context, facts, held) : refusedSelfGrant(context, facts, held)
}

function refusedCitation(context: IssueContext, facts: IssueFacts, { claim, planHash }: HeldClaim): string | undefined {
  const { citation, approvingMaintainer } = claim
  const approval = approvalsOf(context).find(({ commentId }) => commentId === citation?.commentId)
  const isWithdrawn = withdrawerOf(context) !== undefined
  return refusedConjunct({
    'author-matches': approvingMaintainer === undefined || sameLogin(approvingMaintainer, citation?.author ?? ''),
    'author-is-maintainer': approval === undefined || sameLogin(approval.author, citation?.author ?? ''),
    'not-withdrawn': !isWithdrawn,
    // A withdrawal takes the approval off the list: then the withdrawal is the reason.
    'comment-approves': approval !== undefined || isWithdrawn,
    'body-unchanged':
      approval === undefined ||
      (approval.bodyHash === citation?.bodyHash && context.approvedBodies[approval.commentId] === facts.bodyHash),
    // Nothing is planned here any more: the comment only takes a withdrawal back (APPROVAL-16).
    'plan-newest':
      isMerged(context) ||
      (isNewestPlan(context, planHash) && (approval === undefined || bindsToNewest(context, approval))),
  })
}

function refusedSelfGrant(context: IssueContext, facts: IssueFacts, held: HeldClaim): string | undefined {
  const ceiling = facts.config.autoApproveMaxSignificance
  if (!facts.selfProposed || facts.humanCommented || ceiling === 'off') return 'comment-exists'
  if (withdrawerOf(context) !== undefined) return 'not-withdrawn'
  if (isLevel(held.significance) && !isWithin(held.significance, ceiling)) return 'over-auto-approve-ceiling'
  return isNewestPlan(context, held.planHash) ? undefined : 'plan-newest'
}

function isNewestPlan({ plans }: IssueContext, hash: string): boolean {
  return hash !== '' && plans.at(-1)?.hash === hash
}

export function grantOf({ task, planHash, claim }: HeldClaim, at: number): Grant {
  const { citation } = claim
  const evidence = citation
    ? {
        self: false,
        commentId: citation.commentId,
        author: citation.author,
        quote: citation.span,
        bodyHash: citation.bodyHash,
      }
    : { self: true, commentId: '', author: '', quote: '', bodyHash: '' }
  return { task, planHash, ...evidence, at }
}

/** Why a grant no longer stands: the first conjunct that is false now (APPROVAL-2). */
export function revocation(context: IssueContext): string {
  const { claim } = context
  if (withdrawerOf(context) !== undefined) return 'withdrawn'
  return (claim && refusal(context, claim)) ?? 'withdrawn'
}
