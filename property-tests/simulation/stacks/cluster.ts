/**
 * The cluster in which the memory stacks of a life are: an API server in memory, and what kubelets and CloudNativePG do there. It
 * outlives every life: who deletes or rewrites what holds data is found out.
 */
import type { KubeObject } from '../../../edges/kubernetes/api/api.ts'
import { partLabel } from '../../../edges/kubernetes/memory-stack/names.ts'
import { stackKinds } from '../../../edges/kubernetes/memory-stack/objects.ts'
import { clusterLabel, hibernation, roleLabel } from '../../../edges/kubernetes/memory-stack/postgres-cluster.ts'
import { MemoryServer } from '../../../edges/kubernetes/testing/memory-server.ts'
import { isReady, pathTo, ready } from '../../../edges/kubernetes/testing/stack-scene.ts'
import type { World } from '../../runtime/simulation/world.ts'
import type { StackLoss, StackPlan } from '../plan.ts'

const operatorApi = `/apis/${stackKinds.Cluster.apiVersion}`
/** A pod that ends, a volume that grows, a Database that is made. */
const shortMs = 3000

type WorkloadKind = 'Deployment' | 'StatefulSet'
const workloads: ReadonlySet<string> = new Set<WorkloadKind>(['Deployment', 'StatefulSet'])
const holdsData: ReadonlySet<string> = new Set(['Secret', 'PersistentVolumeClaim', 'Cluster'])

export class Stacks {
  readonly server: MemoryServer
  readonly #world: World
  readonly #plan: StackPlan | undefined
  /** Parts that are lost, until then. */
  readonly #lost = new Map<string, number>()
  readonly #kept = new Map<string, string>()
  /** What held data, and was written anew or deleted. */
  readonly rewritten: string[] = []

  constructor(world: World, plan: StackPlan | undefined) {
    this.#world = world
    this.#plan = plan
    this.server = new MemoryServer(() => world.clock.now())
    this.server.subscribe((object, change) => this.#heard(object, change))
  }

  begin(): void {
    if (this.#plan === undefined) return
    const { operatorAtMs, losses } = this.#plan
    if (operatorAtMs !== undefined)
      this.#world.after(operatorAtMs, () => void this.server.put(operatorApi, { kind: 'APIResourceList' }))
    for (const loss of losses) this.#world.after(loss.atMs, () => this.#lose(loss))
  }

  get isWanted(): boolean {
    return this.#plan !== undefined
  }

  /** Kinds and names of all that there is. */
  get objects(): readonly string[] {
    return this.server.all().map(({ kind, metadata }) => `${kind} ${metadata.name}`)
  }

  #heard(object: KubeObject, change: 'changed' | 'gone'): void {
    const { kind, metadata } = object
    if (holdsData.has(kind)) this.#keep(object, change)
    if (change === 'gone') {
      if (workloads.has(kind)) this.#world.after(shortMs, () => this.server.drop(podPath(object)))
      return
    }
    if (workloads.has(kind) && object.status?.['observedGeneration'] !== metadata.generation)
      this.#world.after(this.#plan?.readyMs ?? 0, () => this.#start(object))
    if (kind === 'Cluster') this.#world.after(this.#plan?.readyMs ?? 0, () => this.#operate(object))
    if (kind === 'Database') this.#world.after(shortMs, () => this.#make(object))
    if (kind === 'PersistentVolumeClaim') this.#world.after(shortMs, () => this.#bind(object))
  }

  /** A Secret and a claim that a stack has are of it for ever. */
  #keep(object: KubeObject, change: 'changed' | 'gone'): void {
    const { kind, metadata, data } = object
    const title = `${kind} ${metadata.name}`
    const is = change === 'gone' ? 'nothing' : `${metadata.uid} ${JSON.stringify(data ?? {})}`
    const was = this.#kept.get(title) ?? is
    if (is !== was) this.rewritten.push(title)
    this.#kept.set(title, is)
  }

  /** What a kubelet does with the newest version, unless its pod is lost. */
  #start({ kind, metadata }: KubeObject): void {
    const path = pathTo(kind as WorkloadKind, metadata.name)
    const now = this.server.get(path)
    if (now === undefined) return
    const lostMs = (this.#lost.get(path) ?? 0) - this.#world.elapsed()
    if (lostMs > 0) return this.#world.after(lostMs, () => this.#start(now))
    const template = (now.spec?.['template'] ?? {}) as { readonly metadata?: object }
    this.#put(podPath(now), { kind: 'Pod', metadata: template.metadata, status: { phase: 'Running' } })
    const { generation: observedGeneration } = now.metadata
    this.#put(path, { status: { observedGeneration, readyReplicas: 1, updatedReplicas: 1 } })
  }

