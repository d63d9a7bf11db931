/**
 * Keeps the comments of `write.ts` true. It hears what is committed here, waits until a Task has been still for a moment
 * and writes how it stands then; what fails is tried again later. A status: nothing waits for it, nothing decides by it,
 * and what a process that died had still to write is found by the walk of another.
 */
import { isOfKind } from '../../../runtime/of-kind.ts'
import type { ActorAddress } from '../../../machines/definition.ts'
import type { Why } from '../../../machines/why/why.ts'
import { backoffMs, type BackoffBounds } from '../../../runtime/backoff.ts'
import type { Clock, Timer } from '../../../runtime/clock.ts'
import { messageOf, RetryableError, TerminalError } from '../../../runtime/errors.ts'
import type { Logger } from '../../../runtime/logger.ts'
import { createLoop, type Loop } from '../../../runtime/loop.ts'
import { createOutage, type Outage } from '../../../runtime/outage.ts'
import type { Random } from '../../../runtime/random.ts'
import type { ActorView, JournalRow, Runtime } from '../../../runtime/runtime.ts'
import { writeStanding, type StandingDeps } from './write.ts'

export interface KeeperOptions extends StandingDeps {
  readonly runtime: Pick<Runtime, 'read' | 'list' | 'subscribe'>
  readonly why: (task: string) => Promise<Why | undefined>
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
}

export interface StandingKeeper {
  start(): void
  stop(): Promise<void>
}

/** A Task passes through several states in one go: people are shown where it comes to rest. */
const stillMs = 5000
/** Places in the queue change with every admission. */
const queueStillMs = 60_000
const retries: BackoffBounds = { firstMs: 60_000, longestMs: 1_800_000 }
const walkEveryMs = 1_800_000
/** What ended longer ago is as it was left. */
const walkBackMs = 86_400_000
const readAtOnce = 200
/** A process that ends has little time; what is left over is found by the walk of the next one. */
const mostAtStop = 20
const stopLimitMs = 3000

export function keepStandings(options: KeeperOptions): StandingKeeper {
  return new Keeper(options)
}

class Keeper implements StandingKeeper {
  readonly #options: KeeperOptions
  /** By address, on the clock that never jumps. */
  readonly #due = new Map<ActorAddress, number>()
  readonly #failures = new Map<ActorAddress, number>()
  readonly #writes: Outage
  #timer: Timer | undefined
  /** When the timer rings; every step of every Task marks, and only what is due sooner moves it. */
  #ringsAt = Infinity
  readonly #walk: Loop
  #working: Promise<void> | undefined
  #unsubscribe = (): void => undefined
  #isStopped = false

