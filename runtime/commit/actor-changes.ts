/** What one batch changes of one actor: several events of it chain here, each starting where the one before ended (R2). */
import type { Actor, ActorState, Quarantined } from '../actor-state.ts'
import { stateHash } from '../actor-state.ts'
import { bodyOf } from '../step/live-machine.ts'
import { effectKey, shardOf } from '../address.ts'
import { answerOf, childOf, isOwnEffect, withdrawnTypes } from '../step/own-effects.ts'
import { tooLarge } from '../event-size.ts'
import type { Known } from '../journal/restore.ts'
import type { Answer, Effect, Receipt } from '../runtime.ts'
import type { Step } from '../step/step.ts'
import { withMark, withoutMarks, withoutType } from '../store/inbox/pending-marks.ts'
import type { ActorRow, DeadLetterRow, EffectRow, EventRow, InboxRow, TimerRow } from '../store/rows.ts'
import type { EventWork } from '../work.ts'

export interface StepContext {
  readonly known: Known
  readonly now: number
  readonly shards: number
}

const noTimers: ReadonlyMap<string, TimerRow | undefined> = new Map()
const noTypes: ReadonlySet<string> = new Set()

export class Draft {
  readonly before: ActorState
  current: ActorState
  readonly events: EventRow[] = []
  effects: EffectRow[] = []
  readonly children: InboxRow[] = []
  readonly deadLetters: DeadLetterRow[] = []
  #timers: Map<string, TimerRow | undefined> | undefined
  #withdrawn: Set<string> | undefined
  /** Of the step that is being applied. */
  #pending: string | null = null

  constructor(before: ActorState) {
    this.before = before
    this.current = before
    if (before && 'rearmed' in before && before.rearmed) this.#timers = new Map(before.rearmed)
  }

  /** Undefined: cleared. */
  get timers(): ReadonlyMap<string, TimerRow | undefined> {
    return this.#timers ?? noTimers
  }

  get withdrawn(): ReadonlySet<string> {
    return this.#withdrawn ?? noTypes
  }

  /** Effects decided in earlier commits have a lower sequence number than this. */
  get firstSeq(): number {
    return (this.before?.row.seq ?? 0) + 1
  }

  /** What an event of this batch was answered; a key of an earlier one is the journal's to find (R3). */
  receiptOf(key: string): Receipt | undefined {
    const event = this.events.find((row) => row.key === key)
    return event && receiptOf(event)
  }

  apply(work: EventWork, step: Step, context: StepContext): Receipt {
    const before = this.current as Actor | undefined
    const params = step.effects.map((effect) => JSON.stringify(effect.params))
    const seq = (before?.row.seq ?? 0) + 1
    this.#pending = before?.row.pending ?? null
    step.effects.forEach((effect, index) =>
      this.#effectOf(work, effect, { seq, index, context, params: params[index]! }),
    )
    const row = this.#nextRow(work, step, context)
    const event = this.#journal(work, row, { ...step, text: effectsText(step.effects, params), now: context.now })
    this.#timersOf(work, step, row, context.now)
    this.current = {
      row,
      snapshot: step.snapshot,
      snapshotSeq: before?.snapshotSeq ?? 0,
      tailBytes: (before?.tailBytes ?? 0) + event.body.length + event.effects.length,
      timers: this.#armed(before),
      ...(before?.baseline ? { baseline: before.baseline } : {}),
    }
    return receiptOf(event)
  }

  /** The event threw: it is journaled, so that its key is spent, and shown; the actor stays as it was (R7). */
  applyFault(work: EventWork, message: string, now: number): Receipt {
    const actor = this.current as Actor
    const row: ActorRow = { ...actor.row, seq: actor.row.seq + 1, updatedAt: now }
    const params = { status: 500, body: { code: 'actor-fault', message } }
    const effects = [{ type: 'answer', params }]
    const text = JSON.stringify(effects)
    const event = this.#journal(work, row, { effects, text, handled: false, fault: message, now })
    if (work.timer) this.#setTimer(work.timer.id, undefined)
    this.bury(work, message, now)
    this.current = { ...actor, row, timers: this.#armed(actor), rowStale: false }
    return receiptOf(event)
  }

  quarantine(reason: string): Quarantined {
    const { row, snapshot } = this.current as Actor
    const body = bodyOf(snapshot)
    this.current = { row: { ...row, status: 'quarantined', fault: reason }, reason, body, rowStale: true }
    return this.current
  }

  /** The state as text; the journal row that led to it then carries its hash, so that a replay passes through it. */
  written(): string {
    const body = bodyOf((this.current as Actor).snapshot)
    const last = this.events.pop()
    if (last) this.events.push({ ...last, stateHash: stateHash(body) })
    return body
  }

  /** In place where the row is this draft's own: nobody else has it yet. */
  unmark(gone: readonly string[]): void {
    const { before, current } = this
    if (!current) return
    const pending = withoutMarks(current.row.pending, gone)
    if (current.row === before?.row) this.current = { ...current, row: { ...current.row, pending } }
    else current.row.pending = pending
  }

  bury(work: EventWork, reason: string, now: number): void {
    this.deadLetters.push({ actor: work.to, key: work.key, body: work.body, reason, at: now })
  }

  #nextRow(work: EventWork, step: Step, { known, now }: StepContext): ActorRow {
    const row = this.current?.row
    return {
      address: work.to,
      kind: known.definition.kind,
      shard: work.shard,
      seq: (row?.seq ?? 0) + 1,
      version: known.definition.version,
      machineHash: known.hash,
      status: step.status,
      path: step.path,
      fault: null,
      createdAt: row?.createdAt ?? now,
      updatedAt: now,
      pending: this.#pending,
    }
  }

