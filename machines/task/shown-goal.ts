/** What a Task is for, in words that no stranger wrote: they stand in an assignment, and past any reporter gate. */
import type { TaskContext } from './context.ts'

/** Whoever wrote these goals may instruct an agent: the operator, or the platform. An alert's are cleaned where it arrives. */
const instructing: ReadonlySet<string> = new Set(['human', 'cron', 'alert'])

interface Subject {
  readonly repository: string
  readonly number: number
}

type GoalOf = Pick<TaskContext, 'goal' | 'origin'> & {
  readonly forge: { readonly issues: readonly Subject[]; readonly mergeRequests: readonly Subject[] }
}

/** A goal that came of a forge has a title in it: its subjects are named by kind, repository and number instead. */
export function shownGoal({ goal, origin, forge }: GoalOf): string {
  if (instructing.has(origin.kind)) return goal
  const subjects = [
    ...forge.issues.map(({ repository, number }) => `issue ${repository}#${number}`),
    ...forge.mergeRequests.map(({ repository, number }) => `merge request ${repository}!${number}`),
  ]
  return subjects.length > 0 ? subjects.join(', ') : 'what its elements show'
}
