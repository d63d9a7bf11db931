/**
 * The single writer of the shards that this process owns. While one commit is under way, work gathers; then all of
 * it goes into the next one (group commit): no timer, so a lone event waits for one round trip only (R1, R2, R4).
 *
 * There is one commit under way at a time. Where much waits it is cut in two, and one half is stepped while the store
 * writes the other. Halves share no actor, so that nothing is stepped from a state that is not on disk; when a commit
 * fails, what was stepped meanwhile is stepped anew.
 */
import type { ActorAddress } from '../../machines/definition.ts'
import type { ActorState } from '../actor-state.ts'
import { buildBatch } from './batch.ts'
import type { Batch, BatchContext } from './batch.ts'
import type { Clock } from '../clock.ts'
import type { Load } from '../queue-share.ts'
import { OverloadedError } from '../errors.ts'
import { FailedCommits } from './failed-commits.ts'
import { FairQueue } from './fair-queue.ts'
import type { Taken } from './fair-queue.ts'
import { Halving } from './halving.ts'
import type { HalvingRule } from './halving.ts'
import { HotActors } from './actor-cache.ts'
import { IdleSnapshots } from './idle-snapshots.ts'
import type { RuntimeObserver } from '../observer.ts'
import { reportBatch } from './report-batch.ts'
import type { Random } from '../random.ts'
import type { Leases } from '../shards/leases.ts'
import type { Logger } from '../logger.ts'
import { RestingSettlements } from './deferred-settlements.ts'
import { restoreActor } from '../journal/restore.ts'
import { commitSteps } from '../store/journal/commit-steps.ts'
import type { InboxNumber } from '../store/journal/commit-steps.ts'
import { loadActors } from '../store/actors/load-actors.ts'
import type { Sql } from '../store/sql.ts'
import { actorOf, nobodyWaits } from '../work.ts'
import type { EventWork, SettleWork, Work } from '../work.ts'

interface WorkerOptions {
  readonly sql: Sql
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly leases: Leases
  readonly batch: Omit<BatchContext, 'now'>
  readonly shardOf: (address: ActorAddress) => number
  readonly observer: RuntimeObserver
  readonly mostQueued: Load
  readonly maxBatch: number
  readonly maxBatchBytes: number
  readonly halving: HalvingRule
  readonly maxHot: number
  readonly settleRestMs: number
  readonly maxResting: number
  readonly idleSnapshotMs: number
  readonly hooks: WorkerHooks
}

interface WorkerHooks {
  /** After the commit and before anything waits for it is told. */
  committed(batch: Batch, inbox: readonly InboxNumber[]): void
  /** Work for a shard that is not, or no longer, this process's. */
  misrouted(work: Work): void
  /** Work that nobody waits for was dropped from memory, or a commit's outcome is unknown: read the store again. */
  resync(): void
}

/** Items and what is to be committed of them, or why that could not be said. */
type Built = { readonly items: readonly Work[]; readonly waitedMs: number } & (
  | { readonly batch: Batch }
  | { readonly error: unknown }
)

interface Written {
  readonly inbox: readonly InboxNumber[]
  readonly durationMs: number
}

/** What a full queue asks of callers: at a few thousand events a second it is empty by then. */
const overloadRetryMs = 1000

export class Worker {
  readonly #options: WorkerOptions
  readonly #queue = new FairQueue()
  /** In a commit, or built to be in the next one. */
  #underWay: readonly Work[] = []
  /** The last commit was of one item: whoever sends them sends one at a time. */
  #isLone = true
  #tasks: (() => Promise<void>)[] = []
  readonly #hot: HotActors
  readonly #idleSnapshots: IdleSnapshots
  readonly #resting: RestingSettlements
  readonly #failures: FailedCommits
  readonly #halving: Halving
  #running: Promise<void> | undefined

