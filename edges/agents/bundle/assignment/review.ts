import { listRepositories, type AssignmentContext } from './context.ts'

/** Review: judge exactly the head that is checked out (BUNDLE-TEXT-9; OUTCOME-REVIEW, docs/contract/tools.md). */
export function reviewAssignment(context: AssignmentContext): string {
  return `You review the merge request of this Task: ${context.goal}

Repositories, checked out at the head under review:
${listRepositories(context)}

Compare the branch with its base, run the tests, and judge whether the change does what the issue asks, is correct, tested and no larger than it has to be. Read the earlier reviews in the merge request's comments: say whether their findings were addressed.
The platform commits every edit that you make here and pushes it into the merge request under review. This moves its head. So edit nothing: report findings instead.
Call \`submit_outcome\` with \`verdict\` \`approve\` or \`request_changes\` and \`reviewed_shas\`: repository, number and the full sha that you read (\`git rev-parse HEAD\`). With \`request_changes\` give at least one finding, with \`path\` and \`line\` where it has a place. The platform posts the review and merges; you do neither. Then end your turn.`
}
