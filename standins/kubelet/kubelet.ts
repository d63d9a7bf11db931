import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathOf, nameOf, type KubeClient } from '../../edges/kubernetes/api/api.ts'
import { createObjectCache } from '../../edges/kubernetes/api/cache.ts'
import type { Logger } from '../../http/operational/logging.ts'
import type { Clock, Timer } from '../../runtime/clock.ts'
import type { Random } from '../../runtime/random.ts'
import { createAddresses } from './addresses.ts'
import { createExpansion } from './claims/expansion.ts'
import type { Faults } from './fault.ts'
import type { Images } from './image.ts'
import { startLogServer, type LogServer } from './log-server.ts'
import { beat, registerNode } from './node.ts'
import { isOver, type Condition, type Pod } from './pod.ts'
import { asPod, type PodDeps, type PodFolders } from './pod-deps.ts'
import { PodLife } from './pod-life.ts'
import { ContainerProcess } from './process.ts'
import { createServices, type Services } from './services.ts'
import { patchStatus, persist, pods } from './status-writer.ts'

export interface KubeletOptions {
  /** An administrator's, or a node's; whoever made it closes it, after `stop`. */
  readonly client: KubeClient
  /** A folder of this kubelet: claims, records and logs. A kubelet that starts again with it goes on where that one was. */
  readonly root: string
  /** Name of its Node, which is registered where it is not there. */
  readonly node: string
  /** Whose pods it binds and runs; empty: all of the cluster. */
  readonly namespaces: readonly string[]
  /** By image: the program that its entry point is. Any other image cannot be pulled. */
  readonly images: Images
  /** Folders and files of this machine that containers find at their own paths, read-only; Node's executable is one. */
  readonly programs: readonly string[]
  /** Address of the API server, `https://127.0.0.1:6443`, to which pods' variables lead. Absent: they have its Service's. */
  readonly apiServer?: string
  /** False where a scheduler runs. */
  readonly binds?: boolean
  readonly fault?: Faults
  readonly heartbeatMs?: number
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
}

export interface Kubelet {
  /** The node is lost: no heartbeat, no answer; its processes live on. */
  lose(): void
  recover(): void
  /** Ends every process of every pod, and writes nothing more. The Node and the pods stay as the API server has them. */
  stop(): Promise<void>
  /** Path of what a container printed. It stays after the pod. */
  logOf(pod: { readonly namespace: string; readonly name: string; readonly uid: string }, container: string): string
  /** The number of a container's first process, out here: `/proc/<number>/root` is what it sees. Undefined where none runs. */
  firstOf(uid: string, container: string): number | undefined
}

const hostIP = '127.0.0.1'
const tickMs = 100
const usualHeartbeatMs = 10_000
/** A tmpfs of the machine: whoever is no superuser cannot mount one that containers share. */
const memoryRoot = '/dev/shm'

/**
 * A kubelet for tests: pods that it binds run as processes of this machine, and their statuses are those of a real kubelet
 * (README.md). Resolves once the Node is Ready and the pods that are there are taken up.
 */
export async function startKubelet(options: KubeletOptions): Promise<Kubelet> {
  const kubelet = new StandInKubelet(options)
  await kubelet.begin()
  return kubelet
}

class StandInKubelet implements Kubelet {
  readonly #options: KubeletOptions
  readonly #deps: Omit<PodDeps, 'services'>
  readonly #stopping = new AbortController()
  readonly #lives = new Map<string, PodLife>()
  readonly #names = new Map<string, string>()
  readonly #cache
  readonly #timers = new Map<string, Timer>()
  #services: Readonly<Record<string, string>> = {}
  readonly #forwards: Services
  readonly #expansion
  #isLost = false
  #logServer: LogServer | undefined

