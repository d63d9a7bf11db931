/** From work to one commit: pure, so that a batch that failed can be cut in two and made again. */
import type { ActorAddress, ActorKind } from '../machines/definition.ts'
import { isQuarantined } from './actor-state.ts'
import type { Actor, ActorState, Quarantined } from './actor-state.ts'
import { idOf } from './actor-state.ts'
import { effectKey, isIndexable, parseAddress, shardOf } from './address.ts'
import { Draft } from './draft.ts'
import type { StepContext } from './draft.ts'
import type { Known } from './restore.ts'
import type { Answer, Delivery, Receipt } from './runtime.ts'
import { step } from './step.ts'
import type { Commit } from './store/commit-steps.ts'
import type { DeadLetterRow, EventRow, InboxRow } from './store/rows.ts'
import type { EventWork, SettleWork, TouchWork, Work } from './work.ts'

export interface BatchContext {
  readonly now: number
  readonly shards: number
  readonly snapshotEvery: number
  readonly known: (kind: ActorKind) => Known | undefined
  readonly isTerminalEvent: (effectType: string) => boolean
}

export interface Batch {
  readonly commit: Omit<Commit, 'owner' | 'leases'>
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

type Content = Batch['commit']
type CommitPart = Partial<Content>

function joined(parts: readonly CommitPart[]): Content {
  const section = <Name extends keyof Content>(name: Name): Content[Name] =>
    parts.flatMap((part): readonly unknown[] => part[name] ?? []) as unknown as Content[Name]
  return {
    created: section('created'),
    updated: section('updated'),
    snapshots: section('snapshots'),
    baselines: section('baselines'),
    events: section('events'),
    effects: section('effects'),
    settled: section('settled'),
    postponed: section('postponed'),
    withdrawn: section('withdrawn'),
    timersSet: section('timersSet'),
    timersCleared: section('timersCleared'),
    inbox: section('inbox'),
    inboxDone: section('inboxDone'),
    deadLetters: section('deadLetters'),
  }
}

class BatchBuilder {
  readonly #states: ReadonlyMap<ActorAddress, ActorState>
  readonly #context: BatchContext
  readonly #drafts = new Map<ActorAddress, Draft>()
  readonly #receipts = new Map<Work, Receipt>()
  readonly #byKey = new Map<string, Receipt>()
  readonly #shards = new Set<number>()
  readonly #stuck = new Set<Work>()
  readonly #inbox: InboxRow[] = []
  readonly #inboxDone: { readonly id: number }[] = []
  readonly #settled: SettleWork[] = []
  readonly #deadLetters: DeadLetterRow[] = []
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
    const mark = `${item.to} ${item.key}`
    const known = item.known ?? this.#byKey.get(mark)
    if (known) {
      this.#taken(item)
      return { ...known, applied: item.known !== undefined && item.uncertain === true }
    }
    const receipt = this.#apply(item)
    if (receipt.applied) this.#byKey.set(mark, receipt)
    return receipt
  }

