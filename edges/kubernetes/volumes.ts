/**
 * Volumes of Tasks and Projects. A claim is made once and never changed, so it is never smaller than what lies in it. A Task's
 * claim is deleted once its Task is over, never at a park (PROJECT-WORKSPACE-9); a Project's goes with the Project.
 */
import type { Clock } from '../../runtime/clock.ts'
import { RetryableError } from '../../runtime/errors.ts'
import { KubeError } from './answers.ts'
import { pathOf, type KubeObject, type KubeResource, type ObjectCache } from './api.ts'
import { isDeleting } from './marks.ts'
import type { PodShape } from './pod-manifest.ts'
import { binderLabel, claimLabels, managedBy, managedByLabel, objectNameOf } from './pod-names.ts'
import { ownerProject, ownerTask, type Owner, type TaskReads } from './pod-owners.ts'
import { claimsResource, find, findAt, make, podsResource, removeOne } from './pod-requests.ts'
import { podState } from './pod-state.ts'
import {
  binderName,
  binderPod,
  claimsOf,
  wantedClaims,
  workspaceClaim,
  type VolumeSettings,
  type VolumeUsers,
  type WantedClaim,
} from './volume-claims.ts'

interface VolumesOptions extends VolumeSettings, TaskReads, Pick<PodShape, 'image' | 'security'> {
  /** Of pods. */
  readonly cache: ObjectCache
  readonly clock: Pick<Clock, 'now'>
}

const classes: KubeResource = { apiVersion: 'storage.k8s.io/v1', plural: 'storageclasses' }
const events: KubeResource = { apiVersion: 'v1', plural: 'events' }
/** Most plugins bind within a second; one that has not within half a minute is waited for without haste. */
const [hasteMs, soonMs, laterMs] = [30_000, 1_000, 5_000]

export class Volumes {
  readonly #options: VolumesOptions

  constructor(options: VolumesOptions) {
    this.#options = options
  }

