import { randomUUID } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sleep, type Timer } from '../../runtime/clock.ts'
import { ConfigError } from './environment.ts'
import type { Faults } from './fault.ts'
import { refusalOf, type Refusal } from './image.ts'
import { launchOf } from './launch.ts'
import type { MadeVolume } from './mounts.ts'
import { isOver, unsupported, type Container, type ContainerState, type Pod, type Probe } from './pod.ts'
import { asPod, terminatedOf, timeOf, type PodDeps, type PodFolders } from './pod-deps.ts'
import { statusOf, type Tracked } from './pod-status.ts'
import { probe, watchReadiness } from './probe.ts'
import { ContainerProcess, StartError, terminationMessage, type End } from './process.ts'
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
  readonly #processes = new Map<string, ContainerProcess>()
  readonly #outOfMemory = new Set<string>()
  #pod: Pod
  #tracked: Readonly<Record<string, Tracked | undefined>> = {}
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

  /** Looks at what shall go wrong. */
  tick(): void {
    if (this.#isEnded) {
      if (this.#isCleared && this.#pod.metadata.deletionTimestamp !== undefined) void this.#confirm()
      return
    }
    const fault = this.#deps.fault(this.#pod)
    if (fault?.kind === 'oom') {
      const name = fault.container ?? this.#pod.spec.containers[0]?.name ?? ''
      const process = this.#processes.get(name)
      if (process === undefined || this.#outOfMemory.has(name)) return
      this.#outOfMemory.add(name)
      process.kill()
    } else if (fault?.kind === 'evicted' && this.#failed === undefined) {
      const message =
        fault.message ?? 'The node was low on resource: memory. Threshold quantity: 100Mi, available: 50Mi. '
      this.#failed = { reason: 'Evicted', message }
      this.#disruption = { reason: 'TerminationByKubelet', message }
      this.#killAll()
    } else if (this.#pod.metadata.deletionTimestamp !== undefined) this.#terminate()
  }

  #now(): string {
    return timeOf(this.#deps.clock.now())
  }

  #take(pod: Pod): void {
    if (BigInt(pod.metadata.resourceVersion) > BigInt(this.#pod.metadata.resourceVersion)) this.#pod = pod
  }

  async #live(): Promise<void> {
    const { spec } = this.#pod
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
      if (volumes !== undefined && (await this.#initialize(spec.initContainers ?? [], volumes)))
        await Promise.all(spec.containers.map((one) => this.#run(one, volumes, false)))
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
    const { spec, status } = this.#pod
    for (const { name } of [...(spec.initContainers ?? []), ...spec.containers]) {
      const process = this.#find(name)
      if (process === undefined) continue
      this.#hasSandbox = true
      const ready = status.containerStatuses?.find((one) => one.name === name)?.ready === true
      const end = process.endedBefore
      if (end === undefined)
        this.#track(name, { running: { startedAt: timeOf(process.startedAt) } }, { ready, id: process.id })
      else this.#trackEnd(name, process, end)
    }
  }

  #find(name: string): ContainerProcess | undefined {
    const folder = join(this.#folders.records, name)
    return ContainerProcess.find({ folder, log: this.#folders.logOf(name), clock: this.#deps.clock })
  }

  /** Undefined: the pod ends first. */
  async #prepare(): Promise<Readonly<Record<string, MadeVolume>> | undefined> {
    const { client, clock, hostIP, reserve } = this.#deps
    this.#address ??= await reserve(this.#pod.status.podIP)
    const { ip } = this.#address
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
  async #initialize(containers: readonly Container[], volumes: Readonly<Record<string, MadeVolume>>): Promise<boolean> {
    for (const container of containers)
      if ((await this.#run(container, volumes, true)) !== 0 || this.#ending.signal.aborted) return false
    return !this.#ending.signal.aborted
  }

  /** Its exit code; undefined: it never ran. */
  async #run(
    container: Container,
    volumes: Readonly<Record<string, MadeVolume>>,
    isInit: boolean,
  ): Promise<number | undefined> {
    const { name, readinessProbe } = container
    const process = this.#find(name) ?? (await this.#start(container, volumes, join(this.#folders.records, name)))
    if (process === undefined) return this.#exitCodeOf(name)
    this.#processes.set(name, process)
    // Whoever killed everything may have looked before it was here.
    if (this.#killAt <= this.#deps.clock.elapsed()) process.kill()
    if (this.#tracked[name]?.id !== process.id) {
      const running = { startedAt: timeOf(process.startedAt) }
      this.#track(name, { running }, { ready: !isInit && readinessProbe === undefined, id: process.id })
      await this.#publish()
    }
    if (!isInit && readinessProbe !== undefined) this.#watchReadiness(container, readinessProbe, process)
    const end = await process.ended
    this.#processes.delete(name)
    this.#trackEnd(name, process, end)
    if (isInit || this.#processes.size > 0) await this.#publish()
    return end.exitCode
  }

  #trackEnd(name: string, process: ContainerProcess, end: End): void {
    const { spec } = this.#pod
    const container = [...(spec.initContainers ?? []), ...spec.containers].find((one) => one.name === name)
    const file = join(this.#folders.records, name, 'message')
    const log = this.#folders.logOf(name)
    const message = terminationMessage(file, log, container?.terminationMessagePolicy, end.exitCode)
    const terminated = terminatedOf(process, end, { message, isOutOfMemory: this.#outOfMemory.has(name) })
    this.#track(name, { terminated }, { ready: false, id: process.id })
  }

  #exitCodeOf(name: string): number | undefined {
    const state = this.#tracked[name]?.state
    return state !== undefined && 'terminated' in state ? state.terminated.exitCode : undefined
  }

  /** Tries until it starts; undefined: its start failed for good, or the pod ends first. */
  async #start(
    container: Container,
    volumes: Readonly<Record<string, MadeVolume>>,
    folder: string,
  ): Promise<ContainerProcess | undefined> {
    const { clock, images } = this.#deps
    const ending = this.#ending.signal
    for (let attempt = 0; !ending.aborted; attempt++) {
      const fault = this.#faultOf(container)
      if (fault?.kind === 'slow' && attempt === 0) await sleep(clock, fault.ms, ending)
      const refusal =
        fault?.kind === 'waiting'
          ? { reason: fault.reason, message: fault.message ?? fault.reason }
          : refusalOf(container, images, attempt)
      if (ending.aborted) break
      if (refusal === undefined) {
        const started = await this.#tryStart(container, volumes, folder)
        if (started !== 'again') return started
      } else await this.#wait(container.name, refusal)
      await sleep(clock, retryMs, ending)
    }
    return undefined
  }

  async #tryStart(
    container: Container,
    volumes: Readonly<Record<string, MadeVolume>>,
    folder: string,
  ): Promise<ContainerProcess | undefined | 'again'> {
    const { clock } = this.#deps
    const id = `standin://${randomUUID().replaceAll('-', '')}`
    try {
      const fault = this.#faultOf(container)
      if (fault?.kind === 'start-error') throw new StartError(fault.message ?? 'failed to create containerd task')
      rmSync(folder, { recursive: true, force: true })
      mkdirSync(join(folder, 'root'), { recursive: true })
      writeFileSync(join(folder, 'message'), '', { mode: 0o666 })
      const podIP = this.#address?.ip ?? ''
      const launch = await launchOf(container, { ...this.#deps, pod: this.#pod, podIP, volumes, folder })
      return await ContainerProcess.start({ folder, log: this.#folders.logOf(container.name), clock }, id, launch)
    } catch (error) {
      if (error instanceof StartError) {
        const [startedAt, finishedAt] = [timeOf(0), this.#now()]
        const terminated = { exitCode: 128, reason: 'StartError', message: error.message, startedAt, finishedAt }
        this.#track(container.name, { terminated }, { ready: false, id })
        await this.#publish()
        return undefined
      }
      const reason = error instanceof ConfigError ? 'CreateContainerConfigError' : 'CreateContainerError'
      await this.#wait(container.name, { reason, message: (error as Error).message })
      return 'again'
    }
  }

  #faultOf({ name }: Container): ReturnType<Faults> {
    const fault = this.#deps.fault(this.#pod)
    const isOfAnother = fault !== undefined && 'container' in fault && (fault.container ?? name) !== name
    return isOfAnother ? undefined : fault
  }

  async #wait(name: string, waiting: Refusal): Promise<void> {
    const known = this.#tracked[name]?.state
    if (known !== undefined && 'waiting' in known && known.waiting.reason === waiting.reason) return
    this.#track(name, { waiting }, { ready: false })
    await this.#publish()
  }

  #watchReadiness(container: Container, readinessProbe: Probe, process: ContainerProcess): void {
    const { clock } = this.#deps
    const { name } = container
    const over = new AbortController()
    void process.ended.then(() => over.abort())
    const ask = (): Promise<boolean> =>
      probe(readinessProbe, { ip: this.#address?.ip ?? '', container, pid: process.first })
    const changed = async (ready: boolean): Promise<void> => {
      const known = this.#tracked[name]
      if (known === undefined || !('running' in known.state)) return
      this.#track(name, known.state, { ...known, ready })
      await this.#publish()
    }
    void watchReadiness(
      readinessProbe,
      { ask, changed, clock, signal: over.signal },
      this.#tracked[name]?.ready === true,
    )
  }

  #track(name: string, state: ContainerState, about: Omit<Tracked, 'state'>): void {
    this.#tracked = { ...this.#tracked, [name]: { ...about, state } }
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
    for (const process of this.#processes.values()) process.terminate()
  }

  /** Nothing is started any more: what waited is as if nothing had happened to it. */
  #leave(): void {
    if (this.#ending.signal.aborted) return
    this.#ending.abort()
    const begun = Object.entries(this.#tracked).filter(([, one]) => one !== undefined && !('waiting' in one.state))
    this.#tracked = Object.fromEntries(begun)
    if (!this.#isEnded) void this.#publish()
  }

  #killAll(): void {
    this.#killAt = -Infinity
    this.#killTimer?.cancel()
    this.#leave()
    for (const process of this.#processes.values()) process.kill()
  }

  /** In the order in which it is called; resolves once it is written, or cannot be any more. */
  #publish(): Promise<void> {
    const containers = this.#tracked
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
