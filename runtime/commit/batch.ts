/** From work to one commit: pure, so that a batch that failed can be cut in two and made again. */
import type { ActorAddress } from '../../machines/definition.ts'
import { isQuarantined } from '../actor-state.ts'
import type { Actor, ActorState, Quarantined } from '../actor-state.ts'
import { idOf } from '../actor-state.ts'
import { effectKey, isIndexable, parseAddress, shardOf } from '../address.ts'
import { Draft } from './actor-changes.ts'
import type { StepContext } from './actor-changes.ts'
import { tooLarge } from '../event-size.ts'
import type { Known } from '../journal/restore.ts'
import { listingOf, sameListing } from '../listings.ts'
import type { Answer, Delivery, Receipt } from '../runtime.ts'
import { step } from '../step/step.ts'
import type { Commit } from '../store/journal/commit-steps.ts'
import { joined, markOf } from '../store/inbox/pending-marks.ts'
import type { EffectRow, InboxRow, ListingRow } from '../store/rows.ts'
import type { EventWork, SettleOutcome, SettleWork, TouchWork, Work } from '../work.ts'

export interface BatchContext {
  readonly now: number
  readonly shards: number
  /** A snapshot is due after so many events behind the last one, or so many bytes of events and effects. */
  readonly snapshotEvery: number
  readonly snapshotBytes: number
  readonly known: (kind: string) => Known | undefined
  readonly isTerminalEvent: (effectType: string) => boolean
}

export interface Batch {
  readonly commit: Omit<Commit, 'owner' | 'leases'>
  /** To be performed once that is committed. */
  readonly effects: readonly EffectRow[]
  /** Shards whose lease the commit must hold. */
  readonly shards: ReadonlySet<number>
  readonly states: ReadonlyMap<ActorAddress, ActorState>
  readonly receipts: ReadonlyMap<Work, Receipt>
  /** Timers that fired and cannot be taken in: the actor is quarantined. */
  readonly stuck: ReadonlySet<Work>
}

export function buildBatch(
  items: readonly Work[],
  states: ReadonlyMap<ActorAddress, ActorState>,
  context: BatchContext,
): Batch {
  const builder = new BatchBuilder(states, context)
  for (const item of items) builder.add(item)
  return builder.finish()
}

export const unknownActor: Answer = { status: 404, body: { code: 'actor-unknown' } }
export const quarantinedActor: Answer = { status: 503, body: { code: 'actor-quarantined' } }

type Content = { -readonly [Section in keyof Batch['commit']]: Batch['commit'][Section][number][] }

function emptyContent(): Content {
  return {
    created: [],
    updated: [],
    snapshots: [],
    baselines: [],
    events: [],
    cleared: [],
    tried: [],
    settled: [],
    postponed: [],
    withdrawn: [],
    timersSet: [],
    timersCleared: [],
    inbox: [],
    inboxDone: [],
    deadLetters: [],
    listings: [],
  }
}

class BatchBuilder {
  readonly #states: ReadonlyMap<ActorAddress, ActorState>
  readonly #context: BatchContext
  readonly #drafts = new Map<ActorAddress, Draft>()
  readonly #receipts = new Map<Work, Receipt>()
  readonly #shards = new Set<number>()
  readonly #stuck = new Set<Work>()
  readonly #content = emptyContent()
  readonly #effects: EffectRow[] = []
  readonly #settled: SettleWork[] = []
  /** Marks that go with this commit. */
  readonly #gone = new Map<ActorAddress, string[]>()
  readonly #snapshotNow = new Set<ActorAddress>()

  constructor(states: ReadonlyMap<ActorAddress, ActorState>, context: BatchContext) {
    this.#states = states
    this.#context = context
  }

  add(item: Work): void {
    this.#shards.add(item.shard)
    if (item.kind === 'settle') this.#settle(item)
    else if (item.kind === 'touch') this.#touch(item)
    else this.#receipts.set(item, this.#event(item))
  }

