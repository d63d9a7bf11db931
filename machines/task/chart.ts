/** The vocabulary of the table's files: XState's own notation, with each event typed by its name. */
import { inTime, type Cause, type EventOf } from '../decide.ts'
import type { Owner } from '../definition.ts'
import { perform, type Decision, type EffectAction } from '../emit.ts'
import { withChanges, type TaskContext, type TaskPatch } from './context.ts'
import type { TaskEvent } from './events.ts'

/** What a step comes to: what is new in each part of the context, and the effects in order. */
export interface Change {
  readonly context?: TaskPatch
  readonly effects?: readonly EffectAction[]
}

export type Decide<E> = (context: TaskContext, event: E) => Change
type Guard<E> = (args: { readonly context: TaskContext; readonly event: E }) => boolean
export type Action<E> = (args: { readonly context: TaskContext; readonly event: E }) => void

export interface Row<E> {
  readonly guard?: Guard<E>
  readonly target?: string
  readonly reenter?: boolean
  readonly actions?: Action<E> | readonly Action<E>[]
}

export type Rows = {
  readonly [T in TaskEvent['type']]?: Row<EventOf<TaskEvent, T>> | readonly Row<EventOf<TaskEvent, T>>[]
}

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

/** A decision as an action. `context.at` is now: the event's time, or the newest known one where a row has no event of its own. */
export function does<E extends Cause>(decide: Decide<E>): Action<E> {
  return perform<TaskContext, never>((context, event: E) =>
    inTime(context, event, (now) => whole(now, decide(now, event))),
  ) as unknown as Action<E>
}

function whole(now: TaskContext, { context: patch, effects }: Change): Decision<TaskContext> {
  return { context: withChanges(now, patch), ...(effects ? { effects } : {}) }
}

/** One decision after another, each seeing what the ones before it did. */
export function sequence<E>(...decides: readonly Decide<E>[]): Decide<E> {
  return (context, event) => {
    let patch: TaskPatch = {}
    const effects: EffectAction[] = []
    for (const decide of decides) {
      const change = decide(withChanges(context, patch), event)
      patch = withChanges(patch, change.context)
      effects.push(...(change.effects ?? []))
    }
    return { context: patch, effects }
  }
}

export function when<E>(holds: (context: TaskContext, event: E) => boolean): Guard<E> {
  return ({ context, event }) => holds(context, event)
}
