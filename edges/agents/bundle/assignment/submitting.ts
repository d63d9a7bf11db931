import type { AssignmentContext } from './context.ts'

/** EXECUTED-5: an agent that knows the rule does not meet the refusal. */
export const noClosing =
  'Leave closing keywords (such as `Closes #4`) out of commit messages and merge request texts: the gateway refuses such commits, and the platform closes the issues of this Task itself.'

/** How work without an approval gate ends (OUTCOME-WORK, docs/contract/tools.md). */
export function submitting(otherwise: string, { ownsMergeRequest }: AssignmentContext): string {
  const discuss = ownsMergeRequest
    ? ' If you need a human, submit `discuss` with `reason`: the platform asks on your merge request.'
    : ''
  return `Commit on the branch you are on; the platform pushes after your turn and opens or updates the merge request. Do not merge, label or push by hand. ${noClosing}
When the work is whole, call \`submit_outcome\` with action \`submitted\`, \`title\`, \`body\` and \`change_significance\` (and \`merge_order\` when it spans repositories), then end your turn. ${otherwise}${discuss}`
}
