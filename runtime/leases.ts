/** Which shards this process may write, and under which fencing token (R5). */
import { messageOf } from './errors.ts'
import type { Clock, Timer } from './clock.ts'
import type { Logger } from './logger.ts'
import { acquireShards } from './store/acquire-shards.ts'
import { releaseShards } from './store/release-shards.ts'
import { renewShards } from './store/renew-shards.ts'
import type { Lease } from './store/rows.ts'
import type { Sql } from './store/sql.ts'

export interface LeaseOptions {
  readonly sql: Sql
  readonly clock: Clock
  readonly logger: Logger
  /** Unique among living processes; the same name after a crash takes its shards back at once. */
  readonly owner: string
  readonly shards: number
  readonly leaseMs: number
  /** Runs a task between two commits: lease rows are then never locked by both. */
  readonly alone: <T>(task: () => Promise<T>) => Promise<T>
  /** Awaited before anything is committed for them. */
  readonly gained: (shards: readonly number[]) => Promise<void>
  readonly lost: (shards: readonly number[]) => void
}

/** Renewals come three times per lease, so that one may fail. */
const renewalsPerLease = 3

export class Leases {
  readonly #options: LeaseOptions
  readonly #epochs = new Map<number, number>()
  #timer: Timer | undefined
  #stopped = false

  constructor(options: LeaseOptions) {
    this.#options = options
  }

  get owner(): string {
    return this.#options.owner
  }

  owned(): readonly number[] {
    return [...this.#epochs.keys()]
  }

  epochOf(shard: number): number | undefined {
    return this.#epochs.get(shard)
  }

  tokens(shards: Iterable<number>): readonly Lease[] {
    return [...shards].map((shard) => ({ shard, epoch: this.#epochs.get(shard) ?? -1 }))
  }

  async start(): Promise<void> {
    await this.#options.alone(() => this.#acquire(true))
    this.#schedule()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#timer?.cancel()
    const held = this.tokens(this.#epochs.keys())
    this.#epochs.clear()
    await releaseShards(this.#options.sql, held, this.owner)
  }

  #schedule(): void {
    if (this.#stopped) return
    const { clock, leaseMs, alone, logger } = this.#options
    this.#timer = clock.setTimer(leaseMs / renewalsPerLease, () => {
      const round = alone(async () => {
        await this.renew()
        await this.#acquire(false)
      })
      void round
        .catch((error: unknown) => logger.warn({ error: messageOf(error) }, 'leases could not be renewed'))
        .finally(() => this.#schedule())
    })
  }

  /** Call it between two commits only. */
  async renew(): Promise<void> {
    const held = this.tokens(this.#epochs.keys())
    if (held.length === 0) return
    const kept = await renewShards(this.#options.sql, held, { owner: this.owner, expiresAt: this.#expiry() })
    const keptShards = new Set(kept.map((lease) => lease.shard))
    const lost = held.map((lease) => lease.shard).filter((shard) => !keptShards.has(shard))
    for (const shard of lost) this.#epochs.delete(shard)
    if (lost.length > 0) this.#options.lost(lost)
  }

  /** Only a start takes back what an earlier life of this owner held: one that was replaced does not fight its successor. */
  async #acquire(isStart: boolean): Promise<void> {
    const { sql, clock, shards, gained } = this.#options
    if (this.#epochs.size === shards) return
    const claim = { owner: this.owner, shards, now: clock.now(), expiresAt: this.#expiry(), reclaim: isStart }
    const leases = await acquireShards(sql, claim, this.owned())
    for (const { shard, epoch } of leases) this.#epochs.set(shard, epoch)
    if (leases.length > 0) await gained(leases.map((lease) => lease.shard))
  }

  #expiry(): number {
    return this.#options.clock.now() + this.#options.leaseMs
  }
}
