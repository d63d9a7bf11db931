/**
 * Performs effects once they are committed, from memory; the store's copy is for recovery and for what memory does not
 * hold (`paging.ts`). At least once and always under one key (R6); a failure is retried with backoff, or becomes an
 * event or a dead letter (R7).
 */
import type { ActorAddress } from '../../machines/definition.ts'
import { Alarms } from '../timers/timer-heap.ts'
import { backoffMs } from '../backoff.ts'
import { Backlog } from './paging.ts'
import type { Clock } from '../clock.ts'
import { errorText } from '../error-text.ts'
import { RetryableError, TerminalError } from '../errors.ts'
import { outcomeOfFailure } from './failed-effects.ts'
import { HeldEffects } from './held-effects.ts'
import { Lanes } from './ordered-effects.ts'
import { EffectCall, LazyAbort } from './lazy-abort.ts'
import type { Logger } from '../logger.ts'
import { unwatched, watchLoop } from '../loop.ts'
import type { EffectEnd, RuntimeObserver } from '../observer.ts'
import { createOutage, isLogged, type Outage } from '../outage.ts'
import type { Random } from '../random.ts'
import { attemptOf, isAborted, keyOf, newEntry, paramsOf, reportedOutcome } from './relay-entry.ts'
import type { Entry, EntryState } from './relay-entry.ts'
import { ReadyEffects } from './ready-effects.ts'
import type { Delivery, EffectHandler, EffectHandlers } from '../runtime.ts'
import type { Withdrawal } from '../store/journal/commit-steps.ts'
import type { EffectPage } from '../store/effects/pending-effects.ts'
import type { EffectRow } from '../store/rows.ts'
import { Targets, type Target } from './targets.ts'
import type { SettleOutcome } from '../work.ts'

interface RelayOptions {
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly observer: RuntimeObserver
  /** Effects of one type, ordered types counted together, that are held in memory. */
  readonly maxHeld: number
  /** Commits what became of an effect together with what it brought back. */
  readonly settle: (effect: EffectRow, outcome: SettleOutcome, mayRest: boolean) => Promise<void>
  /** What rests is to be settled now. */
  readonly settleNow: () => void
  /** Pending effects of these shards, or of those that this process serves. */
  readonly read: (page: EffectPage, shards?: readonly number[]) => Promise<readonly EffectRow[]>
  /** Runs a task between two commits. */
  readonly alone: <T>(task: () => Promise<T>) => Promise<T>
  /** Asked right before an effect is begun: whether its shard is this process's without doubt. */
  readonly mayPerform: (effect: EffectRow) => boolean
  /** The same while it is performed, for a shard on its way out too. */
  readonly isHeld: (effect: EffectRow) => boolean
}

const defaultConcurrency = 8
/** The dearest, such as a merge with its checks, ends within minutes; where all that is under way takes longer, somebody looks. */
const longestEffectMs = 10 * 60_000
const noHandler = 'no handler for this type of effect'
/** What a failed settlement is tried, over about a minute, before the effect is left to the next reading of the store. */
const settleAttempts = 8

export class Relay {
  readonly #options: RelayOptions
  readonly #alarms: Alarms
  readonly #targets: Targets
  readonly #ready: ReadyEffects
  readonly #backlog: Backlog
  readonly #lanes = new Lanes<Entry>()
  readonly #held = new HeldEffects<Entry>()
  /** Those whose turn came while their lease was in doubt. */
  readonly #parked = new Set<Entry>()
  readonly #settlements: Outage
  #handlers: EffectHandlers = {}
  #isOpen = false
  #underWay = 0
  #watch = unwatched
  #changed: (() => void)[] = []

