import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { sleep, type Timer } from '../../runtime/clock.ts'
import { ContainerLife, type OwnPod } from './container-life.ts'
import type { Refusal } from './image.ts'
import type { MadeVolume } from './mounts.ts'
import { isOver, unsupported, type Pod } from './pod.ts'
import { asPod, timeOf, type PodDeps, type PodFolders } from './pod-deps.ts'
import { statusOf } from './pod-status.ts'
import { confirmEnd, patchStatus } from './status-writer.ts'
import { makeVolumes } from './volumes.ts'

const retryMs = 400

/**
 * One pod of this node, from its binding to its end.
 * 1. It is confirmed as ended only after each of its processes has ended.
 * 2. A phase that is final is written only then, too.
 * 3. Whatever an earlier kubelet started goes on, and is never started twice.
 */
export class PodLife {
  readonly #deps: PodDeps
  readonly #folders: PodFolders

  readonly #ending = new AbortController()
  readonly #init: readonly ContainerLife[]
  readonly #main: readonly ContainerLife[]
  #pod: Pod
  #startedAt: string
  #address: { readonly ip: string; release(): void } | undefined
  #failed: Refusal | undefined
  #disruption: Refusal | undefined
  #hasSandbox = false
  #isEnded = false
  #isCleared = false
  #isConfirmed = false
  #isTerminating = false
  #killTimer: Timer | undefined
  #killAt = Infinity
  #writes: Promise<void> = Promise.resolve()
  readonly #done: Promise<void>

