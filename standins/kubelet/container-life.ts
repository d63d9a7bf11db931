import { randomUUID } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sleep } from '../../runtime/clock.ts'
import { ConfigError } from './environment.ts'
import type { Faults } from './fault.ts'
import { refusalOf, type Refusal } from './image.ts'
import { launchOf } from './launch.ts'
import type { MadeVolume } from './mounts.ts'
import type { Container, ContainerState, Pod, Probe, Terminated } from './pod.ts'
import { terminatedOf, timeOf, type PodDeps, type PodFolders } from './pod-deps.ts'
import type { Tracked } from './pod-status.ts'
import { awaitStart, probe, watchProbe } from './probe.ts'
import { ContainerProcess, StartError, terminationMessage, type End } from './process.ts'
import { createBackOff, isRestarted } from './restarts.ts'

const retryMs = 400

/** What a container asks of its pod. */
export interface OwnPod {
  readonly deps: PodDeps
  readonly folders: PodFolders
  readonly pod: () => Pod
  readonly podIP: () => string
  /** Aborted once nothing of the pod is started any more. */
  readonly ending: AbortSignal
  /** Whether its time is over and nothing of it may run. */
  readonly isOverdue: () => boolean
  /** Whether another container of it runs. */
  readonly hasOther: (name: string) => boolean
  readonly publish: () => Promise<void>
}

type Volumes = Readonly<Record<string, MadeVolume>>

/** One container of a pod, through all its restarts. */
export class ContainerLife {
  readonly #own: OwnPod
  readonly #container: Container
  readonly #isInit: boolean
  readonly #records: string
  readonly #backOff = createBackOff()
  #tracked: Tracked | undefined
  /** How the run before ended. */
  #last: Terminated | undefined
  #restarts = 0
  #process: ContainerProcess | undefined
  #outOfMemory: ContainerProcess | undefined

  constructor(container: Container, isInit: boolean, own: OwnPod) {
    this.#container = container
    this.#isInit = isInit
    this.#own = own
    this.#records = join(own.folders.records, container.name)
  }

  get name(): string {
    return this.#container.name
  }

  /** Absent: nothing happened to it yet. */
  get tracked(): Tracked | undefined {
    return this.#tracked && { ...this.#tracked, restarts: this.#restarts, last: this.#last }
  }

  get isRunning(): boolean {
    return this.#process !== undefined
  }

