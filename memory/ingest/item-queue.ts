/**
 * Works ahead of a job's cursor: the job asks for one item after another, the pool stores as many at once as it may
 * (MEMORY-LIMITS-5). Only good results are kept for later: a failure is told to whoever asks for that item,
 * and counts as one of its tries only then.
 */
import type { Clock } from '../../runtime/clock.ts'
import { messageOf } from '../../runtime/errors.ts'
import type { ItemResult } from './store-items.ts'
import { Slots } from '../slots.ts'

export interface ItemQueueOptions {
  readonly clock: Clock
  readonly poolSize: number
  /** How long one try may take, from when it has a place in the pool. */
  readonly itemTimeoutMs: number
  /** Items that are stored together: an engine that asks no model takes many as fast as one. */
  readonly together: () => Promise<number>
  readonly store: (
    job: string,
    repo: string,
    indexes: readonly number[],
    signal: AbortSignal,
  ) => Promise<readonly ItemResult[]>
}

interface Job {
  readonly repo: string
  readonly total: number
  readonly stopping: AbortController
  readonly flights: Map<number, Promise<ItemResult>>
  readonly good: Map<number, ItemResult>
  /** Those that failed before they were asked for. */
  readonly failed: Set<number>
}

export class ItemQueue {
  readonly #options: ItemQueueOptions
  readonly #slots: Slots
  readonly #jobs = new Map<string, Job>()

  constructor(options: ItemQueueOptions) {
    this.#options = options
    this.#slots = new Slots(options.poolSize)
  }

  /** The result of this item, followed by good ones of those right behind it as far as they are there already. */
  async ask(id: string, repo: string, total: number, index: number): Promise<readonly ItemResult[]> {
    const job = this.#job(id, repo, total)
    const together = await this.#options.together()
    this.#forgetFailed(job, index, index + together)
    for (
      let position = index;
      position < Math.min(total, index + this.#options.poolSize * together);
      position += together
    )
      this.#begin(id, job, position, Math.min(total, position + together))
    const first = await job.flights.get(index)!
    job.flights.delete(index)
    const results = [first]
    if (first.outcome !== 'failed')
      for (let next = index + 1; job.good.has(next); next += 1) {
        results.push(job.good.get(next)!)
        job.flights.delete(next)
      }
    for (const result of results) job.good.delete(result.index)
    job.failed.delete(index)
    return results
  }

  /** What failed ahead may have failed with a store that was away: the rest before each next try would last as long as all of them. */
  #forgetFailed(job: Job, from: number, to: number): void {
    for (let index = from; index < to; index += 1) if (job.failed.delete(index)) job.flights.delete(index)
  }

  /** The job has ended: what is still under way for it is given up. */
  end(id: string): void {
    this.#jobs.get(id)?.stopping.abort(new Error('the job has ended'))
    this.#jobs.delete(id)
  }

  stop(): void {
    for (const id of this.#jobs.keys()) this.end(id)
  }

  #job(id: string, repo: string, total: number): Job {
    const known = this.#jobs.get(id)
    if (known) return known
    const job = {
      repo,
      total,
      stopping: new AbortController(),
      flights: new Map(),
      good: new Map(),
      failed: new Set<number>(),
    }
    this.#jobs.set(id, job)
    return job
  }

  #begin(id: string, job: Job, from: number, to: number): void {
    const indexes = Array.from({ length: to - from }, (_, position) => from + position).filter(
      (index) => !job.flights.has(index),
    )
    if (indexes.length === 0) return
    const flight = this.#slots.run(() => this.#store(id, job, indexes))
    for (const index of indexes) {
      const one = flight.then(
        (results) => results.get(index) ?? failed(index, 'the item is gone'),
        (error: unknown) => failed(index, messageOf(error)),
      )
      job.flights.set(index, one)
      void one.then((result) => {
        if (job.flights.get(index) !== one) return
        if (result.outcome === 'failed') job.failed.add(index)
        else job.good.set(index, result)
      })
    }
  }

  async #store(id: string, job: Job, indexes: readonly number[]): Promise<ReadonlyMap<number, ItemResult>> {
    const late = new AbortController()
    const timer = this.#options.clock.setTimer(this.#options.itemTimeoutMs, () => late.abort(new Error('timed out')))
    try {
      job.stopping.signal.throwIfAborted()
      const signal = AbortSignal.any([late.signal, job.stopping.signal])
      const results = await this.#options.store(id, job.repo, indexes, signal)
      return new Map(results.map((result) => [result.index, result]))
    } finally {
      timer.cancel()
    }
  }
}

function failed(index: number, message: string): ItemResult {
  return { index, outcome: 'failed', message, retryable: true }
}
