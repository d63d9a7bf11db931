/**
 * The objects of what actors are: they come into being here, and go once nothing shows them.
 * 1. A Task that a person applied is never changed or deleted here. One that lives and whose object is gone, past its
 *    finalizer, is made again as one of ours: whoever wants it ended deletes it once more.
 * 2. An object has its owner: Issue and MergeRequest the Repository, Task and QueuedEvent the Project. Without it there is
 *    none, and it is made once its owner is there.
 * 3. Label, owner and spec of ours that somebody changed are put back.
 * 4. Whoever made or changed an object reads all of it again: what was read before is no word on the new one.
 * 5. What another orchestrator works for is left alone, and only what this one works for is deleted.
 */
import { isDeepStrictEqual } from 'node:util'
import { kindNamed } from '../../../crd/kinds.ts'
import type { Condition } from '../../../crd/status/condition.ts'
import { withoutNulls, type DerivedResource } from '../../../crd/status/shape.ts'
import type { Logger } from '../../../runtime/logger.ts'
import { answered, fieldNotDeclared, KubeError } from '../api/answers.ts'
import {
  applyPatch,
  mergePatch,
  nameOf,
  pathOf,
  type KubeClient,
  type KubeObject,
  type ObjectMeta,
  type OwnerReference,
} from '../api/api.ts'
import { claimantOf, projectIdOf } from '../reconcile/claims.ts'
import type { ResourceKey } from './concerns.ts'
import { isDeleting, isLabelled, isMadeByOrchestrator, lifeAnnotation, orchestratorMade } from '../api/marks.ts'
import { deleteObject, pathOfObject } from '../api/objects.ts'
import { mergeDifference, type Plain } from './status-difference.ts'
import type { Caches } from './status-patches.ts'

/** `there`: its status may be written. `changed`: made or put back just now, read all of it again. `none`: nothing to write on. */
type Settled = 'there' | 'changed' | 'none'

export interface DerivedObjects {
  /** `known`: as it was before `view` was read; undefined: there is none. @throws KubeError */
  settle(kind: string, view: DerivedResource | undefined, known: KubeObject | undefined): Promise<Settled>
  /** Keys of what could not be made for want of this owner, once. */
  waitingFor(owner: KubeObject): readonly ResourceKey[]
}

interface DerivedObjectsDeps {
  readonly client: Pick<KubeClient, 'ask'>
  readonly caches: Caches
  readonly logger: Pick<Logger, 'warn'>
  /** Which one this is, as it claims Projects. */
  readonly orchestrator: string
}

const manager = 'statewright'

export function createDerivedObjects(deps: DerivedObjectsDeps): DerivedObjects {
  return new Objects(deps)
}

class Objects implements DerivedObjects {
  readonly #deps: DerivedObjectsDeps
  /** By owner, `<Kind>/<namespace>/<name>`. */
  readonly #waiting = new Map<string, Set<ResourceKey>>()

  constructor(deps: DerivedObjectsDeps) {
    this.#deps = deps
  }

