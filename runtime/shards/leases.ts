/**
 * Which shards this process may write, and under which fencing token (R5). The living share the shards evenly: who
 * joins is given its part, who stops gives back at once, and who is silent for most of the lease is called dead and its
 * shards go to the others, within the lease time.
 *
 * Two guards keep a process that was paused from doing harm. Its commits are refused by the epoch in the committing
 * statement. Its effects are not even begun, and those under way write nothing more: they need a lease that is believed,
 * and belief ends, by this process's own clock and from before its last beat was sent, earlier than anyone else can have
 * called it dead.
 */
import { isWithin, momentOf } from '../clock.ts'
import type { Clock, Moment, Timer } from '../clock.ts'
import { divide } from './allocation.ts'
import type { Division } from './allocation.ts'
import { messageOf } from '../errors.ts'
import type { Logger } from '../logger.ts'
import { unwatched, watchLoop } from '../loop.ts'
import { Neighbours } from './peer-liveness.ts'
import type { RuntimeObserver } from '../observer.ts'
import { createOutage, type Outage } from '../outage.ts'
import type { Random } from '../random.ts'
import { acquireShards } from '../store/shards/acquire-shards.ts'
import { beatProcess } from '../store/shards/beat-process.ts'
import { createShards } from '../store/shards/create-shards.ts'
import { joinProcesses } from '../store/shards/join-processes.ts'
import { readProcesses } from '../store/shards/read-processes.ts'
import type { Neighbourhood } from '../store/shards/read-processes.ts'
import { releaseShards } from '../store/shards/release-shards.ts'
import { removeProcess } from '../store/shards/remove-process.ts'
import type { Lease, ProcessId } from '../store/rows.ts'
import type { Sql } from '../store/sql.ts'

interface LeaseOptions {
  readonly sql: Sql
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly observer: RuntimeObserver
  /** Unique among living processes; the same name after a crash takes its shards back at once. */
  readonly owner: string
  readonly shards: number
  readonly leaseMs: number
  /** How often the others are looked at while there are any. */
  readonly pollMs: number
  /** Runs a task between two commits. */
  readonly alone: <T>(task: () => Promise<T>) => Promise<T>
  readonly hooks: LeaseHooks
}

interface LeaseHooks {
  /** Reads what waits for them; awaited before anything else is done for them, between two commits. */
  gained(shards: readonly number[]): Promise<void>
  /** They are served from now on. */
  opened(shards: readonly number[]): void
  /** They take nothing new from now on; resolves when what is in hand has ended, or waited long enough. */
  drained(shards: ReadonlySet<number>): Promise<void>
  /** What is known of them is worth nothing from now on. */
  lost(shards: readonly number[]): void
  /** Shards are free: the others may take them now. */
  freed(): void
}

/** Parts of the lease. Belief ends before silence does, by more than two clocks may differ in speed. */
const silence = 0.6
const belief = 0.55
const beatsPerLease = 5
/**
 * Between two tries while the store is away. All processes come back within less than what counts as silence: else the
 * first one back would call the others dead, and take their shards.
 */
const longestPause = 0.4
const firstPauseMs = 500
const looksPerLease = 10

export class Leases {
  readonly #options: LeaseOptions
  readonly #neighbours: Neighbours
  readonly #renewals: Outage
  #watch = unwatched
  readonly #epochs = new Map<number, number>()
  /** Held, and on their way to another process. */
  readonly #leaving = new Set<number>()
  /** Acquired, and not served yet. */
  readonly #coming = new Set<number>()
  #self: ProcessId | undefined
  #believedFrom: Moment = { elapsed: -Infinity, now: -Infinity }
  #beatAt = -Infinity
  #isDoubted = false
  #isAlone = false
  #isClosing = false
  /** The store did not answer: an effect in doubt does not ask it again before the pause is over. */
  #isPausing = false
  #timer: Timer | undefined
  #round: Promise<void> | undefined

