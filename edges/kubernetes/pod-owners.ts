/** Objects of Tasks and Projects, read at each use: their settings change under running Tasks. */
import type { ProjectSpec } from '../../crd/project.ts'
import { kindNamed } from '../../crd/kinds.ts'
import { RetryableError } from '../../runtime/errors.ts'
import type { KubeClient, KubeObject } from './api.ts'
import { placeOf } from './pod-names.ts'
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

/** @throws RetryableError while there is none. */
export async function ownerTask(client: Pick<KubeClient, 'ask'>, task: string): Promise<Owner> {
  return ownerOf(await existing(client, 'Task', task))
}

/** @throws RetryableError while there is none. */
export async function ownerProject(client: Pick<KubeClient, 'ask'>, project: string): Promise<ProjectOwner> {
  const object = await existing(client, 'Project', project)
  return { ...ownerOf(object), spec: object.spec as unknown as ProjectSpec }
}

async function existing(client: Pick<KubeClient, 'ask'>, kind: string, id: string): Promise<KubeObject> {
  const found = await find(client, kindNamed(kind)!, placeOf(id))
  if (found === undefined) throw new RetryableError(`the API server has no ${kind} ${id} yet`, { retryAfterMs: soonMs })
  return found
}

function ownerOf({ metadata: { name, uid } }: KubeObject): Owner {
  return { name, uid }
}