  async settle(kind: string, view: DerivedResource | undefined, known: KubeObject | undefined): Promise<Settled> {
    const claimant = this.#claimantOf(kind, view, known)
    if (claimant !== undefined && claimant !== this.#deps.orchestrator) return 'none'
    if (view === undefined) return known !== undefined && claimant !== undefined ? this.#remove(known) : 'none'
    if (known === undefined) return this.#create(view)
    // Somebody's own, under a name that was taken.
    if (kind === 'Task' && !isOfItsLife(view, known)) return 'none'
    return isOfPerson(view, known) || isDeleting(known) ? 'there' : this.#mend(view, known)
  }

  waitingFor(owner: KubeObject): readonly ResourceKey[] {
    const name = `${owner.kind}/${nameOf(owner)}`
    const keys = isDeleting(owner) ? [] : [...(this.#waiting.get(name) ?? [])]
    if (keys.length > 0) this.#waiting.delete(name)
    return keys
  }

  async #create(view: DerivedResource): Promise<Settled> {
    if (isOfThePast(view) || (isByHand(view) && !(await this.#isLost(view)))) return 'none'
    const owner = this.#ownerOf(view)
    if (owner === undefined) {
      this.#await(view)
      return 'none'
    }
    const { apiVersion, kind, metadata, spec } = view
    const { name, namespace } = metadata
    // A copy of it is known by what it was first.
    const annotations = isByHand(view) ? { annotations: { [lifeAnnotation]: originOf(spec)!.ref } } : {}
    const meta = { name, namespace, labels: orchestratorMade, ...annotations, ownerReferences: [owner] }
    const body = { apiVersion, kind, metadata: meta, spec: withoutNulls(spec) }
    try {
      // Not forced: what a person applied under the name in this moment stays the person's.
      this.#put(await (isByHand(view) ? this.#post(view, body) : this.#apply(view, body)))
    } catch (error) {
      if (!answered(error, 409)) throw error
      this.#put(await this.#deps.client.ask('GET', pathOfObject(view)))
    }
    return 'changed'
  }

  /** An older definition refuses a field that it does not know; made otherwise, the object comes without it. */
  async #apply(view: DerivedResource, body: object): Promise<KubeObject> {
    const { client, logger } = this.#deps
    const query = { fieldManager: manager }
    try {
      return await client.ask('PATCH', pathOfObject(view), { query, body, type: applyPatch })
    } catch (error) {
      if (!(error instanceof KubeError) || error.reason !== fieldNotDeclared) throw error
      logger.warn({ kind: view.kind, reason: error.message }, 'the definition on the server is older than this program')
      return this.#post(view, body)
    }
  }

  #post({ kind, metadata: { namespace } }: DerivedResource, body: object): Promise<KubeObject> {
    return this.#deps.client.ask('POST', pathOf(kindNamed(kind)!, { namespace }), {
      query: { fieldManager: manager },
      body,
    })
  }

  /** A Task of a person that lives without an object. The cache may lag behind what was minted: the server knows. */
  async #isLost({ kind, metadata: { namespace, name }, spec, status }: DerivedResource): Promise<boolean> {
    const { client, caches, logger } = this.#deps
    const isItsOwn = (object: KubeObject): boolean => object.metadata.uid === originOf(spec)?.ref
    if (hasEnded(status) || caches[kind]?.list(namespace).some(isItsOwn)) return false
    const { items } = await client.ask<{ readonly items: readonly KubeObject[] }>(
      'GET',
      pathOf(kindNamed(kind)!, { namespace }),
    )
    if (items.some(isItsOwn)) return false
    logger.warn({ namespace, name }, 'the object of a Task that lives is gone past its finalizer; it is made again')
    return true
  }

