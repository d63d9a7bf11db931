/** What the harness saw for itself, outside the store and beyond the reach of any crash: what the laws compare with. */
import type { ActorAddress, JsonObject } from '../../../machines/definition.ts'
import type { JournalRow, Receipt } from '../../../runtime/runtime.ts'
import type { Lifeline } from './lifeline.ts'
import type { Send } from './plan.ts'
import type { World } from './world.ts'

/** One handler's work: `by` is a life of a process. */
export interface Call {
  readonly type: string
  readonly key: string
  readonly params: JsonObject
  readonly attempt: number
  readonly by: string
  readonly at: number
  endedAt: number | undefined
}

/** The answer to a delivery. `refused` is a terminal error; every other error is answered by sending again. */
export interface Reply {
  readonly key: string
  readonly to: ActorAddress
  readonly receipt?: Receipt
  readonly refused?: string
  /** It was sent while the first was under way, to this process or another. */
  readonly isDuplicate: boolean
}

/** A life's own listener heard of a committed step. */
export interface Told {
  readonly by: string
  readonly row: JournalRow
  readonly at: number
  /** Who held the actor's shard when the commit was made. */
  readonly holder: string | undefined
}

export interface Life {
  readonly name: string
  readonly slot: number
  readonly startedAt: number
}

/** Somebody set the time of day of a process. */
export interface ClockSet {
  readonly slot: number
  readonly at: number
  readonly byMs: number
}

export class Evidence {
  readonly calls: Call[] = []
  readonly replies: Reply[] = []
  readonly told: Told[] = []
  readonly lives: Life[] = []
  readonly clocksSet: ClockSet[] = []
  readonly sent = new Map<string, Send>()
  /** Effects that an operator put back to life. */
  readonly revived = new Set<string>()
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  begins(name: string, slot: number): void {
    this.lives.push({ name, slot, startedAt: this.#world.elapsed() })
    this.#world.tell(`${name} starts`, true)
  }

  clockSet(slot: number, byMs: number): void {
    this.clocksSet.push({ slot, at: this.#world.elapsed(), byMs })
  }

  asked(call: Omit<Call, 'at' | 'endedAt'>): Call {
    const begun: Call = { ...call, at: this.#world.elapsed(), endedAt: undefined }
    this.calls.push(begun)
    this.#world.tell(`${call.by} performs ${call.type} ${call.key} (attempt ${call.attempt})`)
    return begun
  }

  ended(call: Call): void {
    call.endedAt = this.#world.elapsed()
  }

  callsOf(key: string): number {
    return this.calls.filter((call) => call.key === key).length
  }

  sends(send: Send, to: string): void {
    this.sent.set(send.key, send)
    this.#world.tell(`${send.key}: ${send.type} for ${send.to} goes to ${to}`)
  }

  replied(reply: Reply): void {
    this.replies.push(reply)
    const { receipt } = reply
    const text = receipt ? `${receipt.applied ? 'applied' : 'known'} at ${receipt.seq}` : `refused: ${reply.refused}`
    this.#world.tell(`${reply.key}: ${text}`)
  }

  heard({ name: by, committedUnder }: Lifeline, row: JournalRow, shard: number): void {
    this.told.push({ by, row, at: this.#world.elapsed(), holder: committedUnder.get(shard) })
    this.#world.tell(`${by} committed ${row.address} ${row.seq}: ${row.event.type} under ${row.key}`)
  }
}
