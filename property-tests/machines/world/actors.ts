/**
 * The runtime, without its store: actors, mail, timers and the outbox in memory, each step taken by XState's pure
 * `transition`, effects and timers sorted by the runtime's own functions. Mail is in order for one sender and one
 * receiver and in any order between channels (weaker than R2 and R9, so it covers them); a timer fires at or after its
 * time, in any order with the others (R8); a key is applied once (R3); ordered effects of an actor are in order (R6).
 */
import { initialTransition, transition, type AnyMachineSnapshot, type AnyStateMachine } from 'xstate'
import type {
  ActorAddress,
  ActorKind,
  JsonObject,
  MachineDefinition,
  MachineEvent,
} from '../../../machines/definition.ts'
import type { OutboxEffectType } from '../../../machines/effect.ts'
import { childOf, isOwnEffect, withdrawnTypes } from '../../../runtime/step/own-effects.ts'
import type { Effect } from '../../../runtime/runtime.ts'
import { sortActions, type Action } from '../../../runtime/step/step-actions.ts'
import { performable } from './ordered.ts'
import { idOf, kindOf, type CausedBy, type Outstanding, type Snapshot, type Stepped, type Trace } from './trace.ts'

export interface Mail {
  readonly to: ActorAddress
  readonly key: string
  readonly event: MachineEvent
  readonly causedBy?: CausedBy
  /** With facts of an issue: whether a maintainer's withdrawal stands there that no maintainer took back. */
  readonly isHeld?: boolean
}

/** A changed rule of delivery, for negative controls: what a step's effects become. */
export type Tamper = (actor: ActorAddress, effects: readonly Effect[], after: Snapshot) => readonly Effect[]

/**
 * The pure step, and what lets time pass: everything that is done (`runs`), timers only, or nothing. The prover remembers
 * steps, and knows no time but that of schedules.
 */
export interface Pace {
  readonly transition: (machine: AnyStateMachine, snapshot: AnyMachineSnapshot, event: MachineEvent) => Taken
  readonly time: 'runs' | 'timers' | 'stands'
}

type Taken = readonly [AnyMachineSnapshot, readonly Action[]]

const ordinary: Pace = {
  transition: (machine, snapshot, event) => transition(machine, snapshot, event) as unknown as Taken,
  time: 'runs',
}

export interface Timer {
  readonly id: string
  readonly actor: ActorAddress
  readonly dueAt: number
  readonly event: JsonObject & { readonly type: string }
}

interface Actor {
  readonly snapshot: AnyMachineSnapshot
  readonly seq: number
}

export class Actors {
  readonly #definitions: ReadonlyMap<ActorKind, MachineDefinition>
  readonly #tamper: Tamper
  readonly #pace: Pace
  #actors = new Map<ActorAddress, Actor>()
  #keys = new Set<string>()
  #channels = new Map<string, readonly Mail[]>()
  readonly #trace: (Stepped | Trace[number])[] = []
  #timers: readonly Timer[] = []
  #outbox: readonly Outstanding[] = []
  #now = 1_800_000_000_000

  constructor(
    definitions: readonly MachineDefinition[],
    tamper: Tamper = (_actor, effects) => effects,
    pace: Pace = ordinary,
  ) {
    this.#definitions = new Map(definitions.map((definition) => [definition.kind, definition]))
    this.#tamper = tamper
    this.#pace = pace
  }