  constructor(options: KeeperOptions) {
    this.#options = options
    this.#writes = createOutage({
      ...options,
      failing: 'the platform could not update the status comment of a Task',
      over: 'no status comment of a Task waits after a failed update any more',
    })
    this.#walk = createLoop({
      ...options,
      name: 'status-comments',
      everyMs: walkEveryMs,
      turn: () => this.#markAll(),
      failing: 'the platform could not list Tasks for their status comments',
      over: 'the platform lists Tasks for their status comments again',
    })
  }

  start(): void {
    this.#unsubscribe = this.#options.runtime.subscribe((row) => this.#heard(row))
    this.#walk.start(stillMs)
  }

  /** Tasks that came to rest just now are written at once: nobody else may run for long after. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#unsubscribe()
    this.#timer?.cancel()
    await this.#walk.stop()
    await this.#working
    const due = [...this.#due.keys()].filter((address) => address.startsWith('task:')).slice(0, mostAtStop)
    const limit = Promise.withResolvers<void>()
    const timer = this.#options.clock.setTimer(stopLimitMs, limit.resolve)
    await Promise.race([Promise.all(due.map((address) => this.#try(address))), limit.promise])
    timer.cancel()
  }

  #heard({ address }: JournalRow): void {
    if (address.startsWith('task:')) this.#mark(address, stillMs)
    else if (address.startsWith('queue:') && !this.#due.has(address)) this.#mark(address, queueStillMs)
  }

  #mark(address: ActorAddress, delayMs: number): void {
    if (this.#isStopped) return
    const at = this.#options.clock.elapsed() + delayMs
    this.#due.set(address, at)
    this.#ringAt(at)
  }

  #ringAt(at: number): void {
    if (this.#isStopped || this.#working || at >= this.#ringsAt) return
    this.#timer?.cancel()
    this.#ringsAt = at
    this.#timer = this.#options.clock.setTimer(Math.max(0, at - this.#options.clock.elapsed()), () => {
      this.#ringsAt = Infinity
      this.#working = this.#work().finally(() => {
        this.#working = undefined
        this.#ringAt(soonestOf(this.#due.values()))
      })
    })
  }

  /** One after another: a status is in no hurry, and the forge is asked for more important things. */
  async #work(): Promise<void> {
    const now = this.#options.clock.elapsed()
    const due = [...this.#due].filter(([, at]) => at <= now).map(([address]) => address)
    for (const address of due) {
      if (this.#isStopped) return
      this.#due.delete(address)
      await this.#try(address)
    }
  }

  async #try(address: ActorAddress): Promise<void> {
    try {
      if (address.startsWith('queue:')) await this.#markWaiting(address)
      else await this.#write(address)
      this.#endFailing(address)
    } catch (error) {
      this.#failed(address, error)
    }
  }

  /** A forge that says no for good says so again: the next change of the Task, or the next walk, asks once more. */
  #failed(address: ActorAddress, error: unknown): void {
    const { logger, random } = this.#options
    if (error instanceof TerminalError) {
      logger.warn({ actor: address, error: messageOf(error) }, 'the forge refused the status comment of a Task')
      return this.#endFailing(address)
    }
    const failures = (this.#failures.get(address) ?? 0) + 1
    this.#failures.set(address, failures)
    this.#writes.failed(error, { actor: address })
    const backoff = backoffMs(failures, random, retries)
    if (!this.#due.has(address)) this.#mark(address, Math.max(waitOf(error), backoff))
  }

  #endFailing(address: ActorAddress): void {
    if (this.#failures.delete(address) && this.#failures.size === 0) this.#writes.answered()
  }

  async #write(address: ActorAddress): Promise<void> {
    const task = await this.#options.runtime.read(address)
    if (task === undefined || task.status === 'quarantined' || !isOfKind(task, 'task')) return
    await writeStanding(this.#options, { context: task.context, why: () => this.#options.why(task.id) })
  }

  async #markWaiting(address: ActorAddress): Promise<void> {
    const queue = await this.#options.runtime.read(address)
    if (queue === undefined || queue.status === 'quarantined' || !isOfKind(queue, 'queue')) return
    for (const { sort, task, admittedAt } of queue.context.entries)
      if (sort === 'spawn' && admittedAt === null) this.#markOnce(`task:${task}`)
  }

  #markOnce(address: ActorAddress): void {
    if (!this.#due.has(address)) this.#mark(address, 0)
  }

  async #markAll(): Promise<void> {
    const { runtime, clock } = this.#options
    for (let after = ''; !this.#isStopped;) {
      const views: readonly ActorView[] = await runtime.list('task', { after, limit: readAtOnce })
      for (const { address, status, updatedAt } of views)
        if (status === 'active' || updatedAt > clock.now() - walkBackMs) this.#markOnce(address)
      if (views.length < readAtOnce) return
      after = views.at(-1)?.id ?? ''
    }
  }
}

/** `Infinity` when there is none. */
function soonestOf(times: Iterable<number>): number {
  let soonest = Infinity
  for (const at of times) if (at < soonest) soonest = at
  return soonest
}

function waitOf(error: unknown): number {
  return error instanceof RetryableError ? (error.retryAfterMs ?? 0) : 0
}
