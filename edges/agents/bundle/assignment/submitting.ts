import type { AssignmentContext } from './context.ts'

/** How work without an approval gate ends (OUTCOME-WORK, docs/contract/tools.md). */
export function submitting(otherwise: string, { ownsMergeRequest }: AssignmentContext): string {
  const discuss = ownsMergeRequest
    ? ' If you need a human, submit `discuss` with `reason`: the platform asks on your merge request.'
    : ''
  return `Commit on the branch you are on; the platform pushes after your turn and opens or updates the merge request. Do not merge, label or push by hand.
When the work is whole, call \`submit_outcome\` with action \`submitted\`, \`title\`, \`body\` and \`change_significance\` (and \`merge_order\` when it spans repositories), then end your turn. ${otherwise}${discuss}`
}
