import { issueIn, kindOf, type Moment } from '../world/trace.ts'
import type { IssueContext } from '../../../machines/issue/context.ts'

/** By Issue: its comments and plans of before the last time that it came back. */
export type Spent = Readonly<Record<string, readonly string[]>>

function saidIn({ facts, plans, boundPlans }: IssueContext): readonly string[] {
  const approvals = (facts?.approvals ?? []).map(({ commentId }) => commentId)
  return [...new Set([...approvals, ...Object.keys(boundPlans), ...plans.map(({ noteId }) => noteId)])]
}

/** Read where the Issue was before the step, and the facts that it brought: what the Issue forgets in it is spent all the same. */
export function keepSpent(spent: Spent, moment: Moment): Spent {
  if (moment.kind !== 'stepped' || kindOf(moment.actor) !== 'issue' || !moment.before) return spent
  const [before, after] = [issueIn(moment.before), issueIn(moment.after)]
  if (!before.delivered || after.delivered) return spent
  const all = [...(spent[moment.actor] ?? []), ...saidIn(before), ...saidIn({ ...before, facts: after.facts })]
  return { ...spent, [moment.actor]: [...new Set(all)].toSorted() }
}

/** After the moment; `spent` with it. */
export function broughtAlong(spent: Spent, moment: Moment): readonly string[] {
  if (moment.kind !== 'stepped' || kindOf(moment.actor) !== 'issue') return []
  const { plans, accepted, grant } = issueIn(moment.after)
  const counts = [...plans.map(({ noteId }) => noteId), accepted?.commentId, grant?.commentId]
  return (spent[moment.actor] ?? [])
    .filter((one) => counts.includes(one))
    .map((one) => `${moment.actor} counts ${one}, which is of before it came back`)
}
