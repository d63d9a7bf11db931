/** The status of a Repository (REPOSITORY-5), from its Project and from what is known of the Project's memory. */
import { conditionsOf } from '../../machines/project/conditions.ts'
import { newProject, type Fault, type ProjectContext } from '../../machines/project/context.ts'
import { isCurrent, type MemoryContext } from '../../machines/memory/context.ts'
import { dated, type Condition, type Finding } from './condition.ts'
import { sinceIn, type Applied } from './project.ts'
import { whenever, type ActorShape } from './shape.ts'

export interface RepositoryFacts extends Applied {
  readonly projectRef: string
  /** A Project of this name was applied in its namespace. */
  readonly hasProject: boolean
  /** Its actor; undefined: it was told nothing yet. */
  readonly project: Pick<ActorShape<ProjectContext>, 'context'> | undefined
  /** The actor that fills the memory of the Project; undefined: nobody fills one. */
  readonly memory?: Pick<ActorShape<MemoryContext>, 'context'> | undefined
  /** Its own, or the forge's. */
  readonly defaultBranch: string | undefined
  /** The forge's own, under which what is known of it stands (MIRROR-7). */
  readonly forgeId: string | undefined
}

export function repositoryStatus(facts: RepositoryFacts): object {
  const { name, createdAt, projectRef, hasProject, defaultBranch, forgeId } = facts
  const known = hasProject ? knownOf(facts) : undefined
  const project = facts.project?.context ?? newProject('')
  const ready = hasProject ? readyOf(name, project) : missing(projectRef)
  const observed = hasProject ? project.observed[`Repository/${name}`] : undefined
  return {
    conditions: [
      dated(ready, sinceIn(project, ready.type, createdAt), observed),
      ...(known ? [indexed(known, createdAt, observed)] : []),
    ],
    ...(forgeId === undefined ? {} : { forgeId }),
    ...(defaultBranch === undefined ? {} : { defaultBranch }),
    ...whenever('lastSyncTime', hasProject ? project.resyncedAt : null),
    ...(known?.commit ? { indexedCommit: known.commit } : {}),
  }
}

/** All Repositories of a Project are worked on, or none; each names what is wrong with itself or with all, and no sibling's fault. */
function readyOf(name: string, project: ProjectContext): Finding {
  const ready = conditionsOf(project)[0]
  const isOwn = ({ repository = name }: Fault): boolean => repository === name
  const own = project.faults.filter(isOwn)
  if (own.length === project.faults.length) return ready
  const message = own.map((fault) => fault.message).join('; ')
  const blocking = own.find(({ blocks }) => blocks)
  if (blocking !== undefined || project.reason === '')
    return { ...ready, reason: blocking?.reason ?? ready.reason, message }
  const others = 'another Repository of its Project is not ready'
  return { ...ready, reason: 'ProjectNotReady', message: message === '' ? others : `${message}; ${others}` }
}

type Known = MemoryContext['repositories'][string]

/** Once a step has looked at it (KNOWLEDGE-16). */
function knownOf({ name, memory }: RepositoryFacts): Known | undefined {
  return memory?.context.repositories[name]
}

function indexed(known: Known, createdAt: number, observed: number | undefined): Condition {
  const { due, trouble, since } = known
  const finding: Finding = isCurrent(known)
    ? { type: 'Indexed', status: 'True', reason: 'Current', message: '' }
    : { type: 'Indexed', status: 'False', reason: trouble === '' ? 'Behind' : 'Failed', message: lackOf(due, trouble) }
  return dated(finding, Math.max(since, createdAt), observed)
}

function lackOf(due: number, trouble: string): string {
  const lack = due === 0 ? '' : `The memory lacks ${due} files, commits and issues.`
  return [lack, trouble].filter(Boolean).join(' ')
}

function missing(projectRef: string): Finding {
  const message = `there is no Project ${projectRef} in this namespace`
  return { type: 'Ready', status: 'False', reason: 'ProjectMissing', message }
}
