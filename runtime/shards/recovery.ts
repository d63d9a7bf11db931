/**
 * Brings into memory what the store holds and this process does not have in hand: at the start, after a takeover,
 * after a commit whose outcome nobody knows, and at every poll what other processes left in the inbox.
 */
import type { ActorAddress, MachineDefinition, MachineEvent } from '../../machines/definition.ts'
import type { Clock, Timer } from '../clock.ts'
import type { Load } from '../queue-share.ts'
import type { Logger } from '../logger.ts'
import { unwatched, watchLoop } from '../loop.ts'
import type { RuntimeObserver } from '../observer.ts'
import { createOutage, type Outage } from '../outage.ts'
import type { Random } from '../random.ts'
import type { Receipt } from '../runtime.ts'
import { outdatedActors } from '../store/actors/outdated-actors.ts'
import { pendingInbox } from '../store/inbox/pending-inbox.ts'
import type { StoredInboxRow } from '../store/inbox/pending-inbox.ts'
import { quarantinedActors } from '../store/actors/quarantined-actors.ts'
import type { Sql } from '../store/sql.ts'
import { nobodyWaits } from '../work.ts'
import type { Work } from '../work.ts'

interface RecoveryOptions {
  readonly sql: Sql
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly observer: RuntimeObserver
  readonly pollMs: number
  readonly mostQueued: Load
  readonly queue: RecoveryQueue
  readonly definitions: readonly Pick<MachineDefinition, 'kind' | 'version'>[]
  /** Those that are served. */
  readonly shards: () => readonly number[]
  readonly shardOf: (address: ActorAddress) => number
  readonly alone: <T>(task: () => Promise<T>) => Promise<T>
  /** Reads the pending effects of these shards; gives how many it took into memory. */
  readonly resume: (shards: readonly number[]) => Promise<number>
  /** Takes up what another process put back to life. */
  readonly look: () => Promise<unknown>
}

/** What waits in memory for its commit. */
interface RecoveryQueue {
  readonly waiting: Load
  mayTake(to: ActorAddress, bytes: number): boolean
  /** Actors that hold their share of it already. */
  crowding(): ReadonlySet<string>
  submit(work: Work): void
}

/** Effects that another process put back to life are noticed within this time. */
const lookMs = 30_000
/** Between two readings while the inbox holds more than there is room for. */
const backlogPollMs = 10

export class Recovery {
  readonly #options: RecoveryOptions
  /** Inbox rows whose work is queued here, or that wait for a quarantined actor, and their shards. */
  readonly #inHand = new Map<number, number>()
  /** The inbox holds rows that were not read, of whatever actor: fresh ones must not overtake them (R2). */
  #isBehind = false
  /** Actors whose rows alone were left there: they hold their share of the queue already. */
  #heldBack = new Set<string>()
  readonly #readings: Outage
  #lastInbox = -Infinity
  #isFullReadDue = false
  /** A commit that nobody waited for any more may have come to pass after the last full reading. */
  #isSecondDue = false
  /** More actors of older versions may be in the store than were asked for at once. */
  #isUpgrading = false
  #lastLook = -Infinity
  #timer: Timer | undefined
  #watch = unwatched
  #isOpen = false

