/**
 * Projects and Tasks as the orchestrator keeps them, small: what a repeat changes, which life a uid has, what waits, what
 * closes. Follows `orchestrator/resources/tasks-by-hand.ts` and `orchestrator/resources/end-project.ts`.
 */
import { Problem } from '../../../http/problems/problem.ts'
import type { Resource, ResourceHooks, TaskDeletion, TaskEnd } from '../../ports/resources.ts'
import { isDeleting, isMadeByOrchestrator } from '../api/marks.ts'
import { resourceOf } from '../reconcile/resources.ts'
import type { ActorReads, TaskState } from '../reconcile/reconcile-deps.ts'
import type { MemoryServer } from './memory-server.ts'

interface TaskActor {
  state: 'live' | 'final'
  isClosing: boolean
  readonly project: string
  readonly madeBy?: string
}

/** As the orchestrator's reader has them. */
export type Objects = Pick<MemoryServer, 'find'>

type Moment = 'before' | 'after'

export class FakeActors {
  readonly projects = new Map<string, { reason: string; isDeleted: boolean; seq: number }>()
  readonly tasks = new Map<string, TaskActor>()
  /** Memory stacks of Projects. */
  readonly stacks = new Map<string, { readonly runs: boolean; readonly stays: string }>()
  /** By uid: what waits in the queue. */
  readonly waiting = new Map<string, { readonly task: string; readonly project: string }>()
  /** By uid: how often it was minted. */
  readonly minted = new Map<string, number>()
  readonly calls: string[] = []
  readonly #applied = new Set<string>()
  readonly #objects: Objects
  /** One that throws is a process that dies there. */
  fault: (call: string, moment: Moment) => void = () => undefined

  constructor(objects: Objects) {
    this.#objects = objects
  }

  readonly hooks: ResourceHooks = {
    projectChanged: (namespace, name) =>
      this.#call(`changed ${namespace}/${name}`, () => this.#changed(namespace, name)),
    projectDeleted: (resource) =>
      this.#call(`deleted ${resource.namespace}/${resource.name} ${resource.uid}`, () => this.#deleted(resource)),
    taskApplied: (resource) =>
      this.#call(`applied ${resource.namespace}/${resource.name} ${resource.uid}`, () => this.#taskApplied(resource)),
    taskDeleted: (deletion) =>
      this.#call(`close ${deletion.namespace}/${deletion.name} ${deletion.request}`, () => this.#taskDeleted(deletion)),
  }

  readonly reads: ActorReads = {
    project: async (id) => this.projects.get(id),
    projects: async () => [...this.projects].flatMap(([id, { isDeleted }]) => (isDeleted ? [] : [id])),
    stateOf: async (resource) => this.#state(this.#lifeOf(resource)),
    task: async (id) => {
      const madeBy = this.tasks.get(id)?.madeBy
      return { state: this.#state(id), ...(madeBy === undefined ? {} : { madeBy }) }
    },
    stack: async (id) => this.stacks.get(id) ?? { runs: false, stays: '' },
    liveTasks: async (project) =>
      [...this.tasks].flatMap(([id, task]) =>
        task.state === 'live' && (project === undefined || task.project === project)
          ? [{ id, project: task.project, ...(task.madeBy === undefined ? {} : { madeBy: task.madeBy }) }]
          : [],
      ),
  }

  /** The queue admits all that waits. */
  admit(): void {
    for (const [uid, { task, project }] of this.waiting) {
      this.tasks.set(task, { state: 'live', isClosing: false, project, madeBy: uid })
      this.minted.set(uid, (this.minted.get(uid) ?? 0) + 1)
    }
    this.waiting.clear()
  }

  /** The hand-offs of those that close are over. */
  finish(): void {
    for (const task of this.tasks.values()) if (task.isClosing) task.state = 'final'
  }

  async #call<Answer>(call: string, run: () => Answer): Promise<Answer> {
    this.calls.push(call)
    this.fault(call, 'before')
    const answer = run()
    this.fault(call, 'after')
    return answer
  }

  #state(id: string): TaskState {
    return this.tasks.get(id)?.state ?? 'none'
  }

  #lifeOf({ namespace, name, uid }: Resource): string {
    const first = `${namespace}/${name}`
    const earlier = this.tasks.get(first)
    return earlier === undefined || earlier.madeBy === uid ? first : `${first}-${uid}`
  }

  #changed(namespace: string, name: string): void {
    const object = this.#objects.find('Project', `${namespace}/${name}`)
    if (object === undefined || isDeleting(object)) return
    const id = `${namespace}/${name}`
    const key = `${object.metadata.uid}/${object.metadata.generation}`
    if (this.#applied.has(key)) return
    this.#applied.add(key)
    const before = this.projects.get(id)
    this.projects.set(id, { reason: '', isDeleted: false, seq: (before?.seq ?? 0) + 1 })
  }

  #deleted({ namespace, name, uid }: Resource): void {
    const id = `${namespace}/${name}`
    const actor = this.projects.get(id)
    if (actor === undefined) throw new Error(`there is no actor of ${id}`)
    if (!this.#applied.has(`deleted/${uid}`)) this.projects.set(id, { ...actor, isDeleted: true, seq: actor.seq + 1 })
    this.#applied.add(`deleted/${uid}`)
    for (const [entry, { project }] of this.waiting) if (project === id) this.waiting.delete(entry)
    for (const task of this.tasks.values()) if (task.project === id && task.state === 'live') task.isClosing = true
  }

  #taskApplied(resource: Resource): string {
    const { namespace, uid, name } = resource
    const project = `${namespace}/${String(resource.spec['projectRef'])}`
    if (this.projects.get(project)?.isDeleted !== false)
      throw new Problem('not-found', `there is no Project ${project}`)
    const earlier = this.tasks.get(`${namespace}/${name}`)
    if (earlier !== undefined && earlier.madeBy === undefined)
      throw new Problem('conflict', `the platform made the Task ${name}: give this one another name`)
    const task = this.#lifeOf(resource)
    if (!this.#applied.has(`hand/${uid}`)) this.waiting.set(uid, { task, project })
    this.#applied.add(`hand/${uid}`)
    return task.slice(namespace.length + 1)
  }

  #taskDeleted({ namespace, name }: TaskDeletion): TaskEnd {
    const id = `${namespace}/${name}`
    const named = this.tasks.get(id)
    const object = this.#objects.find('Task', `${namespace}/${name}`)
    const made = object === undefined || isMadeByOrchestrator(object) ? undefined : resourceOf(object).resource
    if (made !== undefined) this.waiting.delete(made.uid)
    const actor = made === undefined ? named : this.tasks.get(this.#lifeOf(made))
    if (actor?.state === 'live') actor.isClosing = true
    if (made === undefined && named === undefined) return { state: 'unknown' }
    return { state: actor?.state === 'live' ? 'closing' : 'closed', made }
  }
}
