/**
 * Brings into memory what the store holds and this process does not have in hand: at the start, after a takeover,
 * after a commit whose outcome nobody knows, and at every poll what other processes left in the inbox.
 */
import type { ActorAddress, MachineDefinition, MachineEvent } from '../machines/definition.ts'
import { messageOf } from './errors.ts'
import type { Clock, Timer } from './clock.ts'
import type { Logger } from './logger.ts'
import type { RuntimeObserver } from './observer.ts'
import type { Receipt } from './runtime.ts'
import { outdatedActors } from './store/outdated-actors.ts'
import { pendingInbox } from './store/pending-inbox.ts'
import type { StoredInboxRow } from './store/pending-inbox.ts'
import { quarantinedActors } from './store/quarantined-actors.ts'
import type { Sql } from './store/sql.ts'
import { nobodyWaits } from './work.ts'
import type { Work } from './work.ts'

export interface RecoveryOptions {
  readonly sql: Sql
  readonly clock: Clock
  readonly logger: Logger
  readonly observer: RuntimeObserver
  readonly pollMs: number
  readonly maxQueued: number
  readonly definitions: readonly Pick<MachineDefinition, 'kind' | 'version'>[]
  /** Those that are served. */
  readonly shards: () => readonly number[]
  readonly shardOf: (address: ActorAddress) => number
  readonly queued: () => number
  readonly submit: (work: Work) => void
  readonly alone: <T>(task: () => Promise<T>) => Promise<T>
  /** Reads the pending effects of these shards; gives how many it took into memory. */
  readonly resume: (shards: readonly number[]) => Promise<number>
  /** Takes up what another process put back to life. */
  readonly look: () => Promise<unknown>
}

/** Effects that another process put back to life are noticed within this time. */
const lookMs = 30_000
/** Between two readings while the inbox holds more than there is room for. */
const backlogPollMs = 10

export class Recovery {
  readonly #options: RecoveryOptions
  /** Inbox rows whose work is queued here, or that wait for a quarantined actor, and their shards. */
  readonly #inHand = new Map<number, number>()
  /** The inbox holds rows that were not read: fresh ones must not overtake them (R2). */
  #isBehind = false
  #isFullReadDue = false
  /** More actors of older versions may be in the store than were asked for at once. */
  #isUpgrading = false
  #lastLook = -Infinity
  #timer: Timer | undefined
  #isOpen = false

  constructor(options: RecoveryOptions) {
    this.#options = options
  }

  start(): void {
    this.#isOpen = true
    this.#schedule()
  }

  stop(): void {
    this.#isOpen = false
    this.#timer?.cancel()
  }

  /** The next reading takes everything, not the inbox alone; it comes between the next two commits. */
  requestFullRead(): void {
    if (this.#isFullReadDue) return
    this.#isFullReadDue = true
    this.poll()
  }

  poll(): void {
    const { alone, logger } = this.#options
    void alone(() => this.#read()).catch((error: unknown) =>
      logger.warn({ error: messageOf(error) }, 'the inbox could not be read'),
    )
  }

  /** Before anything else is done for shards that came to this process. Call it between two commits only. */
  async takeOver(shards: readonly number[]): Promise<void> {
    const { sql, clock, observer, submit, shards: served, resume, shardOf } = this.#options
    const began = clock.elapsed()
    await this.#inbox([...served(), ...shards])
    const effects = await resume(shards)
    for (const to of await quarantinedActors(sql, shards)) {
      submit({ kind: 'touch', to, shard: shardOf(to), done: nobodyWaits })
    }
    await this.#upgrade(shards)
    observer.recovered({ shards: shards.length, effects, durationMs: clock.elapsed() - began })
  }

  /**
   * Actors of older versions are loaded at once and not when they are next spoken to: what an upgrade gives them a timer for
   * may be all that ever would, and one that cannot be upgraded is reported today (R10).
   */
  async #upgrade(shards: readonly number[]): Promise<void> {
    const { sql, submit, shardOf, definitions, maxQueued: limit } = this.#options
    const versions = new Map(definitions.map(({ kind, version }) => [kind, version]))
    const found = await outdatedActors(sql, { shards, versions, limit })
    this.#isUpgrading = found.length === limit
    for (const to of found) submit({ kind: 'touch', to, shard: shardOf(to), done: nobodyWaits })
  }

  /** Another process has them: its rows are not in hand here, and may come back. */
  forget(shards: ReadonlySet<number>): void {
    for (const [id, shard] of this.#inHand) if (shards.has(shard)) this.#inHand.delete(id)
  }

  /** A row of a commit of this process: it is handed on at once, unless older ones still wait to be read. */
  receive(row: StoredInboxRow): void {
    if (!this.#isBehind) this.#take(row)
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
    this.#options.submit({ kind: 'event', to, key, event, body, shard, inboxId, done })
  }

  #schedule(): void {
    if (!this.#isOpen) return
    const { alone, clock, logger, pollMs } = this.#options
    this.#timer = clock.setTimer(this.#isBehind ? backlogPollMs : pollMs, () => {
      const round = alone(() => this.#read())
      void round
        .catch((error: unknown) => logger.warn({ error: messageOf(error) }, 'the store could not be read'))
        .finally(() => this.#schedule())
    })
  }

  async #read(): Promise<void> {
    const { clock, shards, resume, look } = this.#options
    await this.#inbox(shards())
    if (!this.#isFullReadDue && clock.elapsed() - this.#lastLook < lookMs) return
    // What was not tried yet is in memory, or a full reading was asked for: that reads a row for each actor there is.
    if (this.#isFullReadDue) await resume(shards())
    else await look()
    if (this.#isUpgrading) await this.#upgrade(shards())
    this.#isFullReadDue = false
    this.#lastLook = clock.elapsed()
  }

  async #inbox(shards: readonly number[]): Promise<void> {
    const { sql, clock, observer, maxQueued, queued } = this.#options
    const limit = maxQueued - queued()
    const wasBehind = this.#isBehind
    this.#isBehind = true
    if (limit <= 0) return
    const rows = await pendingInbox(sql, { shards, except: [...this.#inHand.keys()], limit })
    this.#isBehind = rows.length === limit
    if (rows[0]) observer.inboxLag(Math.max(0, clock.now() - rows[0].at))
    for (const row of rows) this.#take(row)
    if (this.#isBehind && !wasBehind) this.#hurry()
  }

  #hurry(): void {
    this.#timer?.cancel()
    this.#schedule()
  }
}

function isWaiting(receipt: Receipt): boolean {
  return receipt.answer?.body['code'] === 'actor-quarantined'
}