  constructor(options: RecoveryOptions) {
    this.#options = options
    this.#readings = createOutage({
      ...options,
      failing: 'this process could not read the store',
      over: 'this process reads the store again',
    })
  }

  start(): void {
    this.#isOpen = true
    this.#watch = watchLoop(this.#options.clock, { name: 'inbox', everyMs: this.#options.pollMs, isVital: true })
    this.#schedule()
  }

  stop(): void {
    this.#isOpen = false
    this.#watch.close()
    this.#timer?.cancel()
  }

  /**
   * The next reading takes everything, not the inbox alone; it comes between the next two commits. Until then what is in
   * the store and nowhere here must not be overtaken by a row of a later commit (R2).
   */
  requestFullRead(): void {
    this.#isBehind = true
    this.#isSecondDue = true
    if (this.#isFullReadDue) return
    this.#isFullReadDue = true
    this.poll()
  }

  poll(): void {
    void this.#options
      .alone(() => this.#read())
      .then(
        () => this.#readings.answered(),
        (error: unknown) => void this.#readings.failed(error),
      )
  }

  /** Before anything else is done for shards that came to this process. Call it between two commits only. */
  async takeOver(shards: readonly number[]): Promise<void> {
    const { sql, clock, observer, queue, shards: served, resume, shardOf } = this.#options
    const began = clock.elapsed()
    await this.#inbox([...served(), ...shards])
    const effects = await resume(shards)
    for (const to of await quarantinedActors(sql, shards)) {
      queue.submit({ kind: 'touch', to, shard: shardOf(to), done: nobodyWaits })
    }
    await this.#upgrade(shards)
    observer.recovered({ shards: shards.length, effects, durationMs: clock.elapsed() - began })
  }

  /**
   * Actors of older versions are loaded at once and not when they are next spoken to: what an upgrade gives them a timer for
   * may be all that ever would, and one that cannot be upgraded is reported today (R10).
   */
  async #upgrade(shards: readonly number[]): Promise<void> {
    const { sql, queue, shardOf, definitions } = this.#options
    const { size: limit } = this.#options.mostQueued
    const versions = new Map(definitions.map(({ kind, version }) => [kind, version]))
    const found = await outdatedActors(sql, { shards, versions, limit })
    this.#isUpgrading = found.length === limit
    for (const to of found) queue.submit({ kind: 'touch', to, shard: shardOf(to), done: nobodyWaits })
  }

  /** Another process has them: its rows are not in hand here, and may come back. */
  forget(shards: ReadonlySet<number>): void {
    for (const [id, shard] of this.#inHand) if (shards.has(shard)) this.#inHand.delete(id)
  }

  /** A row of a commit of this process: it is handed on at once, unless older ones still wait to be read or there is no room. */
  receive(row: StoredInboxRow): void {
    if (this.#isBehind || this.#heldBack.has(row.actor)) return
    if (this.#options.queue.mayTake(row.actor, row.body.length)) return this.#take(row)
    const hadLeft = this.#hasLeft
    this.#heldBack.add(row.actor)
    if (!hadLeft) this.#schedule()
  }

  #take(row: StoredInboxRow): void {
    if (this.#inHand.has(row.id)) return
    this.#inHand.set(row.id, row.shard)
    const done = {
      resolve: (receipt: Receipt) => void (isWaiting(receipt) || this.#inHand.delete(row.id)),
      reject: () => void this.#inHand.delete(row.id),
    }
    const event = JSON.parse(row.body) as MachineEvent
    const { actor: to, key, body, shard, id: inboxId } = row
    this.#options.queue.submit({ kind: 'event', to, key, event, body, shard, inboxId, done })
  }

  get #hasLeft(): boolean {
    return this.#isBehind || this.#heldBack.size > 0
  }

  #schedule(delayMs = this.#hasLeft ? backlogPollMs : this.#options.pollMs): void {
    if (!this.#isOpen) return
    const { clock, pollMs } = this.#options
    this.#timer?.cancel()
    this.#timer = clock.setTimer(delayMs, () => {
      void this.#watch
        .turn(() => this.#round())
        .then(
          () => this.#schedule(),
          // Whatever is left there: a store that is away is not asked a hundred times a second.
          (error: unknown) => this.#schedule(Math.max(pollMs, this.#readings.failed(error))),
        )
    })
  }

  /** To find nothing but rows of actors that are held back, all of these are passed over: rarely, while they still are. */
  async #round(): Promise<void> {
    const { alone, clock, queue, pollMs } = this.#options
    const crowding = queue.crowding()
    const isStill = this.#heldBack.size > 0 && [...this.#heldBack].every((actor) => crowding.has(actor))
    if (isStill && !this.#isBehind && clock.elapsed() - this.#lastInbox < pollMs) return
    await alone(() => this.#read())
    this.#readings.answered()
  }

  async #read(): Promise<void> {
    const { clock, shards, resume, look } = this.#options
    await this.#inbox(shards())
    const isFullReadDue = this.#isFullReadDue
    if (!isFullReadDue && clock.elapsed() - this.#lastLook < lookMs) return
    // What was not tried yet is in memory, or a full reading was asked for: that reads a row for each actor there is.
    if (isFullReadDue || this.#isSecondDue) await resume(shards())
    else await look()
    if (this.#isUpgrading) await this.#upgrade(shards())
    if (!isFullReadDue) this.#isSecondDue = false
    this.#isFullReadDue = false
    this.#lastLook = clock.elapsed()
  }

  async #inbox(shards: readonly number[]): Promise<void> {
    const { sql, clock, observer, queue, mostQueued } = this.#options
    const limit = halfOfRoom(queue.waiting, mostQueued)
    const hadLeft = this.#hasLeft
    this.#isBehind = true
    this.#lastInbox = clock.elapsed()
    if (limit.size <= 0 || limit.bytes <= 0) return
    this.#heldBack = new Set(queue.crowding())
    const rows = await pendingInbox(sql, {
      shards,
      except: [...this.#inHand.keys()],
      apart: [...this.#heldBack],
      limit,
    })
    this.#isBehind = isCut(rows, limit)
    const now = clock.now()
    observer.inboxLag(Math.max(0, now - (rows[0]?.at ?? now)))
    for (const row of rows) this.#take(row)
    if (this.#hasLeft && !hadLeft) this.#schedule()
  }
}

function isWaiting(receipt: Receipt): boolean {
  return receipt.answer?.body['code'] === 'actor-quarantined'
}

/** What comes meanwhile, and others' rows at the next reading, find room as well. */
function halfOfRoom(held: Load, most: Load): Load {
  return { size: Math.ceil((most.size - held.size) / 2), bytes: Math.ceil((most.bytes - held.bytes) / 2) }
}

function isCut(rows: readonly StoredInboxRow[], limit: Load): boolean {
  const bytes = rows.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0)
  return rows.length === limit.size || bytes >= limit.bytes
}
