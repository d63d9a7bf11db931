/** The orchestrator's own series, under the names of ORCHESTRATOR-METRICS (docs/contract/orchestrator.md) and HTTP-RULE-6. */
import { Counter, type Registry } from 'prom-client'
import type { LimitType } from '../forge/errors.ts'
import type { PodContext } from '../../machines/pod/context.ts'
import type { Note, TaskContext } from '../../machines/task/context.ts'
import type { Hindrance, RefusedCalls } from '../../machines/turn/schema.ts'
import { manyReviewRounds } from '../../machines/why/why.ts'
import type { ActorView, JournalRow, Runtime } from '../../runtime/runtime.ts'
import { remember } from './remember.ts'

export interface PlatformMetrics {
  /** For `createOpenForge`; `path` is a template. */
  scmLimited(provider: string, path: string, limitType: LimitType): void
  /** Alerts of one delivery that found no room in the queue. */
  alertsDeferred(alerts: number): void
  /** A poll of a running turn found it hindered. */
  turnHindered(kind: Hindrance['kind']): void
  /** Counts pods and what turns told by the journal; give it to `runtime.subscribe`. */
  stepped(row: JournalRow): void
}

/**
 * Who wrote a pod's handoff note (STOP-SEQUENCE-5, STOP-SEQUENCE-6): `none` is a placeholder, for the pod left nothing to
 * go on from; `unneeded`: no agent ever ran there, so there is no note.
 */
type Handoff = 'agent' | 'operator' | 'none' | 'unneeded'

export function platformMetrics(registry: Registry, runtime: Pick<Runtime, 'read'>): PlatformMetrics {
  const { limited, recreations, stops, longReviews, deferred, refused, hindered } = platformCounters(registry)
  /** Calls that are refused leave the round as it is. */
  const counted = new Map<string, boolean>()

  async function ended({ address, path }: JournalRow): Promise<void> {
    const { task, ordinal } = podOf(address)
    const { journal }: Partial<TaskContext> = (await runtime.read(`task:${task}`))?.context ?? {}
    const { notes = [] } = journal ?? {}
    stops.inc({ reason: path, handoff: handoffOf(notes.filter(({ pod }) => pod === ordinal)) })
  }

  /** The pod before says itself how it ended, whichever process saw it end. */
  async function recreated({ address }: JournalRow): Promise<void> {
    const { task, ordinal } = podOf(address)
    const before = await runtime.read(`pod:${task}/${ordinal - 1}`)
    recreations.inc({ reason: before === undefined ? 'unknown' : endOf(before) })
  }

  /** The event says no round: the Task knows. */
  async function sentBack({ address }: JournalRow): Promise<void> {
    const { stage } = ((await runtime.read(address))?.context ?? {}) as Partial<TaskContext>
    if (stage?.reviewRounds !== manyReviewRounds || counted.has(address)) return
    remember(counted, address, true)
    longReviews.inc()
  }

  return {
    alertsDeferred: (alerts) => deferred.inc(alerts),
    turnHindered: (kind) => hindered.inc({ kind }),
    scmLimited: (provider, path, limitType) => limited.inc({ provider, path, limit_type: limitType }),
    stepped(row) {
      const { address, event } = row
      if (event.type === 'outcome' && event['action'] === 'request_changes' && row.handled)
        void sentBack(row).catch(() => undefined)
      if (event.type === 'turn.result' && row.handled)
        for (const { reason, count } of (event['refusedCalls'] ?? []) as RefusedCalls) refused.inc({ reason }, count)
      if (!address.startsWith('pod:')) return
      if (event.type === 'pod.start' && Number(event['ordinal']) > 1) void recreated(row).catch(() => undefined)
      if (row.status === 'done' && row.handled) void ended(row).catch(() => undefined)
    },
  }
}

/** A pod that ended before its machine had version 2 may have words in place of a constant. */
const constant = /^[\w-]+$/

function endOf({ path, context }: Pick<ActorView<'pod'>, 'path' | 'context'>): string {
  const { reason = '' }: Partial<PodContext> = context
  return path === 'lost' && constant.test(reason) ? reason : path
}

/** The inferred type keeps the names of each counter's labels. */
function platformCounters(registry: Registry) {
  const to = { registers: [registry] }
  const limited = new Counter({
    name: 'operator_scm_ratelimited_total',
    help: 'Requests to a forge that a limit delayed or refused.',
    labelNames: ['provider', 'path', 'limit_type'],
    ...to,
  })
  const recreations = new Counter({
    name: 'operator_pod_recreations_total',
    help: 'Pods that replaced another of their Task, by how that one ended; a lost one by the reason of its loss.',
    labelNames: ['reason'],
    ...to,
  })
  const stops = new Counter({
    name: 'operator_pod_stops_total',
    help: 'Pods that ended, by reason and by author of the handoff note. `none`: the note is a placeholder. `unneeded`: no agent ran in the pod.',
    labelNames: ['reason', 'handoff'],
    ...to,
  })
  const longReviews = new Counter({
    name: 'operator_review_rounds_exceeded_total',
    help: 'Tasks whose work 10 reviews sent back.',
    ...to,
  })
  const deferred = new Counter({
    name: 'operator_alerts_deferred_total',
    help: 'Firing alerts that found no room in the queue. Their sender retries.',
    ...to,
  })
  const refused = new Counter({
    name: 'operator_tool_calls_refused_total',
    help: 'Tool calls that wrappers refused because no model made them. The results of turns report them.',
    labelNames: ['reason'],
    ...to,
  })
  const hindered = new Counter({
    name: 'operator_turn_polls_hindered_total',
    help: 'Polls of running turns that found something blocking the turn. A turn is polled every minute.',
    labelNames: ['kind'],
    ...to,
  })
  return { limited, recreations, stops, longReviews, deferred, refused, hindered }
}

/** `pod:<task>/<ordinal>`. */
function podOf(address: string): { readonly task: string; readonly ordinal: number } {
  const slash = address.lastIndexOf('/')
  return { task: address.slice('pod:'.length, slash), ordinal: Number(address.slice(slash + 1)) }
}

function handoffOf(notes: readonly Note[]): Handoff {
  const note = notes.find(({ kind }) => kind === 'handoff')
  if (note === undefined) return 'unneeded'
  return note.empty ? 'none' : note.source
}
