/**
 * Performs effects once they are committed, from memory; the store's copy is for recovery. At least once and always
 * under one key (R6); a failure is retried with backoff, or becomes an event or a dead letter (R7).
 */
import type { ActorAddress, JsonObject } from '../machines/definition.ts'
import { effectKey } from './address.ts'
import { backoffMs } from './backoff.ts'
import type { Clock, Timer } from './clock.ts'
import { RetryableError, TerminalError, messageOf } from './errors.ts'
import type { Random } from './random.ts'
import type { Logger } from './logger.ts'
import type { Delivery, EffectHandler } from './runtime.ts'
import type { Withdrawal } from './store/commit-steps.ts'
import type { EffectRow } from './store/rows.ts'
import type { SettleOutcome } from './work.ts'

export interface RelayOptions {
  readonly handlers: Readonly<Record<string, EffectHandler>>
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  /** Commits what became of an effect together with what it brought back. */
  readonly settle: (effect: EffectRow, outcome: SettleOutcome) => Promise<void>
}

type EntryState = 'waiting' | 'performing' | 'settling'

interface Entry {
  effect: EffectRow
  state: EntryState
  readonly key: string
  readonly lane: ActorAddress | undefined
  readonly abort: AbortController
  timer?: Timer
}

const defaultConcurrency = 8
const defaultMaxAttempts = 50
const noHandler = 'no handler for this type of effect'

export class Relay {
  readonly #options: RelayOptions
  readonly #entries = new Map<string, Entry>()
  /** Ordered effects of one actor, in journal order: only the first may be performed. */
  readonly #lanes = new Map<ActorAddress, Entry[]>()
  /** Waiting entries whose time has come, by type, and how many of the type are being performed. */
  readonly #ready = new Map<string, Entry[]>()
  readonly #performing = new Map<string, number>()
  #open = false

  constructor(options: RelayOptions) {
    this.#options = options
  }

