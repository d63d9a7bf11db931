/** Wires the parts of the runtime: worker (steps and commits), relay (effects), timers, leases, recovery. */
import type { ActorAddress, ActorKind } from '../machines/definition.ts'
import { journalRow, viewOf, type ActorState } from './actor-state.ts'
import { isIndexable, parseAddress, parseEffectKey, shardOf } from './address.ts'
import type { Batch } from './commit/batch.ts'
import { deadLetterOf, letterPrefix, pendingEffectOf, pendingTimerOf } from './listed-rows.ts'
import { plainEvent } from './step/plain-event.ts'
import { RuntimeStoppedError, TerminalError, messageOf } from './errors.ts'
import { sleep } from './clock.ts'
import { tooLarge } from './event-size.ts'
import { Forward } from './shards/forward.ts'
import { Leases } from './shards/leases.ts'
import { Recovery } from './shards/recovery.ts'
import { runtimeDefaults, type RuntimeOptions } from './options.ts'
import { Relay } from './effects/relay.ts'
import { Relisting } from './relisting.ts'
import { replayActor } from './journal/replay.ts'
import { knownBy, restoreActor, type Known } from './journal/restore.ts'
import type {
  ActorView,
  DeadLetter,
  Delivery,
  EffectHandlers,
  JournalRow,
  FindQuery,
  Found,
  ListQuery,
  PendingEffect,
  Receipt,
  Runtime,
} from './runtime.ts'
import type { InboxNumber } from './store/journal/commit-steps.ts'
import { countShards } from './store/shards/count-shards.ts'
import { findDeadLetter, listDeadLetters, removeDeadLetter } from './store/inbox/dead-letters.ts'
import { findReceipts } from './store/inbox/find-receipts.ts'
import { endedActors, findListed, listActors, tallyActors } from './store/actors/list-actors.ts'
import { listEffects } from './store/effects/list-effects.ts'
import { listTimers } from './store/timers/list-timers.ts'
import { loadActors } from './store/actors/load-actors.ts'
import { readJournal } from './store/journal/read-journal.ts'
import { pendingEffects } from './store/effects/pending-effects.ts'
import { reviveEffect } from './store/effects/revive-effect.ts'
import type { EffectRow, TimerRow } from './store/rows.ts'
import { Timers } from './timers/timers.ts'
import type { EventWork, SettleOutcome, Work } from './work.ts'
import { Worker } from './commit/worker.ts'

export function createRuntime(options: RuntimeOptions): Runtime {
  return new DurableRuntime({ ...runtimeDefaults, ...options })
}

class DurableRuntime implements Runtime {
  readonly #options: Required<RuntimeOptions>
  readonly #known: ReadonlyMap<string, Known>
  readonly #listeners = new Set<(row: JournalRow) => void>()
  readonly #worker: Worker
  readonly #relay: Relay
  readonly #timers: Timers
  readonly #leases: Leases
  readonly #recovery: Recovery
  readonly #forward: Forward
  readonly #relisting: Relisting
  #handlers: EffectHandlers = {}
  #isOpen = false

