/**
 * What list, board and story call a Task. It is of the Task's goal alone: so they agree, also in a file that has no issue. A
 * goal that came of an issue has the title that the issue had, which a stranger may have written, behind its name.
 */
export function titleOf(goal: string): string {
  return wholeTitle(goal).slice(0, longest)
}

/** For people alone: what a list is searched by has no sign at its end. */
export function shownTitle(goal: string): string {
  const title = wholeTitle(goal)
  return title.length > longest ? `${title.slice(0, longest - 1)}…` : title
}

function wholeTitle(goal: string): string {
  const line = goal.trim().split('\n', 1)[0] ?? ''
  return line.replace(/^\S+#\d+: (?=.)/, '')
}

/** As a list shows it. */
const longest = 200
