/**
 * A Task. Of a person: held by a finalizer, then minted by its uid (TASK-RESOURCE-5). Of the platform: held while it lives;
 * without an actor it is a left-over of a backup, for a Task is never minted from what the platform wrote. Deleted: it goes
 * once its actor is final, so `kubectl delete task` waits for the hand-off.
 */
import { claimantOf, projectIdOf } from './claims.ts'
import { resourceOf } from './resources.ts'
import type { KubeObject } from '../api/api.ts'
import { putFinalizer, removeFinalizer } from './finalizers.ts'
import { claimAnnotation, isDeleting, isLabelled, isMadeByOrchestrator, lifeAnnotation } from '../api/marks.ts'
import { deleteObject } from '../api/objects.ts'
import { keyOf, type RequeueAfter, type ReconcileContext, type TaskState } from './reconcile-deps.ts'
import { closingMs } from './reconcile-project.ts'
import { invalid, isRefusal, problemFinding, refused, report } from './refusals.ts'

/** A refused Task is asked for again: its Project or its Repository may have come. */
const refusedAgainMs = 30_000

/** Of whoever deletes an object: the API server tells no watcher who. */
const deletedBy = 'a person, by the Kubernetes API'

export async function reconcileTask(deps: ReconcileContext, id: string): Promise<RequeueAfter> {
  const object = deps.caches.tasks.get(id)
  if (object === undefined) return mirrorMissing(deps, id)
  const project = deps.caches.projects.get(projectIdOf(object))
  const [own, claimed] = [claimantOf(object), claimantOf(project)]
  if (isDeleting(object)) return isOther(deps, own ?? claimed) ? undefined : close(deps, object)
  if (isOther(deps, project === undefined ? own : claimed)) return undefined
  // It comes again with the claim; of a Project that is refused none comes.
  if (project !== undefined && claimed === undefined && resourceOf(project).faults.length === 0) return undefined
  return isMadeByOrchestrator(object) ? keep(deps, object) : takeUp(deps, object)
}

function isOther({ orchestrator }: ReconcileContext, claimant: string | undefined): boolean {
  return claimant !== undefined && claimant !== orchestrator
}

/** A later life has a name of its own, and the object of its first name. */
async function mirrorMissing({ caches, reads, recreate, wake }: ReconcileContext, id: string): Promise<RequeueAfter> {
  const { state, madeBy } = await reads.task(id)
  const object = madeBy === undefined ? undefined : caches.tasks.list().find(({ metadata }) => metadata.uid === madeBy)
  if (object !== undefined) wake(keyOf('Task', `${object.metadata.namespace}/${object.metadata.name}`))
  else if (state === 'live') recreate(id)
  return undefined
}

async function close(deps: ReconcileContext, object: KubeObject): Promise<RequeueAfter> {
  const { client, hooks } = deps
  const { namespace, name, uid } = resourceOf(object).resource
  if (!isCopy(object)) {
    const { state } = await hooks.taskDeleted({ namespace, name, by: deletedBy, request: uid })
    if (state === 'closing' || (await stateOf(deps, object)) === 'live') return closingMs
  }
  const left = await removeFinalizer(client, object)
  if (left !== undefined) deps.written(object, left)
  return undefined
}

async function stateOf({ reads }: ReconcileContext, object: KubeObject): Promise<TaskState> {
  const resource = resourceOf(object).resource
  if (!isMadeByOrchestrator(object)) return reads.stateOf(resource)
  return (await reads.task(`${resource.namespace}/${resource.name}`)).state
}

async function keep(deps: ReconcileContext, object: KubeObject): Promise<RequeueAfter> {
  const state = await stateOf(deps, object)
  if (state === 'none' && isLabelled(object)) await deleteObject(deps.client, object)
  else if (state === 'none') await letGo(deps, await report(deps, object, 'refused', invalid('Task', forged)))
  else if (state === 'live') await hold(deps, object, {})
  else await letGo(deps, object)
  return undefined
}

/** A person's, or left over from a backup without its label. */
const forged = [{ path: '/spec/origin/kind', message: 'only the orchestrator writes it' }]

async function takeUp(deps: ReconcileContext, object: KubeObject): Promise<RequeueAfter> {
  const state = await stateOf(deps, object)
  if (state === 'none') return mint(deps, object)
  const clear = await report(deps, object, 'refused', undefined)
  if (state === 'live') await hold(deps, clear, { [lifeAnnotation]: object.metadata.uid })
  else await letGo(deps, clear)
  return undefined
}

async function mint(deps: ReconcileContext, object: KubeObject): Promise<RequeueAfter> {
  const { resource, faults } = resourceOf(object)
  const finding = faults.length > 0 ? invalid('Task', faults) : refusalOf(deps, object)
  if (finding !== undefined) {
    await letGo(deps, await report(deps, object, 'refused', finding))
    return refusedAgainMs
  }
  const held = await hold(deps, object, { [lifeAnnotation]: resource.uid })
  try {
    const name = await deps.hooks.taskApplied(resource)
    await report(deps, held, 'refused', undefined)
    if (name !== resource.name) await nameLaterLife(deps, held, name)
    return undefined
  } catch (error) {
    if (!isRefusal(error)) throw error
    await report(deps, held, 'refused', problemFinding(error))
    return refusedAgainMs
  }
}

/** Before any actor is asked. */
function refusalOf({ caches }: ReconcileContext, object: KubeObject): ReturnType<typeof refused> | undefined {
  if (isCopy(object)) {
    const message =
      'this is a copy of a Task that was taken up before: it is not minted again. ' +
      `Without the annotation ${lifeAnnotation} it is a new Task`
    return refused('Task', 'Restored', message)
  }
  const project = caches.projects.get(projectIdOf(object))
  if (project === undefined) return refused('Task', 'NotFound', `there is no Project ${projectIdOf(object)}`)
  if (isDeleting(project)) return refused('Task', 'ProjectDeleted', 'its Project is deleted')
  const { faults } = resourceOf(project)
  return faults.length > 0 ? refused('Task', 'ProjectRefused', invalid('Project', faults).message) : undefined
}

/** Restored from a backup, or applied from what `kubectl get -o yaml` printed. */
function isCopy({ metadata }: KubeObject): boolean {
  const life = metadata.annotations?.[lifeAnnotation]
  return life !== undefined && life !== metadata.uid
}

async function hold(
  { client, written, orchestrator }: ReconcileContext,
  object: KubeObject,
  annotations: Readonly<Record<string, string>>,
): Promise<KubeObject> {
  const marks = { ...annotations, [claimAnnotation]: orchestrator }
  const held = await putFinalizer(client, object, { annotations: marks, asRead: claimantOf(object) === undefined })
  written(object, held)
  return held
}

/** Nothing waits for its deletion. */
async function letGo({ client, written }: ReconcileContext, object: KubeObject): Promise<void> {
  const left = await removeFinalizer(client, object)
  if (left !== undefined) written(object, left)
}

/** As the answer of `statewright apply` says it. */
async function nameLaterLife({ events }: ReconcileContext, object: KubeObject, name: string): Promise<void> {
  const message = `an earlier Task ${object.metadata.name} has ended and stays readable; this one is ${name}`
  await events.record(object, { type: 'Normal', reason: 'LaterLife', message })
}
