/** Where people look for a Task: one thread for its whole life, so that its comment never wanders. */
import type { TaskContext } from '../../../machines/task/context.ts'
import type { ForgeSubjectKind } from '../port.ts'

export interface Thread {
  readonly project: string
  readonly repository: string
  readonly on: ForgeSubjectKind
  readonly number: number
}

type Owned = Pick<TaskContext, 'config' | 'issues' | 'mergeRequests'>

/** The first issue that it was minted for; a Task without issues is seen at its first merge request, or nowhere. */
export function threadOf({ config: { project }, issues, mergeRequests }: Owned): Thread | undefined {
  const [issue] = issues
  if (issue) return { project, repository: issue.repository, on: 'issue', number: issue.number }
  const [mr] = mergeRequests
  return mr && { project, repository: mr.repository, on: 'mr', number: mr.number }
}
