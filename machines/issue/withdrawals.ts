/**
 * A withdrawal stands until a maintainer takes it back: by a newer approval, or its author by his own edit or deletion
 * where the forge names him (decisions/0023). The Issue keeps each that it was told of, so that no later view of the
 * mirror, whose row was lost or made anew, can unsay it.
 */
import type { IssueContext } from './context.ts'
import type { IssueFacts, StandingApproval, Withdrawal } from './events.ts'

function isNamedIn(told: readonly Withdrawal[], { commentId, at }: Withdrawal): boolean {
  return told.some((one) => one.commentId === commentId && one.at >= at)
}

/** What this telling names, and what an earlier one named and nobody took back since. */
export function withdrawalsKnown(before: readonly Withdrawal[], facts: IssueFacts): readonly Withdrawal[] {
  const { withdrawals: told = [], takenBack = [] } = facts
  const kept = before.filter((one) => !takenBack.includes(one.commentId) && !isNamedIn(told, one))
  return [...kept, ...told.filter((one) => !kept.some(({ commentId }) => commentId === one.commentId))]
}

/** Known to the Issue, and not to the mirror as it is now. */
function unseen({ withdrawals, facts }: IssueContext): readonly Withdrawal[] {
  return withdrawals.filter((one) => !isNamedIn(facts?.withdrawals ?? [], one))
}

/** Of before the Task that a maintainer asked for after a delivery (LAW-25); forges date in whole seconds. */
export function isSpent({ boundPlans, cameBackAt }: IssueContext, { commentId, at }: StandingApproval): boolean {
  const isEarlier = cameBackAt !== undefined && Math.floor(at / 1000) <= Math.floor(cameBackAt / 1000)
  return isEarlier || boundPlans[commentId] === ''
}

/** The mirror has judged its approvals against the withdrawals that it knows; against the others the Issue does. */
export function approvalsOf(context: IssueContext): readonly StandingApproval[] {
  const others = unseen(context)
  const standing = (context.facts?.approvals ?? []).filter((approval) => !isSpent(context, approval))
  return standing.filter((approval) => others.every(({ at }) => at < approval.at))
}

/** Whose withdrawal is the newest word that decides; undefined: it is none. */
export function withdrawerOf(context: IssueContext): string | undefined {
  const newest = approvalsOf(context).length > 0 ? undefined : unseen(context).at(-1)
  return context.facts?.withdrawnBy ?? newest?.author
}
