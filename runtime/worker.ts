/**
 * The single writer of the shards that this process owns. While one commit is under way, work gathers; then all of
 * it goes into the next one (group commit): no timer, so a lone event waits for one round trip only (R1, R2, R4).
 */
import type { ActorAddress } from '../machines/definition.ts'
import type { ActorState } from './actor-state.ts'
import { buildBatch } from './batch.ts'
import type { Batch, BatchContext } from './batch.ts'
import { backoffMs } from './backoff.ts'
import { sleep } from './clock.ts'
import type { Clock } from './clock.ts'
import {
  DuplicateKeyError,
  OverloadedError,
  SequenceConflictError,
  StaleLeaseError,
  StoreUnavailableError,
  TerminalError,
  messageOf,
} from './errors.ts'
import { FairQueue } from './fair-queue.ts'
import { HotActors } from './hot-actors.ts'
import { IdleSnapshots } from './idle-snapshots.ts'
import type { RuntimeObserver } from './observer.ts'
import { reportBatch } from './report-batch.ts'
import type { Random } from './random.ts'
import type { Leases } from './leases.ts'
import type { Logger } from './logger.ts'
import { restoreActor } from './restore.ts'
import type { Answer } from './runtime.ts'
import { buryInbox } from './store/bury-inbox.ts'
import { commitSteps } from './store/commit-steps.ts'
import type { InboxNumber } from './store/commit-steps.ts'
import { findReceipts } from './store/find-receipts.ts'
import { loadActors } from './store/load-actors.ts'
import { SqlError, isRefusedData } from './store/sql-error.ts'
import type { Sql } from './store/sql.ts'
import { actorOf, nobodyWaits } from './work.ts'
import type { EventWork, Work } from './work.ts'

export interface WorkerOptions {
  readonly sql: Sql
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly leases: Leases
  readonly batch: Omit<BatchContext, 'now'>
  readonly shardOf: (address: ActorAddress) => number
  readonly observer: RuntimeObserver
  readonly maxQueued: number
  readonly maxQueuedBytes: number
  readonly maxBatch: number
  readonly maxBatchBytes: number
  readonly maxHot: number
  readonly idleSnapshotMs: number
  readonly hooks: WorkerHooks
}

export interface WorkerHooks {
  /** After the commit and before anything waits for it is told. */
  committed(batch: Batch, inbox: readonly InboxNumber[]): void
  /** Work for a shard that is not, or no longer, this process's. */
  misrouted(work: Work): void
  /** Work that nobody waits for was dropped from memory, or a commit's outcome is unknown: read the store again. */
  resync(): void
}

/** Attempts at a store that does not answer, before those who wait are told so: about four seconds in all. */
const storeAttempts = 4
/** What a full queue asks of callers: at a few thousand events a second it is empty by then. */
const overloadRetryMs = 1000

export class Worker {
  readonly #options: WorkerOptions
  readonly #queue = new FairQueue()
  #underWay: readonly Work[] = []
  #waitedMs = 0
  #tasks: (() => Promise<void>)[] = []
  readonly #hot: HotActors
  readonly #idleSnapshots: IdleSnapshots
  #running: Promise<void> | undefined

  constructor(options: WorkerOptions) {
    const { clock, idleSnapshotMs, maxHot } = options
    this.#options = options
    this.#hot = new HotActors(maxHot)
    this.#idleSnapshots = new IdleSnapshots({ clock, idleMs: idleSnapshotMs, write: (actors) => this.touch(actors) })
  }

  get queued(): number {
    return this.#queue.size
  }

  /** Items of these shards that are queued or in a commit under way. */
  waitingFor(shards: ReadonlySet<number>): number {
    const isCounted = (item: Work): boolean => shards.has(item.shard)
    return this.#queue.count(isCounted) + this.#underWay.filter(isCounted).length
  }

  /** Work that must not be refused: it is on disk already, or settles what is. */
  submit(work: Work): void {
    this.#queue.push(work, this.#options.clock.elapsed())
    this.#run()
  }

  /** Work from outside: bounded (back-pressure instead of memory). */
  offer(work: EventWork): void {
    const { maxQueued, maxQueuedBytes, observer } = this.#options
    const { size, bytes } = this.#queue
    if (size < maxQueued && bytes + work.body.length <= maxQueuedBytes) return this.submit(work)
    observer.overloaded(size)
    work.done.reject(new OverloadedError(size, overloadRetryMs))
  }

