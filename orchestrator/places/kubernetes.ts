/**
 * A cluster: people write resources at its API server, which mirrors what actors are. The store stays the truth. Every
 * replica writes the statuses of what it stepped; the one with the Lease takes resources in, and goes through all of it.
 * Pods are of the cluster too, unless LOCAL_PODS keeps them on the machine that it runs on.
 */
import { hostname } from 'node:os'
import { ofEachKind } from '../../crd/kinds.ts'
import type { KubeClient, ObjectCache } from '../../edges/kubernetes/api/api.ts'
import { createObjectCache } from '../../edges/kubernetes/api/cache.ts'
import { createKubeClient } from '../../edges/kubernetes/api/client.ts'
import { namespaceOf } from '../../edges/kubernetes/api/credentials.ts'
import { createEventRecorder } from '../../edges/kubernetes/api/events.ts'
import { createElection, leaseName } from '../../edges/kubernetes/api/lease.ts'
import { createMirror, type Mirror } from '../../edges/kubernetes/mirror/mirror.ts'
import { peopleReader } from '../../edges/kubernetes/reconcile/people-reader.ts'
import { createReconciler, type Reconciler } from '../../edges/kubernetes/reconcile/reconcile.ts'
import type { ReconcilerDeps, ResourceCaches } from '../../edges/kubernetes/reconcile/reconcile-deps.ts'
import { kubeSecrets } from '../../edges/kubernetes/reconcile/secrets.ts'
import { createTaskEvents } from '../../edges/kubernetes/mirror/status-events.ts'
import { createWorkqueue } from '../../edges/kubernetes/api/workqueue.ts'
import { createClusterStacks } from '../../edges/kubernetes/memory-stack/reconcile.ts'
import { storedAt } from '../../edges/kubernetes/memory-stack/volumes.ts'
import type { NewPassword } from '../../edges/kubernetes/memory-stack/secrets.ts'
import type { StackSettings } from '../../edges/kubernetes/memory-stack/settings.ts'
import type { SecretReader } from '../../edges/ports/resources.ts'
import { resourceReads } from '../../edges/local/resource-reads.ts'
import { protect, type Authenticate } from '../../http/auth/authenticate.ts'
import { DeadlineError, withDeadline } from '../../http/deadline.ts'
import type { Logger } from '../../http/operational/logging.ts'
import type { Fetch, Ids } from '../../http/ports.ts'
import type { Clock } from '../../runtime/clock.ts'
import { createLoop, type Loop } from '../../runtime/loop.ts'
import type { Random } from '../../runtime/random.ts'
import { actorReads } from '../resources/actor-reads.ts'
import type { Place, Wired } from './place.ts'
import type { OrchestratorSettings } from '../settings/settings.ts'
import { clusterPods } from './cluster-pods.ts'
import { lifeOf } from '../resources/tasks-by-hand.ts'

interface KubernetesPlaceOptions {
  readonly client: KubeClient
  /** Whose resources count; empty: all. */
  readonly namespaces: readonly string[]
  /** Of the Lease. */
  readonly leaseNamespace: string
  /** Of this process alone, and readable. */
  readonly identity: string
  readonly clock: Clock
  readonly random: Random
  readonly ids: Ids
  readonly logger: Logger
  readonly authenticate: Authenticate
  /** Those of this machine. */
  readonly localPods: Place['pods']
  /** Absent: no Project gets a memory stack. */
  readonly memoryStacks?: StackSettings
  readonly newPassword: NewPassword
  readonly fetch: Fetch
  /** Absent: pods are of this machine. */
  readonly clusterPods?: OrchestratorSettings['kubernetes']['pods']
}

/** All actors and objects are gone through, whatever was heard of them. */
const resyncEveryMs = 10 * 60_000
const keysAtOnce = 4
const firstListsMs = 60_000

type Given = Omit<
  KubernetesPlaceOptions,
  'client' | 'namespaces' | 'leaseNamespace' | 'identity' | 'clusterPods' | 'memoryStacks'
>

/** @throws where the kubeconfig cannot be read, or this is no pod. */
export function openKubernetesPlace(settings: OrchestratorSettings['kubernetes'], given: Given): Place {
  const { namespaces } = settings
  const kubeconfig = settings.kubeconfig === '' ? undefined : settings.kubeconfig
  const client = createKubeClient({ kubeconfig })
  return kubernetesPlace({
    ...given,
    client,
    namespaces,
    ...(settings.memoryStacks === undefined ? {} : { memoryStacks: settings.memoryStacks }),
    ...(settings.localPods ? {} : { clusterPods: settings.pods }),
    leaseNamespace: settings.leaseNamespace || namespaceOf(kubeconfig),
    identity: `${hostname()}_${given.ids.next()}`,
  })
}

function kubernetesPlace(options: KubernetesPlaceOptions): Place {
  const { client, clock, localPods, clusterPods: shape, memoryStacks, newPassword, fetch } = options
  const caches = cachesOf(options)
  const pods = shape && clusterPods({ ...options, tasks: caches.Task, settings: shape })
  const all = [...Object.values(caches), ...(pods === undefined ? [] : [pods.cache])]
  const resources = peopleReader(ofPeople(caches))
  const secrets = kubeSecrets(client)
  let working: Working | undefined
  return {
    resources,
    secrets,
    pods: pods?.create ?? localPods,
    ...(memoryStacks && {
      memoryStacks: createClusterStacks({
        ...{ client, settings: memoryStacks, newPassword },
        storedAt: (endpoint, signal) => storedAt(endpoint, { fetch, clock }, signal),
      }),
    }),
    load: () => firstLists(clock, all),
    async attach(app, wired) {
      await app.register(async (scope) => {
        protect(scope, options.authenticate)
        resourceReads(scope, { ...wired, resources })
      })
      working = workOf(options, caches, secrets, wired)
    },
    async begin() {
      working?.begin()
      pods?.begin()
    },
    async stop() {
      await working?.stop()
      await pods?.stop()
      await Promise.all(all.map((cache) => cache.stop()))
      await client.close()
    },
    degraded: () => [...(working?.degraded() ?? []), ...(pods?.degraded() ?? [])],
  }
}

