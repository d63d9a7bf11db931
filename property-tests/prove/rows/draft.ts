/**
 * The rows of `machines/lifecycle-rows.ts` stated once more, event by event, apart from the tables that run: what a step must come to.
 * A row changes a draft of the actor's context in place and says what it asks for; `judge.ts` compares.
 */
import type { MachineEvent } from '../../../machines/definition.ts'
import type { Snapshot } from '../../machines/world/trace.ts'

export interface Asked {
  readonly type: string
  readonly params: Readonly<Record<string, unknown>>
}

/** What a step must leave behind. */
export interface Expected {
  /** Leaf states, each by its path. */
  readonly leaves: readonly string[]
  readonly context: object
  readonly effects: readonly Asked[]
  /** Names of the armed timers. */
  readonly timers: readonly string[]
  /** Timers that are armed unless they fired before. */
  readonly perhaps?: readonly string[]
  /** Timers that this step arms anew, though they were armed before. */
  readonly rearms?: readonly string[]
  /** How long those wait that this step arms, where `times.ts` has no one length for them. */
  readonly delays?: Readonly<Record<string, number>>
}

export type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** Undefined: the rows say nothing of such a step. */
export type Rows = (before: Snapshot | undefined, event: MachineEvent, id: string) => Expected | undefined

/** Every leaf of a snapshot's value: `a.b` of `{a: 'b'}`. */
export function leavesOf(value: unknown, path = ''): readonly string[] {
  const at = (name: string): string => (path === '' ? name : `${path}.${name}`)
  if (typeof value === 'string') return [at(value)]
  return Object.entries(value as Readonly<Record<string, unknown>>).flatMap(([name, inner]) =>
    leavesOf(inner, at(name)),
  )
}

/** Effects in the order in which they are asked for. */
export class Asking {
  readonly effects: Asked[] = []

  ask(type: string, params: Readonly<Record<string, unknown>>): void {
    this.effects.push({ type, params })
  }

  tell(to: string, type: string, fields: Readonly<Record<string, unknown>> = {}): void {
    this.ask('deliver', { to, event: { type, ...fields } })
  }

  answer(status: number, body: Readonly<Record<string, unknown>>): void {
    this.ask('answer', { status, body })
  }

  withdraw(...types: readonly string[]): void {
    this.ask('withdrawEffects', { types })
  }
}
