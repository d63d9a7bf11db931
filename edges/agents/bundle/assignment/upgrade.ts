import { listRepositories, type AssignmentContext } from './context.ts'
import { submitting } from './submitting.ts'

/** Upgrade: one unit of dependencies, by the Project's policy, which is handed over as it stands (PROJECT-UPGRADE-1). */
export function upgradeAssignment(context: AssignmentContext): string {
  const { upgradePolicy } = context.hints
  const policy = upgradePolicy === undefined ? '' : `\n\nThe policy of this project:\n${upgradePolicy}`
  const first = context.ownsMergeRequest
    ? 'Your merge request is open. Address what its review, its checks or its conflicts ask for: read its newest comments first.'
    : 'Choose one unit that is due by the policy and that no other Task has claimed (`task_context` with `index=true`). The current pin is where you start; with `nextHopOnly` take the smallest eligible step. With `engine` `external` its report is a hint, not an order.'
  return `You upgrade dependencies: ${context.goal}

Repositories, already checked out:
${listRepositories(context)}${policy}

${first} Run the repository's tests, and read the release notes for what breaks. \`merge_order\` is the order of publishing: images before charts before configuration.
${submitting('Nothing due, nothing old enough, all claimed, or an unsafe step: submit `declined` with `decline_reason`, a common and right answer.', context)}`
}
