/**
 * What list, board and story call a Task. It is of the Task's goal alone: so they agree, also in a file that has no issue. A
 * goal that came of an issue has the title that the issue had, which a stranger may have written, behind its name.
 */
export function titleOf(goal: string): string {
  const line = goal.trim().split('\n', 1)[0] ?? ''
  return clipped(line.replace(/^\S+#\d+: (?=.)/, ''))
}

/** As long as a list takes it: a sign stands for the rest. */
export function clipped(text: string): string {
  return text.length > longest ? `${text.slice(0, longest - 1).toWellFormed()}…` : text
}

const longest = 200