  constructor(options: KubeletOptions) {
    const { client, root, clock, random, logger, images, programs } = options
    this.#options = options
    this.#deps = {
      client,
      clock,
      random,
      logger,
      images,
      programs: [...programs, process.execPath],
      hostIP,
      fault: options.fault ?? (() => undefined),
      isLost: () => this.#isLost,
      stopped: this.#stopping.signal,
      foldersOf: (pod) => foldersOf(root, pod.metadata),
      reserve: createAddresses(root),
      hostsOf: (namespace) => this.#forwards.hostsOf(namespace),
    }
    const { namespaces } = options
    const changed = (): void => this.#lives.forEach((life) => life.writeHosts())
    const podsOf = (namespace: string): readonly Pod[] => this.#cache.list(namespace).map(asPod)
    this.#forwards = createServices({ client, namespaces, seed: root, clock, random, logger, changed, podsOf })
    this.#expansion = createExpansion({ client, namespaces, clock, random, logger })
    this.#cache = createObjectCache({ client, resource: pods, namespaces, clock, random, logger })
  }

  async begin(): Promise<void> {
    const { node: name, root, heartbeatMs = usualHeartbeatMs } = this.#options
    mkdirSync(root, { recursive: true })
    const logServer = await this.#startLogServer()
    this.#logServer = logServer
    const node = { name, hostIP, port: logServer.port }
    await registerNode(this.#deps, node)
    this.#services = await this.#readServices()
    await this.#forwards.start()
    await this.#expansion.start()
    this.#cache.subscribe((name) => this.#look(name))
    await this.#cache.start()
    await this.#endOrphans()
    this.#every('heartbeat', heartbeatMs, () => beat(this.#deps, node))
    this.#every('tick', tickMs, async () => {
      if (!this.#isLost) for (const life of this.#lives.values()) life.tick()
      if (!this.#isLost && this.#options.binds !== false) this.#cache.list().forEach((one) => this.#bind(asPod(one)))
    })
  }

  lose(): void {
    this.#isLost = true
  }

  recover(): void {
    this.#isLost = false
    for (const name of new Set([...this.#names.keys(), ...this.#cache.list().map(nameOf)])) this.#look(name)
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    for (const timer of this.#timers.values()) timer.cancel()
    await this.#cache.stop()
    await this.#forwards.stop()
    await this.#expansion.stop()
    await this.#logServer?.stop()
    await Promise.all([...this.#lives.values()].map((life) => life.stop()))
    // Whoever removes the root knows nothing of it, and it has Secrets.
    rmSync(memoryOf(this.#options.root), { recursive: true, force: true })
  }

  logOf({ namespace, name, uid }: Parameters<Kubelet['logOf']>[0], container: string): string {
    const metadata = { namespace, name, uid }
    return foldersOf(this.#options.root, metadata).logOf(container)
  }

  firstOf(uid: string, container: string): number | undefined {
    const { records } = foldersOf(this.#options.root, { namespace: '', name: '', uid })
    return ContainerProcess.firstIn(join(records, container))
  }

  #startLogServer(): Promise<LogServer> {
    const { root, node } = this.#options
    return startLogServer({
      root,
      host: hostIP,
      isLost: () => this.#isLost,
      logOf: (namespace, name, container) => {
        const object = this.#cache.get(`${namespace}/${name}`)
        const pod = object === undefined ? undefined : asPod(object)
        return pod?.spec.nodeName === node ? foldersOf(root, pod.metadata).logOf(container) : undefined
      },
    })
  }

  #every(name: string, milliseconds: number, act: () => Promise<void>): void {
    if (this.#stopping.signal.aborted) return
    const { clock, logger } = this.#options
    const again = (): void => this.#every(name, milliseconds, act)
    const run = (): void =>
      void act()
        .catch((error: unknown) => logger.error({ err: error, name }, 'a kubelet loop failed'))
        .finally(again)
    this.#timers.set(name, clock.setTimer(milliseconds, run))
  }

  /** Level-triggered: reads what the server has of this name now. */
  #look(name: string): void {
    if (this.#isLost || this.#stopping.signal.aborted) return
    const object = this.#cache.get(name)
    const pod = object === undefined ? undefined : asPod(object)
    const uid = pod?.metadata.uid
    const known = this.#names.get(name)
    if (known !== undefined && known !== uid) {
      this.#names.delete(name)
      void this.#end(known)
    }
    if (pod === undefined || uid === undefined || pod.spec.nodeName !== this.#options.node) return
    const life = this.#lives.get(uid)
    if (life !== undefined) return life.update(pod)
    this.#names.set(name, uid)
    this.#lives.set(uid, new PodLife(pod, { ...this.#deps, services: this.#services }))
  }

  async #end(uid: string): Promise<void> {
    const life = this.#lives.get(uid)
    await life?.gone()
    this.#lives.delete(uid)
  }

  readonly #binding = new Set<string>()
  #bind(pod: Pod): void {
    const { uid } = pod.metadata
    const isFree = (pod.spec.nodeName ?? '') === '' && pod.metadata.deletionTimestamp === undefined && !isOver(pod)
    if (!isFree || (pod.spec.schedulingGates ?? []).length > 0 || this.#binding.has(uid)) return
    this.#binding.add(uid)
    void this.#schedule(pod).finally(() => this.#binding.delete(uid))
  }

  async #schedule(pod: Pod): Promise<void> {
    const { clock, client, node } = this.#options
    const { namespace = '', name, uid } = pod.metadata
    const fault = this.#deps.fault(pod)
    if (fault?.kind === 'unschedulable') {
      if (pod.status.conditions?.some(({ reason }) => reason === 'Unschedulable') === true) return
      const lastTransitionTime = new Date(clock.now()).toISOString()
      const message = fault.message ?? '0/1 nodes are available: 1 Insufficient cpu.'
      const refused: Condition = {
        type: 'PodScheduled',
        status: 'False',
        reason: 'Unschedulable',
        message,
        lastProbeTime: null,
        lastTransitionTime,
      }
      const written = await patchStatus(this.#deps, pod, { conditions: [refused] })
      if (written !== undefined) this.#cache.put(written)
      return
    }
    const target = { apiVersion: 'v1', kind: 'Node', name: node }
    const body = { apiVersion: 'v1', kind: 'Binding', metadata: { name, uid }, target }
    await persist(this.#deps, () =>
      client.ask('POST', `${pathOf(pods, { namespace, name })}/binding`, { body }).catch((error: unknown) => {
        // Somebody was faster; the watch brings it.
        if ((error as { readonly code?: number }).code === 409) return undefined
        throw error
      }),
    )
  }

  /** What an earlier kubelet started for pods that are no more. */
  async #endOrphans(): Promise<void> {
    const { root, clock } = this.#options
    const folder = join(root, 'pods')
    for (const uid of existsSync(folder) ? readdirSync(folder) : []) {
      if (this.#lives.has(uid)) continue
      const { own, records, memory } = foldersOf(root, { namespace: '', name: '', uid })
      for (const name of existsSync(records) ? readdirSync(records) : []) {
        const left = ContainerProcess.find({ folder: join(records, name), log: '', clock })
        left?.kill()
        await left?.ended
      }
      for (const path of [own, memory]) rmSync(path, { recursive: true, force: true })
    }
  }

  /** Of the Service of the API server: the one that each container is told, also without service links. */
  async #readServices(): Promise<Readonly<Record<string, string>>> {
    const path = pathOf({ apiVersion: 'v1', plural: 'services' }, { namespace: 'default', name: 'kubernetes' })
    const service = await this.#options.client.ask('GET', path).catch(() => undefined)
    const spec = service?.spec as ServiceSpec | undefined
    if (spec === undefined) return {}
    const { apiServer } = this.#options
    const { hostname: clusterIP, port: number } =
      apiServer === undefined ? { hostname: spec.clusterIP } : new URL(apiServer)
    const ports = spec.ports.map((one) => ({ ...one, port: number === undefined ? one.port : Number(number) }))
    const [first] = ports
    const url = `tcp://${clusterIP}:${first?.port}`
    return {
      KUBERNETES_SERVICE_HOST: clusterIP,
      KUBERNETES_SERVICE_PORT: `${first?.port}`,
      KUBERNETES_PORT: url,
      ...Object.assign(
        {},
        ...ports.map(({ name, port, protocol }) => ({
          [`KUBERNETES_SERVICE_PORT_${name.toUpperCase()}`]: `${port}`,
          [`KUBERNETES_PORT_${port}_${protocol}`]: `tcp://${clusterIP}:${port}`,
          [`KUBERNETES_PORT_${port}_${protocol}_PROTO`]: protocol.toLowerCase(),
          [`KUBERNETES_PORT_${port}_${protocol}_PORT`]: `${port}`,
          [`KUBERNETES_PORT_${port}_${protocol}_ADDR`]: clusterIP,
        })),
      ),
    }
  }
}

interface ServiceSpec {
  readonly clusterIP: string
  readonly ports: readonly { readonly name: string; readonly port: number; readonly protocol: string }[]
}

function foldersOf(
  root: string,
  { namespace = '', name, uid }: { readonly namespace?: string; readonly name: string; readonly uid: string },
): PodFolders {
  return {
    own: join(root, 'pods', uid),
    records: join(root, 'pods', uid, 'containers'),
    hosts: join(root, 'pods', uid, 'hosts'),
    disk: join(root, 'pods', uid, 'volumes'),
    memory: join(memoryOf(root), uid),
    claims: join(root, 'claims'),
    logOf: (container) => join(root, 'logs', `${namespace}_${name}_${uid}`, container, '0.log'),
  }
}

/** Of one kubelet: removed when it stops. */
export function memoryOf(root: string): string {
  return join(memoryRoot, `statewright-kubelet-${createHash('sha256').update(root).digest('hex').slice(0, 12)}`)
}
