/**
 * The durable actor runtime as its users see it. Upholds R1-R11 of runtime/README.md:
 * R1 an acknowledged event is on disk; R2 one actor, one event at a time, in inbox order; R3 a key is applied once;
 * R4 snapshot, effects, timers, child deliveries, journal row and inbox mark commit together; R5 a stale owner
 * commits nothing; R6 an effect is performed at least once, always under one key; R7 failures retry or become
 * events, never silence; R8 a timer fires at or after its due time, once; R9 actor-to-actor is exactly once;
 * R10 old snapshots are upgraded or quarantined; R11 the journal replays.
 */
import type { Contexts } from '../machines/contexts.ts'
import type { ActorAddress, ActorKind, JsonObject, MachineEvent } from '../machines/definition.ts'
import type { TargetLimits } from './effects/targets.ts'

/** An event on its way to an actor. `key` dedupes for ever per actor (R3). */
export interface Delivery {
  readonly to: ActorAddress
  readonly key: string
  readonly event: MachineEvent
}

/** What a machine asked to be done, as data. The runtime itself understands `deliver`, `answer` and `withdrawEffects`. */
export interface Effect {
  readonly type: string
  readonly params: JsonObject
}

/** The answer a step gave by an `answer` effect: kept in the journal, so a repeat of the key gets the same one. */
export interface Answer {
  readonly status: number
  readonly body: JsonObject
}

/** `applied` is false for a repeated key; the answer is the first one's. */
export interface Receipt {
  readonly key: string
  readonly applied: boolean
  readonly seq: number
  readonly answer?: Answer
}

/** An actor as committed. `value` is XState's state value, `path` its leaves as dotted text for people and queries. */
export interface ActorView<Kind extends ActorKind = ActorKind> {
  readonly address: `${Kind}:${string}`
  readonly kind: Kind
  readonly id: string
  readonly seq: number
  readonly version: number
  readonly status: 'active' | 'done' | 'quarantined'
  readonly path: string
  readonly value: unknown
  /** In the type of its machine, where the kind is known. */
  readonly context: ActorKind extends Kind ? object : Contexts[Kind]
  /** Why the actor is quarantined. */
  readonly fault?: string
  readonly updatedAt: number
}

/** One journal row: the event, what it did, and where the actor stood afterwards (R11). */
export interface JournalRow {
  readonly address: ActorAddress
  readonly seq: number
  readonly key: string
  readonly event: MachineEvent
  readonly effects: readonly Effect[]
  readonly path: string
  readonly status: 'active' | 'done'
  /** False when no state of the actor took the event. */
  readonly handled: boolean
  /** Why the step threw; the actor stayed as it was and the event is a dead letter too. */
  readonly fault?: string
  readonly answer?: Answer
  readonly machineHash: string
  /** When the step was made; `event.at` is when it happened outside. */
  readonly at: number
}

/** An event that changed nothing and should be looked at (R7). `id` is what `redeliver` takes. */
export interface DeadLetter {
  readonly id: string
  readonly to: string
  readonly key: string
  readonly event: MachineEvent
  readonly reason: string
  readonly at: number
}

export interface PendingEffect {
  readonly key: string
  readonly actor: ActorAddress
  readonly effect: Effect
  readonly attempts: number
  readonly notBefore: number
  readonly lastError?: string
  readonly state: 'pending' | 'performing' | 'dead'
}

export interface PendingTimer {
  readonly actor: ActorAddress
  readonly id: string
  readonly dueAt: number
  readonly event: MachineEvent
}

export interface ReplayResult {
  readonly address: ActorAddress
  readonly steps: number
  readonly equal: boolean
  readonly firstDifference?: string
}

/**
 * What a handler is told beside the effect's own params. `key` is `<address>/<seq>/<index>`, the same at every attempt (R6).
 * `assertHeld` throws `EffectNotHeldError` as soon as another process may perform the effect (R5), because this one was
 * paused, say. A handler asks right before each write that must not come late or twice, after whatever it waited for; what
 * is thrown it lets through.
 */
export interface EffectContext {
  readonly key: string
  readonly actor: ActorAddress
  readonly attempt: number
  readonly at: number
  readonly signal: AbortSignal
  assertHeld(): void
}

/**
 * Names what an effect is performed against, and how much that bears. Types whose rules give the same name and target
 * share its limits; when one is told to wait (`retryAfterMs`), nothing of any of them is performed there until then.
 */
export interface TargetRule<P extends JsonObject = JsonObject> extends TargetLimits {
  readonly name: string
  of(params: P): string
}

/**
 * Performs one type of effect. What it returns is delivered (key defaults are the handler's own business: use
 * `<ctx.key>/<name>`). Throw `RetryableError` (optionally with `retryAfterMs`) to be asked again, `AwayError` where
 * nobody answered, `TerminalError` to give up: the actor then gets `effect.failed {effect, reason, key}` unless `onTerminal` is `dead-letter`.
 * `ordered`: effects of one actor and of ordered types are performed one after another, in journal order.
 */