  constructor(options: RelayOptions) {
    this.#options = options
    const { clock, random, logger, observer, read, alone, maxHeld } = options
    this.#alarms = new Alarms(clock, 'elapsed')
    this.#settlements = createOutage({
      ...options,
      failing: 'the relay could not settle an effect',
      over: 'the relay settles effects again',
    })
    this.#targets = new Targets(clock, this.#alarms)
    this.#ready = new ReadyEffects({
      targets: this.#targets,
      limitOf: (type) => this.#handlers[type]?.concurrency ?? defaultConcurrency,
      start: (effect) => void this.#perform(effect as Entry),
      changed: (type, counts) => observer.effectsPending(type, counts),
    })
    this.#backlog = new Backlog({
      clock,
      random,
      logger,
      read,
      alone,
      maxHeld,
      alarms: this.#alarms,
      isOrdered: (type) => this.#isOrdered(type),
      take: (effect) => this.#take(effect),
    })
  }

  /** Before anything else: who performs what. */
  bind(handlers: EffectHandlers): void {
    this.#handlers = handlers
    this.#backlog.bind(Object.keys(handlers).filter((type) => this.#isOrdered(type)))
  }

  start(): void {
    this.#isOpen = true
    this.#ready.open()
  }

  /** Takes effects as they are committed, in journal order; those it has are left alone. */
  add(effects: readonly EffectRow[]): void {
    for (const effect of effects) {
      const key = keyOf(effect)
      if (!this.#held.find(key) && this.#backlog.admits(effect.type)) this.#hold(effect, key, this.#targetOf(effect))
    }
  }

  /** Reads from the store what memory has room for, or what of it was tried before, and says how much that was. Call it between two commits only. */
  resume(shards: readonly number[], isTried = false): Promise<number> {
    return this.#backlog.readAll(shards, isTried)
  }

  /** Of a commit that was not answered nobody knows whether its effects are in the store: none may overtake them (R6). */
  fallBehind(): void {
    this.#backlog.fallBehind()
  }

  get parked(): number {
    return this.#parked.size
  }

  stateOf(key: string): EntryState | undefined {
    return this.#held.find(key)?.state
  }

  /** Waiting ones are gone with the commit that withdrew them; one under way is told, and its results still count. */
  withdraw(withdrawals: readonly Withdrawal[]): void {
    for (const { actor, type, belowSeq } of withdrawals) {
      for (const entry of this.#held.ofActor(actor as ActorAddress)) {
        if (entry.type !== type || entry.effect.seq >= belowSeq) continue
        this.#abort(entry, 'withdrawn')
        if (entry.state === 'waiting') this.#remove(entry)
      }
    }
  }

  /** Another owner performs these now; what is under way here ends without a word. */
  forget(isForgotten: (effect: EffectRow) => boolean): void {
    for (const entry of this.#held.all()) {
      if (!isForgotten(entry.effect)) continue
      entry.isForgotten = true
      this.#abort(entry, 'lease-lost')
      this.#remove(entry)
    }
  }

  /** Leases are beyond doubt again: what waited for that has its turn. */
  unpark(): void {
    for (const entry of this.#parked) {
      this.#parked.delete(entry)
      this.#makeReady(entry)
    }
  }

  /** How many effects of these shards are being performed or settled. */
  performingFor(shards: ReadonlySet<number>): number {
    let count = 0
    for (const { state, effect } of this.#held.all()) if (state !== 'waiting' && shards.has(effect.shard)) count++
    return count
  }

  /** Starts nothing new; resolves when all that is under way has ended. */
  async stop(graceMs: number): Promise<void> {
    this.#isOpen = false
    this.#ready.close()
    this.#backlog.stop()
    this.#alarms.clear()
    const grace = this.#options.clock.setTimer(graceMs, () => this.forget(() => true))
    this.#options.settleNow()
    for (const entry of this.#held.all()) if (entry.alarm) this.#remove(entry)
    while (this.#underWay > 0 && this.#held.size > 0) await this.#nextChange()
    grace.cancel()
  }

  #nextChange(): Promise<void> {
    return new Promise((resolve) => this.#changed.push(resolve))
  }

  /** One target may have half of what its type may hold: the others' effects are behind it in the store. */
  #take(effect: EffectRow): 'taken' | 'known' | 'left-out' {
    const key = keyOf(effect)
    if (this.#held.find(key)) return 'known'
    const target = this.#targetOf(effect)
    if (target && this.#held.countOf(target) * 2 >= this.#options.maxHeld) return 'left-out'
    this.#hold(effect, key, target)
    return 'taken'
  }

  #hold(effect: EffectRow, key: string, target: Target | undefined): void {
    const isOrdered = this.#isOrdered(effect.type)
    const entry = newEntry(effect, key, target, isOrdered)
    this.#held.add(entry)
    this.#backlog.held(entry.type)
    if (isOrdered) this.#enterLane(entry)
    else this.#schedule(entry)
  }

  #isOrdered(type: string): boolean {
    return this.#handlers[type]?.ordered === true
  }

  #targetOf(effect: EffectRow): Target | undefined {
    const rule = this.#handlers[effect.type]?.target
    if (!rule) return undefined
    return this.#targets.of(`${rule.name} ${rule.of(paramsOf(effect))}`, rule)
  }

  #enterLane(entry: Entry): void {
    const { isFirst, displaced } = this.#lanes.enter(entry, (first) => first.state === 'waiting')
    if (displaced) this.#unschedule(displaced)
    if (isFirst) this.#schedule(entry)
  }

  #schedule(entry: Entry): void {
    const { clock } = this.#options
    const waitMs = entry.effect.notBefore - clock.now()
    if (waitMs <= 0) return this.#makeReady(entry)
    entry.alarm = this.#alarms.at(clock.elapsed() + waitMs, () => this.#makeReady(entry))
  }

  #makeReady(entry: Entry): void {
    entry.alarm = undefined
    entry.readySince = this.#options.clock.elapsed()
    this.#ready.add(entry)
  }

  #unschedule(entry: Entry): void {
    entry.alarm?.cancel()
    entry.alarm = undefined
    this.#parked.delete(entry)
    this.#ready.remove(entry)
  }

  /** Gives its turn back later, not now: whose turn is next may have to be parked as well. */
  #park(entry: Entry): void {
    this.#parked.add(entry)
    queueMicrotask(() => this.#ready.release(entry))
  }

  async #perform(entry: Entry): Promise<void> {
    const { clock, observer, mayPerform } = this.#options
    if (!mayPerform(entry.effect)) return this.#park(entry)
    const { key, actor, type } = entry
    const { attempts, at: decidedAt } = entry.effect
    entry.state = 'performing'
    if (this.#underWay++ === 0) this.#watch = watchLoop(clock, { name: 'effects', everyMs: longestEffectMs })
    const startedAt = clock.elapsed()
    const start = { key, actor, type, attempt: attemptOf(entry), queuedMs: startedAt - entry.readySince }
    observer.effectStarted(start)
    const outcome = await this.#ask(entry)
    const durationMs = clock.elapsed() - startedAt
    entry.state = 'settling'
    this.#ready.release(entry)
    const end = { ...start, durationMs, decidedAt }
    const report = (isSettled: boolean): void => this.#report(entry, outcome, isSettled ? attempts : undefined, end)
    if (this.#rests(entry, outcome)) this.#rest(entry, outcome, report)
    else report(await this.#settle(entry, outcome, 1))
  }

  /** Nothing is suspended for it: thousands rest at a time, and what each of them holds is copied by every collection. */
  #rest(entry: Entry, outcome: SettleOutcome, report: (isSettled: boolean) => void): void {
    this.#options.settle(entry.effect, outcome, true).then(
      () => {
        this.#settlements.answered()
        this.#settled(entry, outcome)
        report(true)
      },
      (error: unknown) => this.#settleLater(entry, outcome, 1, error).then(report),
    )
  }

  #report(
    entry: Entry,
    outcome: SettleOutcome,
    /** Before this one; undefined: it is not settled. */
    attempts: number | undefined,
    end: Omit<EffectEnd, 'outcome' | 'error'>,
  ): void {
    const error = outcome.kind === 'performed' ? {} : { error: outcome.lastError }
    const reported = attempts === undefined ? 'unsettled' : reportedOutcome(entry, outcome, attempts)
    this.#options.observer.effectSettled({ ...end, outcome: reported, ...error })
  }

  async #ask(entry: Entry): Promise<SettleOutcome> {
    const { effect, key } = entry
    const handler = this.#handlers[effect.type]
    const attempt = attemptOf(entry)
    if (!handler) return { kind: 'dead', attempts: attempt, lastError: noHandler }
    const abort = (entry.abort = new LazyAbort())
    try {
      const context = { key, actor: effect.actor, attempt, at: this.#options.clock.now() }
      // Where its shard went and came back another call performs it.
      const call = new EffectCall(context, abort, () => !entry.isForgotten && this.#options.isHeld(effect))
      const deliveries: readonly Delivery[] = await handler.perform(paramsOf(effect), call)
      this.#logRecovery(entry)
      return { kind: 'performed', deliveries }
    } catch (error) {
      return this.#failure(entry, handler, error)
    }
  }

  #failure(entry: Entry, handler: EffectHandler, error: unknown): SettleOutcome {
    const { clock, random } = this.#options
    const outcome = isAborted(entry)
      ? ({ kind: 'performed', deliveries: [] } as const)
      : outcomeOfFailure(
          error,
          { attempts: entry.effect.attempts, unanswered: entry.unanswered, maxAttempts: handler.maxAttempts },
          { now: clock.now(), random },
        )
    this.#logFailure(entry, error, outcome)
    if (isAborted(entry)) return outcome
    const askedMs = error instanceof RetryableError ? error.retryAfterMs : undefined
    if (askedMs !== undefined) this.#pause(entry, askedMs)
    return outcome
  }

  /** The failure that ends it is logged in any case. */
  #logFailure(entry: Entry, error: unknown, outcome: SettleOutcome): void {
    const { key, type } = entry
    const fields = { key, type, attempts: attemptOf(entry), error: errorText(error) }
    entry.failures += 1
    if (outcome.kind === 'postponed' && outcome.wasAway) entry.unanswered += 1
    if (outcome.kind === 'postponed' && !isLogged(entry.failures)) return
    this.#options.logger.warn(fields, 'an effect failed')
  }

  #logRecovery(entry: Entry): void {
    const { key, type, failures } = entry
    if (failures === 0) return
    this.#options.logger.info({ key, type, attempts: attemptOf(entry) }, 'an effect that had failed was performed')
  }

  #pause({ target, type }: Entry, askedMs: number): void {
    if (!target) return
    this.#targets.pause(target, askedMs)
    this.#options.observer.targetPaused(type, askedMs)
  }

  /** What was performed is not performed again because the store was away: the outcome is kept and settled later. */
  async #settle(entry: Entry, outcome: SettleOutcome, attempt: number): Promise<boolean> {
    // Should the shard have come back meanwhile, an abort's empty outcome must not stand for the effect.
    if (entry.isForgotten) {
      this.#end(entry)
      return false
    }
    try {
      await this.#options.settle(entry.effect, outcome, false)
    } catch (error) {
      return this.#settleLater(entry, outcome, attempt, error)
    }
    this.#settlements.answered()
    this.#settled(entry, outcome)
    return true
  }

  async #settleLater(entry: Entry, outcome: SettleOutcome, attempt: number, error: unknown): Promise<boolean> {
    const { clock, random } = this.#options
    this.#settlements.failed(error, { key: entry.key, attempt })
    if (!this.#isOpen || entry.isGone || attempt >= settleAttempts) {
      this.#end(entry)
      return false
    }
    await new Promise<void>((resolve) => {
      entry.alarm = this.#alarms.at(clock.elapsed() + backoffMs(attempt, random), resolve)
      entry.wake = resolve
    })
    entry.alarm = undefined
    entry.wake = undefined
    if (!entry.isGone) return this.#settle(entry, outcome, attempt + 1)
    this.#end(entry)
    return false
  }

  /** Nothing is to be awaited of it: no event comes of it, and no other effect waits behind it. */
  #rests(entry: Entry, outcome: SettleOutcome): boolean {
    const isPlain = outcome.kind === 'performed' && outcome.deliveries.length === 0 && entry.effect.isMarked
    if (!isPlain || entry.isForgotten || entry.isOrdered || !this.#isOpen || this.#backlog.isBehind(entry.type))
      return false
    entry.abort = undefined
    entry.isFreed = true
    this.#backlog.freed(entry.type)
    return true
  }

  #settled(entry: Entry, outcome: SettleOutcome): void {
    if (outcome.kind !== 'postponed' || isAborted(entry) || entry.isGone) return this.#end(entry)
    const { attempts, notBefore, lastError } = outcome
    this.#turned()
    entry.effect = { ...entry.effect, attempts, notBefore, lastError, isMarked: false }
    entry.state = 'waiting'
    this.#notify()
    const waitMs = notBefore - this.#options.clock.now()
    if (!this.#isOpen || this.#backlog.mayForget(entry.type, waitMs)) this.#remove(entry)
    else this.#schedule(entry)
  }

  #turned(): void {
    this.#watch.turned()
    if (--this.#underWay === 0) this.#watch.close()
  }

  #end(entry: Entry): void {
    this.#turned()
    this.#remove(entry)
    this.#notify()
  }

  #abort(entry: Entry, reason: string): void {
    entry.abort?.abort(new TerminalError(reason))
  }

  #remove(entry: Entry): void {
    if (entry.isGone) return
    entry.isGone = true
    this.#unschedule(entry)
    entry.wake?.()
    this.#held.remove(entry)
    const next = entry.isOrdered ? this.#lanes.leave(entry) : undefined
    if (next && this.#isOpen) this.#schedule(next)
    if (!entry.isFreed) this.#backlog.freed(entry.type)
    this.#notify()
  }

  #notify(): void {
    for (const resolve of this.#changed.splice(0)) resolve()
  }
}
