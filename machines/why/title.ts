/**
 * What list, board and story call a Task. It is of the Task's goal alone: so they agree, also in a file that has no issue. A
 * goal that came of an issue has the title that the issue had, which a stranger may have written, behind its name.
 */
export function titleOf(goal: string): string {
  const line = goal.trim().split('\n', 1)[0] ?? ''
  return line.replace(/^\S+#\d+: (?=.)/, '').slice(0, longest)
}

/** As a list shows it. */
const longest = 200