  start(): void {
    this.#open = true
    for (const type of this.#ready.keys()) this.#pump(type)
  }

  /** Takes committed effects, in journal order; those it has are left alone. */
  add(effects: readonly EffectRow[]): void {
    for (const effect of effects) {
      const key = keyOf(effect)
      if (this.#entries.has(key)) continue
      const lane = this.#options.handlers[effect.type]?.ordered ? effect.actor : undefined
      const entry: Entry = { effect, key, lane, state: 'waiting', abort: new AbortController() }
      this.#entries.set(key, entry)
      if (lane) this.#enterLane(lane, entry)
      this.#schedule(entry)
    }
  }

  stateOf(key: string): EntryState | undefined {
    return this.#entries.get(key)?.state
  }

  /** Waiting ones are gone with the commit that withdrew them; one under way is told, and its results still count. */
  withdraw(withdrawals: readonly Withdrawal[]): void {
    for (const { actor, type, belowSeq } of withdrawals) {
      for (const entry of this.#entries.values()) {
        const { effect } = entry
        if (effect.actor !== actor || effect.type !== type || effect.seq >= belowSeq) continue
        entry.abort.abort(new TerminalError('withdrawn'))
        if (entry.state === 'waiting') this.#remove(entry)
      }
    }
  }

  /** Another owner performs these now; what is under way here ends without a word. */
  forget(isForgotten: (effect: EffectRow) => boolean): void {
    for (const entry of this.#entries.values()) {
      if (!isForgotten(entry.effect)) continue
      entry.abort.abort(new TerminalError('lease-lost'))
      this.#remove(entry)
    }
  }

  /** Starts nothing new; resolves when all that is under way has ended. */
  async stop(graceMs: number): Promise<void> {
    this.#open = false
    for (const entry of this.#entries.values()) entry.timer?.cancel()
    const grace = this.#options.clock.setTimer(graceMs, () => this.forget(() => true))
    while ([...this.#entries.values()].some((entry) => entry.state !== 'waiting')) await this.#nextChange()
    grace.cancel()
  }

  #changed: (() => void)[] = []

  #nextChange(): Promise<void> {
    return new Promise((resolve) => this.#changed.push(resolve))
  }

  #enterLane(actor: ActorAddress, entry: Entry): void {
    const lane = [...(this.#lanes.get(actor) ?? []), entry]
    this.#lanes.set(
      actor,
      lane.toSorted((a, b) => a.effect.seq - b.effect.seq || a.effect.idx - b.effect.idx),
    )
  }

  #schedule(entry: Entry): void {
    const { clock } = this.#options
    const waitMs = entry.effect.notBefore - clock.now()
    if (waitMs > 0) entry.timer = clock.setTimer(waitMs, () => this.#schedule(entry))
    else this.#enqueue(entry)
  }

  #enqueue(entry: Entry): void {
    const { type } = entry.effect
    this.#ready.set(type, [...(this.#ready.get(type) ?? []), entry])
    this.#pump(type)
  }

  #pump(type: string): void {
    const limit = this.#options.handlers[type]?.concurrency ?? defaultConcurrency
    while (this.#open && (this.#performing.get(type) ?? 0) < limit) {
      const ready = this.#ready.get(type) ?? []
      const next = ready.find((entry) => this.#isFirstInLane(entry))
      if (!next) return
      this.#ready.set(
        type,
        ready.filter((entry) => entry !== next),
      )
      void this.#perform(next)
    }
  }

  #isFirstInLane(entry: Entry): boolean {
    return entry.lane === undefined || this.#lanes.get(entry.lane)?.[0] === entry
  }

  async #perform(entry: Entry): Promise<void> {
    const { type } = entry.effect
    entry.state = 'performing'
    this.#performing.set(type, (this.#performing.get(type) ?? 0) + 1)
    const outcome = await this.#ask(entry)
    entry.state = 'settling'
    this.#performing.set(type, (this.#performing.get(type) ?? 1) - 1)
    await this.#settle(entry, outcome)
    this.#pump(type)
  }

  async #ask(entry: Entry): Promise<SettleOutcome> {
    const { effect, key, abort } = entry
    const handler = this.#options.handlers[effect.type]
    const attempt = effect.attempts + 1
    try {
      if (!handler) return { kind: 'dead', attempts: attempt, lastError: noHandler }
      const context = { key, actor: effect.actor, attempt, at: this.#options.clock.now(), signal: abort.signal }
      const deliveries: readonly Delivery[] = await handler.perform(JSON.parse(effect.params) as JsonObject, context)
      return { kind: 'performed', deliveries }
    } catch (error) {
      return this.#failure(entry, handler, error)
    }
  }

  #failure({ effect, key, abort }: Entry, handler: EffectHandler | undefined, error: unknown): SettleOutcome {
    const { clock, random, logger } = this.#options
    const attempts = effect.attempts + 1
    logger.warn({ key, type: effect.type, attempts, error: messageOf(error) }, 'an effect failed')
    if (abort.signal.aborted) return { kind: 'performed', deliveries: [] }
    if (error instanceof TerminalError) return { kind: 'dead', attempts, lastError: error.reason }
    const lastError = messageOf(error)
    const askedMs = error instanceof RetryableError ? error.retryAfterMs : undefined
    if (askedMs !== undefined)
      return { kind: 'postponed', attempts: effect.attempts, notBefore: Math.ceil(clock.now() + askedMs), lastError }
    if (attempts >= (handler?.maxAttempts ?? defaultMaxAttempts))
      return { kind: 'dead', attempts, lastError: `retries-exhausted: ${lastError}` }
    return { kind: 'postponed', attempts, notBefore: clock.now() + backoffMs(attempts, random), lastError }
  }

  /** An unsettled effect is performed again after the next reading of the store, under the same key (R6). */
  async #settle(entry: Entry, outcome: SettleOutcome): Promise<void> {
    try {
      await this.#options.settle(entry.effect, outcome)
    } catch (error) {
      this.#options.logger.warn({ key: entry.key, error: messageOf(error) }, 'an effect could not be settled')
      return this.#remove(entry)
    }
    if (outcome.kind !== 'postponed' || entry.abort.signal.aborted) return this.#remove(entry)
    const { attempts, notBefore, lastError } = outcome
    entry.effect = { ...entry.effect, attempts, notBefore, lastError }
    entry.state = 'waiting'
    this.#notify()
    if (this.#open) this.#schedule(entry)
  }

  #remove(entry: Entry): void {
    entry.timer?.cancel()
    if (this.#entries.get(entry.key) === entry) this.#entries.delete(entry.key)
    const { type } = entry.effect
    const ready = this.#ready.get(type)
    if (ready)
      this.#ready.set(
        type,
        ready.filter((other) => other !== entry),
      )
    this.#notify()
    if (entry.lane) this.#leaveLane(entry.lane, entry)
  }

  #leaveLane(actor: ActorAddress, entry: Entry): void {
    const lane = (this.#lanes.get(actor) ?? []).filter((other) => other !== entry)
    if (lane.length === 0) this.#lanes.delete(actor)
    else this.#lanes.set(actor, lane)
    const next = lane[0]
    if (next) this.#pump(next.effect.type)
  }

  #notify(): void {
    for (const resolve of this.#changed.splice(0)) resolve()
  }
}

function keyOf(effect: EffectRow): string {
  return effectKey({ actor: effect.actor, seq: effect.seq, index: effect.idx })
}
