/** Objects of Tasks and Projects, read at each use: their settings change under running Tasks. */
import type { ProjectSpec } from '../../../crd/project.ts'
import { kindsByName } from '../../../crd/kinds.ts'
import { maxTaskName, shortHash } from '../../../machines/rules/names.ts'
import { RetryableError } from '../../../runtime/errors.ts'
import type { KubeClient, KubeObject, ObjectCache } from '../api/api.ts'
import { objectNameOf } from './pod-names.ts'
import { find } from './pod-requests.ts'

export interface Owner {
  readonly name: string
  readonly uid: string
}

export interface ProjectOwner extends Owner {
  readonly spec: ProjectSpec
}

/** The mirror writes the object of a Task once the Task is minted. */
const soonMs = 2_000

export interface TaskReads {
  readonly client: Pick<KubeClient, 'ask'>
  /** Of Tasks. */
  readonly tasks: Pick<ObjectCache, 'list'>
}

/** @throws RetryableError while there is none. */
export async function ownerTask({ client, tasks }: TaskReads, task: string): Promise<Owner> {
  const name = objectNameOf(task)
  const found = (await find(client, kindsByName.Task, name)) ?? tasks.list(name.namespace).find(isLifeOf(name.name))
  if (found === undefined) throw missing('Task', task)
  return ownerOf(found)
}

/** A later life of a person's Task has a name of its own, and the object of its first name (orchestrator/resources/tasks-by-hand.ts). */
function isLifeOf(name: string): (object: KubeObject) => boolean {
  return ({ metadata }) => {
    const tail = `-${shortHash(metadata.uid)}`
    return name === `${metadata.name.slice(0, maxTaskName - tail.length)}${tail}`
  }
}

/** @throws RetryableError while there is none. */
export async function ownerProject(client: Pick<KubeClient, 'ask'>, project: string): Promise<ProjectOwner> {
  const object = await find(client, kindsByName.Project, objectNameOf(project))
  if (object === undefined) throw missing('Project', project)
  return { ...ownerOf(object), spec: object.spec as unknown as ProjectSpec }
}

function missing(kind: string, id: string): RetryableError {
  return new RetryableError(`the API server has no ${kind} ${id} yet`, { retryAfterMs: soonMs })
}

function ownerOf({ metadata: { name, uid } }: KubeObject): Owner {
  return { name, uid }
}
