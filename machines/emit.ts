/**
 * How a machine says what shall happen: a decision is plain data, a patch of the context and the effects in order.
 * XState hands the effects out of `transition()` with their params and performs nothing.
 */
import { enqueueActions, type ActionFunction, type EventObject, type MachineContext } from 'xstate'
import type { ActorAddress } from './definition.ts'
import type { EffectParams, EffectType, OutboxEffectType } from './effect.ts'
import type { IssueEvent } from './issue/events.ts'
import type { LedgerEvent } from './ledger/events.ts'
import type { MemoryEvent } from './memory/events.ts'
import type { MergeRequestEvent } from './merge-request/events.ts'
import type { ModelKeyEvent } from './model-key/events.ts'
import type { PodEvent } from './pod/events.ts'
import type { ProjectEvent } from './project/events.ts'
import type { QueueEvent } from './queue/events.ts'
import type { TaskEvent } from './task/events.ts'
import type { TurnEvent } from './turn/events.ts'

/** One effect as data; a mapped type, so that `type` and `params` belong together. */
export type EffectAction = { [T in EffectType]: { readonly type: T; readonly params: EffectParams<T> } }[EffectType]
/** Those that an edge has to perform. */
export type OutboxEffect = Extract<EffectAction, { readonly type: OutboxEffectType }>

export interface Decision<Context, Effect = EffectAction> {
  readonly context?: Partial<Context>
  readonly effects?: readonly Effect[]
}

type Decide<Context, Event, Effect = EffectAction> = (context: Context, event: Event) => Decision<Context, Effect>

/** An XState action that a decision became. */
// XState's own type parameters for actors, actions, guards and delays say nothing here: a decision names none of them.
/* oxlint-disable no-explicit-any */
export type Performed<Context extends MachineContext, Event extends EventObject> = ActionFunction<
  Context,
  Event,
  Event,
  any,
  any,
  any,
  any,
  any,
  any
>
/* oxlint-enable no-explicit-any */

/** Turns a decision into an XState action: the patch first, then the effects. */
export function perform<Context extends MachineContext, Event extends EventObject, Effect = EffectAction>(
  decide: Decide<Context, Event, Effect>,
): Performed<Context, Event> {
  return enqueueActions(({ context, event, enqueue }) => {
    const decision = decide(context as Context, event as Event)
    if (decision.context) enqueue.assign(decision.context as never)
    for (const effect of decision.effects ?? []) enqueue(effect as never)
  }) as Performed<Context, Event>
}

/** What is sent leaves `at` out: the runtime fills in the time of the cause. */
export type Sent<Event> = Event extends { readonly at: number } ? Omit<Event, 'at'> : never

export function effect<T extends EffectType>(type: T, params: EffectParams<T>): EffectAction {
  return { type, params } as EffectAction
}

function deliver(to: ActorAddress, event: { readonly type: string }): EffectAction {
  return effect('deliver', { to, event })
}

/** Ids, not addresses: each function knows the kind it speaks to. */
export function tellTask(id: string, event: Sent<TaskEvent>): EffectAction {
  return deliver(`task:${id}`, event)
}

export function tellPod(id: string, event: Sent<PodEvent>): EffectAction {
  return deliver(`pod:${id}`, event)
}

export function tellTurn(id: string, event: Sent<TurnEvent>): EffectAction {
  return deliver(`turn:${id}`, event)
}

export function tellQueue(id: string, event: Sent<QueueEvent>): EffectAction {
  return deliver(`queue:${id}`, event)
}

export function tellProject(id: string, event: Sent<ProjectEvent>): EffectAction {
  return deliver(`project:${id}`, event)
}

export function tellLedger(id: string, event: Sent<LedgerEvent>): EffectAction {
  return deliver(`ledger:${id}`, event)
}

export function tellModelKey(id: string, event: Sent<ModelKeyEvent>): EffectAction {
  return deliver(`model-key:${id}`, event)
}

export function notifyMemory(id: string, event: Sent<MemoryEvent>): EffectAction {
  return deliver(`memory:${id}`, event)
}

/** Of a Project that meters nothing there is nothing to raise, and the Task says so. */
export function askToRaise(
  { project, tokensPerTurn }: { readonly project: string; readonly tokensPerTurn?: number },
  asked: { readonly task: string; readonly by: string; readonly amount: number },
): EffectAction {
  const { task, by, amount } = asked
  return tokensPerTurn === undefined
    ? tellTask(task, { type: 'budget.refused', by, amount, left: 0 })
    : tellLedger(project, { type: 'raise.asked', ...asked })
}

export function tellIssue(id: string, event: Sent<IssueEvent>): EffectAction {
  return deliver(`issue:${id}`, event)
}

export function tellMergeRequest(id: string, event: Sent<MergeRequestEvent>): EffectAction {
  return deliver(`merge-request:${id}`, event)
}