  constructor(options: Required<RuntimeOptions>) {
    this.#options = options
    const { sql, clock, random, logger, observer, definitions, pollMs } = options
    const mostQueued = { size: options.maxQueued, bytes: options.maxQueuedBytes }
    const alone = <T>(task: () => Promise<T>): Promise<T> => this.#worker.exclusive(task)
    const ports = { sql, clock, random, logger, observer, definitions, mostQueued, alone, pollMs }
    const shards = (): readonly number[] => this.#leases.owned()
    this.#known = knownBy(definitions, options.plans)
    this.#leases = new Leases({
      ...ports,
      owner: options.owner,
      shards: options.shards,
      leaseMs: options.leaseMs,
      hooks: {
        gained: (gained) => this.#gained(gained),
        opened: () => this.#opened(),
        drained: (leaving) => this.#drained(leaving),
        lost: (lost) => this.#lost(new Set(lost)),
        freed: () => options.hint(undefined),
      },
    })
    this.#forward = new Forward({ ...ports, hint: (owner) => this.#hint(owner) })
    this.#worker = new Worker({
      ...ports,
      leases: this.#leases,
      maxBatch: options.maxBatch,
      maxBatchBytes: options.maxBatchBytes,
      maxHot: options.maxHot,
      halving: options.halving,
      settleRestMs: options.settleRestMs,
      maxResting: options.maxHeldEffects,
      idleSnapshotMs: options.idleSnapshotMs,
      shardOf: (address) => this.#shardOf(address),
      batch: {
        shards: options.shards,
        snapshotEvery: options.snapshotEvery,
        snapshotBytes: options.snapshotBytes,
        known: (kind) => this.#known.get(kind),
        isTerminalEvent: (type) => type in this.#handlers && this.#handlers[type]?.onTerminal !== 'dead-letter',
      },
      hooks: {
        committed: (batch, inbox) => this.#committed(batch, inbox),
        misrouted: (work) => this.#misrouted(work),
        resync: () => (this.#relay.fallBehind(), this.#recovery.requestFullRead()),
      },
    })
    this.#relay = new Relay({
      ...ports,
      maxHeld: options.maxHeldEffects,
      settle: (effect, outcome, mayRest) => this.#settle(effect, outcome, mayRest),
      settleNow: () => void this.#worker.settleNow(),
      read: (page, of = shards()) => pendingEffects(sql, of, page),
      mayPerform: ({ shard }) => this.#leases.mayPerform(shard),
      isHeld: ({ shard }) => this.#leases.holds(shard),
    })
    this.#timers = new Timers({ ...ports, shards, fire: (timer) => this.#fire(timer) })
    this.#recovery = new Recovery({
      ...ports,
      queue: this.#worker,
      shards,
      shardOf: (address) => this.#shardOf(address),
      resume: (resumed) => this.#resume(resumed),
      look: () => this.#relay.resume(shards(), true),
    })
    this.#relisting = new Relisting({ ...ports, known: this.#known, states: (addresses) => this.#states(addresses) })
    observer.standing(() => ({
      queued: this.#worker.waiting,
      forwarded: this.#forward.held,
      resting: this.#worker.resting,
      parked: this.#relay.parked,
    }))
  }

  async start(handlers: EffectHandlers): Promise<void> {
    this.#handlers = handlers
    this.#relay.bind(handlers)
    const divided = await countShards(this.#options.sql)
    if (divided > 0 && divided !== this.#options.shards)
      throw new Error(`the store is divided into ${divided} shards, not ${this.#options.shards}`)
    await this.#leases.start()
    this.#isOpen = true
    this.#relay.start()
    this.#timers.start()
    this.#recovery.start()
  }

  async stop(): Promise<void> {
    this.#isOpen = false
    await this.#relisting.stop()
    this.#leases.close()
    this.#recovery.stop()
    await this.#timers.stop()
    await this.#relay.stop(this.#options.stopGraceMs)
    await this.#worker.stop()
    await this.#leases.stop()
    this.#forward.stop()
  }

  deliver(delivery: Delivery): Promise<Receipt> {
    const fault = this.#faultOf(delivery)
    if (fault) return Promise.reject(fault)
    const { to, key } = delivery
    const plain = plainEvent(delivery.event)
    if (!plain) return Promise.reject(new TerminalError('bad-event', 'an event is plain JSON with a type and a time'))
    const size = tooLarge(plain.body)
    if (size !== undefined) return Promise.reject(new TerminalError('event-too-large', size))
    const shard = this.#shardOf(to)
    return new Promise((resolve, reject) => {
      const work: EventWork = { kind: 'event', to, key, ...plain, shard, done: { resolve, reject } }
      if (!this.#leases.serves(shard) || this.#forward.isForwarding(to)) this.#misrouted(work)
      else this.#worker.offer(work)
    })
  }

  async read<Kind extends ActorKind>(address: `${Kind}:${string}`): Promise<ActorView<Kind> | undefined> {
    return (await this.#views<Kind>([address]))[0]
  }

  async list<Kind extends ActorKind>(kind: Kind, query: ListQuery = {}): Promise<readonly ActorView<Kind>[]> {
    const { idPrefix = '', after, limit = 1000, status } = query
    const behind = after === undefined ? '' : `${kind}:${after}`
    return this.#views<Kind>(
      await listActors(this.#options.sql, { prefix: `${kind}:${idPrefix}`, after: behind, limit, status }),
    )
  }

  async find(kind: ActorKind, query: FindQuery): Promise<Found> {
    this.#relisting.begin()
    const { total, found } = await findListed(this.#options.sql, kind, {
      ...query,
      isListed: this.#known.get(kind)?.definition.listed !== undefined,
    })
    return { total, found, views: await this.#views(found.map(({ address }) => address)) }
  }

  tally(texts: readonly string[]): ReturnType<Runtime['tally']> {
    this.#relisting.begin()
    return tallyActors(this.#options.sql, texts)
  }

  async listEnded<Kind extends ActorKind>(
    kind: Kind,
    query: Parameters<Runtime['listEnded']>[1],
  ): Promise<readonly ActorView<Kind>[]> {
    this.#relisting.begin()
    return this.#views<Kind>(await endedActors(this.#options.sql, kind, query))
  }

  async history(
    address: ActorAddress,
    query: { readonly from?: number; readonly limit?: number } = {},
  ): Promise<readonly JournalRow[]> {
    const rows = await readJournal(this.#options.sql, {
      actor: address,
      from: query.from ?? 1,
      limit: query.limit ?? 1000,
    })
    return rows.map(journalRow)
  }

  async replay(address: ActorAddress): ReturnType<Runtime['replay']> {
    const known = this.#known.get(parseAddress(address)?.kind ?? '')
    if (!known)
      return { address, steps: 0, equal: false, firstDifference: 'there is no machine for this kind of actor' }
    return replayActor(this.#options.sql, known, address, () => this.#worker.cached(address))
  }

  async pendingEffects(
    query: { readonly actor?: ActorAddress; readonly state?: PendingEffect['state'] } = {},
  ): Promise<readonly PendingEffect[]> {
    await this.#worker.settleNow()
    const rows = await listEffects(this.#options.sql, query.actor)
    const effects = rows.map((row) => pendingEffectOf(row, (key) => this.#relay.stateOf(key)))
    return query.state === undefined ? effects : effects.filter((effect) => effect.state === query.state)
  }

  async pendingTimers(query: { readonly actor?: ActorAddress } = {}): ReturnType<Runtime['pendingTimers']> {
    const rows = await listTimers(this.#options.sql, query.actor)
    return rows.map(pendingTimerOf)
  }

  async deadLetters(
    query: { readonly to?: ActorAddress; readonly limit?: number } = {},
  ): Promise<readonly DeadLetter[]> {
    const rows = await listDeadLetters(this.#options.sql, query.to, query.limit ?? 100)
    return rows.map(deadLetterOf)
  }

  async redeliver(effectKeyOrLetterId: string): Promise<boolean> {
    if (effectKeyOrLetterId.startsWith(letterPrefix))
      return this.#redeliverLetter(Number(effectKeyOrLetterId.slice(letterPrefix.length)))
    const id = parseEffectKey(effectKeyOrLetterId)
    if (!id) return false
    const effect = await this.#worker.exclusive(() => reviveEffect(this.#options.sql, id))
    if (effect && this.#leases.serves(effect.shard)) this.#relay.add([effect])
    return effect !== undefined
  }

  subscribe(listener: (row: JournalRow) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  wake(): void {
    if (!this.#isOpen) return
    this.#leases.look()
    this.#recovery.poll()
  }

  #shardOf(address: ActorAddress): number {
    return shardOf(address, this.#options.shards)
  }

  #faultOf({ to, key }: Delivery): Error | undefined {
    if (!this.#isOpen) return new RuntimeStoppedError('the runtime does not take events now', { retryAfterMs: 1000 })
    const address = parseAddress(to)
    if (!address) return new TerminalError('bad-address', `${to} is no actor address`)
    if (!this.#known.has(address.kind))
      return new TerminalError('unknown-kind', `there is no machine for actors like ${to}`)
    if (!isIndexable(key))
      return new TerminalError('bad-key', 'a delivery key is 1 to 1024 characters, none of them control characters')
    return undefined
  }

  async #views<Kind extends ActorKind>(addresses: readonly ActorAddress[]): Promise<readonly ActorView<Kind>[]> {
    return (await this.#states(addresses)).map((state) => viewOf<Kind>(state))
  }

  async #states(addresses: readonly ActorAddress[]): Promise<readonly Exclude<ActorState, undefined>[]> {
    const cold = addresses.filter((address) => this.#worker.cached(address) === undefined)
    const stored = cold.length > 0 ? await loadActors(this.#options.sql, cold) : new Map<ActorAddress, never>()
    return addresses.flatMap((address) => {
      const hot = this.#worker.cached(address)
      if (hot) return [hot]
      const one = stored.get(address)
      const known = this.#known.get(parseAddress(address)?.kind ?? '')
      return one && known ? [restoreActor(known, one)] : []
    })
  }

  /**
   * A key that the journal has is spent: a poisonous event that is tried again needs one of its own. What is refused once
   * more has another letter by now, so that this one goes in any case: else each refusal would double them.
   */
  async #redeliverLetter(id: number): Promise<boolean> {
    const { sql } = this.#options
    const letter = Number.isSafeInteger(id) ? await findDeadLetter(sql, id) : undefined
    if (!letter) return false
    const to = letter.actor as ActorAddress
    const isSpent = (await findReceipts(sql, [{ actor: to, key: letter.key }])).length > 0
    const key = isSpent ? `${letter.key}/${letterPrefix}${id}` : letter.key
    const receipt = await this.deliver({ to, key, event: JSON.parse(letter.body) as Delivery['event'] })
    await removeDeadLetter(sql, id)
    return receipt.applied
  }

  #settle(effect: EffectRow, outcome: SettleOutcome, mayRest: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#worker.submit({
        kind: 'settle',
        effect,
        shard: effect.shard,
        outcome,
        mayRest,
        done: { resolve: () => resolve(), reject },
      })
    })
  }

  /** False: the actor is quarantined, the timer stays armed and waits for code that can load it. */
  async #fire(timer: TimerRow): Promise<boolean> {
    const event = { ...(JSON.parse(timer.body) as { type: string }), at: this.#options.clock.now() }
    const receipt = await new Promise<Receipt>((resolve, reject) => {
      this.#worker.submit({
        kind: 'event',
        to: timer.actor,
        key: `timer:${timer.id}:${timer.seq}`,
        event,
        body: JSON.stringify(event),
        shard: timer.shard,
        timer: { id: timer.id, seq: timer.seq },
        done: { resolve, reject },
      })
    })
    return receipt.answer?.body['code'] !== 'actor-quarantined'
  }

  #committed(batch: Batch, inbox: readonly InboxNumber[]): void {
    const { commit, effects } = batch
    this.#relay.withdraw(commit.withdrawn)
    this.#relay.add(effects)
    const numbers = new Map(inbox.map((row) => [`${row.actor} ${row.key}`, row.id]))
    let isForOthers = false
    for (const row of commit.inbox) {
      const id = numbers.get(`${row.actor} ${row.key}`)
      if (!this.#leases.serves(row.shard)) isForOthers = true
      else if (id !== undefined) this.#recovery.receive({ ...row, id })
    }
    if (isForOthers) this.#options.hint(undefined)
    this.#timers.committed(commit.timersSet, commit.timersCleared)
    if (this.#listeners.size > 0) for (const event of commit.events) this.#notify(journalRow(event))
  }

  #notify(row: JournalRow): void {
    for (const listener of this.#listeners) {
      try {
        listener(row)
      } catch (error) {
        this.#options.logger.error({ error: messageOf(error), actor: row.address }, 'a listener of the journal threw')
      }
    }
  }

  /** What came from the store is the new owner's to find there; what came from outside goes to it by the inbox. */
  #misrouted(work: Work): void {
    if (work.kind !== 'event' || work.timer || work.inboxId !== undefined) {
      return work.done.reject(new RuntimeStoppedError('another process owns the shard'))
    }
    const row = {
      actor: work.to,
      shard: work.shard,
      key: work.key,
      body: work.body,
      at: this.#options.clock.now(),
    }
    this.#forward.deliver(row).then(work.done.resolve, work.done.reject)
  }

  #hint(owner: string): void {
    if (owner === this.#options.owner) this.#recovery.poll()
    else this.#options.hint(owner)
  }

  /** A commit that ended after its shard was lost may have left its actors, effects and timers in memory (R5). */
  #gained(shards: readonly number[]): Promise<void> {
    const gained = new Set(shards)
    this.#worker.forget((address) => gained.has(this.#shardOf(address)))
    this.#relay.forget((effect) => gained.has(effect.shard))
    this.#timers.forget((timer) => gained.has(timer.shard))
    return this.#recovery.takeOver(shards)
  }

  #opened(): void {
    this.#relay.unpark()
    this.#timers.look()
  }

  /** Who waits in the queue and which effects are under way may end here; the rest is the next owner's. */
  async #drained(shards: ReadonlySet<number>): Promise<void> {
    const { clock, stopGraceMs } = this.#options
    const until = clock.elapsed() + stopGraceMs
    const inHand = (): number => this.#worker.waitingFor(shards) + this.#relay.performingFor(shards)
    while (clock.elapsed() < until && inHand() > 0) {
      void this.#worker.settleNow()
      await sleep(clock, drainLookMs)
    }
  }

  #lost(lost: ReadonlySet<number>): void {
    this.#worker.forget((address) => lost.has(this.#shardOf(address)))
    this.#relay.forget((effect) => lost.has(effect.shard))
    this.#recovery.forget(lost)
    this.#timers.forget((timer) => lost.has(timer.shard))
    this.#worker.lose(lost)
  }

  async #resume(shards: readonly number[]): Promise<number> {
    const effects = await this.#relay.resume(shards)
    this.#timers.look()
    return effects
  }
}

/** How often a hand-over looks whether its shards have come to rest. */
const drainLookMs = 10
