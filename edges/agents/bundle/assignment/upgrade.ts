import { listRepositories, type AssignmentContext } from './context.ts'
import { submitting } from './submitting.ts'

/** Renovate, which the wrapper's image has; `local` reads the folder that it stands in and can write to no forge. */
const updateCommand = 'renovate --platform=local --dry-run=lookup --report-type=file --report-path=/tmp/updates.json'

const candidates = `Without \`engine\`, or with \`none\`, list the candidates yourself: compare the manifests and lockfiles with what the registries have. With \`external\` run \`${updateCommand}\` in the folder of each repository. It changes nothing, and its report is a hint, not an order. Where it is missing or fails, go on as with \`none\`.`

/** Upgrade: one unit of dependencies, by the Project's policy, which is handed over as it stands (PROJECT-UPGRADE-1). */
export function upgradeAssignment(context: AssignmentContext): string {
  const { upgradePolicy } = context.hints
  const policy = upgradePolicy === undefined ? '' : `\n\nThe policy of this project:\n${upgradePolicy}`
  const first = context.ownsMergeRequest
    ? 'Your merge request is open. Address what its review, its checks or its conflicts ask for: read its newest comments first.'
    : `Choose one unit that is due by the policy and that no other Task has claimed (\`task_context\` with \`index=true\`). ${candidates}

The current pin is where you start; with \`nextHopOnly\` take the smallest eligible step. With \`latest\` jump to the newest eligible release.`
  return `You upgrade dependencies: ${context.goal}

Repositories, already checked out:
${listRepositories(context)}${policy}

${first} Run the repository's tests, and read the release notes for what breaks. \`merge_order\` is the order of publishing: images before charts before configuration.
${submitting('Nothing due, nothing old enough, all claimed, or an unsafe step: submit `declined` with `decline_reason`, a common and right answer.', context)}`
}
