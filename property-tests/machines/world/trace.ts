/** What happened in a world, in order: the laws read this and nothing else. */
import type { ActorAddress, ActorKind, JsonObject, MachineEvent } from '../../../machines/definition.ts'
import type { OutboxEffectType } from '../../../machines/effect.ts'
import type { IssueContext } from '../../../machines/issue/context.ts'
import type { PodContext } from '../../../machines/pod/context.ts'
import type { TaskContext } from '../../../machines/task/context.ts'
import type { Effect } from '../../../runtime/runtime.ts'

/** An actor after one of its steps. XState never changes a snapshot, so it may be kept. */
export interface Snapshot {
  readonly value: unknown
  readonly status: string
  readonly context: unknown
}

/** An effect that was decided and not yet performed, or withdrawn. */
export interface Outstanding {
  readonly key: string
  readonly actor: ActorAddress
  readonly type: OutboxEffectType
  readonly params: JsonObject
}

/** `bot`: what our own comment set going. */
export type CausedBy = 'bot' | 'people'

export interface Stepped {
  readonly kind: 'stepped'
  readonly actor: ActorAddress
  /** Of the actor's steps this one. With it and their place the keys of its effects begin. */
  readonly seq: number
  readonly event: MachineEvent
  /** The key of its delivery; empty for a timer. */
  readonly heardAs?: string
  readonly causedBy: CausedBy
  /** What people did, not what the mirror made of it: a maintainer's withdrawal stands, and this step was told so. */
  readonly isHeld?: boolean
  readonly before: Snapshot | undefined
  readonly after: Snapshot
  readonly effects: readonly Effect[]
  /** The actor's own outstanding effects and armed timers after the step. */
  readonly outstanding: readonly string[]
  readonly timers: readonly string[]
}

/** The forge or a pod did what an effect asked for; what it answered is an event of its own. */
export interface Performed {
  readonly kind: 'performed'
  readonly effect: Outstanding
  /** `merged`, `opened` and so on; `refused` where the world said no. */
  readonly result: string
  /** Every actor as it was at the call. */
  readonly actors: ReadonlyMap<ActorAddress, Snapshot>
}

export type Moment = Stepped | Performed
export type Trace = readonly Moment[]

export function kindOf(address: ActorAddress): ActorKind {
  return address.slice(0, address.indexOf(':')) as ActorKind
}

export function idOf(address: ActorAddress): string {
  return address.slice(address.indexOf(':') + 1)
}

/** A pod's id is its Task's and its ordinal, a turn's is its pod's and its own. */
export function parentOf(address: ActorAddress): string {
  const id = idOf(address)
  return id.slice(0, id.lastIndexOf('/'))
}

export function taskIn(snapshot: Snapshot): TaskContext {
  return snapshot.context as TaskContext
}

export function podIn(snapshot: Snapshot): PodContext {
  return snapshot.context as PodContext
}

export function issueIn(snapshot: Snapshot): IssueContext {
  return snapshot.context as IssueContext
}

/** The stage region, without the pod region. */
export function stageOf(snapshot: Snapshot | undefined): string {
  return JSON.stringify((snapshot?.value as { readonly stage?: unknown } | undefined)?.stage ?? null)
}

export function stepsOf(trace: Trace, kind: ActorKind): readonly Stepped[] {
  return trace.filter((moment): moment is Stepped => moment.kind === 'stepped' && kindOf(moment.actor) === kind)
}

export function performances(trace: Trace, type: string, result: string): readonly Performed[] {
  return trace.filter(
    (moment): moment is Performed =>
      moment.kind === 'performed' && moment.effect.type === type && moment.result === result,
  )
}

interface Sent {
  readonly to: ActorAddress
  readonly event: JsonObject & { readonly type: string }
}

/** What a step told other actors. */
export function sentIn(step: Stepped): readonly Sent[] {
  return step.effects.filter(({ type }) => type === 'deliver').map(({ params }) => params as unknown as Sent)
}

export function answerIn(step: Stepped): { readonly status: number } | undefined {
  return step.effects.findLast(({ type }) => type === 'answer')?.params as { readonly status: number } | undefined
}

/** One line a moment: the shrunk history of a broken law is read from this. */
export function story(trace: Trace): string {
  return trace.map(lineOf).join('\n')
}

function lineOf(moment: Moment): string {
  if (moment.kind === 'performed')
    return `  ${moment.effect.actor} had ${moment.effect.type} performed: ${moment.result}`
  const { actor, event, after, effects } = moment
  const told = effects.map(({ type, params }) =>
    type === 'deliver' ? `${(params as unknown as Sent).to} <- ${(params as unknown as Sent).event.type}` : type,
  )
  return `${actor} took ${event.type} -> ${JSON.stringify(after.value)}${told.length > 0 ? ` | ${told.join(', ')}` : ''}`
}
