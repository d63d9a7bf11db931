/** Where people look for a Task: one thread for its whole life, so that its comment never wanders. */
import type { TaskContext } from '../../../machines/task/context.ts'
import type { Mirror } from '../mirror/mirror.ts'
import type { ForgeSubjectKind } from '../port.ts'

export interface Thread {
  readonly project: string
  readonly repository: string
  readonly on: ForgeSubjectKind
  readonly number: number
}

type Owned = Pick<TaskContext, 'config'> & { readonly forge: Pick<TaskContext['forge'], 'issues' | 'mergeRequests'> }

/** The first issue that it was minted for; a Task without issues is seen at its first merge request, or nowhere. */
export function ownThread({ config: { project }, forge: { issues, mergeRequests } }: Owned): Thread | undefined {
  const [issue] = issues
  if (issue) return { project, repository: issue.repository, on: 'issue', number: issue.number }
  const [mr] = mergeRequests
  return mr && { project, repository: mr.repository, on: 'mr', number: mr.number }
}

/** Also of a Task that gave back the issue that it was minted for: people still look for it there. */
export async function threadOf(
  mirror: Pick<Mirror, 'issues'>,
  task: Owned & Pick<TaskContext, 'origin'>,
): Promise<Thread | undefined> {
  const own = ownThread(task)
  const { config, origin } = task
  if (own !== undefined || origin.kind !== 'webhook') return own
  const [issue] = await mirror.issues(config.project, { url: origin.ref, limit: 1 })
  return issue && { project: config.project, repository: issue.repository, on: 'issue', number: issue.number }
}