  /** What CloudNativePG does with the newest version. */
  #operate({ metadata }: KubeObject): void {
    const path = pathTo('Cluster', metadata.name)
    const now = this.server.get(path)
    if (now === undefined) return
    const lostMs = (this.#lost.get(path) ?? 0) - this.#world.elapsed()
    const { name, labels, annotations = {} } = now.metadata
    const pod = pathTo('Pod', `${name}-1`)
    if (annotations[hibernation] === 'on') {
      if (this.server.get(pod) !== undefined) this.#world.after(shortMs, () => this.server.drop(pod))
      this.#put(path, { status: { ...now.status, ...isReady(hibernation) } })
      return
    }
    if (lostMs > 0) {
      this.#world.after(lostMs, () => this.#operate(now))
      this.#put(path, { status: { phase: 'Failing over', readyInstances: 0 } })
      return
    }
    const uri = Buffer.from(`postgresql://memory:of-operator@${name}-rw.default:5432/memory`).toString('base64')
    const app = pathTo('Secret', `${name}-app`)
    if (this.server.get(app) === undefined) this.#put(app, { kind: 'Secret', metadata: { labels }, data: { uri } })
    const ofCluster = { ...labels, [clusterLabel]: name }
    this.#put(pod, { kind: 'Pod', metadata: { labels: ofCluster }, status: { phase: 'Running' } })
    this.#claim(now, 'PG_DATA', 'storage')
    this.#claim(now, 'PG_WAL', 'walStorage')
    const readyInstances = Number(now.spec?.['instances'])
    this.#put(path, { status: { ...ready, readyInstances, ...isReady('Ready') } })
  }

  #claim({ metadata, spec }: KubeObject, role: string, size: 'storage' | 'walStorage'): void {
    const path = pathTo('PersistentVolumeClaim', `${metadata.name}-1${role === 'PG_WAL' ? '-wal' : ''}`)
    if (this.server.get(path) !== undefined) return
    const labels = { ...metadata.labels, [clusterLabel]: metadata.name, [roleLabel]: role }
    const wanted = (spec?.[size] ?? {}) as { readonly size?: string }
    const resources = { requests: { storage: wanted.size } }
    this.#put(path, { kind: 'PersistentVolumeClaim', metadata: { labels }, spec: { resources } })
  }

  #make({ metadata }: KubeObject): void {
    const path = pathTo('Database', metadata.name)
    const { generation: observedGeneration } = this.server.get(path)?.metadata ?? {}
    if (observedGeneration !== undefined) this.#put(path, { status: { applied: true, observedGeneration } })
  }

  #bind({ metadata }: KubeObject): void {
    const path = pathTo('PersistentVolumeClaim', metadata.name)
    const { resources } = (this.server.get(path)?.spec ?? {}) as { readonly resources?: { readonly requests: object } }
    if (resources !== undefined) this.#put(path, { status: { phase: 'Bound', capacity: resources.requests } })
  }

  /** Of each stack that has it. */
  #lose({ part, how, forMs }: StackLoss): void {
    for (const object of this.server.all()) {
      const { kind, metadata } = object
      const isCluster = kind === 'Cluster' && part === 'postgres'
      if (!isCluster && (!workloads.has(kind) || metadata.labels?.[partLabel] !== part)) continue
      const path = pathTo(isCluster ? 'Cluster' : (kind as WorkloadKind), metadata.name)
      this.#world.tell(`${kind} ${metadata.name} ${how === 'stops' ? `stops for ${forMs} ms` : 'is deleted'}`, true)
      // Who deletes a Cluster deletes its data.
      if (how === 'deleted' && !isCluster) {
        this.server.drop(path)
        continue
      }
      this.#lost.set(path, this.#world.elapsed() + forMs)
      if (isCluster) this.#operate(object)
      else {
        this.server.drop(podPath(object))
        this.#put(path, { status: { ...object.status, readyReplicas: 0 } })
        this.#world.after(forMs, () => this.#start(object))
      }
    }
  }

  #put(path: string, change: object): void {
    this.server.put(path, change, 'the cluster')
  }
}

function podPath({ metadata }: KubeObject): string {
  return pathTo('Pod', `${metadata.name}-0`)
}
