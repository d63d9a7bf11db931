/**
 * Resources in: what people apply and delete at the API server sets in motion what `statewright apply` does on one machine.
 * Level-triggered: each step reads what is true now and may be repeated, so that the process may die between any two.
 *
 * 1. A finalizer is on before anything is set in motion for an object, and off only once nothing of it lives.
 * 2. A Task of a person is minted once for each uid; what the platform wrote is never minted.
 * 3. What another orchestrator claimed is left alone.
 */
import { claimantOf, projectIdOf } from './claims.ts'
import { resourceOf } from './resources.ts'
import { nameOf, type KubeObject, type ObjectCache } from '../api/api.ts'
import { conditionsIn } from './in-conditions.ts'
import { annotationsOf, isMadeByOrchestrator } from '../api/marks.ts'
import { keyOf, type RequeueAfter, type KeyKind, type ReconcilerDeps, type ReconcileContext } from './reconcile-deps.ts'
import { checkProject, reconcileProject } from './reconcile-project.ts'
import { reconcileTask } from './reconcile-task.ts'
import { invalid, report } from './refusals.ts'

export interface Reconciler {
  /** Once each cache has its first list, and this process has the Lease. Resolves when all that is there is queued. */
  start(): Promise<void>
  /** Looks at every object and actor again: what nobody told of is found. */
  sweep(): Promise<void>
  /** An actor made a step: a Project may be ready no more, a Task final. */
  stepped(kind: 'project' | 'task', id: string): void
  /** Resolves once nothing is worked on. Final. */
  stop(): Promise<void>
}

const kinds = ['Project', 'Repository', 'Task'] as const

export function createReconciler(deps: ReconcilerDeps): Reconciler {
  return new LevelTriggered(deps)
}

class LevelTriggered implements Reconciler {
  readonly #deps: ReconcileContext
  readonly #queue: ReturnType<ReconcilerDeps['createQueue']>
  /** By key, the object that was worked on last, with our own writes: those of the mirror are no news. */
  readonly #seen = new Map<string, string>()
  /** Keys that come though their object is as it was. */
  readonly #woken = new Set<string>()
  /** By Repository, the Project that it named: one that is gone names none. */
  readonly #projectOf = new Map<string, string>()
  readonly #asked = new Map<string, string>()
  readonly #unsubscribe: (() => void)[] = []