function workOf(options: KubernetesPlaceOptions, caches: Caches, secrets: SecretReader, wired: Wired): Working {
  const { client, clock, logger, identity, leaseNamespace } = options
  const events = createEventRecorder({ client, clock, logger, instance: identity })
  const orchestrator = `${leaseNamespace}/${leaseName}`
  const { report } = createTaskEvents(events, clock)
  const mirror = createMirror({
    ...wired,
    ...options,
    caches,
    orchestrator,
    shown: report,
    lifeOf: async (task) => (await lifeOf(wired.runtime, task)).id,
  })
  const reconciling = { ...reconcilerDeps(options, caches, wired, mirror), secrets, events, orchestrator }
  return new Working(options, wired, mirror, () => createReconciler(reconciling))
}

/**
 * A server that is away, or that refuses, keeps nobody waiting without a word: whoever started the process starts it again.
 * @throws what to look at.
 */
async function firstLists(clock: Clock, caches: readonly ObjectCache[]): Promise<void> {
  try {
    await withDeadline(clock, firstListsMs, () => Promise.all(caches.map((cache) => cache.start())))
  } catch (error) {
    if (!(error instanceof DeadlineError)) throw error
    const message =
      `the API server gave no first list of all kinds within ${firstListsMs / 1000} s; the log says why. ` +
      'Where it refuses, apply crd/generated/ and what statewright rbac prints'
    throw new Error(message, { cause: error })
  }
}

type Caches = ReturnType<typeof ofEachKind<ObjectCache>>

function cachesOf({ client, namespaces, clock, random, logger }: KubernetesPlaceOptions): Caches {
  return ofEachKind((resource) => createObjectCache({ client, resource, namespaces, clock, random, logger }))
}

function ofPeople(caches: Caches): ResourceCaches {
  return { projects: caches.Project, repositories: caches.Repository, tasks: caches.Task }
}

function reconcilerDeps(
  { client, namespaces, clock, random, ids, logger, memoryStacks }: KubernetesPlaceOptions,
  caches: Caches,
  { runtime, hooks }: Wired,
  mirror: Mirror,
): Omit<ReconcilerDeps, 'secrets' | 'events' | 'orchestrator'> {
  return {
    client,
    caches: ofPeople(caches),
    hooks,
    reads: actorReads(runtime, { runsStacks: memoryStacks !== undefined }),
    checkAgain: async (project) =>
      void (await runtime.deliver({
        to: `project:${project}`,
        key: `asked/${ids.next()}`,
        event: { type: 'project.restarted', at: clock.now() },
      })),
    recreate: (task) => mirror.add(`Task/${task}`),
    watches: (namespace) => namespaces.length === 0 || namespaces.includes(namespace),
    createQueue: (work) => createWorkqueue({ name: 'resources', work, clock, random, logger, parallel: keysAtOnce }),
    clock,
    logger,
  }
}

/** What runs between `begin` and `stop`. */
class Working {
  readonly #options: KubernetesPlaceOptions
  readonly #runtime: Wired['runtime']
  readonly #mirror: Mirror
  readonly #election: ReturnType<typeof createElection>
  readonly #createReconciler: () => Reconciler
  /** Of the leader. */
  #reconciler: Reconciler | undefined
  readonly #resync: Loop
  #unsubscribe = (): void => undefined

  constructor(options: KubernetesPlaceOptions, { runtime }: Wired, mirror: Mirror, create: () => Reconciler) {
    this.#options = options
    this.#runtime = runtime
    this.#mirror = mirror
    this.#createReconciler = create
    this.#election = createElection({
      ...options,
      namespace: options.leaseNamespace,
      onLeading: () => this.#lead(),
      onLost: () => this.#yield(),
    })
    this.#resync = createLoop({
      ...options,
      name: 'resync-of-resources',
      everyMs: resyncEveryMs,
      turn: async () => void (await Promise.all([this.#reconciler?.sweep(), this.#mirror.resync()])),
      failing: 'resources could not be gone through; the resync tries again',
      over: 'resources are gone through again',
    })
  }

  begin(): void {
    this.#mirror.start()
    this.#unsubscribe = this.#runtime.subscribe(({ address, status }) => {
      const [kind, id] = [address.slice(0, address.indexOf(':')), address.slice(address.indexOf(':') + 1)]
      if (kind === 'project' || (kind === 'task' && status === 'done')) this.#reconciler?.stepped(kind, id)
    })
    this.#election.start()
  }

  degraded(): readonly string[] {
    return this.#mirror.degraded()
  }

  async stop(): Promise<void> {
    this.#unsubscribe()
    await this.#election.stop()
    await this.#mirror.stop()
  }

  #lead(): void {
    this.#reconciler = this.#createReconciler()
    this.#report(this.#reconciler.start())
    // Of what another replica stepped and did not come to write.
    this.#report(this.#mirror.resync())
    this.#resync.start(resyncEveryMs)
  }

  async #yield(): Promise<void> {
    void this.#resync.stop()
    const reconciler = this.#reconciler
    this.#reconciler = undefined
    await reconciler?.stop()
  }

  #report(task: Promise<unknown>): void {
    task.catch((error: unknown) =>
      this.#options.logger.error({ err: error }, 'resources could not be gone through; the next resync does it'),
    )
  }
}
