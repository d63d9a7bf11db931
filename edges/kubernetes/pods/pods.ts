/**
 * Agent pods of a cluster.
 * 1. A pod is gone where its kubelet ended it, or where the server has no such pod. One that is deleted and still there may run.
 * 2. No deletion has grace 0, which takes an object away before its containers ended: one more writer on a volume.
 * 3. Each call may be repeated, also after a crash in the middle: the pod comes first, its Secret after it.
 */
import type { Logger } from '../../../http/operational/logging.ts'
import type { Clock } from '../../../runtime/clock.ts'
import { RetryableError, TerminalError } from '../../../runtime/errors.ts'
import type { Random } from '../../../runtime/random.ts'
import type { Gone, LogWish, PodInputs, PodLog, PodObservation, PodPort, PodSpec } from '../../ports/pods.ts'
import type { KubeClient, KubeObject, ObjectCache } from '../api/api.ts'
import { isDeleting } from '../api/marks.ts'
import { PodKeeper } from './pod-keeper.ts'
import { podLog } from './pod-log.ts'
import { podManifest, type PodManifest, type PodShape } from './pod-manifest.ts'
import { podIdOf, podName } from './pod-names.ts'
import { ownerProject, ownerTask, type Owner } from './pod-owners.ts'
import { podRefused } from './pod-reasons.ts'
import { find, make, podsResource, removeOne, secretsResource } from './pod-requests.ts'
import { endOf, observationOf, podState, stuckPod, type StuckPod, type Why } from './pod-state.ts'
import { PodWatch, remember } from './pod-watch.ts'
import { claimsOf, type VolumeSettings } from './volume-claims.ts'
import { Volumes } from './volumes.ts'

export interface KubernetesPodsOptions extends PodShape, VolumeSettings {
  readonly client: KubeClient
  /** Of pods by `podSelector`, in the namespaces of Tasks. Whoever makes it starts and stops it. */
  readonly cache: ObjectCache
  /** Of Tasks, as a reflector keeps them: it names the object of a Task's later life. */
  readonly tasks: Pick<ObjectCache, 'list'>
  readonly inputs: (spec: PodSpec) => Promise<PodInputs>
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  /** How long the object of an ended pod, with its log, is left for people to read; 15 minutes unless set. */
  readonly keepEndedMs?: number
}

const keepEndedMs = 15 * 60_000
/** A kubelet kills, and confirms that nothing runs. */
const forcedGraceSeconds = 1
/** The collector takes what is left of an earlier Task of the name within seconds. */
const leftoverMs = 2_000

export class KubernetesPods implements PodPort {
  readonly #options: KubernetesPodsOptions
  readonly #volumes: Volumes
  readonly #keeper: PodKeeper
  readonly #watches = new Set<PodWatch>()
  /** Pods that the server has, as they were seen last, by the cache's name. */
  readonly #seen = new Map<string, KubeObject>()
  /** Of pods that the server has no more. */
  readonly #ends = new Map<string, Gone>()
  /** What a pod that never ran waited for: a kubelet that ends it writes over that. */
  readonly #waits = new Map<string, Why>()
  readonly #unsubscribe: () => void

  constructor(options: KubernetesPodsOptions) {
    this.#options = options
    this.#volumes = new Volumes(options)
    this.#keeper = new PodKeeper({ keepEndedMs, ...options })
    this.#unsubscribe = options.cache.subscribe((name, change) => this.#see(name, change))
    for (const object of options.cache.list()) this.#keep(object)
  }

  /** From now on pods that nothing else ends are deleted. */
  begin(): void {
    this.#keeper.start()
  }

