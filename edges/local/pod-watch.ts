import { join } from 'node:path'
import type { Clock } from '../../http/ports.ts'
import type { Logger } from '../../http/logging.ts'
import type { PodObservation } from '../ports/pods.ts'
import { podNames, readRecord, removeFolder, type PodRecord } from './pod-folder.ts'

export interface PodWatchOptions {
  readonly root: string
  readonly clock: Clock
  readonly logger: Logger
  readonly keepEndedMs: number
  readonly observe: (record: PodRecord) => PodObservation | undefined
  /** Makes an end that was taken final, so that a later watch need not guess its reason. */
  readonly bury: (pod: string, reason: string) => void
  readonly listener: (observation: PodObservation) => Promise<void>
}

const pollMs = 150

/** Looks at the pods' folders again and again, tells each change until it is taken, and removes what ended long ago. */
export class PodWatch {
  readonly #options: PodWatchOptions
  readonly #told = new Map<string, PodObservation['state']>()
  readonly #telling = new Set<string>()
  /** Folders of pods whose end was taken, and when they go: they are not read any more. */
  readonly #ended = new Map<string, number>()
  #timer: { cancel(): void }
  #isStopped = false

  constructor(options: PodWatchOptions) {
    this.#options = options
    this.#timer = options.clock.setTimer(0, () => this.#look())
  }

  stop(): void {
    this.#isStopped = true
    this.#timer.cancel()
  }

  #look(): void {
    if (this.#isStopped) return
    for (const name of podNames(this.#options.root)) {
      const removeAt = this.#ended.get(name)
      if (removeAt === undefined) this.#read(name)
      else if (this.#options.clock.now() >= removeAt) this.#remove(name)
    }
    this.#timer = this.#options.clock.setTimer(pollMs, () => this.#look())
  }

  #read(name: string): void {
    const record = readRecord(join(this.#options.root, name))
    const observation = record && this.#options.observe(record)
    if (!observation || this.#telling.has(name) || this.#told.get(name) === observation.state) return
    this.#telling.add(name)
    void this.#tell(name, observation).finally(() => this.#telling.delete(name))
  }

  async #tell(name: string, observation: PodObservation): Promise<void> {
    const { listener, bury, logger, clock, keepEndedMs } = this.#options
    const { pod, state } = observation
    try {
      await listener(observation)
    } catch (error) {
      logger.warn(
        { pod, state, error: String(error) },
        'the runtime did not accept a pod observation; the watcher retries',
      )
      return
    }
    this.#told.set(name, state)
    if (observation.state !== 'gone') return
    bury(pod, observation.reason)
    const endedAt = readRecord(join(this.#options.root, name))?.endedAt ?? clock.now()
    this.#ended.set(name, endedAt + keepEndedMs)
  }

  #remove(name: string): void {
    const { root, logger } = this.#options
    try {
      removeFolder(join(root, name))
      this.#ended.delete(name)
      this.#told.delete(name)
    } catch (error) {
      logger.warn(
        { folder: name, error: String(error) },
        'the watcher could not remove the folder of an ended pod; it retries',
      )
    }
  }
}
