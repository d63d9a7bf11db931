import { listRepositories, type AssignmentContext } from './context.ts'
import { submitting } from './submitting.ts'

/** Documentation: pages that follow what was merged (CRON-9; OUTCOME-WORK, docs/contract/tools.md). */
export function documentationAssignment(context: AssignmentContext): string {
  const first = context.ownsMergeRequest
    ? 'Your merge request is open. Address what its review, its checks or its conflicts ask for: read its newest comments first.'
    : 'Read what was merged (`scm_read`, `commits` and `mr` with state `merged`) and update the pages that it makes wrong or incomplete. Document what exists, in the style of the existing pages. Invent nothing.'
  return `You keep the documentation true: ${context.goal}

Repositories, already checked out:
${listRepositories(context)}

${first}
${submitting('Nothing to change is a good answer: submit `declined` with `decline_reason`.', context)}`
}
