/** The status of a Repository (REPOSITORY-5), from its Project. Its id on the forge and the indexed commit are in no actor. */
import type { ProjectContext } from '../../machines/project/context.ts'
import { projectStatus, type Condition } from './project.ts'
import { time, type ActorShape } from './shape.ts'

export interface RepositoryFacts {
  readonly projectRef: string
  /** A Project of this name was applied in its namespace. */
  readonly hasProject: boolean
  /** Its actor; undefined: it was told nothing yet. */
  readonly project: Pick<ActorShape, 'path' | 'context'> | undefined
  /** Its own, or the forge's. */
  readonly defaultBranch: string | undefined
}

export function repositoryStatus({ projectRef, hasProject, project, defaultBranch }: RepositoryFacts): object {
  const { resyncedAt = null } = (hasProject ? (project?.context ?? {}) : {}) as Partial<ProjectContext>
  // What is wrong with one of its Repositories is a fault of the Project: all of them are worked on, or none.
  const [ready] = hasProject ? projectStatus(project).conditions : [missing(projectRef)]
  return { conditions: [ready], defaultBranch: defaultBranch ?? null, lastSyncTime: time(resyncedAt) }
}

function missing(projectRef: string): Condition {
  const message = `there is no Project ${projectRef} in this namespace`
  return { type: 'Ready', status: 'False', reason: 'ProjectMissing', message }
}
