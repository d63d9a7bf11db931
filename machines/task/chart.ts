/** The vocabulary of the table's files: XState's own notation, with each event typed by its name. */
import type { Owner } from '../definition.ts'
import { perform, type Decision } from '../emit.ts'
import type { TaskContext } from './context.ts'
import type { TaskEvent } from './events.ts'

export type EventOf<T extends TaskEvent['type']> = Extract<TaskEvent, { type: T }>
export type Change = Decision<TaskContext>

/** Timers and eventless rows know the time of their cause at most. */
export interface Cause {
  readonly type: string
  readonly at?: number
}

export type Decide<E> = (context: TaskContext, event: E) => Change
export type Guard<E> = (args: { readonly context: TaskContext; readonly event: E }) => boolean
export type Action<E> = (args: { readonly context: TaskContext; readonly event: E }) => void

export interface Row<E> {
  readonly guard?: Guard<E>
  readonly target?: string
  readonly reenter?: boolean
  readonly actions?: Action<E> | readonly Action<E>[]
}

export type Rows = { readonly [T in TaskEvent['type']]?: Row<EventOf<T>> | readonly Row<EventOf<T>>[] }

/** Who can move a state, why it rests, and what would move it: shown to people (architecture, "Every message names what it answers"). */
export interface Meta {
  readonly owner: Owner
  readonly reason: string
  readonly unblocks: string
}

export interface StateConfig {
  readonly id?: string
  readonly meta: Meta
  readonly type?: 'final'
  readonly initial?: string
  readonly entry?: Action<Cause> | readonly Action<Cause>[]
  readonly exit?: Action<Cause> | readonly Action<Cause>[]
  readonly on?: Rows
  readonly always?: Row<Cause> | readonly Row<Cause>[]
  readonly after?: Readonly<Record<string, Row<Cause> | readonly Row<Cause>[]>>
  readonly states?: Readonly<Record<string, StateConfig>>
}

export function meta(owner: Meta['owner'], reason: string, unblocks: string): Meta {
  return { owner, reason, unblocks }
}

/**
 * A decision as an action. `context.at` is now: the event's time, or the newest known one where a row has no event of
 * its own. Times never run backwards, whatever an edge's clock does.
 */
export function does<E extends Cause>(decide: Decide<E>): Action<E> {
  return perform<TaskContext, never>((context, event: E) => {
    const now = { ...context, at: Math.max(context.at, event.at ?? 0) }
    const { context: patch, effects } = decide(now, event)
    return { context: { at: now.at, ...patch }, ...(effects ? { effects } : {}) }
  }) as unknown as Action<E>
}

/** One decision after another, each seeing what the ones before it did. */
export function sequence<E>(...decides: readonly Decide<E>[]): Decide<E> {
  return (context, event) => {
    let patch: Partial<TaskContext> = {}
    const effects: NonNullable<Change['effects']>[number][] = []
    for (const decide of decides) {
      const change = decide({ ...context, ...patch }, event)
      patch = { ...patch, ...change.context }
      effects.push(...(change.effects ?? []))
    }
    return { context: patch, effects }
  }
}

export function when<E>(holds: (context: TaskContext, event: E) => boolean): Guard<E> {
  return ({ context, event }) => holds(context, event)
}
