/**
 * An exported actor: what it takes to fold its journal elsewhere. Redacted as decisions/0010 says; `replay` tells
 * whether what is left still folds to the same decisions. A file holds one or more of them.
 */
import { Type, type Static } from 'typebox'

const Seq = Type.Integer({ minimum: 0 })
/** Milliseconds since 1970 that are a time at all (ECMA-262, 21.4.1.1). */
const Time = Type.Number({ minimum: -8.64e15, maximum: 8.64e15 })
const Fields = Type.Record(Type.String(), Type.Unknown())
const AnyEvent = Type.Object(
  { type: Type.String({ minLength: 1 }), at: Type.Optional(Time) },
  { additionalProperties: true },
)
const Nullable = Type.Union([Type.String(), Type.Null()])

/** Where events are folded from: an actor as it was at `seq`. The newest one is the stored snapshot. */
export const BundledSnapshot = Type.Object({
  seq: Seq,
  version: Type.Integer({ minimum: 1 }),
  machineHash: Type.String(),
  snapshot: Fields,
})
export type BundledSnapshot = Static<typeof BundledSnapshot>

const BundledEffect = Type.Object({ type: Type.String(), params: Fields })

export const BundledEvent = Type.Object({
  seq: Type.Integer({ minimum: 1 }),
  key: Type.String(),
  event: AnyEvent,
  effects: Type.Array(BundledEffect),
  path: Type.String(),
  status: Type.String(),
  handled: Type.Boolean(),
  fault: Nullable,
  machineHash: Type.String(),
  at: Time,
})
export type BundledEvent = Static<typeof BundledEvent>

const PendingEffect = Type.Object({
  seq: Seq,
  index: Type.Integer({ minimum: 0 }),
  type: Type.String(),
  params: Fields,
  attempts: Type.Integer(),
  notBefore: Time,
  lastError: Nullable,
  dead: Type.Boolean(),
})

const ArmedTimer = Type.Object({ id: Type.String(), seq: Seq, dueAt: Time, event: AnyEvent })

/** `ok: false`: redaction changed a decision, or the journal itself does not replay; `why` names the first place. */
const ReplayVerdict = Type.Object({ ok: Type.Boolean(), why: Type.Optional(Type.String()) })

export const ActorBundle = Type.Object({
  address: Type.String(),
  kind: Type.String(),
  seq: Seq,
  version: Type.Integer(),
  machineHash: Type.String(),
  status: Type.String(),
  path: Type.String(),
  fault: Nullable,
  replay: ReplayVerdict,
  /** Oldest first; without one, events fold from nothing. */
  baselines: Type.Array(BundledSnapshot),
  snapshot: Type.Union([BundledSnapshot, Type.Null()]),
  events: Type.Array(BundledEvent),
  effects: Type.Array(PendingEffect),
  timers: Type.Array(ArmedTimer),
})
export type ActorBundle = Static<typeof ActorBundle>

export const bundleFormat = 'statewright-journal/1'

export const BundleFile = Type.Object({
  format: Type.Literal(bundleFormat),
  /** The program that wrote it. */
  program: Type.String(),
  exportedAt: Time,
  actors: Type.Array(ActorBundle, { minItems: 1 }),
})
export type BundleFile = Static<typeof BundleFile>
