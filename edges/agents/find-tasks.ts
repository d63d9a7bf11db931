import type { TaskContext } from '../../machines/task/context.ts'
import type { Runtime } from '../../runtime/runtime.ts'

interface TaskSearch {
  /** The Project's id: `<namespace>/<project>`. */
  readonly project: string
  /** When the Project was made: Tasks of an earlier one of its name are not found (POD-TOKEN-6). */
  readonly since?: number | undefined
  /** Tasks behind this id only. */
  readonly after?: string
  /** The search ends when it has found this many. */
  readonly atMost?: number
  readonly matches?: (task: TaskContext) => boolean
}

const readAtOnce = 500

/** Two processes may differ by so much in the time of day. */
export const mostSkewMs = 2_000

/**
 * Whether the Task began when the Project of its name had been made: it knows that Project by name alone. Its beginning is the
 * first stage that it remembers, of at most 200.
 */
export function isSince({ stage: { history } }: Pick<TaskContext, 'stage'>, since = -Infinity): boolean {
  return (history[0]?.at ?? Infinity) >= since - mostSkewMs
}

/** A Project's Tasks in the order of their ids, however many others there are: a Task lives in its Project's namespace. */
export async function findTasks(runtime: Pick<Runtime, 'list'>, search: TaskSearch): Promise<readonly TaskContext[]> {
  const { project, since, atMost = Infinity, matches = () => true } = search
  const idPrefix = project.slice(0, project.indexOf('/') + 1)
  const found: TaskContext[] = []
  for (let after = search.after ?? ''; found.length < atMost;) {
    const views = await runtime.list('task', { idPrefix, after, limit: readAtOnce })
    const tasks = views.map(({ context }) => context)
    found.push(...tasks.filter((task) => task.config.project === project && isSince(task, since) && matches(task)))
    if (views.length < readAtOnce) break
    after = views.at(-1)?.id ?? ''
  }
  return found.slice(0, atMost)
}