  #taken(item: EventWork): void {
    if (item.inboxId !== undefined) this.#inboxDone.push({ id: item.inboxId })
  }

  #apply(item: EventWork): Receipt {
    const draft = this.#draft(item.to)
    const state = draft.current
    if (isQuarantined(state)) return this.#wait(item, state)
    if (item.timer && state?.timers.get(item.timer.id) !== item.timer.seq) return refused(item, state, unknownActor)
    const known = this.#context.known(parseAddress(item.to)?.kind as ActorKind)
    if (!known) return this.#bury(item, draft, 'no machine for this kind of actor')
    if (!state && !known.definition.createdBy.includes(item.event.type)) return this.#bury(item, draft, 'unknown actor')
    return this.#step(item, draft, { known, now: this.#context.now, shards: this.#context.shards })
  }

  #step(item: EventWork, draft: Draft, context: StepContext): Receipt {
    const state = draft.current as Actor | undefined
    const outcome = step(context.known.definition, state?.snapshot, item.event, { id: idOf(item.to) })
    if (outcome.fault === 'snapshot') return this.#wait(item, draft.quarantine(outcome.message))
    if (outcome.fault && !state) return this.#bury(item, draft, outcome.message)
    this.#taken(item)
    return receiptOf(
      outcome.fault ? draft.applyFault(item, outcome.message, context.now) : draft.apply(item, outcome, context),
    )
  }

  /** Stays in the inbox, or goes there, until code comes that can load the actor (R10). */
  #wait(item: EventWork, state: Quarantined): Receipt {
    if (item.timer) this.#stuck.add(item)
    else if (item.inboxId === undefined) this.#inbox.push(this.#inboxRow(item))
    return refused(item, state, quarantinedActor)
  }

  #bury(item: EventWork, draft: Draft, reason: string): Receipt {
    this.#taken(item)
    draft.bury(item, reason, this.#context.now)
    return refused(item, draft.current, unknownActor)
  }

  #inboxRow({ to, key, event }: Pick<EventWork, 'to' | 'key' | 'event'>): InboxRow {
    return {
      actor: to,
      shard: shardOf(to, this.#context.shards),
      key,
      body: JSON.stringify(event),
      at: this.#context.now,
    }
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
    if (parseAddress(delivery.to) && isIndexable(delivery.key)) return void this.#inbox.push(this.#inboxRow(delivery))
    const { effect } = item
    const key = effectKey({ actor: effect.actor, seq: effect.seq, index: effect.idx })
    const reason = `a result of ${effect.type} has no usable address or key`
    this.#deadLetters.push({
      actor: effect.actor,
      key,
      body: JSON.stringify(delivery.event),
      reason,
      at: this.#context.now,
    })
  }

  #failure({ effect }: SettleWork, reason: string): Delivery {
    const key = effectKey({ actor: effect.actor, seq: effect.seq, index: effect.idx })
    const event = { type: 'effect.failed', at: this.#context.now, effect: effect.type, reason, key }
    return { to: effect.actor, key: `${key}/failed`, event }
  }

  finish(): Batch {
    const drafts = [...this.#drafts].map(([address, draft]) => ({ address, ...this.#outcome(address, draft) }))
    const states = new Map<ActorAddress, ActorState>(drafts.map(({ address, state }) => [address, state]))
    const own = drafts.map(({ part }) => part)
    const rest: CommitPart = {
      inbox: this.#inbox,
      inboxDone: this.#inboxDone,
      deadLetters: this.#deadLetters,
      ...this.#settlements(),
    }
    return {
      shards: this.#shards,
      states,
      receipts: this.#receipts,
      stuck: this.#stuck,
      commit: joined([rest, ...own]),
    }
  }

  #outcome(address: ActorAddress, draft: Draft): { readonly state: ActorState; readonly part: CommitPart } {
    const { before, current } = draft
    const snapshots = this.#snapshotOf(address, draft)
    const state = written(current, snapshots.length > 0)
    const row = current && rowChanged(draft) ? current.row : undefined
    const baseline = snapshots.length > 0 && current && 'baseline' in current ? current.baseline : undefined
    const timers = [...draft.timers]
    const part: CommitPart = {
      created: row && !before ? [row] : [],
      updated: row && before ? [{ ...row, previousSeq: before.row.seq }] : [],
      snapshots,
      baselines: baseline ? [{ ...baseline, at: this.#context.now }] : [],
      events: draft.events,
      effects: draft.effects,
      withdrawn: [...draft.withdrawn].map((type) => ({ actor: address, type, belowSeq: draft.firstSeq })),
      timersSet: timers.flatMap(([, timer]) => timer ?? []),
      timersCleared: timers.flatMap(([id, timer]) => (timer ? [] : [{ actor: address, id }])),
      inbox: draft.children,
      deadLetters: draft.deadLetters,
    }
    return { state, part }
  }

  #snapshotOf(address: ActorAddress, draft: Draft): Commit['snapshots'] {
    const { current } = draft
    if (!current || isQuarantined(current)) return []
    const { row, snapshotSeq, body } = current
    const due = row.seq - snapshotSeq >= this.#context.snapshotEvery || row.status === 'done' || snapshotSeq < 0
    const wanted = this.#snapshotNow.has(address) && row.seq > snapshotSeq
    if (!(draft.events.length > 0 && due) && !wanted) return []
    return [{ actor: address, seq: row.seq, version: row.version, machineHash: row.machineHash, body }]
  }

  /** A row that the same statement deletes by withdrawal must not be updated in it too. */
  #settlements(): Pick<Commit, 'settled' | 'postponed'> {
    const settled: Commit['settled'][number][] = []
    const postponed: Commit['postponed'][number][] = []
    for (const { effect, outcome } of this.#settled) {
      const id = { actor: effect.actor, seq: effect.seq, idx: effect.idx }
      const isOver =
        outcome.kind === 'performed' || (outcome.kind === 'dead' && this.#context.isTerminalEvent(effect.type))
      if (isOver) settled.push(id)
      else if (!this.#drafts.get(effect.actor)?.withdrawn.has(effect.type)) {
        const notBefore = outcome.kind === 'postponed' ? outcome.notBefore : effect.notBefore
        postponed.push({
          ...id,
          attempts: outcome.attempts,
          lastError: outcome.lastError,
          notBefore,
          dead: outcome.kind === 'dead',
        })
      }
    }
    return { settled, postponed }
  }
}

function rowChanged({ events, current }: Draft): boolean {
  return events.length > 0 || current?.rowStale === true
}

/** The state as it is once the commit has happened. */
function written(state: ActorState, hasSnapshot: boolean): ActorState {
  if (!state) return state
  if (isQuarantined(state) || !hasSnapshot) return state.rowStale ? { ...state, rowStale: false } : state
  const { baseline: _, ...rest } = state
  return { ...rest, snapshotSeq: state.row.seq, rowStale: false }
}

function receiptOf(event: EventRow): Receipt {
  const answer = event.answer === null ? {} : { answer: JSON.parse(event.answer) as Answer }
  return { key: event.key, applied: true, seq: event.seq, ...answer }
}

function refused(item: EventWork, state: ActorState, answer: Answer): Receipt {
  return { key: item.key, applied: false, seq: state?.row.seq ?? 0, answer }
}
