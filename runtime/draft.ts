/** What one batch changes of one actor: several events of it chain here, each starting where the one before ended (R2). */
import type { MachineEvent } from '../machines/definition.ts'
import type { Actor, ActorState, Quarantined } from './actor-state.ts'
import { stateHash } from './actor-state.ts'
import { effectKey, shardOf } from './address.ts'
import { answerOf, childOf, isOwnEffect, withdrawnTypes } from './own-effects.ts'
import type { Known } from './restore.ts'
import type { Effect } from './runtime.ts'
import type { Step } from './step.ts'
import type { ActorRow, DeadLetterRow, EffectRow, EventRow, InboxRow, TimerRow } from './store/rows.ts'
import type { EventWork } from './work.ts'

export interface StepContext {
  readonly known: Known
  readonly now: number
  readonly shards: number
}

export class Draft {
  readonly before: ActorState
  current: ActorState
  readonly events: EventRow[] = []
  effects: EffectRow[] = []
  readonly children: InboxRow[] = []
  readonly deadLetters: DeadLetterRow[] = []
  /** Undefined: cleared. */
  readonly timers = new Map<string, TimerRow | undefined>()
  readonly withdrawn = new Set<string>()

  constructor(before: ActorState) {
    this.before = before
    this.current = before
  }

  /** Effects decided in earlier commits have a lower sequence number than this. */
  get firstSeq(): number {
    return (this.before?.row.seq ?? 0) + 1
  }

  apply(work: EventWork, step: Step, context: StepContext): EventRow {
    const row = this.#nextRow(work, step, context)
    const event = this.#journal(work, row, context.now, step)
    this.#timersOf(work, step, row, context.now)
    step.effects.forEach((effect, index) => this.#effectOf(work, effect, { row, index, context }))
    const before = this.current as Actor | undefined
    this.current = {
      row,
      snapshot: step.snapshot,
      body: step.body,
      snapshotSeq: before?.snapshotSeq ?? 0,
      timers: this.#armed(before),
      ...(before?.baseline ? { baseline: before.baseline } : {}),
    }
    return event
  }

  /** The event threw: it is journaled, so that its key is spent, and shown; the actor stays as it was (R7). */
  applyFault(work: EventWork, message: string, now: number): EventRow {
    const actor = this.current as Actor
    const row: ActorRow = { ...actor.row, seq: actor.row.seq + 1, updatedAt: now }
    const answer = { status: 500, body: { code: 'actor-fault', message } }
    const event = this.#journal(work, row, now, {
      effects: [{ type: 'answer', params: answer }],
      body: actor.body,
      handled: false,
      fault: message,
    })
    if (work.timer) this.timers.set(work.timer.id, undefined)
    this.bury(work, message, now)
    this.current = { ...actor, row, timers: this.#armed(actor), rowStale: false }
    return event
  }

  quarantine(reason: string): Quarantined {
    const { row, body } = this.current as Actor
    this.current = { row: { ...row, status: 'quarantined', fault: reason }, reason, body, rowStale: true }
    return this.current
  }

  bury(work: EventWork, reason: string, now: number): void {
    this.deadLetters.push({ actor: work.to, key: work.key, body: JSON.stringify(work.event), reason, at: now })
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
    }
  }

  #journal(
    work: EventWork,
    row: ActorRow,
    now: number,
    step: Pick<Step, 'effects' | 'body' | 'handled'> & { readonly fault?: string | undefined },
  ): EventRow {
    const answer = answerOf(step.effects)
    const event: EventRow = {
      actor: work.to,
      seq: row.seq,
      key: work.key,
      body: JSON.stringify(work.event),
      effects: JSON.stringify(step.effects),
      answer: answer ? JSON.stringify(answer) : null,
      path: row.path,
      status: row.status,
      handled: step.handled,
      fault: step.fault ?? null,
      stateHash: stateHash(step.body),
      machineHash: row.machineHash,
      at: now,
    }
    this.events.push(event)
    return event
  }

  #timersOf(work: EventWork, step: Step, row: ActorRow, now: number): void {
    if (work.timer) this.timers.set(work.timer.id, undefined)
    for (const id of step.timersCancelled) this.timers.set(id, undefined)
    for (const { id, delayMs, event } of step.timersSet) {
      const dueAt = Math.ceil(now + delayMs)
      this.timers.set(id, {
        actor: row.address,
        id,
        shard: row.shard,
        seq: row.seq,
        dueAt,
        body: JSON.stringify(event),
      })
    }
  }

  #armed(before: Actor | undefined): ReadonlyMap<string, number> {
    const armed = new Map(before?.timers)
    for (const [id, timer] of this.timers) {
      if (timer) armed.set(id, timer.seq)
      else armed.delete(id)
    }
    return armed
  }

  #effectOf(
    work: EventWork,
    effect: Effect,
    at: { readonly row: ActorRow; readonly index: number; readonly context: StepContext },
  ): void {
    const { row, index, context } = at
    if (effect.type === 'deliver') return this.#child(work.event, effect, at)
    for (const type of withdrawnTypes(effect)) this.#withdraw(type)
    if (isOwnEffect(effect)) return
    this.effects.push({
      actor: row.address,
      seq: row.seq,
      idx: index,
      shard: row.shard,
      type: effect.type,
      params: JSON.stringify(effect.params),
      attempts: 0,
      notBefore: 0,
      lastError: null,
      dead: false,
      at: context.now,
    })
  }

  #withdraw(type: string): void {
    this.effects = this.effects.filter((effect) => effect.type !== type)
    this.withdrawn.add(type)
  }

  /** The child's inbox row is in this commit, its step comes after it: together once, and once only (R9). */
  #child(
    cause: MachineEvent,
    effect: Effect,
    { row, index, context }: { readonly row: ActorRow; readonly index: number; readonly context: StepContext },
  ): void {
    const key = effectKey({ actor: row.address, seq: row.seq, index })
    const child = childOf(effect, cause.at)
    const body = JSON.stringify(child?.event ?? effect.params)
    if (child)
      this.children.push({ actor: child.to, shard: shardOf(child.to, context.shards), key, body, at: context.now })
    else
      this.deadLetters.push({
        actor: row.address,
        key,
        body,
        reason: 'deliver without an address and an event',
        at: context.now,
      })
  }
}