  /** Writes snapshots where journals have a tail. */
  touch(actors: Iterable<ActorAddress>): void {
    for (const to of actors) this.submit({ kind: 'touch', to, shard: this.#options.shardOf(to), done: nobodyWaits })
  }

  /** So that the next start folds nothing, and code that comes with it starts from snapshots (R10). */
  async stop(): Promise<void> {
    await this.idle()
    this.#idleSnapshots.stop()
    this.touch(this.#hot.states.keys())
    await this.idle()
    this.#idleSnapshots.stop()
  }

  /** Runs between two commits, alone: what it reads cannot be half of one. */
  exclusive<T>(task: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#tasks.push(() => task().then(resolve, reject))
      this.#run()
    })
  }

  /** Resolves when nothing is queued or under way. */
  async idle(): Promise<void> {
    while (this.#running) await this.#running
  }

  cached(address: ActorAddress): ActorState {
    return this.#hot.states.get(address)
  }

  /** The shards went to another owner: what is known of their actors is worth nothing from now on (R5). */
  forget(isForgotten: (address: ActorAddress) => boolean): void {
    this.#hot.forget(isForgotten)
    this.#idleSnapshots.forget(isForgotten)
  }

  /**
   * What waits for them must not be here when they come back: it is read again then, and an old copy of a later event
   * would be stepped before the new one of an earlier (R2).
   */
  lose(shards: ReadonlySet<number>): void {
    for (const work of this.#queue.remove((item) => shards.has(item.shard))) this.#options.hooks.misrouted(work)
  }

  get #hasWork(): boolean {
    return this.#queue.size > 0 || this.#tasks.length > 0
  }

  #run(): void {
    this.#running ??= Promise.resolve()
      .then(() => this.#drain())
      .finally(() => {
        this.#running = undefined
        if (this.#hasWork) this.#run()
      })
  }

  async #drain(): Promise<void> {
    const { maxBatch, maxBatchBytes } = this.#options
    while (this.#hasWork) {
      for (const task of this.#tasks.splice(0)) await task()
      // Those who were just answered, and what came over sockets meanwhile, make the next commit larger.
      if (this.#queue.size > 0) await turnOfTheLoop()
      const { works, since } = this.#queue.take({ items: maxBatch, bytes: maxBatchBytes })
      this.#underWay = works
      this.#waitedMs = works.length > 0 ? this.#options.clock.elapsed() - since : 0
      if (works.length > 0) await this.#commit(works, 1)
      this.#underWay = []
    }
  }

  async #commit(all: readonly Work[], attempt: number): Promise<void> {
    const items = all.filter((item) => this.#isOurs(item))
    if (items.length === 0) return
    const { clock } = this.#options
    let batch: Batch
    let inbox: readonly InboxNumber[]
    const startedAt = clock.elapsed()
    try {
      await this.#loadCold(items)
      batch = buildBatch(items, this.#hot.states, { ...this.#options.batch, now: clock.now() })
      inbox = await this.#write(batch)
    } catch (error) {
      return this.#failed(items, error, attempt)
    }
    this.#publish(items, batch, inbox)
    this.#observe(items, batch, startedAt)
  }

  #isOurs(item: Work): boolean {
    if (this.#options.leases.epochOf(item.shard) !== undefined) return true
    this.#options.hooks.misrouted(item)
    return false
  }

  async #loadCold(items: readonly Work[]): Promise<void> {
    const { sql, batch } = this.#options
    let cold: Set<ActorAddress> | undefined
    for (const item of items) {
      if (item.kind !== 'settle' && !this.#hot.states.has(item.to)) (cold ??= new Set()).add(item.to)
    }
    if (!cold) return
    const stored = await loadActors(sql, [...cold])
    for (const address of cold) {
      const one = stored.get(address)
      const known = one && batch.known(one.row.kind as never)
      this.#hot.load(address, one && known ? restoreActor(known, one) : undefined)
    }
  }

  async #write(batch: Batch): Promise<readonly InboxNumber[]> {
    if (Object.values(batch.commit).every((rows) => rows.length === 0)) return []
    const { leases, sql } = this.#options
    return commitSteps(sql, { ...batch.commit, owner: leases.owner, leases: leases.tokens(batch.shards) })
  }

  #publish(items: readonly Work[], batch: Batch, inbox: readonly InboxNumber[]): void {
    this.#hot.commit(batch.states)
    this.#hot.unmark(batch.commit.cleared)
    this.#idleSnapshots.committed(batch.states)
    this.#options.hooks.committed(batch, inbox)
    for (const item of items) complete(item, batch)
  }

  #observe(items: readonly Work[], batch: Batch, startedAt: number): void {
    const { clock, observer } = this.#options
    reportBatch(observer, batch, {
      items: items.length,
      durationMs: clock.elapsed() - startedAt,
      queued: this.#queue.size,
      waitedMs: this.#waitedMs,
    })
  }

  async #failed(items: readonly Work[], error: unknown, attempt: number): Promise<void> {
    const { observer } = this.#options
    if (error instanceof StaleLeaseError) {
      observer.commitFailed('stale-lease')
      return this.#reclaim(items, attempt)
    }
    if (error instanceof DuplicateKeyError) {
      observer.commitFailed('duplicate-key')
      return this.#markKnown(items, attempt)
    }
    this.#forgetActors(items)
    if (error instanceof SequenceConflictError) {
      observer.commitFailed('sequence-conflict')
      return this.#again(items, error, attempt)
    }
    // An error that is not the store's was thrown by some item of the batch itself.
    if (isRefusedData(error) || !(error instanceof SqlError)) {
      observer.commitFailed('refused')
      return this.#bisect(items, error)
    }
    observer.commitFailed('store-unavailable')
    return this.#unanswered(items, error, attempt)
  }

  #forgetActors(items: readonly Work[]): void {
    const touched = new Set(items.map(actorOf))
    this.#hot.forget((address) => touched.has(address))
  }