  async #mend(view: DerivedResource, known: KubeObject): Promise<Settled> {
    const metadata = this.#metadataLeft(view, known)
    const spec = isFixed(view) ? undefined : mergeDifference(known.spec ?? {}, withoutNulls(view.spec) as Plain)
    if (metadata === undefined && spec === undefined) return 'there'
    const fence = { uid: known.metadata.uid, resourceVersion: known.metadata.resourceVersion }
    const body = { metadata: { ...metadata, ...fence }, ...(spec === undefined ? {} : { spec }) }
    return this.#again(view, () =>
      this.#deps.client.ask('PATCH', pathOfObject(view), { query: { fieldManager: manager }, body, type: mergePatch }),
    )
  }

  /** Undefined: label and owner are as they should be. */
  #metadataLeft(view: DerivedResource, known: KubeObject): Partial<ObjectMeta> | undefined {
    const owner = this.#ownerOf(view)
    const isOwned = owner === undefined || isDeepStrictEqual(known.metadata.ownerReferences, [owner])
    if (isLabelled(known) && isOwned) return undefined
    return { labels: orchestratorMade, ...(isOwned ? {} : { ownerReferences: [owner] }) }
  }

  async #remove(known: KubeObject): Promise<Settled> {
    if (isDeleting(known) || !isMadeByOrchestrator(known)) return 'none'
    await deleteObject(this.#deps.client, known)
    return 'none'
  }

  async #again(view: DerivedResource, write: () => Promise<KubeObject>): Promise<Settled> {
    try {
      this.#put(await write())
    } catch (error) {
      if (answered(error, 404)) return 'none'
      if (!answered(error, 409)) throw error
      this.#put(await this.#deps.client.ask('GET', pathOfObject(view)))
    }
    return 'changed'
  }

  #put(object: KubeObject): void {
    this.#deps.caches[object.kind]?.put(object)
  }

  #claimantOf(kind: string, view?: DerivedResource, known?: KubeObject): string | undefined {
    const { caches } = this.#deps
    const { kind: ownerKind, name } = ownerNamed((view ?? known)?.spec)
    const namespace = view?.metadata.namespace ?? known?.metadata.namespace ?? ''
    const claimed = kind === 'Task' && known !== undefined ? known : caches[ownerKind]?.get(`${namespace}/${name}`)
    return claimed && workerOf(claimed, caches)
  }

  /** Undefined: it is not there, or goes. */
  #ownerOf(view: DerivedResource): OwnerReference | undefined {
    const { kind, name } = ownerNamed(view.spec)
    const owner = this.#deps.caches[kind]?.get(`${view.metadata.namespace}/${name}`)
    if (owner === undefined || isDeleting(owner)) return undefined
    return { apiVersion: owner.apiVersion, kind, name, uid: owner.metadata.uid }
  }

  #await(view: DerivedResource): void {
    const { namespace, name } = view.metadata
    const owner = ownerNamed(view.spec)
    const ownerKey = `${owner.kind}/${namespace}/${owner.name}`
    const keys = this.#waiting.get(ownerKey) ?? new Set()
    this.#waiting.set(ownerKey, keys.add(`${view.kind}/${namespace}/${name}`))
  }
}

/** The orchestrator that works for a Project, a Repository or a Task; undefined: none claimed it yet. */
export function workerOf(object: KubeObject, caches: Caches): string | undefined {
  return claimantOf(object) ?? claimantOf(caches['Project']?.get(projectIdOf(object)))
}

interface Named {
  readonly projectRef?: string
  readonly repositoryRef?: string
  readonly origin?: { readonly kind: string; readonly ref: string }
  readonly sort?: string
}

function ownerNamed(spec: object = {}): { readonly kind: string; readonly name: string } {
  const { projectRef, repositoryRef = '' } = spec as Named
  return projectRef === undefined ? { kind: 'Repository', name: repositoryRef } : { kind: 'Project', name: projectRef }
}

/** What a Task came from; of one that a person applied, `ref` is the uid of its object. */
export function originOf(spec: object = {}): Named['origin'] {
  return (spec as Named).origin
}

function isByHand({ kind, spec }: DerivedResource): boolean {
  return kind === 'Task' && originOf(spec)?.kind === 'human'
}

/** The object of the person who applied it. */
function isOfPerson(view: DerivedResource, known: KubeObject): boolean {
  return isByHand(view) && originOf(view.spec)?.ref === known.metadata.uid
}

/** The object is the one whose life the Task is: that of the person who applied it, or ours by what it came from. */
function isOfItsLife(view: DerivedResource, known: KubeObject): boolean {
  if (isOfPerson(view, known) || isSameOrigin(view, known)) return true
  return !isByHand(view) && isMadeByOrchestrator(known)
}

/** What the object was made for, as its spec has it. */
export function isSameOrigin(view: DerivedResource, known: KubeObject): boolean {
  return originOf(known.spec) !== undefined && isDeepStrictEqual(originOf(known.spec), originOf(view.spec))
}

function hasEnded(status: object): boolean {
  const { conditions = [] } = status as { readonly conditions?: readonly Condition[] }
  return conditions.some((one) => one.type === 'Complete' && one.status === 'True')
}

/** An entry that left its queue: what it asked for is known no more. */
function isOfThePast({ kind, spec }: DerivedResource): boolean {
  return kind === 'QueuedEvent' && (spec as Named).sort === undefined
}

/** The spec of a Task, and what an Issue or a MergeRequest names, no one may change. */
function isFixed(view: DerivedResource): boolean {
  return view.kind !== 'QueuedEvent' || isOfThePast(view)
}
