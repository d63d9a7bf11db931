/** Services of a node: each has an address of the loopback, at which the kubelet forwards to what is ready behind it. */
import { connect, createServer, type Server, type Socket } from 'node:net'
import type { KubeClient } from '../../edges/kubernetes/api/api.ts'
import { createObjectCache } from '../../edges/kubernetes/api/cache.ts'
import type { Logger } from '../../http/operational/logging.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Random } from '../../runtime/random.ts'
import { createAddresses, type Reserved } from './addresses.ts'
import type { Pod } from './pod.ts'

interface ServiceOptions {
  readonly client: KubeClient
  /** Empty: all. */
  readonly namespaces: readonly string[]
  /** Kubelets of different seeds begin at other addresses. */
  readonly seed: string
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  /** Those of a namespace. The controller manager's EndpointSlices stayed empty for pods with addresses of the loopback. */
  readonly podsOf: (namespace: string) => readonly Pod[]
  /** What names lead to has changed. */
  readonly changed: () => void
}

export interface Services {
  /** Resolves once each Service that is there has its address. */
  start(): Promise<void>
  /** Lines of a hosts file: the names that a pod of that namespace knows. */
  hostsOf(namespace: string): readonly string[]
  stop(): Promise<void>
}

interface Port {
  readonly name?: string
  readonly port: number
  readonly targetPort?: number | string
  readonly protocol?: string
}

interface ServiceSpec {
  readonly clusterIP?: string
  readonly ports?: readonly Port[]
  readonly selector?: Readonly<Record<string, string>>
}

interface Endpoint {
  readonly ip: string
  readonly port: number
}

const network = '127.78'

export function createServices(options: ServiceOptions): Services {
  return new LoopbackServices(options)
}

class LoopbackServices implements Services {
  readonly #options: ServiceOptions
  readonly #services
  readonly #reserve
  readonly #forwarders = new Map<string, Forwarder>()
  #work: Promise<void> = Promise.resolve()
  #isStopped = false

  constructor(options: ServiceOptions) {
    this.#options = options
    this.#services = createObjectCache({ ...options, resource: { apiVersion: 'v1', plural: 'services' } })
    this.#reserve = createAddresses(options.seed, network)
  }

  async start(): Promise<void> {
    this.#services.subscribe((name) => this.#look(name))
    await this.#services.start()
    await this.#work
  }

  hostsOf(namespace: string): readonly string[] {
    return [...this.#forwarders].map(([key, { ip }]) => {
      const [own = '', name = ''] = key.split('/')
      const full = `${name}.${own}.svc`
      const short = own === namespace ? [name] : []
      return [ip, `${full}.cluster.local`, full, `${name}.${own}`, ...short].join(' ')
    })
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#services.stop()
    await this.#work
    for (const forwarder of this.#forwarders.values()) forwarder.close()
  }

  #look(name: string): void {
    this.#work = this.#work
      .then(() => this.#settle(name))
      .catch((error: unknown) => this.#options.logger.error({ err: error, service: name }, 'a Service has no address'))
  }

  /** Level-triggered: what the server has of this Service now. */
  async #settle(name: string): Promise<void> {
    if (this.#isStopped) return
    const spec = this.#specOf(name)
    const isForwarded = (spec?.clusterIP ?? 'None') !== 'None'
    const ports = isForwarded ? (spec?.ports ?? []).filter(({ protocol = 'TCP' }) => protocol === 'TCP') : []
    const known = this.#forwarders.get(name)
    if (known !== undefined && JSON.stringify(known.ports) === JSON.stringify(ports)) return
    known?.close()
    this.#forwarders.delete(name)
    if (ports.length > 0) {
      const target = (port: Port): Endpoint | undefined => this.#endpointOf(name, port)
      this.#forwarders.set(name, await Forwarder.open(await this.#reserve(undefined), ports, target))
    }
    this.#options.changed()
  }

  #specOf(name: string): ServiceSpec | undefined {
    return this.#services.get(name)?.spec
  }

  /** Any of those that are ready. */
  #endpointOf(service: string, { port, targetPort = port }: Port): Endpoint | undefined {
    const selector = Object.entries(this.#specOf(service)?.selector ?? {})
    const ready = this.#options
      .podsOf(service.split('/')[0] ?? '')
      .filter(
        ({ metadata }) => selector.length > 0 && selector.every(([key, value]) => metadata.labels?.[key] === value),
      )
      .filter(({ status }) => status.conditions?.some((one) => one.type === 'Ready' && one.status === 'True'))
      .flatMap(({ spec, status: { podIP: ip } }) => {
        const ports = spec.containers.flatMap((container) => container.ports ?? [])
        const found =
          typeof targetPort === 'number' ? targetPort : ports.find(({ name }) => name === targetPort)?.containerPort
        return ip === undefined || found === undefined ? [] : [{ ip, port: found }]
      })
    return ready[Math.floor(this.#options.random() * ready.length)]
  }
}

/** Listens on the ports of one Service. A connection that nothing is ready for ends at once. */
class Forwarder {
  readonly ports: readonly Port[]
  readonly #reserved: Reserved
  readonly #servers: readonly Server[]
  readonly #sockets = new Set<Socket>()

  private constructor(reserved: Reserved, ports: readonly Port[], target: (port: Port) => Endpoint | undefined) {
    this.#reserved = reserved
    this.ports = ports
    this.#servers = ports.map((port) => createServer((socket) => this.#forward(socket, target(port))))
  }

  static async open(
    reserved: Reserved,
    ports: readonly Port[],
    target: (port: Port) => Endpoint | undefined,
  ): Promise<Forwarder> {
    const forwarder = new Forwarder(reserved, ports, target)
    try {
      await Promise.all(forwarder.#servers.map((server, at) => listening(server, reserved.ip, ports[at]?.port ?? 0)))
    } catch (error) {
      forwarder.close()
      throw error
    }
    return forwarder
  }

  get ip(): string {
    return this.#reserved.ip
  }

  close(): void {
    for (const server of this.#servers) server.close()
    for (const socket of this.#sockets) socket.destroy()
    this.#reserved.release()
  }

  #forward(socket: Socket, endpoint: Endpoint | undefined): void {
    if (endpoint === undefined) return void socket.destroy()
    const other = connect(endpoint.port, endpoint.ip)
    for (const [one, peer] of [
      [socket, other],
      [other, socket],
    ] as const) {
      this.#sockets.add(one)
      one.once('error', () => peer.destroy())
      one.once('close', () => {
        this.#sockets.delete(one)
        peer.destroy()
      })
      one.pipe(peer)
    }
  }
}

function listening(server: Server, ip: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, ip, () => {
      server.off('error', reject)
      resolve()
    })
  })
}
