import { listRepositories, type AssignmentContext } from './context.ts'

/** Incident: what an alert is about, and whether it is worth an issue (OUTCOME-INCIDENT, docs/contract/tools.md). */
export function incidentAssignment(context: AssignmentContext): string {
  return `You investigate an alert: ${context.goal}

Repositories, already checked out for reading:
${listRepositories(context)}

Find out what fires, since when, what changed before it, and what it does to users. Read the newest commits with \`scm_read\` (\`commits\`) and earlier incidents in \`task_index\`: the same cause is one incident. Change no code and repair nothing: your findings are for people and for the agent that will.
Call \`submit_outcome\` with \`alert_rules\` (the rules that fired) and \`reason\`: action \`file_issue\` with \`issue\` (\`repo\`, \`title\`, \`body\`: what is broken, the evidence, the likely cause, what would repair it), or \`false_positive\` when nothing is broken. The platform files the issue. Then end your turn.`
}
