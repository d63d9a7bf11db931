import type { Logger } from '../../../http/operational/logging.ts'
import { backoffMs } from '../../../runtime/backoff.ts'
import type { Clock, Timer } from '../../../runtime/clock.ts'
import { unwatched, watchLoop } from '../../../runtime/loop.ts'
import { TerminalError } from '../../../runtime/errors.ts'
import type { Random } from '../../../runtime/random.ts'
import { KubeError } from './answers.ts'
import type { Workqueue } from './api.ts'

interface WorkqueueOptions {
  /** As a loop of the process: watched while it works. */
  readonly name: string
  /** Reads what is true now and acts by it. Rejects to be called again. */
  readonly work: (key: string) => Promise<void>
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  /** Keys at a time. */
  readonly parallel: number
}

/** Asking again soon cannot help; somebody may mend the cause, so it is asked slowly instead of never. */
const terminalRetryMs = 30_000
/** Of one key: requests have deadlines. */
const longestWorkMs = 60_000
const retryBounds = { firstMs: 500, longestMs: 60_000 }

/** What is known of one key; forgotten once nothing is. */
interface Entry {
  failures: number
  isQueued: boolean
  isRunning: boolean
  /** Added while it was worked on. */
  isDirty: boolean
  /** The server asked for a pause until then, by `elapsed`. */
  heldUntil: number
  retry: Timer | undefined
  /** The earliest that `after` asked for. */
  delayed: { readonly dueAt: number; readonly timer: Timer } | undefined
}

/**
 * 1. One key is worked on once at a time; what is added meanwhile comes once more afterwards.
 * 2. A failure is retried with full jitter between a bound of 0.5 s and of a minute, a terminal one after 30 s.
 * 3. An `add` of a key does not wait for its retry, but for a pause that the server asked for. One that comes while the
 *    key is worked on, and fails, does: what a work adds itself must not make it spin.
 * 4. After `stop` nothing begins.
 */
export function createWorkqueue(options: WorkqueueOptions): Workqueue {
  return new KeyedQueue(options)
}

class KeyedQueue implements Workqueue {
  readonly #options: WorkqueueOptions
  readonly #entries = new Map<string, Entry>()
  readonly #ready: string[] = []
  #running = 0
  #watch = unwatched
  #isStopped = false
  readonly #idle: (() => void)[] = []

  constructor(options: WorkqueueOptions) {
    this.#options = options
  }

  add(key: string): void {
    if (this.#isStopped) return
    const entry = this.#entryOf(key)
    if (entry.isRunning) entry.isDirty = true
    else if (entry.heldUntil <= this.#options.clock.elapsed()) this.#enqueue(key, entry)
  }

  after(key: string, milliseconds: number): void {
    if (this.#isStopped) return
    const entry = this.#entryOf(key)
    const dueAt = this.#options.clock.elapsed() + milliseconds
    if (entry.delayed !== undefined && entry.delayed.dueAt <= dueAt) return
    entry.delayed?.timer.cancel()
    const timer = this.#options.clock.setTimer(milliseconds, () => {
      entry.delayed = undefined
      this.add(key)
    })
    entry.delayed = { dueAt, timer }
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#ready.length = 0
    for (const { retry, delayed } of this.#entries.values()) {
      retry?.cancel()
      delayed?.timer.cancel()
    }
    if (this.#running > 0) await new Promise<void>((resolve) => this.#idle.push(resolve))
  }

  #entryOf(key: string): Entry {
    const known = this.#entries.get(key)
    if (known !== undefined) return known
    const made: Entry = {
      failures: 0,
      isQueued: false,
      isRunning: false,
      isDirty: false,
      heldUntil: 0,
      retry: undefined,
      delayed: undefined,
    }
    this.#entries.set(key, made)
    return made
  }

  #enqueue(key: string, entry: Entry): void {
    entry.retry?.cancel()
    entry.retry = undefined
    if (!entry.isQueued) this.#ready.push(key)
    entry.isQueued = true
    this.#fill()
  }

  #fill(): void {
    while (this.#running < this.#options.parallel) {
      const key = this.#ready.shift()
      if (key === undefined) return
      if (this.#running++ === 0)
        this.#watch = watchLoop(this.#options.clock, { ...this.#options, everyMs: longestWorkMs })
      void this.#run(key, this.#entryOf(key))
    }
  }

  /** Never rejects. */
  async #run(key: string, entry: Entry): Promise<void> {
    entry.isQueued = false
    entry.isRunning = true
    let failure: { readonly error: unknown } | undefined
    try {
      await this.#options.work(key)
    } catch (error) {
      failure = { error }
    }
    entry.isRunning = false
    this.#watch.turned()
    if (--this.#running === 0) this.#watch.close()
    if (this.#isStopped) return this.#finish()
    const comesAgain = entry.isDirty
    entry.isDirty = false
    if (failure !== undefined) this.#retryLater(key, entry, failure.error)
    else {
      entry.failures = 0
      if (comesAgain) this.#enqueue(key, entry)
    }
    if (!entry.isQueued && !entry.isRunning && entry.retry === undefined && entry.delayed === undefined)
      this.#entries.delete(key)
    this.#fill()
  }

  #finish(): void {
    if (this.#running === 0) for (const resolve of this.#idle.splice(0)) resolve()
  }

  #retryLater(key: string, entry: Entry, error: unknown): void {
    const { clock, random, logger } = this.#options
    entry.failures++
    const asked = error instanceof KubeError ? error.retryAfterMs : undefined
    const delay = isTerminal(error) ? terminalRetryMs : backoffMs(entry.failures, random, retryBounds)
    const retryInMs = Math.max(delay, asked ?? 0)
    logger.warn({ err: error, key, failures: entry.failures, retryInMs }, 'work on a key failed')
    entry.heldUntil = asked === undefined ? 0 : clock.elapsed() + asked
    entry.retry = clock.setTimer(retryInMs, () => this.#enqueue(key, entry))
  }
}

function isTerminal(error: unknown): boolean {
  return error instanceof TerminalError || (error instanceof KubeError && !error.isRetryable)
}
