/**
 * Volumes of Tasks and Projects. A claim is made once and never changed, so it is never smaller than what lies in it. A Task's
 * claim is deleted once its Task is over, never at a park (PROJECT-WORKSPACE-9); a Project's goes with the Project.
 */
import type { Clock } from '../../../runtime/clock.ts'
import { RetryableError } from '../../../runtime/errors.ts'
import type { KubeObject, ObjectCache } from '../api/api.ts'
import { isDeleting } from '../api/marks.ts'
import { newsOf, type ObjectNews } from './object-news.ts'
import type { PodShape } from './pod-manifest.ts'
import { binderLabel, claimLabels, managedBy, managedByLabel, objectNameOf } from './pod-names.ts'
import { ownerProject, ownerTask, type Owner, type TaskReads } from './pod-owners.ts'
import { claimsResource, find, make, podsResource, removeOne } from './pod-requests.ts'
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
    const waits = await Promise.all(unbound.map((claim) => this.#waitOf(claim)))
    await this.#makeBinder(users.task, owner, waits)
    throw this.#waiting(waits)
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
  async #makeBinder(task: string, owner: Owner, waits: readonly ClaimWait[]): Promise<void> {
    const { client, image, security } = this.#options
    const waiting = waits.filter((wait) => wait.forConsumer).map(({ claim }) => claim.metadata.name)
    if (waiting.length === 0) return
    const name = binderName(task)
    const claims = waits.map(({ claim }) => claim.metadata.name)
    const body = binderPod({ task, owner, claims, image, security })
    if ((await make(client, podsResource, name.namespace, body)) !== undefined) return
    // One that ended, or was made before a claim waited, binds nothing more: the next call makes another.
    const binder = await find(client, podsResource, name)
    if (binder === undefined || !isBinder(binder) || isDeleting(binder)) return
    if (podState(binder).is === 'ended' || waiting.some((name) => !hasClaim(binder, name)))
      await removeOne(client, binder, { resource: podsResource })
  }

  async #removeBinder(task: string): Promise<void> {
    const { client } = this.#options
    const binder = await find(client, podsResource, binderName(task))
    if (binder !== undefined && isBinder(binder) && !isDeleting(binder))
      await removeOne(client, binder, { resource: podsResource })
  }

  #waiting(waits: readonly ClaimWait[]): RetryableError {
    const youngest = Math.max(...waits.map(({ claim }) => Date.parse(claim.metadata.creationTimestamp)))
    const isYoung = this.#options.clock.now() - youngest < hasteMs
    const lines = waits.map(({ line }) => line)
    return new RetryableError(lines.join('; '), { retryAfterMs: isYoung ? soonMs : laterMs })
  }

  async #waitOf(claim: KubeObject): Promise<ClaimWait> {
    const { namespace, name } = claim.metadata
    const phase = isDeleting(claim) ? 'being deleted' : String(claim.status?.['phase'] ?? 'Pending')
    const { words, forConsumer } = await newsOf(this.#options.client, claim)
    return { claim, forConsumer, line: `the claim ${namespace}/${name} is ${phase}${words === '' ? '' : `: ${words}`}` }
  }
}

interface ClaimWait extends Pick<ObjectNews, 'forConsumer'> {
  readonly claim: KubeObject
  /** For people. */
  readonly line: string
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