  /** What an earlier kubelet started; false: nothing. */
  adopt(): boolean {
    const process = this.#find()
    if (process === undefined) return false
    const { initContainerStatuses = [], containerStatuses = [] } = this.#own.pod().status
    const known = [...initContainerStatuses, ...containerStatuses].find(({ name }) => name === this.name)
    this.#restarts = known?.restartCount ?? 0
    this.#last = known?.lastState?.terminated
    const end = process.endedBefore
    if (end === undefined)
      this.#track(
        { running: { startedAt: timeOf(process.startedAt) } },
        { ready: known?.ready === true, started: known?.started !== false, id: process.id },
      )
    else this.#trackEnd(process, end)
    return true
  }

  /** Until it ends for good. Its exit code; undefined: it never ran. */
  async run(volumes: Volumes): Promise<number | undefined> {
    const { deps, ending } = this.#own
    let process = this.#find()
    for (;;) {
      process ??= await this.#start(volumes)
      if (process !== undefined) await this.#follow(process)
      const ended = this.#ended
      if (ended === undefined || !this.#isRestarted(ended)) return ended?.exitCode
      this.#last = ended
      await this.#crashLoop(this.#backOff(deps.clock.now()))
      if (ending.aborted) return ended.exitCode
      this.#restarts += 1
      process = undefined
    }
  }

  terminate(): void {
    this.#process?.terminate()
  }

  kill(): void {
    this.#process?.kill()
  }

  /** Kills it for its memory, once. */
  runOutOfMemory(): void {
    if (this.#process === undefined || this.#outOfMemory === this.#process) return
    this.#outOfMemory = this.#process
    this.#process.kill()
  }

  /** Nothing is started any more: what waited is as if nothing had happened since its last run. */
  leave(): void {
    if (this.#tracked === undefined || !('waiting' in this.#tracked.state)) return
    const last = this.#last
    this.#tracked = last && { state: { terminated: last }, ready: false, id: last.containerID }
  }

  get #ended(): Terminated | undefined {
    const { state, id } = this.#tracked ?? {}
    if (state === undefined || !('terminated' in state)) return undefined
    return { ...state.terminated, ...(id === undefined ? {} : { containerID: id }) }
  }

  #isRestarted({ exitCode }: Terminated): boolean {
    const { restartPolicy } = this.#own.pod().spec
    return !this.#own.ending.aborted && isRestarted(restartPolicy, exitCode, this.#isInit)
  }

  async #crashLoop(waitMs: number): Promise<void> {
    if (waitMs === 0) return
    const { deps, pod, ending } = this.#own
    const { namespace = '', name, uid } = pod().metadata
    const about = `container=${this.name} pod=${name}_${namespace}(${uid})`
    const message = `back-off ${waitMs / 1_000}s restarting failed ${about}`
    await this.#wait({ reason: 'CrashLoopBackOff', message })
    await sleep(deps.clock, waitMs, ending)
  }

  async #follow(process: ContainerProcess): Promise<void> {
    const { readinessProbe, startupProbe } = this.#container
    this.#process = process
    // Whoever killed everything may have looked before it was here.
    if (this.#own.isOverdue()) process.kill()
    if (this.#tracked?.id !== process.id) {
      const started = startupProbe === undefined
      const ready = !this.#isInit && started && readinessProbe === undefined
      this.#track({ running: { startedAt: timeOf(process.startedAt) } }, { ready, started, id: process.id })
      await this.#own.publish()
    }
    if (!this.#isInit) void this.#watch(process)
    const end = await process.ended
    this.#process = undefined
    const ended = this.#trackEnd(process, end)
    // The end of the last one that runs is the pod's to write.
    if (this.#isInit || this.#own.hasOther(this.name) || this.#isRestarted(ended)) await this.#own.publish()
  }

  #find(): ContainerProcess | undefined {
    return ContainerProcess.find({ folder: this.#records, log: this.#log, clock: this.#own.deps.clock })
  }

  get #log(): string {
    return this.#own.folders.logOf(this.name)
  }

  #trackEnd(process: ContainerProcess, end: End): Terminated {
    const policy = this.#container.terminationMessagePolicy
    const message = terminationMessage(join(this.#records, 'message'), this.#log, policy, end.exitCode)
    const terminated = terminatedOf(process, end, { message, isOutOfMemory: this.#outOfMemory?.id === process.id })
    this.#track({ terminated }, { ready: false, id: process.id })
    return terminated
  }

  /** Tries until it starts; undefined: its start failed for good, or the pod ends first. */
  async #start(volumes: Volumes): Promise<ContainerProcess | undefined> {
    const { deps, ending } = this.#own
    for (let attempt = 0; !ending.aborted; attempt++) {
      const fault = this.#fault()
      if (fault?.kind === 'slow' && attempt === 0) await sleep(deps.clock, fault.ms, ending)
      const refusal =
        fault?.kind === 'waiting'
          ? { reason: fault.reason, message: fault.message ?? fault.reason }
          : refusalOf(this.#container, deps.images, attempt)
      if (ending.aborted) break
      if (refusal === undefined) {
        const started = await this.#tryStart(volumes)
        if (started !== 'again') return started
      } else await this.#wait(refusal)
      await sleep(deps.clock, retryMs, ending)
    }
    return undefined
  }

  async #tryStart(volumes: Volumes): Promise<ContainerProcess | undefined | 'again'> {
    const { deps, folders, pod, podIP } = this.#own
    const { clock } = deps
    const folder = this.#records
    const id = `standin://${randomUUID().replaceAll('-', '')}`
    try {
      const fault = this.#fault()
      if (fault?.kind === 'start-error') throw new StartError(fault.message ?? 'failed to create containerd task')
      rmSync(folder, { recursive: true, force: true })
      mkdirSync(join(folder, 'root'), { recursive: true })
      writeFileSync(join(folder, 'message'), '', { mode: 0o666 })
      const launch = await launchOf(this.#container, {
        ...deps,
        pod: pod(),
        podIP: podIP(),
        volumes,
        folder,
        hosts: folders.hosts,
      })
      return await ContainerProcess.start({ folder, log: this.#log, clock }, id, launch)
    } catch (error) {
      if (error instanceof StartError) {
        const [startedAt, finishedAt] = [timeOf(0), timeOf(clock.now())]
        const terminated = { exitCode: 128, reason: 'StartError', message: error.message, startedAt, finishedAt }
        this.#track({ terminated }, { ready: false, id })
        await this.#own.publish()
        return undefined
      }
      const reason = error instanceof ConfigError ? 'CreateContainerConfigError' : 'CreateContainerError'
      await this.#wait({ reason, message: (error as Error).message })
      return 'again'
    }
  }

  #fault(): ReturnType<Faults> {
    const fault = this.#own.deps.fault(this.#own.pod())
    const isOfAnother = fault !== undefined && 'container' in fault && (fault.container ?? this.name) !== this.name
    return isOfAnother ? undefined : fault
  }

  async #wait(waiting: Refusal): Promise<void> {
    const known = this.#tracked?.state
    if (known !== undefined && 'waiting' in known && known.waiting.reason === waiting.reason) return
    this.#track({ waiting }, { ready: false })
    await this.#own.publish()
  }

  /** Nothing else is asked before the container has started. */
  async #watch(process: ContainerProcess): Promise<void> {
    const { startupProbe, readinessProbe, livenessProbe } = this.#container
    const { clock } = this.#own.deps
    const over = new AbortController()
    void process.ended.then(() => over.abort())
    const asked = (one: Probe): Parameters<typeof awaitStart>[1] => ({
      clock,
      signal: over.signal,
      ask: () => probe(one, { ip: this.#own.podIP(), container: this.#container, pid: process.first }),
    })
    if (startupProbe !== undefined && this.#tracked?.started !== true) {
      if (!(await awaitStart(startupProbe, asked(startupProbe)))) return this.#replace(process, over.signal)
      await this.#becomes({ started: true, ready: readinessProbe === undefined })
    }
    if (readinessProbe !== undefined) {
      const changed = (ready: boolean): Promise<void> => this.#becomes({ ready })
      void watchProbe(readinessProbe, { ...asked(readinessProbe), changed }, this.#tracked?.ready === true)
    }
    if (livenessProbe === undefined) return
    const changed = (): Promise<void> => this.#replace(process, over.signal)
    void watchProbe(livenessProbe, { ...asked(livenessProbe), changed }, true)
  }

  async #becomes(about: Partial<Tracked>): Promise<void> {
    if (this.#tracked === undefined || !('running' in this.#tracked.state)) return
    this.#tracked = { ...this.#tracked, ...about }
    await this.#own.publish()
  }

  /** One that fails its probes is ended within the grace of its pod; the policy says whether it starts again. */
  async #replace(process: ContainerProcess, ended: AbortSignal): Promise<void> {
    if (ended.aborted) return
    const { terminationGracePeriodSeconds = 30 } = this.#own.pod().spec
    process.terminate()
    await sleep(this.#own.deps.clock, terminationGracePeriodSeconds * 1_000, ended)
    if (!ended.aborted) process.kill()
  }

  #track(state: ContainerState, about: Omit<Tracked, 'state'>): void {
    this.#tracked = { ...about, state }
  }
}
