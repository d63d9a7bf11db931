/** The worker processes: started, spoken to, killed, paused, each behind a network of its own. */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Delivery, Receipt } from '../../../runtime/runtime.ts'
import { urlFor } from './database.ts'
import type { FromWorker, Plant, ToWorker, WorkerSettings, WorkerState } from './messages.ts'
import { tcpProxy, type TcpProxy } from './tcp-proxy.ts'

const program = fileURLToPath(new URL('./worker-process.ts', import.meta.url))

export interface CrewSettings {
  readonly databasePort: number
  readonly folder: string
  readonly leaseMs: number
  readonly shards: number
  readonly plants: readonly Plant[]
}

interface Waiting {
  resolve(message: FromWorker): void
  reject(error: Error): void
}

/** One place in the crew: its processes come and go. */
export class Worker {
  readonly slot: string
  readonly proxy: TcpProxy
  readonly #settings: CrewSettings
  readonly #waiting = new Map<number, Waiting>()
  #lives = 0
  #child: ChildProcess | undefined
  #lastId = 0
  owner: string
  isReady = false

  constructor(slot: string, proxy: TcpProxy, settings: CrewSettings) {
    this.slot = slot
    this.owner = slot
    this.proxy = proxy
    this.#settings = settings
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** `asBefore`: under the name of the life before, which then continues at once. Resolves when it is started. */
  async start(asBefore: boolean): Promise<void> {
    const { leaseMs, shards, plants, folder } = this.#settings
    this.#lives += 1
    if (!asBefore) this.owner = `${this.slot}.${this.#lives}`
    const receipts = join(folder, `${this.slot}.receipts`)
    const url = urlFor(this.proxy.port, this.owner)
    const given: WorkerSettings = { url, leaseMs, shards, plants, receipts, owner: this.owner }
    const child = fork(program, [JSON.stringify(given)], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    this.#child = child
    const { promise: ready, resolve } = Promise.withResolvers<void>()
    child.on('message', (message) => {
      const said = message as FromWorker
      if (said.type !== 'ready') return this.#answered(said)
      this.isReady = this.#child === child
      resolve()
    })
    child.on('exit', () => {
      if (this.#child === child) this.#gone()
      resolve()
    })
    await ready
  }

  deliver(delivery: Delivery, boundMs: number): Promise<Receipt> {
    return this.#ask((id) => ({ type: 'deliver', id, delivery }), boundMs).then((message) => {
      if (message.type === 'receipt') return message.receipt
      throw new Error(message.type === 'refused' ? message.error : 'an answer to something else')
    })
  }

  /** Undefined when it does not answer: dead, paused or busy. */
  async state(): Promise<WorkerState | undefined> {
    const message = await this.#ask((id) => ({ type: 'state', id }), 250).catch(() => undefined)
    return message?.type === 'state' ? message.state : undefined
  }

  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child?.kill(name)
  }

  /** Ends the process and waits until it is gone; SIGTERM lets it hand over first. */
  async end(name: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    this.isReady = false
    const gone = once(child, 'exit')
    child.kill(name)
    const insist = setTimeout(() => child.kill('SIGKILL'), 20_000)
    await gone
    clearTimeout(insist)
  }

  #ask(message: (id: number) => ToWorker, boundMs: number): Promise<FromWorker> {
    const child = this.#child
    const id = (this.#lastId += 1)
    return new Promise((resolve, reject) => {
      if (!child?.connected) return reject(new Error('it is not there'))
      const timer = setTimeout(() => this.#failed(id, new Error('no answer in time')), boundMs)
      const settled = <T>(then: (given: T) => void) => {
        return (given: T): void => {
          clearTimeout(timer)
          then(given)
        }
      }
      this.#waiting.set(id, { resolve: settled(resolve), reject: settled(reject) })
      child.send(message(id), (error) => void (error && this.#failed(id, error)))
    })
  }

  #answered(message: Exclude<FromWorker, { readonly type: 'ready' }>): void {
    const waiting = this.#waiting.get(message.id)
    this.#waiting.delete(message.id)
    waiting?.resolve(message)
  }

  #failed(id: number, error: Error): void {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    waiting?.reject(error)
  }

  #gone(): void {
    this.isReady = false
    for (const id of this.#waiting.keys()) this.#failed(id, new Error('it died'))
  }
}

export async function startCrew(count: number, settings: CrewSettings): Promise<readonly Worker[]> {
  const crew: Worker[] = []
  for (let index = 0; index < count; index++) {
    crew.push(new Worker(`w${index}`, await tcpProxy(settings.databasePort), settings))
  }
  await Promise.all(crew.map((worker) => worker.start(true)))
  return crew
}

export async function endCrew(crew: readonly Worker[]): Promise<void> {
  for (const worker of crew) worker.signal('SIGCONT')
  await Promise.all(crew.map((worker) => worker.end('SIGKILL')))
  await Promise.all(crew.map((worker) => worker.proxy.close()))
}