  #draft(address: ActorAddress): Draft {
    const draft = this.#drafts.get(address) ?? new Draft(this.#states.get(address))
    this.#drafts.set(address, draft)
    return draft
  }

  #event(item: EventWork): Receipt {
    const known = item.known ?? this.#drafts.get(item.to)?.receiptOf(item.key)
    if (!known) return this.#apply(item)
    this.#taken(item)
    return { ...known, applied: item.known !== undefined && item.uncertain === true }
  }

  #taken(item: EventWork): void {
    if (item.inboxId !== undefined) this.#content.inboxDone.push({ id: item.inboxId })
  }

  #apply(item: EventWork): Receipt {
    const draft = this.#draft(item.to)
    const state = draft.current
    if (isQuarantined(state)) return this.#wait(item, state)
    if (item.timer && state?.timers.get(item.timer.id) !== item.timer.seq) return refused(item, state, unknownActor)
    const known = this.#context.known(parseAddress(item.to)?.kind ?? '')
    if (!known) return this.#bury(item, draft, 'no machine for this kind of actor')
    if (!state && !known.definition.createdBy.includes(item.event.type)) return this.#bury(item, draft, 'unknown actor')
    return this.#step(item, draft, { known, now: this.#context.now, shards: this.#context.shards })
  }

  #step(item: EventWork, draft: Draft, context: StepContext): Receipt {
    const state = draft.current as Actor | undefined
    const { definition, plans } = context.known
    const outcome = step(definition, state?.snapshot, item.event, { id: idOf(item.to) }, plans)
    if (outcome.fault === 'snapshot') return this.#wait(item, draft.quarantine(outcome.message))
    if (outcome.fault && !state) return this.#bury(item, draft, outcome.message)
    this.#taken(item)
    return outcome.fault ? draft.applyFault(item, outcome.message, context.now) : draft.apply(item, outcome, context)
  }

  /** Stays in the inbox, or goes there, until code comes that can load the actor (R10). */
  #wait(item: EventWork, state: Quarantined): Receipt {
    if (item.timer) this.#stuck.add(item)
    else if (item.inboxId === undefined) this.#content.inbox.push(this.#inboxRow(item, item.body))
    return refused(item, state, quarantinedActor)
  }

  #bury(item: EventWork, draft: Draft, reason: string): Receipt {
    this.#taken(item)
    draft.bury(item, reason, this.#context.now)
    return refused(item, draft.current, unknownActor)
  }

  #inboxRow({ to, key }: Pick<EventWork, 'to' | 'key'>, body: string): InboxRow {
    return { actor: to, shard: shardOf(to, this.#context.shards), key, body, at: this.#context.now }
  }

  #touch(item: TouchWork): void {
    this.#draft(item.to)
    this.#snapshotNow.add(item.to)
  }

  #settle(item: SettleWork): void {
    this.#settled.push(item)
    const { outcome } = item
    if (outcome.kind === 'performed') outcome.deliveries.forEach((delivery) => this.#result(item, delivery))
    if (outcome.kind === 'dead' && this.#context.isTerminalEvent(item.effect.type))
      this.#result(item, this.#failure(item, outcome.lastError))
  }

  #result(item: SettleWork, delivery: Delivery): void {
    const { effect } = item
    const body = JSON.stringify(delivery.event)
    const isAddressed = parseAddress(delivery.to) !== undefined && isIndexable(delivery.key)
    const reason = isAddressed ? tooLarge(body) : `a result of ${effect.type} has no usable address or key`
    if (reason === undefined) return void this.#content.inbox.push(this.#inboxRow(delivery, body))
    const key = effectKey({ actor: effect.actor, seq: effect.seq, index: effect.idx })
    this.#content.deadLetters.push({ actor: effect.actor, key, body, reason, at: this.#context.now })
  }

  #failure({ effect }: SettleWork, reason: string): Delivery {
    const key = effectKey({ actor: effect.actor, seq: effect.seq, index: effect.idx })
    const event = { type: 'effect.failed', at: this.#context.now, effect: effect.type, reason, key }
    return { to: effect.actor, key: `${key}/failed`, event }
  }

  finish(): Batch {
    const states = new Map<ActorAddress, ActorState>()
    this.#settlements()
    for (const [address, gone] of this.#gone) this.#unmark(address, gone)
    for (const [address, draft] of this.#drafts) states.set(address, this.#collect(address, draft))
    return {
      shards: this.#shards,
      states,
      receipts: this.#receipts,
      stuck: this.#stuck,
      effects: this.#effects,
      commit: this.#content,
    }
  }

  /** Adds what the draft changes to the commit; returns the state as it is once the commit has happened. */
  #collect(address: ActorAddress, draft: Draft): ActorState {
    const { before, current } = draft
    const content = this.#content
    const isSnapshotDue = this.#isSnapshotDue(address, draft)
    if (isSnapshotDue) this.#snapshot(draft)
    if (current && rowChanged(draft)) {
      if (before) content.updated.push({ ...current.row, previousSeq: before.row.seq })
      else content.created.push(current.row)
    }
    push(content.events, draft.events)
    push(this.#effects, draft.effects)
    push(content.inbox, draft.children)
    push(content.deadLetters, draft.deadLetters)
    for (const type of draft.withdrawn) content.withdrawn.push({ actor: address, type, belowSeq: draft.firstSeq })
    for (const [id, timer] of draft.timers) {
      if (timer) content.timersSet.push(timer)
      else content.timersCleared.push({ actor: address, id })
    }
    return listed(written(current, isSnapshotDue), this.#listing(draft))
  }

  /** Written where it changed. What was never listed, and stays as it was, is the runtime's to list. */
  #listing({ before, current }: Draft): ListingRow | undefined {
    const how = current && this.#context.known(current.row.kind)?.definition.listed
    if (how === undefined || current === before) return undefined
    const known = before && 'listing' in before ? before.listing : listingOf(how, before)
    const listing = listingOf(how, current)
    if (listing === undefined || sameListing(known, listing)) return known
    this.#content.listings.push(listing)
    return listing
  }

  #isSnapshotDue(address: ActorAddress, { current, events }: Draft): boolean {
    if (!current || isQuarantined(current)) return false
    const { row, snapshotSeq, tailBytes } = current
    const { snapshotEvery, snapshotBytes } = this.#context
    const isDue =
      row.seq - snapshotSeq >= snapshotEvery || tailBytes >= snapshotBytes || row.status === 'done' || snapshotSeq < 0
    return (events.length > 0 && isDue) || (this.#snapshotNow.has(address) && row.seq > snapshotSeq)
  }

  #snapshot(draft: Draft): void {
    const { row, baseline } = draft.current as Actor
    const { address: actor, seq, version, machineHash } = row
    this.#content.snapshots.push({ actor, seq, version, machineHash, body: draft.written() })
    if (baseline) this.#content.baselines.push({ ...baseline, at: this.#context.now })
  }

  #settlements(): void {
    for (const { effect, outcome } of this.#settled) {
      if (effect.isMarked) this.#goneOf(effect.actor).push(markOf(effect))
      const isOver =
        outcome.kind === 'performed' || (outcome.kind === 'dead' && this.#context.isTerminalEvent(effect.type))
      if (!isOver) this.#keep(effect, outcome)
      else if (!effect.isMarked) this.#content.settled.push(effect)
    }
  }

  /** A row that the same statement deletes by withdrawal must not be written in it too. */
  #keep(effect: EffectRow, outcome: Exclude<SettleOutcome, { kind: 'performed' }>): void {
    if (this.#drafts.get(effect.actor)?.withdrawn.has(effect.type)) return
    const { attempts, lastError } = outcome
    const notBefore = outcome.kind === 'postponed' ? outcome.notBefore : effect.notBefore
    const row = { ...effect, attempts, lastError, notBefore, dead: outcome.kind === 'dead' }
    if (effect.isMarked) this.#content.tried.push({ ...row, mark: markOf(effect) })
    else this.#content.postponed.push(row)
  }

  #goneOf(address: ActorAddress): string[] {
    const known = this.#gone.get(address)
    if (known) return known
    const gone: string[] = []
    this.#gone.set(address, gone)
    return gone
  }

  /** With what a step writes of the actor's row anyway, or else alone: no statement changes a row twice. */
  #unmark(address: ActorAddress, gone: readonly string[]): void {
    const draft = this.#drafts.get(address)
    draft?.unmark(gone)
    if (!draft || !rowChanged(draft)) this.#content.cleared.push({ address, gone: joined(gone)! })
  }
}

function push<Row>(all: Row[], some: readonly Row[]): void {
  for (const one of some) all.push(one)
}

function rowChanged({ events, current }: Draft): boolean {
  return events.length > 0 || current?.rowStale === true
}

/** The state as it is once the commit has happened. */
function written(state: ActorState, hasSnapshot: boolean): ActorState {
  if (!state) return state
  if (isQuarantined(state)) return state.rowStale ? { ...state, rowStale: false } : state
  if (!hasSnapshot && !state.rearmed) return state.rowStale ? { ...state, rowStale: false } : state
  const { baseline, rearmed: _, ...rest } = state
  if (!hasSnapshot) return { ...rest, ...(baseline ? { baseline } : {}), rowStale: false }
  return { ...rest, snapshotSeq: state.row.seq, tailBytes: 0, rowStale: false }
}

function listed(state: ActorState, listing: ListingRow | undefined): ActorState {
  return state === undefined || isQuarantined(state) || listing === undefined || state.listing === listing
    ? state
    : { ...state, listing }
}

function refused(item: EventWork, state: ActorState, answer: Answer): Receipt {
  return { key: item.key, applied: false, seq: state?.row.seq ?? 0, answer }
}