  constructor(options: LeaseOptions) {
    this.#options = options
    this.#neighbours = new Neighbours(options.leaseMs * silence)
    this.#renewals = createOutage({
      ...options,
      failing: 'this process could not renew its leases',
      over: 'this process renews its leases again',
      bounds: { firstMs: firstPauseMs, longestMs: options.leaseMs * longestPause },
    })
  }

  get owner(): string {
    return this.#options.owner
  }

  /** Shards that are served: not those on their way out. */
  owned(): readonly number[] {
    return [...this.#epochs.keys()].filter((shard) => !this.#leaving.has(shard))
  }

  serves(shard: number): boolean {
    return this.#epochs.has(shard) && !this.#leaving.has(shard)
  }

  /** What may be committed for, those on their way out included. */
  epochOf(shard: number): number | undefined {
    return this.#epochs.get(shard)
  }

  tokens(shards: Iterable<number>): readonly Lease[] {
    return [...shards].map((shard) => ({ shard, epoch: this.#epochs.get(shard) ?? -1 }))
  }

  /** Whether an effect of this shard may be begun now. In doubt the store is asked at once, and `opened` says it is over. */
  mayPerform(shard: number): boolean {
    if (this.#isBelieved()) return this.serves(shard)
    this.#isDoubted = true
    if (!this.#isPausing) this.look()
    return false
  }

  /** Whether an effect of this shard that was begun may still write: on its way out the shard waits for it. */
  holds(shard: number): boolean {
    return this.#epochs.has(shard) && this.#isBelieved()
  }

  #isBelieved(): boolean {
    const { clock, leaseMs } = this.#options
    return isWithin(clock, this.#believedFrom, leaseMs * belief)
  }

  async start(): Promise<void> {
    await createShards(this.#options.sql, this.#options.shards)
    await this.#join(true)
    await this.#look()
    this.#watch = watchLoop(this.#options.clock, { name: 'leases', everyMs: this.#options.leaseMs, isVital: true })
    this.#schedule()
  }

  /** Takes and hands over nothing more; what is held is kept up until `stop`. */
  close(): void {
    this.#isClosing = true
  }

  /** Gives everything back at once. */
  async stop(): Promise<void> {
    this.#isClosing = true
    this.#timer?.cancel()
    await this.#round
    this.#timer?.cancel()
    this.#watch.close()
    const { sql, hooks } = this.#options
    const held = this.tokens(this.#epochs.keys())
    const self = this.#self
    this.#epochs.clear()
    this.#leaving.clear()
    this.#self = undefined
    if (!self) return
    await releaseShards(sql, held, this.owner)
    await removeProcess(sql, self)
    hooks.freed()
  }

  /** Somebody says that shards are free. */
  look(): void {
    if (this.#isClosing || this.#round || !this.#self) return
    this.#timer?.cancel()
    this.#tick()
  }

  /** A commit was refused: asks at once what is still held. Safe between two commits, and while one is under way. */
  async renew(): Promise<void> {
    await this.#beat()
    await this.#read()
  }

  #schedule(delayMs = this.#lookMs()): void {
    this.#timer = this.#options.clock.setTimer(delayMs, () => this.#tick())
  }

  #lookMs(): number {
    const { leaseMs, pollMs } = this.#options
    const beatMs = leaseMs / beatsPerLease
    return this.#isAlone ? beatMs : Math.min(pollMs, leaseMs / looksPerLease)
  }

  #tick(): void {
    this.#isPausing = false
    this.#round = this.#watch
      .turn(() => this.#live())
      .then(
        () => {
          this.#round = undefined
          this.#renewals.answered()
          if (this.#isDoubted && !this.#isBelieved() && !this.#isClosing) this.#tick()
          else this.#schedule()
        },
        (error: unknown) => {
          this.#round = undefined
          this.#isPausing = true
          this.#schedule(this.#renewals.failed(error))
        },
      )
  }

  async #live(): Promise<void> {
    const { clock, leaseMs } = this.#options
    if (!this.#self) await this.#join(false)
    else if (clock.elapsed() - this.#beatAt >= leaseMs / beatsPerLease || !this.#isBelieved()) await this.#beat()
    await this.#look()
  }

  async #join(isStart: boolean): Promise<void> {
    const { sql, logger } = this.#options
    const asked = momentOf(this.#options.clock)
    const incarnation = await joinProcesses(sql, this.owner, { replace: isStart })
    if (incarnation === undefined)
      return logger.error(
        { owner: this.owner },
        'another process uses the name of this one, so this one owns no shards',
      )
    this.#self = { owner: this.owner, incarnation }
    this.#believedFrom = asked
    // The first beat comes with the next look: the others hand over to who was seen to move.
    this.#beatAt = -Infinity
  }

  async #beat(): Promise<void> {
    const self = this.#self
    if (!self) return
    const { sql, clock, observer, leaseMs } = this.#options
    const asked = momentOf(clock)
    const expiresInMs = Math.max(0, leaseMs * belief - (asked.elapsed - this.#believedFrom.elapsed))
    const ok = await beatProcess(sql, self)
    observer.leasesRenewed({ durationMs: clock.elapsed() - asked.elapsed, ok, expiresInMs })
    if (this.#self !== self) return
    if (!ok) return this.#calledDead()
    this.#believedFrom = asked
    this.#beatAt = asked.elapsed
    if (!this.#isDoubted || !this.#isBelieved()) return
    this.#isDoubted = false
    this.#options.hooks.opened(this.owned())
  }

  #calledDead(): void {
    this.#options.logger.warn(
      { owner: this.owner },
      'this process missed its heartbeats and lost its shards; it joins again',
    )
    this.#self = undefined
    this.#lose([...this.#epochs.keys()])
  }

  /** What somebody else took meanwhile is lost. What came to this process while the store was asked is not judged by that answer. */
  async #read(): Promise<Neighbourhood> {
    const before = new Map(this.#epochs)
    const seen = await readProcesses(this.#options.sql)
    const stored = new Map(seen.shards.map((row) => [row.shard, row]))
    const lost = [...before].filter(([shard, epoch]) => {
      const row = stored.get(shard)
      return (row?.epoch !== epoch || row.owner !== this.owner) && this.#epochs.get(shard) === epoch
    })
    this.#lose(lost.map(([shard]) => shard))
    return seen
  }

  #lose(shards: readonly number[]): void {
    if (shards.length === 0) return
    for (const shard of shards) {
      this.#epochs.delete(shard)
      this.#leaving.delete(shard)
    }
    this.#options.hooks.lost(shards)
    this.#options.observer.shardsLost(shards.length)
    this.#options.observer.shardsHeld(this.#epochs.size)
  }

  async #look(): Promise<void> {
    const seen = await this.#read()
    const { sql, clock, logger } = this.#options
    const { living, lively, dead } = this.#neighbours.observe(seen.processes, clock.elapsed())
    for (const one of dead.filter((row) => row.incarnation !== this.#self?.incarnation)) {
      if (await removeProcess(sql, one, one.beat))
        logger.warn({ owner: one.owner }, 'another process missed its heartbeats; this one declares it dead')
    }
    if (!this.#self || this.#isClosing) return
    this.#isAlone = living.every((owner) => owner === this.owner)
    const held = new Set([...this.#epochs.keys(), ...this.#coming])
    const us = (owners: readonly string[]): string[] => [...new Set([...owners, this.owner])]
    await this.#settle(divide(seen.shards, { owner: this.owner, held, living: us(living), lively: us(lively) }))
  }

  async #settle({ strays, wanted, excess }: Division): Promise<void> {
    if (strays + wanted > 0) await this.#acquire(strays + wanted)
    else if (excess.length > 0 && this.#leaving.size === 0) this.#handOver(excess)
  }

  async #acquire(limit: number): Promise<void> {
    const { sql, alone, hooks, observer } = this.#options
    const self = this.#self
    const leases = await acquireShards(sql, { owner: this.owner, limit, except: [...this.#epochs.keys()] })
    if (leases.length === 0) return
    const shards = leases.map((lease) => lease.shard)
    for (const shard of shards) this.#coming.add(shard)
    try {
      await alone(() => hooks.gained(shards).then(() => this.#open(leases, self)))
    } catch (error) {
      // They carry this process's name and are taken again at the next look; what was read of them is read again.
      hooks.lost(shards)
      throw error
    } finally {
      for (const shard of shards) this.#coming.delete(shard)
    }
    observer.shardsGained(shards.length)
    observer.shardsHeld(this.#epochs.size)
  }

  /** Who was called dead while it took them holds nothing. */
  #open(leases: readonly Lease[], self: ProcessId | undefined): void {
    const { hooks } = this.#options
    const shards = leases.map((lease) => lease.shard)
    if (this.#self !== self) return hooks.lost(shards)
    for (const { shard, epoch } of leases) this.#epochs.set(shard, epoch)
    hooks.opened(shards)
  }

  /** In the background: beats and looks go on meanwhile. */
  #handOver(shards: readonly number[]): void {
    const { alone, hooks, logger } = this.#options
    logger.info({ shards: shards.length }, 'this process hands over shards')
    for (const shard of shards) this.#leaving.add(shard)
    void hooks
      .drained(new Set(shards))
      .then(() => alone(() => this.#release(shards)))
      .then(() => hooks.freed())
      .catch((error: unknown) => logger.warn({ error: messageOf(error) }, 'this process could not hand over shards'))
  }

  /** Not held any more before the store is told: should that fail, they are strays, and taken again. */
  async #release(shards: readonly number[]): Promise<void> {
    const leaving = this.tokens(shards.filter((shard) => this.#leaving.has(shard) && this.#epochs.has(shard)))
    this.#lose(leaving.map((lease) => lease.shard))
    for (const shard of shards) this.#leaving.delete(shard)
    if (leaving.length > 0) await releaseShards(this.#options.sql, leaving, this.owner)
  }
}
