/** What a reconciler asks and writes, and what of the actors it must know. */
import type { Clock } from '../../../runtime/clock.ts'
import type { Logger } from '../../../runtime/logger.ts'
import type { ResourceHooks, Resource, SecretReader } from '../../ports/resources.ts'
import type { KubeClient, KubeObject, ObjectCache, Workqueue } from '../api/api.ts'
import type { EventRecorder } from '../api/events.ts'

export interface ProjectActor {
  /** Why it is not ready, as its condition has it; empty: it is. */
  readonly reason: string
  /** It was told that its resource is gone. */
  readonly isDeleted: boolean
  /** Of its newest step. */
  readonly seq: number
}

/** `none`: no actor, though an entry may wait in the queue. */
export type TaskState = 'none' | 'live' | 'final'

export interface LiveTask {
  /** `<namespace>/<name>` of the actor; so below. */
  readonly id: string
  readonly project: string
  /** The uid of the resource that a person made it by. */
  readonly madeBy?: string
}

export interface ActorReads {
  project(id: string): Promise<ProjectActor | undefined>
  /** Project actors that are not deleted. */
  projects(): Promise<readonly string[]>
  /** Of the Task that was minted for this resource of a person, by its uid: a later life of a name has another one. */
  stateOf(resource: Resource): Promise<TaskState>
  /** Of a Task by its own name. */
  task(id: string): Promise<{ readonly state: TaskState; readonly madeBy?: string }>
  /** Whether a memory stack of the Project runs or ends; `stays`: what is left of one that ended, for people. */
  stack(id: string): Promise<{ readonly runs: boolean; readonly stays: string }>
  /** Of a Project, or of all. */
  liveTasks(project?: string): Promise<readonly LiveTask[]>
}

export interface ResourceCaches {
  readonly projects: ObjectCache
  readonly repositories: ObjectCache
  readonly tasks: ObjectCache
}

export interface ReconcilerDeps {
  readonly client: KubeClient
  readonly caches: ResourceCaches
  readonly hooks: ResourceHooks
  readonly reads: ActorReads
  readonly secrets: SecretReader
  /** Its actor checks the Project once more, though nothing was applied. */
  readonly checkAgain: (project: string) => Promise<void>
  /** A Task lives whose object is gone: the mirror makes it again. */
  readonly recreate: (task: string) => void
  /** Absent of the list of watched namespaces, a resource is unknown, not gone. */
  readonly watches: (namespace: string) => boolean
  /** Who claims Projects: the Lease of this orchestrator and its replicas, `<namespace>/<name>`. */
  readonly orchestrator: string
  readonly createQueue: (work: (key: string) => Promise<void>) => Workqueue
  readonly events: EventRecorder
  readonly clock: Pick<Clock, 'now'>
  readonly logger: Pick<Logger, 'info' | 'warn'>
}

/** What works on one key is given beside. */
export interface ReconcileContext extends ReconcilerDeps {
  wake(key: string): void
  /** An own write answered with this object: the cache gets it, and the work that wrote it goes on undisturbed. */
  written(before: KubeObject, after: KubeObject): void
}

/** Milliseconds after which the key comes again by itself; undefined: once something changes. */
export type RequeueAfter = number | undefined

/** `<kind>/<namespace>/<name>`. `Check` of a Project: whether what it is not ready for has come. */
export type KeyKind = 'Project' | 'Repository' | 'Task' | 'Check'

export function keyOf(kind: KeyKind, id: string): string {
  return `${kind}/${id}`
}
