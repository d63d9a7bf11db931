/** What the decisions of all machines share: how one meets its event, what runs around it, and what time it is. */
import type { EventObject, MachineContext } from 'xstate'
import { perform, type Decision, type EffectAction, type Performed } from './emit.ts'

/** The event of a machine's union that has this type. */
export type EventOf<Event extends EventObject, T extends Event['type']> = Extract<Event, { readonly type: T }>

/** What every decision may know of its event. Timers and eventless rows know the time of their cause at most. */
export interface Cause {
  readonly type: string
  readonly at?: number
}

/** Time never runs backwards, whatever an edge's clock does; without a time of its own, a cause has the newest known one. */
export function later(known: number, said: number | undefined): number {
  return Math.max(known, said ?? 0)
}

/** Runs one decision, with what a machine does before and after each of them. */
export type Around<Context, Event, Own, Effect = EffectAction> = (
  context: Context,
  event: Event,
  own: (now: Context) => Own,
) => Decision<Context, Effect>

/** Nothing before, nothing after. */
export function alone<Context, Own>(context: Context, _event: unknown, own: (now: Context) => Own): Own {
  return own(context)
}

/** `context.at` is now, and is kept. */
export function inTime<Context extends { readonly at: number }>(
  context: Context,
  event: { readonly at?: number },
  own: (now: Context) => Decision<Context>,
): Decision<Context> {
  const at = later(context.at, event.at)
  const { context: patch, effects } = own({ ...context, at })
  return { context: { ...({ at } as Partial<Context>), ...patch }, ...(effects ? { effects } : {}) }
}

interface Decider<Context extends MachineContext, Event extends EventObject, Own> {
  /** XState hands the whole union to every action; the table pairs each with its own event. */
  readonly on: <T extends Event['type']>(
    type: T,
    decide: (context: Context, event: EventOf<Event, T>) => Own,
  ) => Performed<Context, Event>
  /** Whatever the event was. */
  readonly always: (decide: (context: Context, cause: Cause) => Own) => Performed<Context, Event>
}

/** How the decisions of one machine become actions. */
export function decideBy<
  Context extends MachineContext,
  Event extends EventObject,
  Own = Decision<Context>,
  Effect = EffectAction,
>(around: Around<Context, Event, Own, Effect>): Decider<Context, Event, Own> {
  const run = (decide: (context: Context, event: Event) => Own) =>
    perform<Context, Event, Effect>((context, event) => around(context, event, (now) => decide(now, event)))
  return {
    on: (_type, decide) => run((context, event) => decide(context, event as never)),
    always: (decide) => run((context, event) => decide(context, event)),
  }
}
