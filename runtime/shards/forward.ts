/**
 * Delivery to actors of other processes: through the inbox table, whose row is on disk before anything is said (R1).
 * What gathers while one statement is under way goes into the next one, and one question asks for all that is awaited.
 */
import type { ActorAddress } from '../../machines/definition.ts'
import { quarantinedActor, unknownActor } from '../commit/batch.ts'
import type { Clock, Timer } from '../clock.ts'
import { isRoomFor, isWithinShare } from '../queue-share.ts'
import type { Load } from '../queue-share.ts'
import { OverloadedError, RuntimeStoppedError, StoreUnavailableError, messageOf } from '../errors.ts'
import type { Logger } from '../logger.ts'
import type { RuntimeObserver } from '../observer.ts'
import { createOutage, type Outage } from '../outage.ts'
import type { Random } from '../random.ts'
import type { Answer, Receipt } from '../runtime.ts'
import { forwardOutcomes } from '../store/inbox/forward-outcomes.ts'
import type { ForwardOutcome } from '../store/inbox/forward-outcomes.ts'
import { insertInbox } from '../store/inbox/insert-inbox.ts'
import type { InboxRow } from '../store/rows.ts'
import { shardOwners } from '../store/shards/shard-owners.ts'
import type { Sql } from '../store/sql.ts'
import type { Completion } from '../work.ts'

interface ForwardOptions {
  readonly sql: Sql
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly observer: RuntimeObserver
  /** Of what was not answered yet, sent or not. */
  readonly mostQueued: Load
  readonly hint: (owner: string) => void
}

interface Forwarded {
  readonly row: InboxRow
  readonly done: Completion<Receipt>
  readonly giveUpAt: number
  /** Dead letters that were there before. */
  letters: number
  /** Another deliverer's row of this key was there already. */
  isRepeat: boolean
}

const mostAtOnce = 1000
const firstLookMs = 5
const longestLookMs = 250
/** Looks become rarer as what is awaited grows older. */
const looksPerAge = 4
/** Longer than any lease: by then the shard has an owner again, or there is none left. */
const patienceMs = 60_000
const overloadRetryMs = 1000

const nothing: Load = { size: 0, bytes: 0 }

export class Forward {
  readonly #options: ForwardOptions
  readonly #looks: Outage
  #queue: Forwarded[] = []
  readonly #awaited = new Map<string, Forwarded[]>()
  /** Events of an actor that are under way: those after them must go the same way, or they would overtake (R2). */
  readonly #actors = new Map<ActorAddress, Load>()
  #held = nothing
  #isSending = false
  #timer: Timer | undefined
  #youngest = -Infinity