  constructor(pod: Pod, deps: PodDeps) {
    this.#pod = pod
    this.#deps = deps

    this.#folders = deps.foldersOf(pod)
    this.#startedAt = pod.status.startTime ?? this.#now()
    const own = this.#own()
    this.#init = (pod.spec.initContainers ?? []).map((one) => new ContainerLife(one, true, own))
    this.#main = pod.spec.containers.map((one) => new ContainerLife(one, false, own))
    this.#done = this.#live().catch((error: unknown) =>
      deps.logger.error({ err: error, pod: pod.metadata.name }, 'the life of a pod failed'),
    )
    if (pod.metadata.deletionTimestamp !== undefined) this.#terminate()
  }

  /** What the server has now. */
  update(pod: Pod): void {
    this.#take(pod)
    if (pod.metadata.deletionTimestamp === undefined) return
    if (this.#isCleared) void this.#confirm()
    else if (!this.#isEnded) this.#terminate()
  }

  /** The server has no such pod any more, whoever deleted it: nothing of it may run. */
  async gone(): Promise<void> {
    this.#isConfirmed = true
    this.#killAll()
    await this.#done
    this.#clear()
  }

  /** The kubelet stops: nothing of it may run, and nothing is written. */
  async stop(): Promise<void> {
    this.#killAll()
    await this.#done
    this.#address?.release()
  }

  /** In place: containers have mounted the file. */
  writeHosts(): void {
    if (this.#address === undefined || this.#isCleared) return
    const { namespace = '', name } = this.#pod.metadata
    const own = ['127.0.0.1 localhost', '::1 localhost', `${this.#address.ip} ${this.#pod.spec.hostname ?? name}`]
    mkdirSync(this.#folders.own, { recursive: true })
    writeFileSync(this.#folders.hosts, `${[...own, ...this.#deps.hostsOf(namespace)].join('\n')}\n`)
  }

  /** Looks at what shall go wrong. */
  tick(): void {
    if (this.#isEnded) {
      if (this.#isCleared && this.#pod.metadata.deletionTimestamp !== undefined) void this.#confirm()
      return
    }
    const fault = this.#deps.fault(this.#pod)
    if (fault?.kind === 'oom') {
      const { container = this.#main[0]?.name } = fault
      this.#all.find(({ name }) => name === container)?.runOutOfMemory()
    } else if (fault?.kind === 'evicted' && this.#failed === undefined) {
      const message =
        fault.message ?? 'The node was low on resource: memory. Threshold quantity: 100Mi, available: 50Mi. '
      this.#failed = { reason: 'Evicted', message }
      this.#disruption = { reason: 'TerminationByKubelet', message }
      this.#killAll()
    } else if (this.#pod.metadata.deletionTimestamp !== undefined) this.#terminate()
  }

  get #all(): readonly ContainerLife[] {
    return [...this.#init, ...this.#main]
  }

  #own(): OwnPod {
    return {
      deps: this.#deps,
      folders: this.#folders,
      pod: () => this.#pod,
      podIP: () => this.#address?.ip ?? '',
      ending: this.#ending.signal,
      isOverdue: () => this.#killAt <= this.#deps.clock.elapsed(),
      hasOther: (name) => this.#all.some((one) => one.name !== name && one.isRunning),
      publish: () => this.#publish(),
    }
  }

  #now(): string {
    return timeOf(this.#deps.clock.now())
  }

  #take(pod: Pod): void {
    if (BigInt(pod.metadata.resourceVersion) > BigInt(this.#pod.metadata.resourceVersion)) this.#pod = pod
  }

  async #live(): Promise<void> {
    const refused = unsupported(this.#pod)
    if (isOver(this.#pod)) this.#isEnded = true
    else if (refused.length > 0) {
      this.#failed = {
        reason: 'UnexpectedAdmissionError',
        message: `the stand-in kubelet has no ${refused.join(', ')}`,
      }
      this.#deps.logger.error({ pod: this.#pod.metadata.name, refused }, 'a pod asks for what this kubelet has not')
    } else {
      this.#adopt()
      if (this.#hasSandbox) this.#address = await this.#deps.reserve(this.#pod.status.podIP)
      await this.#publish()
      const volumes = await this.#prepare()
      if (volumes !== undefined && (await this.#initialize(volumes)))
        await Promise.all(this.#main.map((one) => one.run(volumes)))
    }
    this.#killTimer?.cancel()
    if (!this.#isEnded) await this.#finish()
    // What a kubelet that stops leaves says to the next one what has run.
    if (this.#deps.stopped.aborted) return
    this.#clear()
    this.#isCleared = true
    if (this.#pod.metadata.deletionTimestamp !== undefined) await this.#confirm()
  }

  /** In the steps of a kubelet: the phase is final only after the sandbox is away. */
  async #finish(): Promise<void> {
    if (!this.#ending.signal.aborted) await this.#publish()
    this.#hasSandbox = false
    await this.#publish()
    this.#isEnded = true
    await this.#publish()
  }

  /** What an earlier kubelet started is there from the first status on. */
  #adopt(): void {
    for (const one of this.#all) if (one.adopt()) this.#hasSandbox = true
  }

  /** Undefined: the pod ends first. */
  async #prepare(): Promise<Readonly<Record<string, MadeVolume>> | undefined> {
    const { client, clock, hostIP, reserve } = this.#deps
    this.#address ??= await reserve(this.#pod.status.podIP)
    const { ip } = this.#address
    this.writeHosts()
    let last = ''
    while (!this.#ending.signal.aborted) {
      try {
        const making = { client, pod: this.#pod, addresses: { podIP: ip, hostIP }, folders: this.#folders }
        const volumes = await makeVolumes(making)
        this.#hasSandbox = true
        await this.#publish()
        return volumes
      } catch (error) {
        const why = (error as Error).message
        if (why !== last) this.#deps.logger.info({ pod: this.#pod.metadata.name, why }, 'a volume is not there yet')
        last = why
        await sleep(clock, retryMs, this.#ending.signal)
      }
    }
    return undefined
  }

  /** Whether the main containers may start. */
  async #initialize(volumes: Readonly<Record<string, MadeVolume>>): Promise<boolean> {
    for (const one of this.#init) if ((await one.run(volumes)) !== 0 || this.#ending.signal.aborted) return false
    return !this.#ending.signal.aborted
  }

  /** A grace can only become shorter. */
  #terminate(): void {
    if (this.#deps.fault(this.#pod)?.kind === 'hung') return
    const { clock } = this.#deps
    const graceMs = (this.#pod.metadata.deletionGracePeriodSeconds ?? 30) * 1_000
    const killAt = clock.elapsed() + graceMs
    if (killAt < this.#killAt) {
      this.#killTimer?.cancel()
      this.#killAt = killAt
      this.#killTimer = clock.setTimer(graceMs, () => this.#killAll())
    }
    if (this.#isTerminating) return
    this.#isTerminating = true
    this.#leave()
    for (const one of this.#all) one.terminate()
  }

  /** Nothing is started any more: what waited is as if nothing had happened to it. */
  #leave(): void {
    if (this.#ending.signal.aborted) return
    this.#ending.abort()
    for (const one of this.#all) one.leave()
    if (!this.#isEnded) void this.#publish()
  }

  #killAll(): void {
    this.#killAt = -Infinity
    this.#killTimer?.cancel()
    this.#leave()
    for (const one of this.#all) one.kill()
  }

  /** In the order in which it is called; resolves once it is written, or cannot be any more. */
  #publish(): Promise<void> {
    const containers = Object.fromEntries(this.#all.map((one) => [one.name, one.tracked]))
    const [isEnded, hasSandbox] = [this.#isEnded, this.#hasSandbox]
    const write = async (): Promise<void> => {
      if (this.#isConfirmed) return
      const view = {
        pod: this.#pod,
        containers,
        isEnded,
        hasSandbox,
        startedAt: this.#startedAt,
        hostIP: this.#deps.hostIP,
        podIP: this.#address?.ip,
        failed: this.#failed,
        disruption: this.#disruption,
        now: this.#now(),
      }
      const written = await patchStatus(this.#deps, this.#pod, statusOf(view))
      if (written !== undefined) this.#take(asPod(written))
    }
    this.#writes = this.#writes.then(write)
    return this.#writes
  }

  async #confirm(): Promise<void> {
    if (this.#isConfirmed || this.#deps.fault(this.#pod)?.kind === 'hung') return
    this.#isConfirmed = true
    await confirmEnd(this.#deps, this.#pod)
  }

  #clear(): void {
    this.#address?.release()
    for (const folder of [this.#folders.own, this.#folders.memory]) rmSync(folder, { recursive: true, force: true })
  }
}
