/**
 * What becomes of the items of a commit that was refused or not answered: each is committed by another commit, answered
 * as it was before, or given up and told so. Never dropped (R7).
 */
import type { ActorAddress } from '../../machines/definition.ts'
import { backoffMs } from '../backoff.ts'
import { sleep } from '../clock.ts'
import type { Clock } from '../clock.ts'
import {
  DuplicateKeyError,
  SequenceConflictError,
  StaleLeaseError,
  StoreUnavailableError,
  TerminalError,
  messageOf,
} from '../errors.ts'
import type { Leases } from '../shards/leases.ts'
import type { Logger } from '../logger.ts'
import type { RuntimeObserver } from '../observer.ts'
import { createOutage, type Outage } from '../outage.ts'
import type { Random } from '../random.ts'
import type { Answer } from '../runtime.ts'
import { buryInbox } from '../store/inbox/bury-inbox.ts'
import { findReceipts } from '../store/inbox/find-receipts.ts'
import { SqlError, isRefusedData } from '../store/sql-error.ts'
import type { Sql } from '../store/sql.ts'
import { actorOf } from '../work.ts'
import type { Work } from '../work.ts'

interface FailedCommitsOptions {
  readonly sql: Sql
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly leases: Leases
  readonly observer: RuntimeObserver
  /** Tries again, the attempts counted from 1. */
  readonly commit: (items: readonly Work[], attempt: number) => Promise<void>
  /** What memory says of these actors may not be what the store says. */
  readonly forget: (isForgotten: (address: ActorAddress) => boolean) => void
  readonly submit: (work: Work) => void
  /** Takes out of the queue what waits there. */
  readonly withdraw: (isWithdrawn: (work: Work) => boolean) => readonly Work[]
  /** The store is to be read again. */
  readonly resync: () => void
}

/** Attempts at a store that does not answer, before those who wait are told so: about four seconds in all. */
export const storeAttempts = 4

export class FailedCommits {
  readonly #options: FailedCommitsOptions
  readonly #commits: Outage

  constructor(options: FailedCommitsOptions) {
    this.#options = options
    this.#commits = createOutage({ ...options, failing: 'the store did not answer', over: 'the store answers again' })
  }

  /** A commit was made. */
  answered(): void {
    this.#commits.answered()
  }

  /** Resolves when every item was committed, answered or given up. */
  async handle(items: readonly Work[], error: unknown, attempt: number): Promise<void> {
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
      // A commit that was given up came to pass after all: what it asked for is in the store alone.
      this.#options.resync()
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
    this.#options.forget((address) => touched.has(address))
  }

  /** Asks who holds the leases now; items of lost shards are then misrouted, the others go on. */
  async #reclaim(items: readonly Work[], attempt: number): Promise<void> {
    this.#options.logger.warn({ attempt }, 'the store refused a commit: another process owns a shard')
    await this.#options.leases.renew().catch(() => undefined)
    await this.#again(items, new StaleLeaseError('another process owns the shard'), attempt)
  }

  async #again(items: readonly Work[], error: unknown, attempt: number): Promise<void> {
    if (attempt >= storeAttempts) return this.#giveUp(items, error)
    await this.#options.commit(items, attempt + 1)
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
      await this.handle(items, error, attempt)
    }
  }

  /** Something of the batch is refused: halves it until the one is found, so that it stops nobody else. */
  async #bisect(items: readonly Work[], error: unknown): Promise<void> {
    const [only] = items
    if (items.length === 1 && only) return this.#refuse(only, error)
    const middle = Math.ceil(items.length / 2)
    await this.#options.commit(items.slice(0, middle), 1)
    await this.#options.commit(items.slice(middle), 1)
  }

  async #refuse(item: Work, error: unknown): Promise<void> {
    const { sql, clock, logger } = this.#options
    const reason = `it cannot be stored: ${messageOf(error)}`
    logger.error({ reason, work: item.kind, actor: actorOf(item) }, 'the store refused work')
    if (item.kind === 'settle' && item.outcome.kind === 'performed') {
      return this.#options.submit({
        ...item,
        mayRest: false,
        outcome: { kind: 'dead', attempts: item.effect.attempts + 1, lastError: reason },
      })
    }
    if (item.kind === 'event' && item.inboxId !== undefined) {
      await buryInbox(sql, { id: item.inboxId, reason, at: clock.now() }).catch(() => this.#options.resync())
    }
    item.done.reject(new TerminalError('event-refused', reason, { cause: error }))
  }

  /** Nobody knows whether the commit happened: it is made again, and a key that is then known was applied by it. */
  async #unanswered(items: readonly Work[], error: unknown, attempt: number): Promise<void> {
    const { clock, random, resync } = this.#options
    this.#commits.failed(error, { attempt })
    resync()
    if (attempt >= storeAttempts) return this.#giveUp(items, error)
    await sleep(clock, backoffMs(attempt, random))
    const uncertain = items.map((item): Work => (item.kind === 'event' ? { ...item, uncertain: true } : item))
    await this.#options.commit(uncertain, attempt + 1)
  }

  /** What came by the inbox is read again, and with it what waits behind it here, or that would overtake it (R2). */
  #giveUp(items: readonly Work[], error: unknown): void {
    this.#forgetActors(items)
    this.#options.resync()
    const unavailable = new StoreUnavailableError(`the store did not take it: ${messageOf(error)}`, { cause: error })
    const actors = new Set(items.filter(isOfInbox).map(actorOf))
    const behind = this.#options.withdraw((work) => isOfInbox(work) && actors.has(actorOf(work)))
    for (const item of [...items, ...behind]) item.done.reject(unavailable)
  }
}

function isOfInbox(work: Work): boolean {
  return work.kind === 'event' && work.inboxId !== undefined
}
