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
import { actorOf } from './work.ts'
import type { EventWork, Work } from './work.ts'

export interface WorkerOptions {
  readonly sql: Sql
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly leases: Leases
  readonly batch: Omit<BatchContext, 'now'>
  readonly maxQueued: number
  readonly maxBatch: number
  readonly maxHot: number
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
  #queue: Work[] = []
  #underWay: readonly Work[] = []
  #tasks: (() => Promise<void>)[] = []
  readonly #hot = new Map<ActorAddress, ActorState>()
  #running: Promise<void> | undefined

  constructor(options: WorkerOptions) {
    this.#options = options
  }

  get queued(): number {
    return this.#queue.length
  }

  /** Items of these shards that are queued or in a commit under way. */
  waitingFor(shards: ReadonlySet<number>): number {
    return [...this.#queue, ...this.#underWay].filter((item) => shards.has(item.shard)).length
  }

  /** Work that must not be refused: it is on disk already, or settles what is. */
  submit(work: Work): void {
    this.#queue.push(work)
    this.#run()
  }

  /** Work from outside: bounded (back-pressure instead of memory). */
  offer(work: EventWork): void {
    const { maxQueued } = this.#options
    if (this.#queue.length >= maxQueued) work.done.reject(new OverloadedError(this.#queue.length, overloadRetryMs))
    else this.submit(work)
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
    return this.#hot.get(address)
  }

  hotActors(): readonly ActorAddress[] {
    return [...this.#hot.keys()]
  }

  /** The shards went to another owner: what is known of their actors is worth nothing from now on (R5). */
  forget(isForgotten: (address: ActorAddress) => boolean): void {
    for (const address of this.#hot.keys()) if (isForgotten(address)) this.#hot.delete(address)
  }

  #run(): void {
    this.#running ??= Promise.resolve()
      .then(() => this.#drain())
      .finally(() => {
        this.#running = undefined
        if (this.#queue.length > 0 || this.#tasks.length > 0) this.#run()
      })
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0 || this.#tasks.length > 0) {
      for (const task of this.#tasks.splice(0)) await task()
      const items = this.#queue.splice(0, this.#options.maxBatch)
      this.#underWay = items
      if (items.length > 0) await this.#commit(items, 1)
      this.#underWay = []
    }
  }

  async #commit(all: readonly Work[], attempt: number): Promise<void> {
    const items = all.filter((item) => this.#isOurs(item))
    if (items.length === 0) return
    let batch: Batch
    let inbox: readonly InboxNumber[]
    try {
      await this.#load(items)
      batch = buildBatch(items, this.#hot, { ...this.#options.batch, now: this.#options.clock.now() })
      inbox = await this.#write(batch)
    } catch (error) {
      return this.#failed(items, error, attempt)
    }
    this.#publish(items, batch, inbox)
  }

  #isOurs(item: Work): boolean {
    if (this.#options.leases.epochOf(item.shard) !== undefined) return true
    this.#options.hooks.misrouted(item)
    return false
  }

  async #load(items: readonly Work[]): Promise<void> {
    const cold = [...new Set(items.map(actorOf))].filter(
      (address) => address !== undefined && !this.#hot.has(address),
    ) as ActorAddress[]
    if (cold.length === 0) return
    const stored = await loadActors(this.#options.sql, cold)
    for (const address of cold) {
      const one = stored.get(address)
      const known = one && this.#options.batch.known(one.row.kind as never)
      this.#hot.set(address, one && known ? restoreActor(known, one) : undefined)
    }
  }

  async #write(batch: Batch): Promise<readonly InboxNumber[]> {
    if (Object.values(batch.commit).every((rows) => rows.length === 0)) return []
    const { leases, sql } = this.#options
    return commitSteps(sql, { ...batch.commit, owner: leases.owner, leases: leases.tokens(batch.shards) })
  }

  #publish(items: readonly Work[], batch: Batch, inbox: readonly InboxNumber[]): void {
    for (const [address, state] of batch.states) {
      this.#hot.delete(address)
      if (state) this.#hot.set(address, state)
    }
    this.#evict()
    this.#options.hooks.committed(batch, inbox)
    for (const item of items) complete(item, batch)
  }

  /** The map keeps the order of use: the first were not used the longest. */
  #evict(): void {
    for (const address of this.#hot.keys()) {
      if (this.#hot.size <= this.#options.maxHot) return
      this.#hot.delete(address)
    }
  }

  async #failed(items: readonly Work[], error: unknown, attempt: number): Promise<void> {
    if (error instanceof StaleLeaseError) return this.#reclaim(items, attempt)
    if (error instanceof DuplicateKeyError) return this.#markKnown(items, attempt)
    this.#forgetActors(items)
    if (error instanceof SequenceConflictError) return this.#again(items, error, attempt)
    // An error that is not the store's was thrown by some item of the batch itself.
    if (isRefusedData(error) || !(error instanceof SqlError)) return this.#bisect(items, error)
    return this.#unanswered(items, error, attempt)
  }

  #forgetActors(items: readonly Work[]): void {
    const touched = new Set(items.map(actorOf))
    this.forget((address) => touched.has(address))
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