  constructor(deps: ReconcilerDeps) {
    this.#queue = deps.createQueue((key) => this.#work(key))
    this.#deps = {
      ...deps,
      wake: (key) => this.#wake(key),
      written: (before, after) => this.#written(before, after),
    }
  }

  async start(): Promise<void> {
    for (const kind of kinds) {
      const cache = this.#cacheOf(kind)
      this.#unsubscribe.push(cache.subscribe((name) => this.#changed(kind, name)))
    }
    await this.sweep()
  }

  async sweep(): Promise<void> {
    const { caches, reads, watches } = this.#deps
    for (const kind of kinds) for (const object of this.#cacheOf(kind).list()) this.#wake(keyOf(kind, nameOf(object)))
    const [projects, tasks] = await Promise.all([reads.projects(), reads.liveTasks()])
    const ids = new Set([...projects, ...tasks.map(({ project }) => project)])
    for (const id of ids) if (isWatched(id, watches) && !caches.projects.get(id)) this.#wake(keyOf('Project', id))
    const uids = new Set(caches.tasks.list().map(({ metadata }) => metadata.uid))
    for (const { id, madeBy = '' } of tasks)
      if (isWatched(id, watches) && !caches.tasks.get(id) && !uids.has(madeBy)) this.#wake(keyOf('Task', id))
  }

  stepped(kind: 'project' | 'task', id: string): void {
    this.#wake(keyOf(kind === 'project' ? 'Check' : 'Task', id))
  }

  async stop(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe()
    await this.#queue.stop()
  }

  #changed(kind: (typeof kinds)[number], name: string): void {
    if (!this.#isSeen(kind, name)) this.#queue.add(keyOf(kind, name))
  }

  /** A spec that changed, or a deletion that came, between the read and the write is news. */
  #written(before: KubeObject, after: KubeObject): void {
    if (after === before) return
    const kind = after.kind as (typeof kinds)[number]
    const [was, is] = [before.metadata, after.metadata]
    if (was.generation === is.generation && was.deletionTimestamp === is.deletionTimestamp)
      this.#seen.set(keyOf(kind, nameOf(after)), this.#printOf(after))
    this.#cacheOf(kind).put(after)
  }

  #wake(key: string): void {
    this.#woken.add(key)
    this.#queue.add(key)
  }

  async #work(key: string): Promise<void> {
    const [kind, id] = split(key)
    const isWoken = this.#woken.delete(key)
    if (kind !== 'Check') {
      if (!isWoken && this.#isSeen(kind, id)) return
      this.#remember(kind, id)
    }
    const again = await this.#reconcile(kind, id).catch((error: unknown) => {
      this.#seen.delete(key)
      throw error
    })
    if (again === undefined) return
    this.#seen.delete(key)
    this.#queue.after(key, again)
  }

  #isSeen(kind: (typeof kinds)[number], id: string): boolean {
    const object = this.#cacheOf(kind).get(id)
    return object !== undefined && this.#seen.get(keyOf(kind, id)) === this.#printOf(object)
  }

  #reconcile(kind: KeyKind, id: string): Promise<RequeueAfter> {
    if (kind === 'Project') return reconcileProject(this.#deps, id)
    if (kind === 'Task') return reconcileTask(this.#deps, id)
    return kind === 'Check' ? checkProject(this.#deps, id, this.#asked) : this.#repository(id)
  }

  /** Its Project is told, and before that the one that it named until now. */
  async #repository(id: string): Promise<RequeueAfter> {
    const object = this.#deps.caches.repositories.get(id)
    const before = this.#projectOf.get(id)
    if (object === undefined) this.#projectOf.delete(id)
    else {
      const claimant = claimantOf(this.#deps.caches.projects.get(projectIdOf(object)))
      if (claimant !== undefined && claimant !== this.#deps.orchestrator) return undefined
      const { faults } = resourceOf(object)
      await report(this.#deps, object, 'refused', faults.length > 0 ? invalid('Repository', faults) : undefined)
      if (faults.length > 0) return undefined
      this.#projectOf.set(id, projectIdOf(object))
    }
    for (const project of new Set([before, this.#projectOf.get(id)]))
      if (project !== undefined && this.#deps.caches.projects.get(project)) this.#wake(keyOf('Project', project))
    return undefined
  }

  #remember(kind: (typeof kinds)[number], id: string): void {
    const object = this.#cacheOf(kind).get(id)
    const key = keyOf(kind, id)
    if (object === undefined) this.#seen.delete(key)
    else this.#seen.set(key, this.#printOf(object))
  }

  /**
   * What the reconciler decides by. That another orchestrator contends is its own word: whoever works for the Project takes
   * it off when it comes by, and that one, while it lives, writes it again. At once, the two would never end.
   */
  #printOf(object: KubeObject): string {
    const { uid, generation, deletionTimestamp, finalizers } = object.metadata
    const contended = claimantOf(object) === this.#deps.orchestrator ? [] : conditionsIn(object, 'contended')
    const marks = [annotationsOf(object), isMadeByOrchestrator(object)]
    const conditions = [conditionsIn(object, 'refused'), contended]
    return JSON.stringify([uid, generation, deletionTimestamp, finalizers, marks, conditions])
  }

  #cacheOf(kind: (typeof kinds)[number]): ObjectCache {
    const { projects, repositories, tasks } = this.#deps.caches
    if (kind === 'Project') return projects
    return kind === 'Repository' ? repositories : tasks
  }
}

function split(key: string): [KeyKind, string] {
  const at = key.indexOf('/')
  return [key.slice(0, at) as KeyKind, key.slice(at + 1)]
}

function isWatched(id: string, watches: (namespace: string) => boolean): boolean {
  return watches(id.slice(0, id.indexOf('/')))
}
