/** A stand-in of the CloudNativePG operator over a real PostgreSQL: what it does, and what differs, is in README.md. */
import { mkdirSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { answered } from '../../edges/kubernetes/api/answers.ts'
import {
  applyPatch,
  mergePatch,
  nameOf,
  pathOf,
  type KubeClient,
  type KubeObject,
  type KubeResource,
} from '../../edges/kubernetes/api/api.ts'
import { createObjectCache } from '../../edges/kubernetes/api/cache.ts'
import { deleteAt } from '../../edges/kubernetes/api/objects.ts'
import { createWorkqueue } from '../../edges/kubernetes/api/workqueue.ts'
import type { Logger } from '../../http/operational/logging.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Random } from '../../runtime/random.ts'
import { issue, type Pair } from './certificates.ts'
import { amountOf } from '../kubelet/claims/expansion.ts'
import {
  asClaim,
  asCluster,
  asDatabase,
  claims,
  clusterLabel,
  clusters,
  conditionOf,
  databases,
  instanceOf,
  pods,
  roleLabel,
  secrets,
  services,
  type Claim,
  type Cluster,
  type Database,
} from './cluster.ts'
import * as made from './objects.ts'
import { positionOf, promote, serveStandbys } from './replication.ts'
import {
  bootstrapCompleted,
  bootstrapPending,
  conditionsOf,
  creating,
  failingOver,
  healthy,
  notReady,
  phaseOfWait,
  ready,
  restarting,
  upgrading,
  waiting,
} from './status.ts'
import * as sql from './superuser.ts'

export interface CnpgOptions {
  /** An administrator's; whoever made it closes it, after `stop`. */
  readonly client: KubeClient
  /** Whose Clusters it runs; empty: all. */
  readonly namespaces: readonly string[]
  /** A folder for certificates while they are made. */
  readonly root: string
  /** Of PostgreSQL, as the kubelet has it (`postgres-image.sh`): for Clusters that name a catalog, or none. */
  readonly image: string
  /** Image catalogs that there are, with all majors. */
  readonly catalogs?: readonly string[]
  /** How long a change of a spec goes unnoticed, and the status stays what it was. */
  readonly staleMs?: number
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
}

export interface Cnpg {
  /** Of `namespace/name`: its volume of the log, or of data where it has none, is full until that claim has grown. */
  fillDisk(cluster: string): void
  stop(): Promise<void>
}

const finalizer = 'cnpg.io/deleteDatabase'
const usualStaleMs = 300
const retryMs = 500
const pending = 'pending'

export async function startCnpg(options: CnpgOptions): Promise<Cnpg> {
  const operator = new Operator(options)
  await operator.start()
  return operator
}

class Operator implements Cnpg {
  readonly #options: CnpgOptions
  readonly #clusters
  readonly #databases
  readonly #pods
  readonly #claims
  readonly #queue
  /** By uid: the generation that a change was first seen with. */
  readonly #seen = new Map<string, { readonly generation: number; readonly at: number }>()
  /** By uid. */
  readonly #superusers = new Map<string, Pair>()
  /** By uid of a pod: what its server has of the spec. */
  readonly #prepared = new Map<string, string>()
  /** By uid of a primary's pod: whom it serves. */
  readonly #served = new Map<string, string>()
  /** By name of a Cluster. */
  readonly #full = new Map<string, { readonly claim: string; readonly capacity: number }>()

  constructor(options: CnpgOptions) {
    this.#options = options
    this.#clusters = createObjectCache({ ...options, resource: clusters })
    this.#databases = createObjectCache({ ...options, resource: databases })
    this.#pods = createObjectCache({ ...options, resource: pods, labelSelector: clusterLabel })
    this.#claims = createObjectCache({ ...options, resource: claims, labelSelector: clusterLabel })
    this.#queue = createWorkqueue({ ...options, name: 'cnpg', parallel: 4, work: (key) => this.#work(key) })
  }

  async start(): Promise<void> {
    mkdirSync(this.#options.root, { recursive: true })
    this.#clusters.subscribe((name) => this.#queue.add(name))
    this.#databases.subscribe((name) => {
      const object = this.#databases.get(name)
      if (object !== undefined) this.#queue.add(clusterOf(asDatabase(object)))
    })
    for (const cache of [this.#pods, this.#claims]) {
      // What is gone has no labels any more: its name begins with that of its Cluster.
      cache.subscribe((name) => this.#queue.add(name.replace(/-\d+(-wal)?$/, '')))
    }
    await Promise.all([this.#clusters, this.#databases, this.#pods, this.#claims].map((cache) => cache.start()))
  }

  fillDisk(name: string): void {
    const object = this.#clusters.get(name)
    if (object === undefined) throw new Error(`there is no Cluster ${name}`)
    const cluster = asCluster(object)
    const claim = made.claimsOf(cluster, primaryOf(cluster)).at(-1)?.name ?? ''
    const capacity = amountOf(this.#claimOf(cluster, claim)?.status?.capacity?.storage ?? '0')
    this.#full.set(name, { claim, capacity })
    this.#queue.add(name)
  }

  async stop(): Promise<void> {
    await this.#queue.stop()
    await Promise.all([this.#clusters, this.#databases, this.#pods, this.#claims].map((cache) => cache.stop()))
  }

  /** Level-triggered: what the server has now. */
  async #work(key: string): Promise<void> {
    const own = this.#databases
      .list()
      .map(asDatabase)
      .filter((database) => clusterOf(database) === key)
    const object = this.#clusters.get(key)
    if (object === undefined) {
      this.#full.delete(key)
      return this.#release(own)
    }
    const cluster = asCluster(object)
    if (cluster.metadata.deletionTimestamp !== undefined || this.#isStale(key, cluster)) return
    const image = this.#imageOf(cluster)
    if (image === undefined) {
      const reason = 'the catalog that it names is not there, or lacks its major'
      return this.#say(cluster, { phase: 'Cluster has incomplete or invalid image catalog', phaseReason: reason })
    }
    if (cluster.status?.phase === undefined)
      return this.#say(cluster, {
        phase: 'Setting up primary',
        phaseReason: `Creating primary instance ${instanceOf(cluster)}`,
        image,
        latestGeneratedNode: 1,
        targetPrimary: instanceOf(cluster),
        writeService: `${cluster.metadata.name}-rw`,
        readService: `${cluster.metadata.name}-r`,
        conditions: conditionsOf(cluster, [notReady, bootstrapPending], this.#options.clock),
      })
    await this.#makeCredentials(cluster)
    for (const service of made.servicesOf(cluster)) await this.#apply(services, cluster, service)
    if (await this.#hibernates(cluster)) return
    if (await this.#isFull(key, cluster)) return
    for (const name of this.#instancesOf(cluster)) await this.#makeClaims(cluster, name)
    if (!(await this.#failsOver(key, cluster))) await this.#run(cluster, { image, own })
  }

  /** A change is not seen at once: until then the status is what it was. */
  #isStale(key: string, { metadata: { uid, generation = 1 } }: Cluster): boolean {
    const { clock, staleMs = usualStaleMs } = this.#options
    const seen = this.#seen.get(uid)
    if (seen?.generation !== generation) {
      this.#seen.set(uid, { generation, at: clock.elapsed() })
      if (seen === undefined) return false
      this.#queue.after(key, staleMs)
      return true
    }
    // The first one is acted on at once.
    const left = generation === 1 ? 0 : seen.at + staleMs - clock.elapsed()
    if (left > 0) this.#queue.after(key, left)
    return left > 0
  }

  #imageOf({ spec: { imageName, imageCatalogRef } }: Cluster): string | undefined {
    const { image, catalogs = [] } = this.#options
    if (imageCatalogRef === undefined) return imageName ?? image
    return catalogs.includes(imageCatalogRef.name) ? image : undefined
  }

  #podOf({ metadata: { namespace } }: Cluster, name: string): KubeObject | undefined {
    return this.#pods.get(`${namespace}/${name}`)
  }

  /** As the operator does, it knows them by their claims. The primary comes first. */
  #instancesOf(cluster: Cluster): readonly string[] {
    const primary = primaryOf(cluster)
    const others = this.#claims
      .list()
      .filter(({ metadata }) => metadata.namespace === cluster.metadata.namespace)
      .filter(({ metadata: { labels = {} } }) => labels[clusterLabel] === cluster.metadata.name)
      .filter(({ metadata: { labels = {} } }) => labels['cnpg.io/pvcRole'] === 'PG_DATA')
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined && metadata.name !== primary)
      .map(({ metadata }) => metadata.name)
    return [primary, ...others.toSorted((a, b) => numberOf(a) - numberOf(b))]
  }

  #readyOf(cluster: Cluster, names = this.#instancesOf(cluster)): readonly KubeObject[] {
    return names.flatMap((name) => this.#podOf(cluster, name) ?? []).filter(isServing)
  }

  #claimOf({ metadata: { namespace } }: Cluster, name: string): Claim | undefined {
    const object = this.#claims.get(`${namespace}/${name}`)
    return object === undefined ? undefined : asClaim(object)
  }

  async #makeCredentials(cluster: Cluster): Promise<void> {
    const { root, random } = this.#options
    const { name, uid } = cluster.metadata
    const { secret } = cluster.spec.bootstrap.initdb
    if (secret === undefined && (await this.#secret(cluster, `${name}-app`)) === undefined) {
      const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
      const password = Array.from({ length: 64 }, () => letters[Math.floor(random() * letters.length)]).join('')
      await this.#create(secrets, cluster, made.appSecret(cluster, password))
    }
    if (this.#superusers.has(uid)) return
    const authority = await this.#authority(cluster)
    if ((await this.#secret(cluster, `${name}-server`)) === undefined) {
      const server = await issue(root, { subject: `${name}-rw`, issuer: authority, names: made.serverNames(cluster) })
      await this.#create(secrets, cluster, made.pairSecret(cluster, 'server', server))
    }
    if ((await this.#secret(cluster, `${name}-replication`)) === undefined) {
      const replication = await issue(root, { subject: 'streaming_replica', issuer: authority })
      await this.#create(secrets, cluster, made.pairSecret(cluster, 'replication', replication))
    }
    this.#superusers.set(uid, await issue(root, { subject: 'postgres', issuer: authority }))
  }

  async #authority(cluster: Cluster): Promise<Pair> {
    const known = await this.#secret(cluster, `${cluster.metadata.name}-ca`)
    if (known !== undefined) return { cert: known['ca.crt'] ?? '', key: known['ca.key'] ?? '' }
    const authority = await issue(this.#options.root, { subject: cluster.metadata.name })
    await this.#create(secrets, cluster, made.authoritySecret(cluster, authority))
    return authority
  }

  /** Whether nothing else is to be done for it. */
  async #hibernates(cluster: Cluster): Promise<boolean> {
    const left = this.#instancesOf(cluster).flatMap((name) => this.#podOf(cluster, name) ?? [])
    const type = 'cnpg.io/hibernation'
    const known = conditionOf(cluster, type)
    if (cluster.metadata.annotations?.[type] !== 'on') {
      if (known === undefined) return false
      await this.#say(cluster, { conditions: cluster.status?.conditions?.filter((one) => one.type !== type) })
      return true
    }
    if (cluster.status?.phase !== healthy && known === undefined) return false
    const going = { type, status: 'False', reason: 'DeletingPods', message: 'Hibernation is in progress' } as const
    const gone = { type, status: 'True', reason: 'Hibernated', message: 'Cluster has been hibernated' } as const
    const conditions = conditionsOf(cluster, [left.length === 0 ? gone : going], this.#options.clock)
    await this.#say(cluster, { conditions, ...(left.length === 0 ? { readyInstances: 0, instances: 0 } : {}) })
    for (const pod of left) await this.#delete(pod)
    return true
  }

  /** A real operator comes no further then: its claims don't grow, whatever the spec says. */
  async #isFull(key: string, cluster: Cluster): Promise<boolean> {
    const full = this.#full.get(key)
    if (full === undefined) return false
    if (amountOf(this.#claimOf(cluster, full.claim)?.status?.capacity?.storage ?? '0') > full.capacity) {
      this.#full.delete(key)
      return false
    }
    const [primary = '', ...others] = this.#instancesOf(cluster)
    const pod = this.#podOf(cluster, primary)
    if (pod !== undefined) await this.#delete(pod)
    await this.#say(cluster, {
      phase: 'Not enough disk space',
      phaseReason: 'Insufficient disk space detected in one or more pods is preventing PostgreSQL from running.',
      readyInstances: this.#readyOf(cluster, others).length,
      conditions: conditionsOf(cluster, [notReady], this.#options.clock),
    })
    return true
  }

  async #makeClaims(cluster: Cluster, instance: string): Promise<void> {
    for (const { name, size, canGrow, manifest } of made.claimsOf(cluster, instance)) {
      const claim = this.#claimOf(cluster, name)
      if (claim === undefined) await this.#create(claims, cluster, manifest)
      else if (canGrow && amountOf(claim.spec.resources.requests.storage) < amountOf(size)) {
        const body = { spec: { resources: { requests: { storage: size } } } }
        await this.#patch(claims, claim.metadata, body)
      }
    }
  }

  /** Whether nothing else is to be done for it. A primary that the operator itself restarts stays one. */
  async #failsOver(key: string, cluster: Cluster): Promise<boolean> {
    const { phase = '', currentPrimary: before, targetPrimary = before } = cluster.status ?? {}
    if (before === undefined) return false
    const pod = this.#podOf(cluster, before)
    const candidates = this.#readyOf(cluster).filter(({ metadata }) => metadata.name !== before)
    if (targetPrimary === before) {
      const isRestart = [restarting, upgrading].includes(phase)
      if (candidates.length === 0 || isRestart || (pod !== undefined && isServing(pod))) return false
      await this.#say(cluster, {
        phase: failingOver,
        phaseReason: `Initiating a failover from ${before}`,
        targetPrimary: pending,
        readyInstances: candidates.length,
        conditions: conditionsOf(cluster, [notReady], this.#options.clock),
      })
      return true
    }
    // What it still accepts must not be lost with it.
    if (pod !== undefined) await this.#delete(pod)
    else await this.#promote(key, cluster, { before, candidates })
    return true
  }

  /** The one that has most of the log, once nobody hears the primary of before. */
  async #promote(
    key: string,
    cluster: Cluster,
    { before, candidates }: { readonly before: string; readonly candidates: readonly KubeObject[] },
  ): Promise<void> {
    const chosen = candidates.find(({ metadata }) => metadata.name === cluster.status?.targetPrimary)
    const asked = await Promise.all(
      candidates.map(async (pod) => ({ pod, ...(await positionOf(await this.#superuserOf(cluster, pod))) })),
    )
    const [best] = asked.toSorted((a, b) => Number(b.received - a.received))
    const next = chosen ?? (asked.some(({ receives }) => receives) ? undefined : best?.pod)
    if (next === undefined) return this.#queue.after(key, retryMs)
    const { name } = next.metadata
    await this.#say(cluster, { targetPrimary: name, phaseReason: `Failing over from ${before} to ${name}` })
    const superuser = await this.#superuserOf(cluster, next)
    await promote(superuser)
    await serveStandbys(
      superuser,
      this.#instancesOf(cluster).filter((one) => one !== name),
      cluster.spec.postgresql.synchronous,
    )
    await this.#patch(pods, next.metadata, { metadata: { labels: { [roleLabel]: 'primary' } } })
    await this.#say(cluster, { currentPrimary: name, phase: waiting, phaseReason: '' })
  }

  async #run(
    cluster: Cluster,
    { image, own }: { readonly image: string; readonly own: readonly Database[] },
  ): Promise<void> {
    const { clock } = this.#options
    const [primary = '', ...standbys] = this.#instancesOf(cluster)
    const pod = this.#podOf(cluster, primary)
    if (pod === undefined) await this.#create(pods, cluster, made.podOf(cluster, { name: primary, image }))
    // Standbys are made anew first.
    const old = [...standbys, primary]
      .flatMap((name) => this.#podOf(cluster, name) ?? [])
      .find((one) => !isDeepStrictEqual(made.printsOfPod(one), made.printsOf(cluster, image)))
    if (old !== undefined || pod === undefined || !isServing(pod)) {
      const isRestart = old !== undefined && made.printsOfPod(old).pod === made.printsOf(cluster, image).pod
      const phase = old === undefined ? phaseOfWait(cluster, pod) : isRestart ? restarting : upgrading
      const readyInstances = this.#readyOf(cluster).filter((one) => one !== old).length
      const conditions = conditionsOf(cluster, [notReady], clock)
      await this.#say(cluster, { phase, phaseReason: '', readyInstances, ...this.#volumesOf(cluster), conditions })
      const others = standbys.filter((name) => this.#podOf(cluster, name) !== old)
      if (pod !== undefined && isServing(pod)) await this.#follow(cluster, standbys, image)
      if (old !== undefined && (pod === old || this.#readyOf(cluster, others).length === others.length))
        await this.#delete(old)
      return
    }
    const superuser = await this.#superuserOf(cluster, pod)
    if (!(await this.#prepare(cluster, pod, superuser))) return
    const reason = await this.#standbys(cluster, { pod, superuser, standbys, image })
    const names = this.#instancesOf(cluster)
    const isWhole = reason === undefined
    await this.#say(cluster, {
      phase: reason?.phase ?? healthy,
      phaseReason: reason?.words ?? '',
      currentPrimary: primary,
      targetPrimary: primary,
      instances: names.length,
      instanceNames: names,
      readyInstances: this.#readyOf(cluster, names).length,
      image,
      ...this.#volumesOf(cluster),
      conditions: conditionsOf(cluster, [isWhole ? ready : notReady, bootstrapCompleted], clock),
    })
    for (const database of own) await this.#settle(cluster, database, superuser)
  }

  /** One step nearer to as many as are wanted. Undefined: they are all there. */
  async #standbys(
    cluster: Cluster,
    {
      pod,
      superuser,
      standbys,
      image,
    }: {
      readonly pod: KubeObject
      readonly superuser: sql.Superuser
      readonly standbys: readonly string[]
      readonly image: string
    },
  ): Promise<{ readonly phase: string; readonly words: string } | undefined> {
    const { instances, postgresql } = cluster.spec
    const areReady = this.#readyOf(cluster, standbys).length === standbys.length
    const last = standbys.at(-1)
    if (last !== undefined && standbys.length >= instances) {
      await this.#drop(cluster, last)
      return { phase: waiting, words: '' }
    }
    const taken = [pod.metadata.name, ...standbys]
    const isShort = areReady && taken.length < instances
    const free = Array.from(taken, (_, at) => instanceOf(cluster, at + 1)).find((name) => !taken.includes(name))
    const wanted = isShort ? [...standbys, free ?? instanceOf(cluster, taken.length + 1)] : standbys
    const isCreating = cluster.status?.phase === creating
    // A commit would wait for the first one, which copies still.
    const isFirst = standbys.length === 0 || (isCreating && this.#readyOf(cluster, standbys).length === 0)
    const synchronous = isFirst ? undefined : postgresql.synchronous
    const print = JSON.stringify([wanted, synchronous])
    if (this.#served.get(pod.metadata.uid) !== print) await serveStandbys(superuser, wanted, synchronous)
    this.#served.set(pod.metadata.uid, print)
    for (const name of wanted) await this.#makeClaims(cluster, name)
    await this.#follow(cluster, wanted, image)
    if (isShort) return { phase: creating, words: `Creating replica ${wanted.at(-1)}` }
    if (areReady) return undefined
    return isCreating ? { phase: creating, words: `Creating replica ${last}` } : { phase: waiting, words: '' }
  }

  async #follow(cluster: Cluster, standbys: readonly string[], image: string): Promise<void> {
    for (const name of standbys)
      if (this.#podOf(cluster, name) === undefined)
        await this.#create(pods, cluster, made.podOf(cluster, { name, image, role: 'replica' }))
  }

  /** Its claims go with it, once nothing writes there. */
  async #drop(cluster: Cluster, instance: string): Promise<void> {
    const pod = this.#podOf(cluster, instance)
    if (pod !== undefined) return this.#delete(pod)
    for (const { name } of made.claimsOf(cluster, instance)) {
      const claim = this.#claimOf(cluster, name)
      if (claim !== undefined) await this.#delete(claim, claims)
    }
  }

  async #superuserOf(cluster: Cluster, { status }: KubeObject): Promise<sql.Superuser> {
    const pair = this.#superusers.get(cluster.metadata.uid)
    const authority = await this.#secret(cluster, `${cluster.metadata.name}-ca`)
    if (pair === undefined || authority === undefined) throw new Error('its certificates are gone')
    const servername = `${cluster.metadata.name}-rw`
    return { host: String(status?.['podIP']), servername, ca: authority['ca.crt'] ?? '', pair }
  }

  /** False: a Secret that it names is not there yet. */
  async #prepare(cluster: Cluster, pod: KubeObject, superuser: sql.Superuser): Promise<boolean> {
    const { initdb } = cluster.spec.bootstrap
    const credentials = await this.#secret(cluster, initdb.secret?.name ?? `${cluster.metadata.name}-app`)
    const roles = await Promise.all(
      (cluster.spec.managed?.roles ?? []).map(async ({ passwordSecret, ...role }) => {
        const secret = passwordSecret === undefined ? undefined : await this.#secret(cluster, passwordSecret.name)
        return { ...role, ...(secret?.['password'] === undefined ? {} : { password: secret['password'] }) }
      }),
    )
    if (credentials?.['password'] === undefined) {
      this.#queue.after(nameOf(pod).replace(/-\d+$/, ''), retryMs)
      return false
    }
    const print = JSON.stringify([credentials, roles])
    if (this.#prepared.get(pod.metadata.uid) === print) return true
    await sql.bootstrap(superuser, initdb, credentials['password'])
    await sql.applyRoles(superuser, roles)
    if (roles.length > 0) {
      const byStatus = { reconciled: roles.map(({ name }) => name) }
      await this.#say(cluster, { managedRolesStatus: { byStatus } })
    }
    await this.#patch(pods, pod.metadata, { metadata: { labels: { [roleLabel]: 'primary' } } })
    this.#prepared.set(pod.metadata.uid, print)
    return true
  }

  async #settle(cluster: Cluster, database: Database, superuser: sql.Superuser): Promise<void> {
    const { metadata, spec, status } = database
    const { finalizers = [], generation } = metadata
    if (metadata.deletionTimestamp !== undefined) {
      if (!finalizers.includes(finalizer)) return
      if (spec.databaseReclaimPolicy === 'delete') await sql.dropDatabase(superuser, spec.name)
      return this.#unhold(database)
    }
    if (status?.applied === true && status.observedGeneration === generation) return
    if (!finalizers.includes(finalizer))
      await this.#patch(databases, metadata, { metadata: { finalizers: [...finalizers, finalizer] } })
    const next = await sql.applyDatabase(superuser, spec, lacksOf(cluster)).then(
      (extensions) => {
        const failed = extensions.find(({ applied }) => !applied)
        return { applied: failed === undefined, message: failed?.message ?? null, extensions }
      },
      (error: unknown) => ({ applied: false, message: sql.wordsOf(error) }),
    )
    await this.#patch(databases, metadata, { status: { ...next, observedGeneration: generation } }, 'status')
    if (!next.applied) this.#queue.after(clusterOf(database), retryMs)
  }

  /** Their Cluster is gone. */
  async #release(own: readonly Database[]): Promise<void> {
    for (const database of own) {
      if (!(database.metadata.finalizers ?? []).includes(finalizer)) continue
      const status = { applied: false, message: 'cluster resource has been deleted' }
      await this.#patch(databases, database.metadata, { status }, 'status')
      await this.#unhold(database)
    }
  }

  #unhold({ metadata }: Database): Promise<void> {
    const finalizers = metadata.finalizers?.filter((one) => one !== finalizer)
    return this.#patch(databases, metadata, { metadata: { finalizers } })
  }

  #volumesOf(cluster: Cluster): Readonly<Record<string, readonly string[]>> {
    const known = this.#instancesOf(cluster)
      .flatMap((instance) => made.claimsOf(cluster, instance))
      .flatMap(({ name }) => this.#claimOf(cluster, name) ?? [])
    const [healthyPVC, resizingPVC]: [string[], string[]] = [[], []]
    for (const { metadata, spec, status } of known) {
      const isWaiting = amountOf(status?.capacity?.storage ?? '0') < amountOf(spec.resources.requests.storage)
      if (status?.phase === 'Bound') (isWaiting ? resizingPVC : healthyPVC).push(metadata.name)
    }
    return { healthyPVC, resizingPVC }
  }

  /** Fields that are named here; nothing is sent that is so already. */
  async #say(cluster: Cluster, status: Readonly<Record<string, unknown>>): Promise<void> {
    const known = new Map(Object.entries(cluster.status ?? {}))
    const changed = Object.entries(status).filter(([key, value]) => !isDeepStrictEqual(known.get(key), value))
    if (changed.length === 0) return
    const body = { status: Object.fromEntries(changed) }
    await this.#patch(clusters, cluster.metadata, body, 'status')
  }

  async #secret(
    { metadata: { namespace } }: Cluster,
    name: string,
  ): Promise<Readonly<Record<string, string>> | undefined> {
    const found = await this.#options.client.ask('GET', pathOf(secrets, { namespace, name })).catch(unless(404))
    if (found === undefined) return undefined
    return Object.fromEntries(
      Object.entries(found.data ?? {}).map(([key, text]) => [key, Buffer.from(text, 'base64').toString()]),
    )
  }

  /** One of that name is there: it stays as it is. */
  async #create(resource: KubeResource, { metadata: { namespace } }: Cluster, body: object): Promise<void> {
    await this.#options.client.ask('POST', pathOf(resource, { namespace }), { body }).catch(unless(409))
  }

  async #apply(
    resource: KubeResource,
    { metadata: { namespace } }: Cluster,
    body: { readonly metadata: { readonly name: string } },
  ): Promise<void> {
    const path = pathOf(resource, { namespace, name: body.metadata.name })
    await this.#options.client.ask('PATCH', path, {
      body,
      type: applyPatch,
      query: { fieldManager: 'cnpg', force: true },
    })
  }

  async #patch(
    resource: KubeResource,
    { namespace = '', name }: KubeObject['metadata'],
    body: object,
    subresource?: 'status',
  ): Promise<void> {
    const path = pathOf(resource, { namespace, name, ...(subresource === undefined ? {} : { subresource }) })
    const written = await this.#options.client.ask('PATCH', path, { body, type: mergePatch }).catch(unless(404))
    // The next work on it must not see what was before.
    if (written !== undefined && resource === clusters) this.#clusters.put(written)
    if (written !== undefined && resource === databases) this.#databases.put(written)
  }

  async #delete(
    { metadata: { namespace = '', name, uid, deletionTimestamp } }: Pick<KubeObject, 'metadata'>,
    resource = pods,
  ): Promise<void> {
    if (deletionTimestamp === undefined)
      await deleteAt(this.#options.client, pathOf(resource, { namespace, name }), { uid })
  }
}