  /** Asks who holds the leases now; items of lost shards are then misrouted, the others go on. */
  async #reclaim(items: readonly Work[], attempt: number): Promise<void> {
    this.#options.logger.warn({ attempt }, 'a commit was refused: a shard has another owner')
    await this.#options.leases.renew().catch(() => undefined)
    await this.#again(items, new StaleLeaseError('the shard has another owner'), attempt)
  }

  async #again(items: readonly Work[], error: unknown, attempt: number): Promise<void> {
    if (attempt >= storeAttempts) return this.#giveUp(items, error)
    await this.#commit(items, attempt + 1)
  }

  /** Some key is in the journal: finds out which, so that the rest is applied and these are answered as before (R3). */
  async #markKnown(items: readonly Work[], attempt: number): Promise<void> {
    const events = items.filter((item) => item.kind === 'event')
    try {
      const found = await findReceipts(
        this.#options.sql,
        events.map((item) => ({ actor: item.to, key: item.key })),
      )
      const byKey = new Map(found.map((row) => [`${row.actor} ${row.key}`, row]))
      const marked = items.map((item): Work => {
        const row = item.kind === 'event' ? byKey.get(`${item.to} ${item.key}`) : undefined
        if (!row || item.kind !== 'event') return item
        const answer = row.answer === null ? {} : { answer: JSON.parse(row.answer) as Answer }
        return { ...item, known: { key: row.key, applied: false, seq: row.seq, ...answer } }
      })
      await this.#again(marked, new DuplicateKeyError('a key stayed in conflict'), attempt)
    } catch (error) {
      await this.#failed(items, error, attempt)
    }
  }

  /** Something of the batch is refused: halves it until the one is found, so that it stops nobody else. */
  async #bisect(items: readonly Work[], error: unknown): Promise<void> {
    const [only] = items
    if (items.length === 1 && only) return this.#refuse(only, error)
    const middle = Math.ceil(items.length / 2)
    await this.#commit(items.slice(0, middle), 1)
    await this.#commit(items.slice(middle), 1)
  }

  async #refuse(item: Work, error: unknown): Promise<void> {
    const { sql, clock, logger } = this.#options
    const reason = `it cannot be stored: ${messageOf(error)}`
    logger.error({ reason, work: item.kind, actor: actorOf(item) }, 'work was refused')
    if (item.kind === 'settle' && item.outcome.kind === 'performed') {
      return this.submit({ ...item, outcome: { kind: 'dead', attempts: item.effect.attempts + 1, lastError: reason } })
    }
    if (item.kind === 'event' && item.inboxId !== undefined) {
      await buryInbox(sql, { id: item.inboxId, reason, at: clock.now() }).catch(() => this.#options.hooks.resync())
    }
    item.done.reject(new TerminalError('event-refused', reason, { cause: error }))
  }

  /** Nobody knows whether the commit happened: it is made again, and a key that is then known was applied by it. */
  async #unanswered(items: readonly Work[], error: unknown, attempt: number): Promise<void> {
    const { clock, random, logger, hooks } = this.#options
    logger.warn({ attempt, error: messageOf(error) }, 'the store did not answer')
    hooks.resync()
    if (attempt >= storeAttempts) return this.#giveUp(items, error)
    await sleep(clock, backoffMs(attempt, random))
    const uncertain = items.map((item): Work => (item.kind === 'event' ? { ...item, uncertain: true } : item))
    await this.#commit(uncertain, attempt + 1)
  }

  #giveUp(items: readonly Work[], error: unknown): void {
    this.#forgetActors(items)
    this.#options.hooks.resync()
    const unavailable = new StoreUnavailableError(`the store did not take it: ${messageOf(error)}`, { cause: error })
    for (const item of items) item.done.reject(unavailable)
  }
}

function complete(item: Work, batch: Batch): void {
  if (item.kind !== 'event') return item.done.resolve(undefined)
  const receipt = batch.receipts.get(item)
  if (receipt) item.done.resolve(receipt)
}

function turnOfTheLoop(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}
