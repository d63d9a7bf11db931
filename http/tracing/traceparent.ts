/** Where a span hangs: W3C Trace Context, version 00 (https://www.w3.org/TR/trace-context/). */
export interface TracePosition {
  /** 32 hex digits. */
  readonly traceId: string
  /** 16 hex digits. */
  readonly spanId: string
}

export function writeTraceparent({ traceId, spanId }: TracePosition): string {
  return `00-${traceId}-${spanId}-01`
}

/** Undefined for anything that is not one: who sends nonsense is answered all the same, and is no part of a trace. */
export function readTraceparent(text: unknown): TracePosition | undefined {
  const match = typeof text === 'string' ? /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/.exec(text) : null
  if (!match || text === undefined || String(text).startsWith('ff')) return undefined
  const [, traceId, spanId] = match as unknown as [string, string, string]
  return /^0+$/.test(traceId) || /^0+$/.test(spanId) ? undefined : { traceId, spanId }
}
