/** The pod's part of its Task's trace: its boot and its turns. The agent learns nothing of it. */
import { createHash } from 'node:crypto'
import type { FinishedSpan, SpanExporter } from '../http/tracing/exporter.ts'
import { readTraceparent, writeTraceparent, type TracePosition } from '../http/tracing/traceparent.ts'

export interface PodTrace {
  booted(startedAt: number, endedAt: number): void
  /** A message was taken; `traceparent` as its sender gave it. */
  accepted(turnId: string, traceparent: unknown): void
  turnEnded(turnId: string, startedAt: number, endedAt: number, stopReason: string): void
  /** Of a turn, for what tells of its end. The same after a restart: it follows from the turn's id. */
  traceparentOf(turnId: string): string | undefined
}

export const noTrace: PodTrace = {
  booted: () => undefined,
  accepted: () => undefined,
  turnEnded: () => undefined,
  traceparentOf: () => undefined,
}

/** `TRACEPARENT` of the environment: the effect that created the pod. Without one there is no trace to be part of. */
export function createPodTrace(
  spans: Pick<SpanExporter, 'record'>,
  traceparent: string | undefined,
  identity: { readonly task: string; readonly pod: number },
): PodTrace {
  const parent = readTraceparent(traceparent)
  if (!parent) return noTrace
  const { traceId } = parent
  const senders = new Map<string, TracePosition>()
  const turn = (turnId: string): TracePosition => ({ traceId, spanId: spanId(`turn ${traceId} ${turnId}`) })
  const common = { 'statewright.task': identity.task, 'statewright.pod': identity.pod }
  const record = (span: Omit<FinishedSpan, 'kind' | 'traceId'>): void =>
    spans.record({ ...span, traceId, kind: 'internal' })
  return {
    booted: (startedAt, endedAt) =>
      record({
        spanId: spanId(`boot ${traceId} ${identity.pod} ${startedAt}`),
        parent,
        name: 'wrapper boot',
        startedAt,
        endedAt,
        attributes: common,
        isError: false,
      }),
    accepted(turnId, given) {
      const sender = readTraceparent(given)
      if (sender?.traceId === traceId) senders.set(turnId, sender)
    },
    turnEnded(turnId, startedAt, endedAt, stopReason) {
      record({
        spanId: turn(turnId).spanId,
        parent: senders.get(turnId) ?? parent,
        name: 'wrapper turn',
        startedAt,
        endedAt,
        attributes: { ...common, 'statewright.turn': turnId, 'statewright.stop_reason': stopReason },
        isError: stopReason === 'agent_exited',
      })
      senders.delete(turnId)
    },
    traceparentOf: (turnId) => writeTraceparent(turn(turnId)),
  }
}

function spanId(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
