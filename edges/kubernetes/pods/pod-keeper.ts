/**
 * Deletes pods that nothing else ends: one that waits for too long, one whose wrapper ended beside a sidecar, one that ended a
 * while ago, a binder that nobody waits for. Each deletion names the uid and has the pod's own grace.
 */
import type { Logger } from '../../../http/operational/logging.ts'
import type { Clock } from '../../../runtime/clock.ts'
import type { Random } from '../../../runtime/random.ts'
import { nameOf, type KubeClient, type KubeObject, type ObjectCache, type Workqueue } from '../api/api.ts'
import { isDeleting } from '../api/marks.ts'
import { binderLabel } from './pod-names.ts'
import { podsResource, removeOne } from './pod-requests.ts'
import { podState } from './pod-state.ts'
import { createWorkqueue } from '../api/workqueue.ts'

interface PodKeeperOptions {
  readonly client: Pick<KubeClient, 'ask'>
  readonly cache: ObjectCache
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  /** How long the object of an ended pod is left for people to read. */
  readonly keepEndedMs: number
}

/** A Task waits ten minutes for its volumes, then it parks (PROJECT-WORKSPACE-12). */
const binderMs = 10.5 * 60_000
const podsAtOnce = 4

/** Why a pod is to go, and how long that has to last. */
interface Leave {
  readonly why: string
  readonly detail?: string
  readonly patienceMs: number
}

export class PodKeeper {
  readonly #options: PodKeeperOptions
  readonly #queue: Workqueue
  /** Since when a pod is as it is, by its uid; milliseconds of `elapsed`. */
  readonly #since = new Map<string, { readonly name: string; readonly why: number; readonly at: number }>()
  #unsubscribe = (): void => undefined

  constructor(options: PodKeeperOptions) {
    this.#options = options
    this.#queue = createWorkqueue({
      ...options,
      name: 'pod-keeper',
      parallel: podsAtOnce,
      work: (name) => this.#judge(name),
    })
  }

  start(): void {
    const { cache } = this.#options
    this.#unsubscribe = cache.subscribe((name) => this.#queue.add(name))
    for (const object of cache.list()) this.#queue.add(nameOf(object))
  }

  async stop(): Promise<void> {
    this.#unsubscribe()
    await this.#queue.stop()
  }

  async #judge(name: string): Promise<void> {
    const { cache, client, clock, logger } = this.#options
    const object = cache.get(name)
    for (const [uid, { name: of }] of this.#since)
      if (of === name && uid !== object?.metadata.uid) this.#since.delete(uid)
    if (object === undefined || isDeleting(object)) return
    const leave = this.#leaveOf(object)
    if (leave === undefined) return void this.#since.delete(object.metadata.uid)
    const rest = this.#beganAt(object, leave) + leave.patienceMs - clock.elapsed()
    if (rest > 0) return this.#queue.after(name, rest)
    const { why, detail } = leave
    if (await removeOne(client, object, { resource: podsResource }))
      logger.info(
        { pod: name, why, ...(detail === undefined ? {} : { detail }) },
        'a pod was deleted that nothing ends',
      )
  }

  #leaveOf(object: KubeObject): Leave | undefined {
    const { clock, keepEndedMs } = this.#options
    if (object.metadata.labels?.[binderLabel] !== undefined) {
      const ageMs = clock.now() - Date.parse(object.metadata.creationTimestamp)
      return { why: 'binder', patienceMs: Math.max(0, binderMs - ageMs) }
    }
    const state = podState(object)
    if (state.is === 'ended') return { why: 'ended', patienceMs: keepEndedMs }
    if (state.is !== 'waiting') return undefined
    const { reason: why, patienceMs, detail } = state
    return { why, patienceMs, ...(detail === undefined ? {} : { detail }) }
  }

  /** A pod whose image fails now one way, now another, waits all the while. */
  #beganAt({ metadata }: KubeObject, { why, patienceMs }: Leave): number {
    const now = this.#options.clock.elapsed()
    if (why === 'binder') return now
    const known = this.#since.get(metadata.uid)
    if (known?.why === patienceMs) return known.at
    this.#since.set(metadata.uid, { name: nameOf({ metadata } as KubeObject), why: patienceMs, at: now })
    return now
  }
}
