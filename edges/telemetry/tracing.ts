/** Spans of the orchestrator: one for each step and each effect, told by the journal and by the runtime's observer. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock } from '../../runtime/clock.ts'
import { messageOf } from '../../runtime/errors.ts'
import type { Logger } from '../../runtime/logger.ts'
import { silentObserver, type EffectEnd, type RuntimeObserver } from '../../runtime/observer.ts'
import type { EffectHandler, JournalRow, Runtime } from '../../runtime/runtime.ts'
import type { Fetch } from '../../http/ports.ts'
import type { SpanExporter } from '../../http/tracing/exporter.ts'
import { readTraceparent, writeTraceparent, type TracePosition } from '../../http/tracing/traceparent.ts'
import { attemptPosition, causeOf, effectPosition, rootOf, stepPosition } from './trace-ids.ts'

export interface Tracing {
  readonly observer: RuntimeObserver
  /** Give it to `runtime.subscribe`. */
  stepped(row: JournalRow): void
  /** What a handler asks of others says which effect it is for. */
  handlers<H extends Readonly<Record<string, EffectHandler<never>>>>(handlers: H): H
  fetch(fetch: Fetch): Fetch
  /** Of the effect that is being performed by the caller. */
  traceparent(): string | undefined
  /** Resolves when all that was told is handed to the exporter. */
  idle(): Promise<void>
}

interface TracingOptions {
  readonly exporter: SpanExporter
  readonly clock: Clock
  readonly logger: Logger
  readonly runtime: () => Pick<Runtime, 'history'>
}

export function createTracing(options: TracingOptions): Tracing {
  const { exporter, clock } = options
  const performing = new AsyncLocalStorage<TracePosition>()
  const roots = new Set<Promise<void>>()
  const traceparent = (): string | undefined => {
    const position = performing.getStore()
    return position && writeTraceparent(position)
  }
  return {
    observer: { ...silentObserver, effectSettled: (end) => recordEffect(exporter, end, clock.now()) },
    stepped(row) {
      recordStep(exporter, row, clock.now())
      if (row.status !== 'done' || !row.handled) return
      const recording = recordRoot(options, row).finally(() => roots.delete(recording))
      roots.add(recording)
    },
    handlers: (handlers) => {
      const traced = Object.entries(handlers).map(([type, handler]) => {
        const perform: typeof handler.perform = (params, context) =>
          performing.run(effectPosition(context.key), () => handler.perform(params, context))
        return [type, { ...handler, perform }] as const
      })
      return Object.fromEntries(traced) as unknown as typeof handlers
    },
    fetch: (fetch) => (input, init) => {
      const parent = traceparent()
      if (parent === undefined) return fetch(input, init)
      const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined))
      headers.set('traceparent', parent)
      return fetch(input, { ...init, headers })
    },
    traceparent,
    idle: async () => void (await Promise.all(roots)),
  }
}

function recordStep(exporter: SpanExporter, row: JournalRow, now: number): void {
  const { address, seq, event } = row
  const position = stepPosition(address, seq)
  const cause = causeOf(address, row.key) ?? outsideCause(row, position)
  const isInside = cause?.traceId === position.traceId
  exporter.record({
    ...position,
    parent: isInside ? cause : rootOf(address),
    links: cause && !isInside ? [cause] : [],
    name: `${kindOf(address)} ${event.type}`,
    kind: cause ? 'internal' : 'server',
    startedAt: row.at,
    endedAt: now,
    attributes: {
      'statewright.actor': address,
      'statewright.seq': seq,
      'statewright.event': event.type,
      'statewright.state': row.path,
      'statewright.handled': row.handled,
    },
    isError: row.fault !== undefined,
  })
}

/** A pod says where its turn hangs; in a trace of another Task it has no say. */
function outsideCause({ event }: JournalRow, position: TracePosition): TracePosition | undefined {
  const cause = readTraceparent(event['traceparent'])
  return cause?.traceId === position.traceId ? cause : undefined
}

function recordEffect(exporter: SpanExporter, end: EffectEnd, now: number): void {
  const { key, type, attempt, outcome, queuedMs, durationMs } = end
  const position = effectPosition(key)
  const attributes = {
    'statewright.actor': end.actor,
    'statewright.effect': type,
    'statewright.attempt': attempt,
    'statewright.outcome': outcome,
    'statewright.queued_ms': Math.round(queuedMs),
  }
  const isOver = outcome === 'performed' || outcome === 'dead' || outcome === 'withdrawn'
  const common = { endedAt: now, attributes, kind: 'client' as const, isError: outcome !== 'performed' }
  if (!isOver) {
    const name = `attempt ${type}`
    const startedAt = now - durationMs
    return exporter.record({ ...common, ...attemptPosition(key, attempt), parent: position, name, startedAt })
  }
  const parent = causeOf(end.actor, key)
  exporter.record({ ...common, ...position, parent, name: `effect ${type}`, startedAt: end.decidedAt })
}

/** The whole life of a Task, once it is over. */
async function recordRoot({ exporter, runtime, logger }: TracingOptions, last: JournalRow): Promise<void> {
  const { address, at, path } = last
  const root = rootOf(address)
  if (!root || !hasRootOfItsOwn(address)) return
  try {
    const [first] = await runtime().history(address, { limit: 1 })
    exporter.record({
      ...root,
      name: kindOf(address),
      kind: 'internal',
      startedAt: first?.at ?? at,
      endedAt: at,
      attributes: { 'statewright.actor': address, 'statewright.state': path },
      isError: false,
    })
  } catch (error) {
    logger.warn({ actor: address, error: messageOf(error) }, 'the tracer could not record the root of a trace')
  }
}

/** Pods and turns are parts of their Task's. */
function hasRootOfItsOwn(address: string): boolean {
  return !address.startsWith('pod:') && !address.startsWith('turn:')
}

function kindOf(address: string): string {
  return address.slice(0, address.indexOf(':'))
}