  /** Resolves once each claim is Bound. @throws RetryableError while one is not, with the words of its newest Event. */
  async bind(users: VolumeUsers): Promise<void> {
    const { client } = this.#options
    if (!this.#options.workspaces) return
    const project = await ownerProject(client, users.project)
    const claims = claimsOf(this.#options, users, project.spec)
    if (claims.workspace === undefined) return
    const owner = await ownerTask(this.#options, users.task)
    const found: KubeObject[] = []
    for (const wanted of wantedClaims(users, owner, project, claims)) found.push(await this.#ensure(wanted))
    const unbound = found.filter((claim) => !isBound(claim))
    if (unbound.length === 0) return this.#removeBinder(users.task)
    await this.#makeBinder(users.task, owner, unbound)
    throw await this.#waiting(unbound)
  }

  /** Ended pods go too: their objects would keep the claim. */
  async remove(task: string): Promise<void> {
    const { client, cache } = this.#options
    const name = objectNameOf(task)
    const marks = Object.entries(claimLabels(name, 'Task'))
    const pods = cache
      .list(name.namespace)
      .filter(({ metadata }) => marks.every(([label, value]) => metadata.labels?.[label] === value))
    for (const pod of pods)
      if (podState(pod).is === 'ended' && !isDeleting(pod)) await removeOne(client, pod, { resource: podsResource })
    await this.#removeBinder(task)
    const claim = await find(client, claimsResource, workspaceClaim(task))
    if (claim === undefined || isDeleting(claim) || claim.metadata.labels?.[managedByLabel] !== managedBy) return
    await removeOne(client, claim, { resource: claimsResource })
  }

  /** As the server has it. */
  async #ensure({ namespace, name, owner, body }: WantedClaim): Promise<KubeObject> {
    const { client } = this.#options
    const known = (): Promise<KubeObject | undefined> => find(client, claimsResource, { namespace, name })
    const claim = (await known()) ?? (await make(client, claimsResource, namespace, body)) ?? (await known())
    if (claim === undefined) throw new RetryableError(`the claim ${name} went while it was made`)
    if (claim.metadata.ownerReferences?.some(({ uid }) => uid === owner.uid)) return claim
    throw new RetryableError(
      `the claim ${namespace}/${name} is not of ${owner.kind} ${owner.name}: delete or rename it`,
      {
        retryAfterMs: laterMs,
      },
    )
  }

  /** Only a class that waits for its first consumer needs one (https://kubernetes.io/docs/concepts/storage/storage-classes/#volume-binding-mode). */
  async #makeBinder(task: string, owner: Owner, unbound: readonly KubeObject[]): Promise<void> {
    const { client, image, security } = this.#options
    const waiting: string[] = []
    for (const claim of unbound) if (await this.#waitsForConsumer(claim)) waiting.push(claim.metadata.name)
    if (waiting.length === 0) return
    const name = binderName(task)
    const claims = unbound.map(({ metadata }) => metadata.name)
    const body = binderPod({ task, owner, claims, image, security })
    if ((await make(client, podsResource, name.namespace, body)) !== undefined) return
    // One that ended, or was made before a claim waited, binds nothing more: the next call makes another.
    const binder = await find(client, podsResource, name)
    if (binder === undefined || !isBinder(binder) || isDeleting(binder)) return
    if (podState(binder).is === 'ended' || waiting.some((name) => !hasClaim(binder, name)))
      await removeOne(client, binder, { resource: podsResource })
  }

  async #waitsForConsumer({ spec }: KubeObject): Promise<boolean> {
    const { client } = this.#options
    const name = String(spec?.['storageClassName'] ?? '')
    if (name === '') return false
    const found = await findAt(client, pathOf(classes, { name }))
    return found !== undefined && 'volumeBindingMode' in found && found.volumeBindingMode === 'WaitForFirstConsumer'
  }

  async #removeBinder(task: string): Promise<void> {
    const { client } = this.#options
    const binder = await find(client, podsResource, binderName(task))
    if (binder !== undefined && isBinder(binder) && !isDeleting(binder))
      await removeOne(client, binder, { resource: podsResource })
  }

  async #waiting(unbound: readonly KubeObject[]): Promise<RetryableError> {
    const lines = await Promise.all(unbound.map((claim) => this.#lineOf(claim)))
    const youngest = Math.max(...unbound.map(({ metadata }) => Date.parse(metadata.creationTimestamp)))
    const isYoung = this.#options.clock.now() - youngest < hasteMs
    return new RetryableError(lines.join('; '), { retryAfterMs: isYoung ? soonMs : laterMs })
  }

  async #lineOf(claim: KubeObject): Promise<string> {
    const { namespace, name } = claim.metadata
    const phase = isDeleting(claim) ? 'being deleted' : String(claim.status?.['phase'] ?? 'Pending')
    const words = await this.#newestEvent(claim)
    return `the claim ${namespace}/${name} is ${phase}${words === '' ? '' : `: ${words}`}`
  }

  /** Words for people: where they cannot be read, the wait is the same without them. */
  async #newestEvent({ metadata: { namespace = 'default', uid } }: KubeObject): Promise<string> {
    const query = { fieldSelector: `involvedObject.uid=${uid}` }
    try {
      const list = await this.#options.client.ask<EventList>('GET', pathOf(events, { namespace }), { query })
      const [newest] = (list.items ?? []).toSorted((one, other) => timeOf(other) - timeOf(one))
      return newest?.message ?? ''
    } catch (error) {
      if (error instanceof KubeError) return `its Events cannot be read (${error.message})`
      throw error
    }
  }
}

interface EventList {
  readonly items?: readonly HappenedEvent[] | null
}

interface HappenedEvent {
  readonly message?: string
  readonly lastTimestamp?: string | null
  readonly eventTime?: string | null
  readonly metadata: { readonly creationTimestamp: string }
}

function timeOf({ lastTimestamp, eventTime, metadata }: HappenedEvent): number {
  return Date.parse(lastTimestamp ?? eventTime ?? metadata.creationTimestamp)
}

function isBound(claim: KubeObject): boolean {
  return claim.status?.['phase'] === 'Bound' && !isDeleting(claim)
}

function isBinder({ metadata: { labels = {} } }: KubeObject): boolean {
  return labels[managedByLabel] === managedBy && labels[binderLabel] !== undefined
}

function hasClaim({ spec }: KubeObject, claim: string): boolean {
  const volumes = (spec?.['volumes'] ?? []) as readonly { readonly name: string }[]
  return volumes.some(({ name }) => name === claim)
}
