/** The status of a Repository (REPOSITORY-5), from its Project. Nothing supplies the indexed commit yet. */
import { conditionsOf } from '../../machines/project/conditions.ts'
import { newProject, type ProjectContext } from '../../machines/project/context.ts'
import { dated, type Finding } from './condition.ts'
import { sinceIn, type Applied } from './project.ts'
import { whenever, type ActorShape } from './shape.ts'

export interface RepositoryFacts extends Applied {
  readonly projectRef: string
  /** A Project of this name was applied in its namespace. */
  readonly hasProject: boolean
  /** Its actor; undefined: it was told nothing yet. */
  readonly project: Pick<ActorShape, 'context'> | undefined
  /** Its own, or the forge's. */
  readonly defaultBranch: string | undefined
  /** The forge's own, under which what is known of it stands (MIRROR-7). */
  readonly forgeId: string | undefined
}

export function repositoryStatus(facts: RepositoryFacts): object {
  const { name, createdAt, projectRef, hasProject, defaultBranch, forgeId } = facts
  const project = (facts.project?.context ?? newProject('')) as ProjectContext
  // What is wrong with one of its Repositories is a fault of the Project: all of them are worked on, or none.
  const ready = hasProject ? conditionsOf(project)[0] : missing(projectRef)
  const observed = hasProject ? project.observed[`Repository/${name}`] : undefined
  return {
    conditions: [dated(ready, sinceIn(project, ready.type, createdAt), observed)],
    ...(forgeId === undefined ? {} : { forgeId }),
    ...(defaultBranch === undefined ? {} : { defaultBranch }),
    ...whenever('lastSyncTime', hasProject ? project.resyncedAt : null),
  }
}

function missing(projectRef: string): Finding {
  const message = `there is no Project ${projectRef} in this namespace`
  return { type: 'Ready', status: 'False', reason: 'ProjectMissing', message }
}
