import { listRepositories, type AssignmentContext } from './context.ts'

/** Refine: the backlog put in order before work is handed out (OUTCOME-REFINE, docs/contract/tools.md). */
export function refineAssignment(context: AssignmentContext): string {
  const { closedSince } = context.hints
  const closed =
    closedSince === undefined ? '' : `, and those closed since ${closedSince} (\`state\` \`closed\`, \`since\`)`
  return `You put the backlog in order: ${context.goal}

Repositories, already checked out for reading:
${listRepositories(context)}

\`task_index\` shows all Tasks of the project. Read the open issues with \`scm_read\` (\`issues\`)${closed}. Look for three things:
1. Issues that are over: done already, or duplicates of a clearer one. \`closes\` cites the reason, with the commit, merge request or issue that proves it. In doubt leave it open.
2. Tasks that are one: \`folds\` names the members; their issues and merge requests go to one new Task. The platform refuses a member whose agent runs.
3. Threads that belong together: \`links\` names them, and the platform links each to the others.
Change no code. You may ask on an issue with \`issue_write\`, but the platform waits for no answer.
Call \`submit_outcome\` with what you found. Each of the three is optional. Then end your turn.`
}
