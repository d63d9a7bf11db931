import { Type, type Static } from 'typebox'
import { PodRepository } from '../effect.ts'
import { At, EffectFailed } from '../event.ts'
import { AgentKind, PushReport } from '../task/events.ts'

/** `reason`: one of a few constants. `detail`: what else is known, in words for people. */
const End = { reason: Type.String(), detail: Type.Optional(Type.String()) }

export const PodEvent = Type.Union([
  Type.Object({
    type: Type.Literal('pod.start'),
    ...At,
    task: Type.String(),
    project: Type.String(),
    queue: Type.String(),
    entry: Type.String(),
    ordinal: Type.Integer({ minimum: 1 }),
    agentKind: AgentKind,
    model: Type.String(),
    effort: Type.String(),
    permissionMode: Type.String(),
    repositories: Type.Array(PodRepository),
    turnTimeoutSeconds: Type.Integer(),
    agentPodTTLSeconds: Type.Integer(),
    stallProbeGraceSeconds: Type.Integer(),
    stallProbeMaxAttempts: Type.Integer(),
    /** Where its turns reserve; absent: they are not metered. */
    ledger: Type.Optional(Type.String()),
  }),
  Type.Object({ type: Type.Literal('pod.stop'), ...At, reason: Type.String() }),
  Type.Object({ type: Type.Literal('pod.volumesBound'), ...At }),
  Type.Object({ type: Type.Literal('pod.volumesUnbound'), ...At, ...End }),
  Type.Object({ type: Type.Literal('pod.created'), ...At, name: Type.String() }),
  /** The wrapper answers /readyz. */
  Type.Object({ type: Type.Literal('pod.ready'), ...At, url: Type.String() }),
  Type.Object({ type: Type.Literal('pod.session'), ...At, contractVersion: Type.Union([Type.Integer(), Type.Null()]) }),
  Type.Object({ type: Type.Literal('pod.vanished'), ...At, ...End }),
  /** The Task asks for an ordinary turn; `eventsUpTo` names the pending events it carries. */
  Type.Object({ type: Type.Literal('turn.requested'), ...At, eventsUpTo: Type.Integer() }),
  Type.Object({ type: Type.Literal('turn.accepted'), ...At, turn: Type.Integer(), eventsUpTo: Type.Integer() }),
  Type.Object({
    type: Type.Literal('turn.ended'),
    ...At,
    turn: Type.Integer(),
    finalText: Type.String(),
    usage: Type.Record(Type.String(), Type.Unknown()),
    ...PushReport.properties,
  }),
  Type.Object({
    type: Type.Literal('turn.failed'),
    ...At,
    turn: Type.Integer(),
    stopReason: Type.String(),
    error: Type.Optional(Type.String()),
    resetsAt: Type.Optional(Type.Integer()),
    finalText: Type.String(),
    usage: Type.Record(Type.String(), Type.Unknown()),
    ...PushReport.properties,
  }),
  /** The Task recorded a note of this pod. */
  Type.Object({
    type: Type.Literal('pod.noted'),
    ...At,
    kind: Type.String(),
    source: Type.Union([Type.Literal('agent'), Type.Literal('operator')]),
  }),
  EffectFailed,
])
export type PodEvent = Static<typeof PodEvent>
