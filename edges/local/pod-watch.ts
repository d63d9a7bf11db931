import { join } from 'node:path'
import type { Logger } from '../../http/operational/logging.ts'
import type { Clock } from '../../runtime/clock.ts'
import { createLoop, type Loop } from '../../runtime/loop.ts'
import { createOutage, type Outage } from '../../runtime/outage.ts'
import type { Random } from '../../runtime/random.ts'
import type { Gone, PodObservation } from '../ports/pods.ts'
import { podNames, readRecord, removeFolder, type PodRecord } from './pod-folder.ts'

interface PodWatchOptions {
  readonly root: string
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly keepEndedMs: number
  readonly observe: (record: PodRecord) => PodObservation | undefined
  /** Makes an end that was taken final, so that a later watch need not guess its reason. */
  readonly bury: (end: Gone) => void
  readonly listener: (observation: PodObservation) => Promise<void>
}

const pollMs = 150

/** Looks at the pods' folders again and again, tells each change until it is taken, and removes what ended long ago. */
export class PodWatch {
  readonly #options: PodWatchOptions
  readonly #reported = new Map<string, PodObservation['state']>()
  readonly #reporting = new Set<string>()
  /** Folders of pods whose end was taken, and when they go: they are not read any more. */
  readonly #ended = new Map<string, number>()
  readonly #looks: Loop
  /** Until a pod's news are told again, or its folder is removed. */
  readonly #outages = new Map<string, Outage>()
  readonly #pauses = new Map<string, { cancel(): void }>()
  #isStopped = false

  constructor(options: PodWatchOptions) {
    this.#options = options
    this.#looks = createLoop({
      ...options,
      name: 'pod-watch',
      everyMs: pollMs,
      turn: () => this.#look(),
      failing: 'the watcher could not look at the pods; it retries',
      over: 'the watcher looks at the pods again',
    })
    this.#looks.start(pollMs)
  }

  stop(): void {
    this.#isStopped = true
    void this.#looks.stop()
    for (const pause of this.#pauses.values()) pause.cancel()
  }

  /** Throws where the folder of all pods is unreadable, as it may be for a while. */
  #look(): void {
    for (const name of podNames(this.#options.root)) {
      if (this.#pauses.has(name)) continue
      const removeAt = this.#ended.get(name)
      if (removeAt === undefined) this.#read(name)
      else if (this.#options.clock.now() >= removeAt) this.#remove(name)
    }
  }

  #read(name: string): void {
    const record = readRecord(join(this.#options.root, name))
    const observation = record && this.#options.observe(record)
    if (!observation || this.#reporting.has(name) || this.#reported.get(name) === observation.state) return
    this.#reporting.add(name)
    void this.#report(name, observation).finally(() => this.#reporting.delete(name))
  }

  async #report(name: string, observation: PodObservation): Promise<void> {
    const { listener, bury, clock, keepEndedMs } = this.#options
    const { pod, state } = observation
    try {
      await listener(observation)
    } catch (error) {
      return this.#pause(name, this.#outageOf(name).failed(error, { pod, state }))
    }
    this.#outages.get(name)?.answered({ pod, state })
    this.#outages.delete(name)
    this.#reported.set(name, state)
    if (observation.state !== 'gone') return
    bury(observation)
    const endedAt = readRecord(join(this.#options.root, name))?.endedAt ?? clock.now()
    this.#ended.set(name, endedAt + keepEndedMs)
  }

  #remove(name: string): void {
    try {
      removeFolder(join(this.#options.root, name))
      this.#ended.delete(name)
      this.#reported.delete(name)
    } catch (error) {
      return this.#pause(name, this.#outageOf(name).failed(error, { folder: name }))
    }
    this.#outages.get(name)?.answered({ folder: name })
    this.#outages.delete(name)
  }

  #outageOf(name: string): Outage {
    const known = this.#outages.get(name)
    if (known) return known
    const failing = 'the watcher could not tell of a pod, or remove its folder; it retries'
    const outage = createOutage({ ...this.#options, failing, over: 'the watcher got through with a pod' })
    this.#outages.set(name, outage)
    return outage
  }

  #pause(name: string, delayMs: number): void {
    if (this.#isStopped) return
    this.#pauses.set(
      name,
      this.#options.clock.setTimer(delayMs, () => void this.#pauses.delete(name)),
    )
  }
}