  /** Final. */
  async stop(): Promise<void> {
    this.#unsubscribe()
    for (const watch of this.#watches) watch.stop()
    await this.#keeper.stop()
  }

  async bindVolumes(pod: { readonly task: string; readonly project: string }): Promise<void> {
    await this.#volumes.bind(pod)
  }

  async deleteWorkspace(task: string): Promise<void> {
    await this.#volumes.remove(task)
  }

  /** @throws TerminalError, reason `PodRefused`, for what the server will never take. */
  async create(spec: PodSpec): Promise<{ readonly name: string }> {
    const { client, logger } = this.#options
    const owner = await ownerTask(this.#options, spec.task)
    const manifest = await this.#manifest(spec, owner)
    const { namespace, name } = podName(spec.pod)
    const made = await make(client, podsResource, namespace, manifest.pod)
    const pod = made ?? (await this.#existing(spec, owner))
    if (made !== undefined && manifest.dropped.length > 0)
      logger.warn(
        { pod: spec.pod, dropped: manifest.dropped },
        'extraEnvs of the Project cannot replace these variables',
      )
    await this.#makeSecret(spec, pod, manifest)
    return { name }
  }

  async remove(pod: string, { force }: { readonly force: boolean }): Promise<'ending' | 'gone'> {
    const { client } = this.#options
    const object = await this.#find(pod)
    // The object of an ended one is left for people to read.
    if (object === undefined || podState(object).is === 'ended') return 'gone'
    const grace = force ? { graceSeconds: forcedGraceSeconds } : {}
    return (await removeOne(client, object, { resource: podsResource, ...grace })) ? 'ending' : 'gone'
  }

  async look(pod: string): Promise<PodObservation | undefined> {
    const object = await this.#find(pod)
    return object === undefined ? this.#endOf(pod) : this.#observed(pod, object)
  }

  /** Of an ended pod as long as its object is there. */
  async logOf(pod: string, wish: LogWish): Promise<PodLog> {
    return podLog(this.#options.client, pod, wish)
  }

  watch(listener: (observation: PodObservation) => Promise<void>): () => void {
    const watch = new PodWatch({ ...this.#options, listener, observe: (pod) => this.#observe(pod) })
    this.#watches.add(watch)
    for (const object of this.#seen.values()) this.#announce(watch, object)
    return () => {
      this.#watches.delete(watch)
      watch.stop()
    }
  }

  /** Pods that were deleted, and are still there though their grace was over a minute ago. */
  stuck(): readonly StuckPod[] {
    const now = this.#options.clock.now()
    return [...this.#seen.values()].flatMap((object) => {
      const pod = podIdOf(object)
      return (pod === undefined ? undefined : stuckPod(pod, object, now)) ?? []
    })
  }

  degraded(): readonly string[] {
    const now = this.#options.clock.now()
    return this.stuck().map(({ name, node, since }) => stuckLine(name, node, Math.floor((now - since) / 1000)))
  }

  async #manifest(spec: PodSpec, owner: Owner): Promise<PodManifest> {
    const { client, inputs } = this.#options
    const [project, given] = await Promise.all([ownerProject(client, spec.project), inputs(spec)])
    const claims = claimsOf(this.#options, { task: spec.task, project: spec.project }, project.spec)
    return podManifest({ ...this.#options, spec, inputs: given, project: project.spec, claims, owner })
  }

  /** Of the name that was taken. */
  async #existing(spec: PodSpec, owner: Owner): Promise<KubeObject> {
    const { namespace, name } = podName(spec.pod)
    const object = await find(this.#options.client, podsResource, { namespace, name })
    if (object === undefined) throw new RetryableError(`the pod ${name} went while it was made`)
    if (podIdOf(object) !== spec.pod)
      throw new TerminalError(podRefused, `the name ${namespace}/${name} is taken by a pod that is none of ours`)
    refuseLeftover(object, owner, 'pod')
    return object
  }

  async #makeSecret(spec: PodSpec, pod: KubeObject, manifest: PodManifest): Promise<void> {
    const { client } = this.#options
    const { namespace, name } = podName(spec.pod)
    const { uid } = pod.metadata
    if ((await make(client, secretsResource, namespace, manifest.secret(uid))) !== undefined) return
    const there = await find(client, secretsResource, { namespace, name })
    if (there === undefined) throw new RetryableError(`the Secret ${name} went while it was made`)
    refuseLeftover(there, { name, uid }, 'Secret')
  }

  /** The pod of this id; undefined where the server has none. */
  async #find(pod: string): Promise<KubeObject | undefined> {
    const object = await find(this.#options.client, podsResource, podName(pod))
    return object !== undefined && podIdOf(object) === pod ? object : undefined
  }

  #endOf(pod: string): Gone {
    const { namespace, name } = podName(pod)
    return this.#ends.get(pod) ?? endOf(pod, this.#seen.get(`${namespace}/${name}`), this.#waits.get(pod))
  }

  #observe(pod: string): PodObservation | undefined {
    const { namespace, name } = podName(pod)
    const object = this.#seen.get(`${namespace}/${name}`)
    return object === undefined ? this.#ends.get(pod) : this.#observed(pod, object)
  }

  #observed(pod: string, object: KubeObject): PodObservation | undefined {
    return observationOf(pod, object, this.#waits.get(pod))
  }

  #see(name: string, change: 'changed' | 'gone'): void {
    const object = change === 'changed' ? this.#options.cache.get(name) : this.#seen.get(name)
    if (object === undefined) return
    if (change === 'changed') this.#keep(object)
    else this.#bury(name, object)
    for (const watch of this.#watches) this.#announce(watch, object)
  }

  #announce(watch: PodWatch, object: KubeObject): void {
    const pod = podIdOf(object)
    if (pod !== undefined) watch.add(pod)
  }

  #keep(object: KubeObject): void {
    const { namespace = 'default', name } = object.metadata
    const pod = podIdOf(object)
    if (pod === undefined) return
    this.#seen.set(`${namespace}/${name}`, object)
    const state = podState(object)
    if (state.is === 'waiting') this.#waits.set(pod, state)
    else if (state.is !== 'ended' && !isDeleting(object)) this.#waits.delete(pod)
  }

  #bury(name: string, object: KubeObject): void {
    const pod = podIdOf(object)!
    this.#seen.delete(name)
    remember(this.#ends, pod, endOf(pod, object, this.#waits.get(pod)))
    this.#waits.delete(pod)
  }
}

/** @throws RetryableError for what an earlier object of the owner's name has left. */
function refuseLeftover({ metadata }: KubeObject, owner: Owner, what: string): void {
  if (metadata.ownerReferences?.some(({ uid }) => uid === owner.uid)) return
  const message = `a ${what} ${metadata.namespace}/${metadata.name} of another owner is in the way of ${owner.name}`
  throw new RetryableError(message, { retryAfterMs: leftoverMs })
}

function stuckLine(name: string, node: string, seconds: number): string {
  const ended = `pod ${name} on node ${node} does not end: its grace was over ${seconds} s ago`
  return (
    `${ended}. Look at the node. Where the machine is off for good, run kubectl delete node ${node}, ` +
    `or kubectl taint node ${node} node.kubernetes.io/out-of-service=nodeshutdown:NoExecute`
  )
}
