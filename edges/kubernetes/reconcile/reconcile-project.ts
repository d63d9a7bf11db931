/**
 * A Project: claimed, held by a finalizer, and then told to its actor. A deleted one goes once nothing of it lives.
 * Everything about a Project runs under its one key, so that no change of a Repository follows its end.
 */
import { createHash } from 'node:crypto'
import { appliedFirst, holderOf, idOf } from '../../forge/project-names.ts'
import { claimantOf, projectIdOf } from './claims.ts'
import { resourceOf } from './resources.ts'
import type { KubeObject } from '../api/api.ts'
import { putFinalizer, removeFinalizer } from './finalizers.ts'
import { claimAnnotation, hasFinalizer, isDeleting, isMadeByOrchestrator } from '../api/marks.ts'
import { deleteObject } from '../api/objects.ts'
import { keyOf, type RequeueAfter, type ProjectActor, type ReconcileContext } from './reconcile-deps.ts'
import { contended, invalid, report } from './refusals.ts'

/** How long people wait at most for what a Project was not ready for. */
const checkAgainMs = 10_000
/** Between two looks at what still closes: half of the goal of two seconds. */
export const closingMs = 1_000

export async function reconcileProject(deps: ReconcileContext, id: string): Promise<RequeueAfter> {
  const object = deps.caches.projects.get(id)
  if (object === undefined) return endMissing(deps, id)
  const claimant = claimantOf(object)
  if (claimant !== undefined && claimant !== deps.orchestrator) return contend(deps, object, claimant)
  if (isDeleting(object)) return close(deps, object)
  const { faults } = resourceOf(object)
  if (faults.length > 0) {
    await report(deps, object, 'refused', invalid('Project', faults))
    return undefined
  }
  const annotations = { [claimAnnotation]: deps.orchestrator }
  const held = await putFinalizer(deps.client, object, { annotations, asRead: claimant === undefined })
  deps.written(object, held)
  await report(deps, await report(deps, held, 'refused', undefined), 'contended', undefined)
  await deps.hooks.projectChanged(...partsOf(id))
  if (claimant === undefined) wakeTasks(deps, id)
  wakeNamesakes(deps, id)
  deps.wake(keyOf('Check', id))
  return undefined
}

async function contend(deps: ReconcileContext, object: KubeObject, claimant: string): Promise<RequeueAfter> {
  await report(deps, object, 'contended', contended(claimant, deps.orchestrator))
  return undefined
}

/** Its Tasks close, those that people made are deleted as on one machine, and then it goes. */
async function close(deps: ReconcileContext, object: KubeObject): Promise<RequeueAfter> {
  const { client, caches, hooks, reads } = deps
  const resource = resourceOf(object).resource
  const id = idOf(resource)
  // One that nobody was told of has no actor.
  if ((await reads.project(id)) !== undefined) await hooks.projectDeleted(resource)
  const made = caches.tasks
    .list(resource.namespace)
    .filter((task) => projectIdOf(task) === id && !isMadeByOrchestrator(task))
  for (const task of made) if (!isDeleting(task)) await deleteObject(client, task)
  if (made.some(hasFinalizer) || (await reads.liveTasks(id)).length > 0) return closingMs
  const { runs, stays } = await reads.stack(id)
  // Its last status names what stays.
  if (runs || (stays !== '' && !shows(object, stays))) return closingMs
  const left = await removeFinalizer(client, object)
  if (left !== undefined) deps.written(object, left)
  wakeNamesakes(deps, id)
  return undefined
}

interface Shown {
  readonly conditions?: readonly { readonly type: string; readonly message?: string }[]
}

function shows({ status = {} }: KubeObject, words: string): boolean {
  const { conditions = [] }: Shown = status
  return conditions.some(({ type, message = '' }) => type === 'MemoryStack' && message.includes(words))
}

/** Somebody took its finalizer off, or it went while no orchestrator ran. */
async function endMissing(deps: ReconcileContext, id: string): Promise<RequeueAfter> {
  const { hooks, reads } = deps
  const [namespace, name] = partsOf(id)
  wakeNamesakes(deps, id)
  const actor = await reads.project(id)
  if (actor === undefined || (actor.isDeleted && (await reads.liveTasks(id)).length === 0)) return undefined
  const uid = `gone-${actor.seq}`
  const now = deps.clock.now()
  await hooks.projectDeleted({
    kind: 'Project',
    namespace,
    name,
    uid,
    generation: 0,
    spec: {},
    createdAt: now,
    updatedAt: now,
  })
  return undefined
}

/** They waited for the claim. */
function wakeTasks({ caches, wake }: ReconcileContext, id: string): void {
  for (const task of caches.tasks.list(partsOf(id)[0]))
    if (projectIdOf(task) === id) wake(keyOf('Task', idOf(resourceOf(task).resource)))
}

/** Which of the Projects of a name holds it may be another now. */
function wakeNamesakes({ caches, wake }: ReconcileContext, id: string): void {
  const [, name] = partsOf(id)
  for (const other of caches.projects.list())
    if (other.metadata.name === name && idOf(resourceOf(other).resource) !== id)
      wake(keyOf('Check', idOf(resourceOf(other).resource)))
}

/** Reasons that a change of the Secret may end. */
const secretReasons: readonly string[] = ['SecretMissingKeys', 'TokenRefused', 'BotLoginMismatch']

/** `asked`: by Project, the Secret with which its actor was asked to check again. */
export async function checkProject(
  deps: ReconcileContext,
  id: string,
  asked: Map<string, string>,
): Promise<RequeueAfter> {
  const object = deps.caches.projects.get(id)
  const actor = object && (await deps.reads.project(id))
  const isOurs = claimantOf(object) === deps.orchestrator
  if (actor === undefined || object === undefined || !isOurs || isDeleting(object)) {
    asked.delete(id)
    return undefined
  }
  if (isWrongHolder(deps, id, actor)) await deps.checkAgain(id)
  else if (secretReasons.includes(actor.reason)) await lookAtSecret(deps, object, asked)
  else if (actor.reason === '') {
    asked.delete(id)
    return undefined
  }
  return checkAgainMs
}

/** RESOURCES-19: what its actor found last is no longer so. */
function isWrongHolder({ caches }: ReconcileContext, id: string, { reason }: ProjectActor): boolean {
  const all = caches.projects.list().filter((one) => !isDeleting(one))
  const holder = holderOf(
    all.map((one) => resourceOf(one).resource),
    partsOf(id)[1],
    appliedFirst,
  )
  const isHolder = holder !== undefined && idOf(holder) === id
  return isHolder ? reason === 'NameConflict' : reason === ''
}

/** Its actor checks once for each content: a check leaves two rows in the journal, and a Secret may lack for weeks. */
async function lookAtSecret(deps: ReconcileContext, object: KubeObject, asked: Map<string, string>): Promise<void> {
  const { resource } = resourceOf(object)
  const secret = await deps.secrets.read(resource.namespace, String(resource.spec['scmSecretRef'] ?? ''))
  if (secret === undefined) return
  const print = createHash('sha256')
    .update(JSON.stringify(Object.entries(secret).toSorted()))
    .digest('hex')
  if (asked.get(idOf(resource)) === print) return
  await deps.checkAgain(idOf(resource))
  asked.set(idOf(resource), print)
}

function partsOf(id: string): [namespace: string, name: string] {
  const [namespace = '', name = ''] = id.split('/')
  return [namespace, name]
}
