import { Type, type Static } from 'typebox'
import { At, EffectFailed } from '../event.ts'
import { PushReport } from '../task/events.ts'
import { LastTool, RefusedCalls } from './schema.ts'

export const TurnEvent = Type.Union([
  Type.Object({
    type: Type.Literal('turn.start'),
    ...At,
    pod: Type.String({ description: 'actor id of the pod' }),
    podOrdinal: Type.Integer(),
    task: Type.String(),
    ordinal: Type.Integer(),
    url: Type.String(),
    purpose: Type.Union([Type.Literal('work'), Type.Literal('handoff')]),
    eventsUpTo: Type.Integer(),
    turnTimeoutSeconds: Type.Integer(),
    stallProbeGraceSeconds: Type.Integer(),
    stallProbeMaxAttempts: Type.Integer(),
    /** Actor id of the ledger under which it spends; absent: nobody counts. */
    ledger: Type.Optional(Type.String()),
  }),
  Type.Object({ type: Type.Literal('reservation.granted'), ...At }),
  Type.Object({ type: Type.Literal('reservation.refused'), ...At, reason: Type.String() }),
  Type.Object({ type: Type.Literal('submit.accepted'), ...At, turnId: Type.String() }),
  /** 409: another turn is live there. */
  Type.Object({ type: Type.Literal('submit.conflict'), ...At, liveTurnId: Type.Optional(Type.String()) }),
  /** 410: past the pod's deadline by the wrapper's clock, which is believed. */
  Type.Object({ type: Type.Literal('submit.expired'), ...At }),
  /** A callback arrived: a hint, believed after a read at that pod (TURN-4). */
  Type.Object({ type: Type.Literal('turn.callback'), ...At, turnId: Type.String() }),
  Type.Object({
    type: Type.Literal('turn.activity'),
    ...At,
    lastActivityAt: Type.Integer(),
    probeAnswered: Type.Optional(Type.Integer()),
  }),
  Type.Object({
    type: Type.Literal('turn.result'),
    ...At,
    turnId: Type.String(),
    state: Type.Union([Type.Literal('completed'), Type.Literal('failed')]),
    stopReason: Type.String(),
    error: Type.Optional(Type.String()),
    resetsAt: Type.Optional(Type.Integer()),
    finalText: Type.String(),
    usage: Type.Record(Type.String(), Type.Unknown()),
    ...PushReport.properties,
    /** For people: no rule reads it. */
    refusedCalls: Type.Optional(RefusedCalls),
    /** For people too. */
    lastTool: Type.Optional(LastTool),
  }),
  Type.Object({ type: Type.Literal('turn.interruptRefused'), ...At }),
  Type.Object({ type: Type.Literal('turn.abandon'), ...At }),
  Type.Object({ type: Type.Literal('turn.podFinal'), ...At }),
  EffectFailed,
])
export type TurnEvent = Static<typeof TurnEvent>
