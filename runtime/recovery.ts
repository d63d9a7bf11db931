/**
 * Brings into memory what the store holds and this process does not have in hand: at the start, after a takeover,
 * after a commit whose outcome nobody knows, and at every poll what other processes left in the inbox.
 */
import type { ActorAddress, MachineEvent } from '../machines/definition.ts'
import { messageOf } from './errors.ts'
import type { Clock, Timer } from './clock.ts'
import type { Logger } from './logger.ts'
import type { Receipt } from './runtime.ts'
import { pendingEffects } from './store/pending-effects.ts'
import { pendingInbox } from './store/pending-inbox.ts'
import type { StoredInboxRow } from './store/pending-inbox.ts'
import { quarantinedActors } from './store/quarantined-actors.ts'
import type { EffectRow } from './store/rows.ts'
import type { Sql } from './store/sql.ts'
import { nobodyWaits } from './work.ts'
import type { Work } from './work.ts'

export interface RecoveryOptions {
  readonly sql: Sql
  readonly clock: Clock
  readonly logger: Logger
  readonly pollMs: number
  readonly maxQueued: number
  readonly shards: () => readonly number[]
  readonly shardOf: (address: ActorAddress) => number
  readonly queued: () => number
  readonly submit: (work: Work) => void
  readonly alone: <T>(task: () => Promise<T>) => Promise<T>
  readonly resume: (effects: readonly EffectRow[]) => void
}

/** Effects that another process put back to life are noticed within this time. */
const fullReadMs = 30_000

export class Recovery {
  readonly #options: RecoveryOptions
  /** Inbox rows whose work is queued here, or that wait for a quarantined actor. */
  readonly #inHand = new Set<number>()
  #isFullReadDue = false
  #lastFullRead = -Infinity
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
    const { sql, submit } = this.#options
    await this.#inbox()
    this.#options.resume(await pendingEffects(sql, shards))
    for (const to of await quarantinedActors(sql, shards)) {
      submit({ kind: 'touch', to, shard: this.#options.shardOf(to), done: nobodyWaits })
    }
  }

  /** Hands an inbox row to the worker, unless that is done already. */
  receive(row: StoredInboxRow): void {
    if (this.#inHand.has(row.id)) return
    this.#inHand.add(row.id)
    const done = {
      resolve: (receipt: Receipt) => void (isWaiting(receipt) || this.#inHand.delete(row.id)),
      reject: () => void this.#inHand.delete(row.id),
    }
    const event = JSON.parse(row.body) as MachineEvent
    this.#options.submit({ kind: 'event', to: row.actor, key: row.key, event, shard: row.shard, inboxId: row.id, done })
  }

  #schedule(): void {
    if (!this.#isOpen) return
    const { alone, clock, logger, pollMs } = this.#options
    this.#timer = clock.setTimer(pollMs, () => {
      const round = alone(() => this.#read())
      void round
        .catch((error: unknown) => logger.warn({ error: messageOf(error) }, 'the store could not be read'))
        .finally(() => this.#schedule())
    })
  }

  async #read(): Promise<void> {
    await this.#inbox()
    const { sql, clock, shards, resume } = this.#options
    if (!this.#isFullReadDue && clock.now() - this.#lastFullRead < fullReadMs) return
    resume(await pendingEffects(sql, shards()))
    this.#isFullReadDue = false
    this.#lastFullRead = clock.now()
  }

  async #inbox(): Promise<void> {
    const { sql, shards, maxQueued, queued } = this.#options
    const room = maxQueued - queued()
    if (room <= 0) return
    const rows = await pendingInbox(sql, { shards: shards(), except: [...this.#inHand], limit: room })
    for (const row of rows) this.receive(row)
  }
}

function isWaiting(receipt: Receipt): boolean {
  return receipt.answer?.body['code'] === 'actor-quarantined'
}
