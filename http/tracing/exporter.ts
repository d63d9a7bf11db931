/**
 * Spans to an OpenTelemetry collector, over OTLP/HTTP. Nothing of this is loaded unless an endpoint is set. Spans are
 * handed over whole, with ids that their maker derived: OpenTelemetry's tracer, which keeps open spans in memory, would
 * lose them with the process, and the work goes on in another one. Its processor and exporter batch, repeat and drop.
 */
import type { HrTime, SpanContext } from '@opentelemetry/api'
import type { ReadableSpan } from '@opentelemetry/sdk-trace'
import type { TracePosition } from './traceparent.ts'

export interface FinishedSpan extends TracePosition {
  readonly parent?: TracePosition | undefined
  readonly links?: readonly TracePosition[]
  readonly name: string
  readonly kind: 'internal' | 'server' | 'client'
  /** Epoch milliseconds. */
  readonly startedAt: number
  readonly endedAt: number
  /** Names and figures only: what people wrote, and what could hold a secret, stays out. */
  readonly attributes: Readonly<Record<string, string | number | boolean>>
  readonly isError: boolean
}

export interface SpanExporter {
  record(span: FinishedSpan): void
  /** Sends what waits. */
  stop(): Promise<void>
}

interface SpanExporterOptions {
  readonly service: string
  readonly version: string
  /** `OTEL_EXPORTER_OTLP_ENDPOINT`: the base; spans go to `/v1/traces` below it. */
  readonly endpoint: string
}

const kinds = { internal: 0, server: 1, client: 2 } as const
const sampled = 1
const statusUnset = 0
const statusError = 2
/** What a collector that does not answer may cost a stop. */
const stopTimeoutMs = 3000

export async function openSpanExporter(options: SpanExporterOptions): Promise<SpanExporter> {
  const [{ OTLPTraceExporter }, { BatchSpanProcessor }, { resourceFromAttributes }] = await Promise.all([
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/resources'),
  ])
  const resource = resourceFromAttributes({ 'service.name': options.service, 'service.version': options.version })
  const exporter = new OTLPTraceExporter({ url: `${options.endpoint.replace(/\/+$/, '')}/v1/traces` })
  const processor = new BatchSpanProcessor({ exporter, exportTimeoutMillis: stopTimeoutMs })
  const scope = { name: 'statewright', version: options.version }
  return {
    record: (span) => processor.onEnd({ ...readable(span), resource, instrumentationScope: scope }),
    stop: () => processor.shutdown().catch(() => undefined),
  }
}

function readable(span: FinishedSpan): Omit<ReadableSpan, 'resource' | 'instrumentationScope'> {
  const { parent, links = [], startedAt, endedAt } = span
  const end = Math.max(startedAt, endedAt)
  const context = contextOf(span)
  return {
    name: span.name,
    kind: kinds[span.kind],
    spanContext: () => context,
    ...(parent ? { parentSpanContext: contextOf(parent) } : {}),
    startTime: time(startedAt),
    endTime: time(end),
    duration: time(end - startedAt),
    status: { code: span.isError ? statusError : statusUnset },
    attributes: span.attributes,
    links: links.map((link) => ({ context: contextOf(link) })),
    events: [],
    ended: true,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  }
}

function contextOf({ traceId, spanId }: TracePosition): SpanContext {
  return { traceId, spanId, traceFlags: sampled }
}

function time(ms: number): HrTime {
  return [Math.floor(ms / 1000), Math.round((ms % 1000) * 1e6)]
}