  constructor(options: WorkerOptions) {
    const { clock, idleSnapshotMs, maxHot, settleRestMs, maxResting } = options
    this.#options = options
    this.#hot = new HotActors(maxHot)
    this.#idleSnapshots = new IdleSnapshots({ clock, idleMs: idleSnapshotMs, write: (actors) => this.touch(actors) })
    this.#resting = new RestingSettlements({
      clock,
      restMs: settleRestMs,
      most: maxResting,
      due: (works) => works.forEach((work) => this.#queueUp(work)),
    })
    this.#halving = new Halving(options.halving)
    this.#failures = new FailedCommits({
      ...options,
      commit: (items, attempt) => this.#commit(items, attempt),
      forget: (isForgotten) => this.#hot.forget(isForgotten),
      submit: (work) => this.submit(work),
      withdraw: (isWithdrawn) => this.#queue.remove(isWithdrawn),
      resync: options.hooks.resync,
    })
  }

  get waiting(): Load {
    return this.#queue
  }

  get resting(): number {
    return this.#resting.size
  }

  /** Whether there is room for one more of this actor. */
  mayTake(to: ActorAddress, bytes: number): boolean {
    return this.#queue.mayTake(to, bytes, this.#options.mostQueued)
  }

  crowding(): ReadonlySet<string> {
    return this.#queue.crowding(this.#options.mostQueued)
  }

  /** Items of these shards that are queued or in a commit under way. */
  waitingFor(shards: ReadonlySet<number>): number {
    const isCounted = (item: Work): boolean => shards.has(item.shard)
    return this.#queue.count(isCounted) + this.#underWay.filter(isCounted).length
  }

  /** Work that must not be refused: it is on disk already, or settles what is. */
  submit(work: Work): void {
    if (work.kind === 'settle' && work.mayRest) this.#resting.add(work)
    else this.#queueUp(work)
  }

  #queueUp(work: Work): void {
    this.#queue.push(work, this.#options.clock.elapsed())
    this.#run()
  }

  /** Commits what rests; resolves when each of them was answered. */
  async settleNow(): Promise<void> {
    await Promise.all(this.#resting.takeAll().map((work) => this.#settled(work)))
  }

  #settled(work: SettleWork): Promise<void> {
    return new Promise((resolve) => {
      const done: SettleWork['done'] = {
        resolve: (result) => resolve(work.done.resolve(result)),
        reject: (error) => resolve(work.done.reject(error)),
      }
      this.#queueUp({ ...work, done })
    })
  }

  /** Work from outside: bounded (back-pressure instead of memory). */
  offer(work: EventWork): void {
    if (this.mayTake(work.to, work.body.length)) return this.submit(work)
    const { size } = this.#queue
    this.#options.observer.overloaded(size)
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
    const isLost = ({ shard }: Work): boolean => shards.has(shard)
    const lost = [...this.#queue.remove(isLost), ...this.#resting.remove(isLost)]
    for (const work of lost) this.#options.hooks.misrouted(work)
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
    while (this.#hasWork) {
      for (const task of this.#tasks.splice(0)) await task()
      if (this.#queue.size > 0) await this.#commitWaiting()
    }
  }

  /** Ends when nothing more waits, or not enough of it to go on by halves, or when a task does. */
  async #commitWaiting(): Promise<void> {
    // Those who were just answered, and what came over sockets meanwhile, make the next commit larger.
    if (!this.#isLone || this.#queue.size > 1) await turnOfTheLoop()
    let next: Built | undefined = await this.#buildTaken(this.#take())
    this.#isLone = next.items.length === 1
    let written: (() => void) | undefined
    while (next) {
      const current: Built = next
      const answer = this.#begin(current)
      if (written) {
        // The statement leaves before those who wait for the last one are told.
        await turnOfTheLoop()
        written()
      }
      this.#underWay = current.items
      next = await this.#buildAhead(current)
      const outcome = await answer
      if ('error' in outcome) {
        written = undefined
        await this.#failures.handle(current.items, outcome.error, 1)
        next &&= await this.#build(next.items, next.waitedMs)
      } else written = () => this.#publish(current, outcome)
    }
    written?.()
    this.#underWay = []
  }

  #take(busy?: ReadonlySet<ActorAddress>): Taken {
    const { maxBatch, maxBatchBytes } = this.#options
    const waiting = this.#queue.size + (busy?.size ?? 0)
    const items = this.#halving.isWorthwhile(waiting) ? Math.min(maxBatch, Math.ceil(waiting / 2)) : maxBatch
    const taken = this.#queue.take({ items, bytes: maxBatchBytes }, busy)
    this.#bringResting(taken.works)
    return taken
  }

  /** The next half, while the store writes this one. */
  async #buildAhead({ items }: Built): Promise<Built | undefined> {
    if (!this.#halving.isWorthwhile(items.length * 2)) return undefined
    await turnOfTheLoop()
    if (this.#tasks.length > 0 || !this.#halving.isWorthwhile(this.#queue.size * 2)) return undefined
    const taken = this.#take(new Set(items.map(actorOf)))
    return taken.works.length > 0 ? this.#buildTaken(taken) : undefined
  }

  #buildTaken({ works, since }: Taken): Promise<Built> {
    this.#underWay = [...this.#underWay, ...works]
    return this.#build(works, this.#options.clock.elapsed() - since)
  }

  /** What rests of the actors that these will write. */
  #bringResting(works: Work[]): void {
    if (this.#resting.size === 0) return
    const events = works.length
    for (let index = 0; index < events; index++) {
      const work = works[index]!
      if (work.kind === 'event') for (const settlement of this.#resting.take(work.to)) works.push(settlement)
    }
  }

  async #commit(works: readonly Work[], attempt: number): Promise<void> {
    const built = await this.#build(works, 0)
    const outcome = await this.#begin(built)
    if ('error' in outcome) await this.#failures.handle(built.items, outcome.error, attempt)
    else this.#publish(built, outcome)
  }

  async #build(works: readonly Work[], waitedMs: number): Promise<Built> {
    const { clock } = this.#options
    const items = works.filter((item) => this.#isOurs(item))
    try {
      await this.#loadCold(items)
      const startedAt = clock.elapsed()
      const batch = buildBatch(items, this.#hot.states, { ...this.#options.batch, now: clock.now() })
      this.#halving.stepped(items.length, clock.elapsed() - startedAt)
      return { items, waitedMs, batch }
    } catch (error) {
      return { items, waitedMs, error }
    }
  }

  /** Never rejects: while it is under way something else is awaited. */
  async #begin(built: Built): Promise<Written | { readonly error: unknown }> {
    if ('error' in built) return built
    const { clock } = this.#options
    const startedAt = clock.elapsed()
    return this.#write(built.batch).then(
      (inbox) => {
        const durationMs = clock.elapsed() - startedAt
        this.#halving.committed(durationMs)
        this.#failures.answered()
        return { inbox, durationMs }
      },
      (error: unknown) => ({ error }),
    )
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
      const known = one && batch.known(one.row.kind)
      this.#hot.load(address, one && known ? restoreActor(known, one) : undefined)
    }
  }

  async #write(batch: Batch): Promise<readonly InboxNumber[]> {
    if (Object.values(batch.commit).every((rows) => rows.length === 0)) return []
    const { leases, sql } = this.#options
    return commitSteps(sql, { ...batch.commit, owner: leases.owner, leases: leases.tokens(batch.shards) })
  }

  #publish(built: Built, { inbox, durationMs }: Written): void {
    if ('error' in built) return
    const { items, batch, waitedMs } = built
    this.#hot.commit(batch.states)
    this.#hot.unmark(batch.commit.cleared)
    this.#idleSnapshots.committed(batch.states)
    this.#options.hooks.committed(batch, inbox)
    for (const item of items) complete(item, batch)
    if (items.length === 0) return
    reportBatch(this.#options.observer, batch, { items: items.length, durationMs, queued: this.#queue.size, waitedMs })
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