  #journal(work: EventWork, row: ActorRow, outcome: Journaled): EventRow {
    const answer = answerOf(outcome.effects)
    const event: EventRow = {
      actor: work.to,
      seq: row.seq,
      key: work.key,
      body: work.body,
      effects: outcome.text,
      answer: answer ? JSON.stringify(answer) : null,
      path: row.path,
      status: row.status,
      handled: outcome.handled,
      fault: outcome.fault ?? null,
      stateHash: null,
      machineHash: row.machineHash,
      at: outcome.now,
    }
    this.events.push(event)
    return event
  }

  #setTimer(id: string, timer: TimerRow | undefined): void {
    this.#timers ??= new Map()
    this.#timers.set(id, timer)
  }

  #timersOf(work: EventWork, step: Step, row: ActorRow, now: number): void {
    if (work.timer) this.#setTimer(work.timer.id, undefined)
    for (const id of step.timersCancelled) this.#setTimer(id, undefined)
    for (const { id, delayMs, event } of step.timersSet) {
      const dueAt = Math.ceil(now + delayMs)
      const body = JSON.stringify(event)
      this.#setTimer(id, { actor: row.address, id, shard: row.shard, seq: row.seq, dueAt, body })
    }
  }

  #armed(before: Actor | undefined): ReadonlyMap<string, number> {
    if (!this.#timers) return before?.timers ?? new Map<string, number>()
    const armed = new Map(before?.timers)
    for (const [id, timer] of this.#timers) {
      if (timer) armed.set(id, timer.seq)
      else armed.delete(id)
    }
    return armed
  }

  #effectOf(work: EventWork, effect: Effect, at: EffectPlace): void {
    const { seq, index, context, params } = at
    if (effect.type === 'deliver') return this.#child(work, effect, at)
    for (const type of withdrawnTypes(effect)) this.#withdraw(type)
    if (isOwnEffect(effect)) return
    this.#pending = withMark(this.#pending, { seq, idx: index, type: effect.type })
    this.effects.push({
      actor: work.to,
      seq,
      idx: index,
      shard: work.shard,
      type: effect.type,
      params,
      attempts: 0,
      notBefore: 0,
      lastError: null,
      dead: false,
      at: context.now,
      isMarked: true,
    })
  }

  #withdraw(type: string): void {
    this.effects = this.effects.filter((effect) => effect.type !== type)
    this.#pending = withoutType(this.#pending, type)
    this.#withdrawn ??= new Set()
    this.#withdrawn.add(type)
  }

  /** The child's inbox row is in this commit, its step comes after it: together once, and once only (R9). */
  #child(cause: EventWork, effect: Effect, { seq, index, context, params }: EffectPlace): void {
    const key = effectKey({ actor: cause.to, seq, index })
    const child = childOf(effect, cause.event.at)
    const body = child ? JSON.stringify(child.event) : params
    const reason = child ? tooLarge(body) : 'deliver without an address and an event'
    if (!child || reason !== undefined)
      this.deadLetters.push({ actor: child?.to ?? cause.to, key, body, reason: reason ?? '', at: context.now })
    else this.children.push({ actor: child.to, shard: shardOf(child.to, context.shards), key, body, at: context.now })
  }
}

interface Journaled {
  readonly effects: readonly Effect[]
  /** The effects as JSON. */
  readonly text: string
  readonly handled: boolean
  readonly fault?: string | undefined
  readonly now: number
}

interface EffectPlace {
  readonly seq: number
  readonly index: number
  readonly context: StepContext
  readonly params: string
}

/** As `JSON.stringify(effects)` would say it, from params that are text already. */
function effectsText(effects: readonly Effect[], params: readonly string[]): string {
  const each = effects.map((effect, index) => `{"type":${JSON.stringify(effect.type)},"params":${params[index]}}`)
  return `[${each.join(',')}]`
}

function receiptOf(event: EventRow): Receipt {
  const answer = event.answer === null ? {} : { answer: JSON.parse(event.answer) as Answer }
  return { key: event.key, applied: true, seq: event.seq, ...answer }
}