  /** The same moment again, with a trace of its own: what one does from here, the other does not see. */
  fork(): Actors {
    const other = new Actors([...this.#definitions.values()], this.#tamper, this.#pace)
    other.#actors = new Map(this.#actors)
    other.#keys = new Set(this.#keys)
    other.#channels = new Map([...this.#channels].filter(([, mail]) => mail.length > 0))
    other.#timers = this.#timers
    other.#outbox = this.#outbox
    other.#now = this.#now
    return other
  }

  /** Deliveries that were taken: numbers a key that nobody used. */
  get heard(): number {
    return this.#keys.size
  }

  /** What is on its way, oldest first. */
  mail(channel: string): readonly Mail[] {
    return this.#channels.get(channel) ?? []
  }

  get now(): number {
    return this.#now
  }

  get trace(): Trace {
    return this.#trace
  }

  get outbox(): readonly Outstanding[] {
    return this.#outbox
  }

  /** Those whose turn has come, in any order. */
  get performable(): readonly Outstanding[] {
    return performable(this.#outbox)
  }

  /** Channels with mail, in the order of their oldest use. */
  get channels(): readonly string[] {
    return [...this.#channels.keys()].filter((name) => (this.#channels.get(name)?.length ?? 0) > 0)
  }

  /** Earliest first. */
  get timers(): readonly Timer[] {
    return this.#timers.toSorted((a, b) => a.dueAt - b.dueAt)
  }

  snapshot(address: ActorAddress): Snapshot | undefined {
    return this.#actors.get(address)?.snapshot
  }

  /** Ids of the actors of a kind that live. */
  known(kind: ActorKind): readonly string[] {
    return [...this.#actors]
      .filter(([address, { snapshot }]) => kindOf(address) === kind && snapshot.status === 'active')
      .map(([address]) => idOf(address))
  }

  snapshots(): ReadonlyMap<ActorAddress, Snapshot> {
    return new Map([...this.#actors].map(([address, { snapshot }]) => [address, snapshot]))
  }

  pass(milliseconds: number): void {
    if (this.#pace.time === 'runs') this.#now += milliseconds
  }

  /** A while in which nobody does anything, whatever the pace is. Where time stands, no timer comes nearer. */
  sleep(milliseconds: number): void {
    this.#now += milliseconds
    if (this.#pace.time === 'stands')
      this.#timers = this.#timers.map((timer) => ({ ...timer, dueAt: timer.dueAt + milliseconds }))
  }

  post(from: string, mail: Mail): void {
    const name = `${from}>${mail.to}`
    this.#channels.set(name, [...(this.#channels.get(name) ?? []), mail])
  }

  /** The first of a channel arrives. */
  deliver(channel: string): void {
    const [first, ...rest] = this.#channels.get(channel) ?? []
    this.#channels.set(channel, rest)
    if (first) this.#take(first)
  }

  fire(timer: Timer): void {
    this.#timers = this.#timers.filter((one) => one !== timer)
    if (this.#pace.time !== 'stands') this.#now = Math.max(this.#now, timer.dueAt)
    this.#step(timer.actor, { ...timer.event, at: this.#now }, 'people')
  }

  /** Steps it now and says whether there was anybody to take it: what the receipt of a delivery tells (R1). */
  ask(mail: Mail): boolean {
    const isTaken = this.#actors.get(mail.to)?.snapshot.status === 'active'
    this.#take(mail)
    return isTaken
  }

  /** Performed and settled: it leaves the outbox. */
  settle(effect: Outstanding): void {
    this.#outbox = this.#outbox.filter((one) => one !== effect)
  }

  record(effect: Outstanding, result: string): void {
    this.#trace.push({ kind: 'performed', effect, result, actors: this.snapshots() })
  }

  #take({ to, key, event, causedBy = 'people', isHeld }: Mail): void {
    if (this.#keys.has(`${to} ${key}`)) return
    this.#keys.add(`${to} ${key}`)
    this.#step(to, event, causedBy, key, isHeld)
  }

  #step(address: ActorAddress, event: MachineEvent, causedBy: CausedBy, heardAs = '', isHeld?: boolean): void {
    const definition = this.#definitions.get(kindOf(address))
    const known = this.#actors.get(address)
    if (!definition || (!known && !definition.createdBy.includes(event.type))) return
    if (known?.snapshot.status === 'done') return
    const [first, begun] = known ? [known.snapshot, []] : initialTransition(definition.machine, { id: idOf(address) })
    const [next, actions] = this.#pace.transition(definition.machine, first, event)
    const { effects, timersSet, timersCancelled } = sortActions([...begun, ...actions] as readonly Action[])
    const gone = new Set([...timersCancelled, ...timersSet.map(({ id }) => id)])
    const armed = timersSet.map(({ id, delayMs, event: due }) => ({
      id,
      actor: address,
      dueAt: this.#now + delayMs,
      event: due,
    }))
    this.#timers = [...this.#timers.filter((timer) => timer.actor !== address || !gone.has(timer.id)), ...armed]
    const seq = (known?.seq ?? 0) + 1
    const snapshot = next as AnyMachineSnapshot
    this.#actors.set(address, { snapshot, seq })
    const wanted = this.#tamper(address, effects, snapshot)
    wanted.forEach((effect, index) => this.#keep(effect, `${address}/${seq}/${index}`, address, event.at, causedBy))
    this.#trace.push({
      kind: 'stepped',
      actor: address,
      seq,
      event,
      heardAs,
      causedBy,
      ...(isHeld === undefined ? {} : { isHeld }),
      before: known?.snapshot,
      after: snapshot,
      effects: wanted,
      outstanding: this.#outbox.filter((one) => one.actor === address).map(({ type }) => type),
      timers: this.#timers.filter((timer) => timer.actor === address).map(({ id }) => id),
    })
  }

  #keep(effect: Effect, key: string, actor: ActorAddress, at: number, causedBy: CausedBy): void {
    const child = effect.type === 'deliver' ? childOf(effect, at) : undefined
    if (child) this.post(actor, { ...child, key, causedBy })
    const withdrawn = withdrawnTypes(effect)
    this.#outbox = this.#outbox.filter((one) => one.actor !== actor || !withdrawn.includes(one.type))
    if (isOwnEffect(effect)) return
    // A machine asks by `effect(…)` alone, so every other type is one of the outbox.
    this.#outbox = [...this.#outbox, { key, actor, type: effect.type as OutboxEffectType, params: effect.params }]
  }
}
