/** One listener of pods: it hears each news of a pod, one at a time, and again where it rejects. */
import type { Logger } from '../../../http/operational/logging.ts'
import type { Clock } from '../../../runtime/clock.ts'
import type { Random } from '../../../runtime/random.ts'
import type { PodObservation } from '../../ports/pods.ts'
import type { Workqueue } from '../api/api.ts'
import { createWorkqueue } from '../api/workqueue.ts'

interface PodWatchOptions {
  /** What is true of a pod now; undefined: nothing that a listener hears of. */
  readonly observe: (pod: string) => PodObservation | undefined
  readonly listener: (observation: PodObservation) => Promise<void>
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
}

const podsAtOnce = 4
/** Pods of which something is remembered, far more than live at a time. */
const mostRemembered = 1_000

/** Sets it, and forgets the oldest beyond the bound: what is known of it is read, or heard, once more. */
export function remember<Value>(memory: Map<string, Value>, pod: string, value: Value): void {
  memory.delete(pod)
  memory.set(pod, value)
  const [oldest] = memory.keys()
  if (memory.size > mostRemembered && oldest !== undefined) memory.delete(oldest)
}

export class PodWatch {
  readonly #options: PodWatchOptions
  readonly #queue: Workqueue
  /** What the listener took last, by pod. */
  readonly #taken = new Map<string, string>()

  constructor(options: PodWatchOptions) {
    this.#options = options
    this.#queue = createWorkqueue({
      ...options,
      name: 'pod-news',
      parallel: podsAtOnce,
      work: (pod) => this.#notify(pod),
    })
  }

  add(pod: string): void {
    this.#queue.add(pod)
  }

  /** Nothing is heard any more but what is under way. */
  stop(): void {
    void this.#queue.stop()
  }

  async #notify(pod: string): Promise<void> {
    const observation = this.#options.observe(pod)
    if (observation === undefined) return
    // An end is an end: what is seen of it later changes its words, not the fact.
    const news = observation.state === 'ready' ? observation.url : 'gone'
    if (this.#taken.get(pod) === news) return
    await this.#options.listener(observation)
    remember(this.#taken, pod, news)
  }
}