export interface EffectHandler<P extends JsonObject = JsonObject> {
  readonly concurrency?: number
  /** What the effect is performed against. */
  readonly target?: TargetRule<P>
  readonly ordered?: boolean
  /** Failed attempts after which the effect is given up as terminal, `retries-exhausted`; waits that were asked for, and an `AwayError`, do not count. */
  readonly maxAttempts?: number
  readonly onTerminal?: 'event' | 'dead-letter'
  perform(params: P, context: EffectContext): Promise<readonly Delivery[]>
}

/** By effect type. */
export type EffectHandlers = Readonly<Record<string, EffectHandler>>

export interface ListQuery {
  readonly after?: string
  /** Absent: 1,000. */
  readonly limit?: number
  readonly idPrefix?: string
  readonly status?: ActorView['status']
}

/** Page by page, with filters; `texts` are of what the kind's definition lists. */
export interface FindQuery {
  readonly status?: ActorView['status']
  /** Words, each a part of the address or of a text that is listed, in any case and order; or the first seven characters of a commit, or more. */
  readonly text?: string
  /** Whole states of the path with dots between, in any case: `stage.live` finds all below it. */
  readonly path?: string
  /** By name, a word of the text that is listed under it, in any case. */
  readonly texts?: Readonly<Record<string, string>>
  /** Of those that made no step after it. */
  readonly restsSince?: number
  /** Absent: by address. `newest`: who made a step last comes first. */
  readonly order?: 'newest'
  /** The last one of the page before. */
  readonly after?: { readonly address: string; readonly updatedAt: number }
  readonly limit: number
}

export interface Found {
  /** On all pages, and at most 1,000; 0 on a page behind the first one. */
  readonly total: number
  /** `updatedAt` is 0 where the order does not ask for it. */
  readonly found: readonly Pick<ActorView, 'address' | 'updatedAt'>[]
  /** As they are now, which may be a step later. */
  readonly views: readonly ActorView[]
}

/** The most frequent ones of each kind and text, where there are very many. */
export interface Tally {
  readonly states: readonly { readonly kind: ActorKind; readonly path: string; readonly count: number }[]
  /** Words as they are found by, in lower case. */
  readonly words: readonly {
    readonly kind: ActorKind
    readonly name: string
    readonly word: string
    readonly count: number
  }[]
}

export interface Runtime {
  /** Resolves once the event is durable AND stepped (R1). Rejects with `OverloadedError` when the inbox is full. */
  deliver(delivery: Delivery): Promise<Receipt>
  read<Kind extends ActorKind>(address: `${Kind}:${string}`): Promise<ActorView<Kind> | undefined>
  list<Kind extends ActorKind>(
    kind: Kind,
    /** In order of ids, behind `after`. Those of one status come from an index: what has ended costs nothing where `active` is asked. */
    query?: ListQuery,
  ): Promise<readonly ActorView<Kind>[]>
  /**
   * By what is listed of them (`MachineDefinition.listed`). After an update that lists more, the first call begins to list
   * every actor anew; what is not listed again yet is found by no text.
   */
  find(kind: ActorKind, query: FindQuery): Promise<Found>
  /** How many actors are in each state, and list each word of these texts. It reads all of them. */
  tally(texts: readonly string[]): Promise<Tally>
  /** Actors of a kind that ended at `since` or later, the newest first. */
  listEnded<Kind extends ActorKind>(
    kind: Kind,
    query: { readonly since: number; readonly limit: number },
  ): Promise<readonly ActorView<Kind>[]>
  history(
    address: ActorAddress,
    query?: { readonly from?: number; readonly limit?: number },
  ): Promise<readonly JournalRow[]>
  replay(address: ActorAddress): Promise<ReplayResult>
  pendingEffects(query?: {
    readonly actor?: ActorAddress
    readonly state?: PendingEffect['state']
  }): Promise<readonly PendingEffect[]>
  pendingTimers(query?: { readonly actor?: ActorAddress }): Promise<readonly PendingTimer[]>
  /** Events that were refused, newest first. */
  deadLetters(query?: { readonly to?: ActorAddress; readonly limit?: number }): Promise<readonly DeadLetter[]>
  /** Puts a dead effect back under its own key, or delivers a dead letter's event again (R7). False when there is no such one. */
  redeliver(effectKeyOrLetterId: string): Promise<boolean>
  /** Looks for events from other processes now instead of at the next poll: what `hint` asks of the owner. */
  wake(): void
  /** Told of every committed step, after the commit, in commit order. */
  subscribe(listener: (row: JournalRow) => void): () => void
  /** Takes shards and works; until then it only reads. `handlers`: one per effect type; build it as `Handlers<Effect>`, so that a missing one is a type error. */
  start(handlers: EffectHandlers): Promise<void>
  stop(): Promise<void>
}
