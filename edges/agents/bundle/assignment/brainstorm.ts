import { listRepositories, type AssignmentContext } from './context.ts'

const sourceTexts: Readonly<Record<string, string>> = {
  docs: 'the documentation in the repositories',
  memory: 'the memory service (`memory_query`)',
  internet: 'the internet',
}

/** Brainstorm: proposals that are worth an issue, within what fits (OUTCOME-BRAINSTORM, docs/contract/tools.md; OUTCOME-RULE-7). */
export function brainstormAssignment(context: AssignmentContext): string {
  const { proposalsLeft = 0, sources = [] } = context.hints
  const beside = sources.map((source) => sourceTexts[source] ?? source)
  const drawOn = beside.length === 0 ? 'the contents of the repositories' : `the repositories, ${beside.join(', ')}`
  return `You look for what is worth doing: ${context.goal}

Repositories, already checked out for reading:
${listRepositories(context)}

Draw on ${drawOn}. \`task_index\` shows earlier brainstorms and \`proposals\` what was proposed before: propose none of it again, not even under another name. Look at open issues with \`scm_read\` before you propose.
${room(proposalsLeft)} Each proposal is an issue that a maintainer will read: what is wrong or missing, where, why it matters, and how to check that it is done. Change no code.
Call \`submit_outcome\` with action \`propose\` and \`proposals\` (\`repo\`, \`title\`, \`body\`, \`kind\` \`bug\` or \`improvement\`), or with action \`skip\` and a \`reason\` when nothing is worth an issue: that is a good answer. The platform files them. Then end your turn.`
}

function room(left: number): string {
  if (left === 0) return 'The backlog is full: nothing more fits, so check whether anything is urgent and `skip`.'
  return `At most ${Math.min(left, 5)} ${left === 1 ? 'proposal fits' : 'proposals fit'}; fewer good ones are better.`
}