/** Of a failover that has chosen none: the one before. */
function primaryOf(cluster: Cluster): string {
  return cluster.status?.currentPrimary ?? instanceOf(cluster)
}

function numberOf(instance: string): number {
  return Number(instance.slice(instance.lastIndexOf('-') + 1))
}

function isServing(pod: KubeObject): boolean {
  return isReady(pod) && pod.metadata.deletionTimestamp === undefined
}

function isReady({ status }: KubeObject): boolean {
  const conditions = (status?.['conditions'] ?? []) as readonly { readonly type: string; readonly status: string }[]
  return conditions.some((one) => one.type === 'Ready' && one.status === 'True')
}

function clusterOf({ metadata, spec }: Database): string {
  return `${metadata.namespace}/${spec.cluster.name}`
}

/** The minimal images bring no extension of others, unless it is named. */
function lacksOf({ spec: { imageCatalogRef, postgresql } }: Cluster): readonly string[] {
  const isMinimal = imageCatalogRef?.name.includes('-minimal-') === true
  return isMinimal && !postgresql.extensions?.some(({ name }) => name === 'pgvector') ? ['vector'] : []
}

function unless(code: number): (error: unknown) => undefined {
  return (error) => {
    if (!answered(error, code)) throw error
    return undefined
  }
}