  constructor(options: ForwardOptions) {
    this.#options = options
    this.#looks = createOutage({
      ...options,
      failing: 'this process could not read forwarded events',
      over: 'this process reads forwarded events again',
    })
  }

  isForwarding(actor: ActorAddress): boolean {
    return this.#actors.has(actor)
  }

  get held(): Load {
    return this.#held
  }

  /** Resolves when the owner has stepped the event. */
  deliver(row: InboxRow): Promise<Receipt> {
    const { clock, observer } = this.#options
    if (!this.#mayTake(row)) {
      observer.overloaded(this.#held.size)
      return Promise.reject(new OverloadedError(this.#held.size, overloadRetryMs))
    }
    return new Promise((resolve, reject) => {
      const leave = (): void => this.#count(row, -1)
      const done: Completion<Receipt> = {
        resolve: (receipt) => (leave(), resolve(receipt)),
        reject: (error) => (leave(), reject(error)),
      }
      this.#count(row, 1)
      this.#queue.push({ row, done, giveUpAt: clock.elapsed() + patienceMs, letters: 0, isRepeat: false })
      void this.#send()
    })
  }

  #mayTake({ actor, body }: InboxRow): boolean {
    const { mostQueued } = this.#options
    return (
      isRoomFor(body.length, this.#held, mostQueued) &&
      isWithinShare(this.#actors.get(actor) ?? nothing, this.#held, mostQueued)
    )
  }

  /** Those who wait are told so; what is in the inbox is applied all the same. */
  stop(): void {
    this.#timer?.cancel()
    const stopped = new RuntimeStoppedError('the runtime stops; the event waits in the inbox of another')
    for (const one of [...this.#queue.splice(0), ...[...this.#awaited.values()].flat()]) one.done.reject(stopped)
    this.#awaited.clear()
  }

  #count({ actor, body }: InboxRow, change: 1 | -1): void {
    const add = ({ size, bytes }: Load): Load => ({ size: size + change, bytes: bytes + change * body.length })
    const own = add(this.#actors.get(actor as ActorAddress) ?? nothing)
    this.#held = add(this.#held)
    if (own.size === 0) this.#actors.delete(actor as ActorAddress)
    else this.#actors.set(actor as ActorAddress, own)
  }

  async #send(): Promise<void> {
    if (this.#isSending) return
    this.#isSending = true
    while (this.#queue.length > 0) {
      const items = this.#queue.splice(0, mostAtOnce)
      await this.#insert(items).catch((error: unknown) => {
        const unavailable = new StoreUnavailableError(`the inbox did not take it: ${messageOf(error)}`, {
          cause: error,
        })
        for (const item of items) item.done.reject(unavailable)
      })
    }
    this.#isSending = false
  }

  async #insert(items: readonly Forwarded[]): Promise<void> {
    const { sql, clock, hint } = this.#options
    const known = await this.#outcomes(items.map((item) => item.row))
    const fresh = items.filter((item) => !this.#isKnown(item, known.get(nameOf(item.row))))
    if (fresh.length === 0) return
    const rows = fresh.map((item) => item.row)
    const inserted = new Set((await insertInbox(sql, rows)).map(nameOf))
    for (const item of fresh) {
      const name = nameOf(item.row)
      item.isRepeat = !inserted.delete(name)
      this.#awaited.set(name, [...(this.#awaited.get(name) ?? []), item])
    }
    this.#youngest = clock.elapsed()
    this.#schedule()
    // The rows are there: should nobody be told, their owner finds them at its next poll.
    const owners = await shardOwners(sql, [...new Set(rows.map((row) => row.shard))]).catch(() => [])
    for (const owner of owners) hint(owner)
  }

  #isKnown(item: Forwarded, outcome: ForwardOutcome | undefined): boolean {
    item.letters = outcome?.letters ?? 0
    if (!outcome || outcome.seq === null) return false
    item.done.resolve({ ...receiptOf(outcome, outcome.seq), applied: false })
    return true
  }

  async #outcomes(rows: readonly InboxRow[]): Promise<ReadonlyMap<string, ForwardOutcome>> {
    const found = await forwardOutcomes(this.#options.sql, rows)
    return new Map(found.map((outcome) => [nameOf(outcome), outcome]))
  }

  #schedule(atLeastMs = 0): void {
    const { clock } = this.#options
    if (this.#awaited.size === 0) return
    this.#timer?.cancel()
    const age = (clock.elapsed() - this.#youngest) / looksPerAge
    const lookMs = Math.min(longestLookMs, Math.max(firstLookMs, age))
    this.#timer = clock.setTimer(Math.max(lookMs, atLeastMs), () => {
      void this.#look().then(
        () => {
          this.#looks.answered()
          this.#schedule()
        },
        (error: unknown) => {
          this.#giveUpLate()
          this.#schedule(this.#looks.failed(error))
        },
      )
    })
  }

  /** Whoever waits is told in time, also by a store that does not answer. */
  #giveUpLate(): void {
    for (const [name, items] of this.#awaited) {
      const left = items.filter((item) => !this.#isGivenUp(item))
      if (left.length === 0) this.#awaited.delete(name)
      else this.#awaited.set(name, left)
    }
  }

  async #look(): Promise<void> {
    const awaited = [...this.#awaited].slice(0, mostAtOnce)
    // Those that are looked at go to the end: none is left out for ever.
    for (const [name, items] of awaited) {
      this.#awaited.delete(name)
      this.#awaited.set(name, items)
    }
    const outcomes = await this.#outcomes(awaited.map(([, items]) => items[0]!.row))
    for (const [name] of awaited) {
      const outcome = outcomes.get(name)
      const left = (this.#awaited.get(name) ?? []).filter((item) => !this.#finish(item, outcome))
      if (left.length === 0) this.#awaited.delete(name)
      else this.#awaited.set(name, left)
    }
  }

  #finish(item: Forwarded, outcome: ForwardOutcome | undefined): boolean {
    const { row, done, letters, isRepeat } = item
    if (outcome && outcome.seq !== null) {
      done.resolve({ ...receiptOf(outcome, outcome.seq), applied: !isRepeat })
      return true
    }
    const refusal = { key: row.key, applied: false, seq: outcome?.actorSeq ?? 0 }
    const isQuarantined = outcome?.status === 'quarantined'
    if (isQuarantined || (outcome?.letters ?? 0) > letters) {
      done.resolve({ ...refusal, answer: isQuarantined ? quarantinedActor : unknownActor })
      return true
    }
    return this.#isGivenUp(item)
  }

  #isGivenUp({ row, done, giveUpAt }: Forwarded): boolean {
    if (this.#options.clock.elapsed() < giveUpAt) return false
    done.reject(new StoreUnavailableError(`shard ${row.shard} has no owner that answers; the event waits in the inbox`))
    return true
  }
}

function nameOf({ actor, key }: { readonly actor: string; readonly key: string }): string {
  return `${actor} ${key}`
}

function receiptOf({ key, answer }: ForwardOutcome, seq: number): Omit<Receipt, 'applied'> {
  return { key, seq, ...(answer === null ? {} : { answer: JSON.parse(answer) as Answer }) }
}
