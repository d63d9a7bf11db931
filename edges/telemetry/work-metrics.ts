/**
 * What work took and cost, counted as it ends (ORCHESTRATOR-METRICS-9 to ORCHESTRATOR-METRICS-11). A process counts the
 * steps that it made itself: the sum over processes and restarts is what was spent.
 */
import { Counter, Histogram, type Registry } from 'prom-client'
import type { TaskContext } from '../../machines/task/context.ts'
import type { TokenCounts } from '../../machines/turn/schema.ts'
import { isOfKind } from '../../runtime/of-kind.ts'
import type { JournalRow, Runtime } from '../../runtime/runtime.ts'
import { reasonLabel } from './live-work.ts'
import { modelLabels } from './model-labels.ts'
import { remember } from './remember.ts'

/** From seconds to the week that a merge may wait for people. */
const stageSeconds = [10, 60, 300, 900, 3600, 4 * 3600, 24 * 3600, 3 * 24 * 3600, 7 * 24 * 3600]

const tokenTypes = {
  input: 'inputTokens',
  output: 'outputTokens',
  cache_read: 'cacheReadTokens',
  cache_write: 'cacheWriteTokens',
} as const satisfies Readonly<Record<string, keyof TokenCounts>>

/** Give what it returns to `runtime.subscribe`. */
export function workMetrics(registry: Registry, runtime: Pick<Runtime, 'read'>): (row: JournalRow) => void {
  const tasks = taskMetrics(registry, runtime)
  const spent = spendingMetrics(registry)
  const merged = mergeMetrics(registry)
  return (row) => {
    const { address, event, handled, status } = row
    if (!handled) return
    if (address.startsWith('task:')) tasks(row)
    // A turn that waits for another one reads that one's result too, which is not its end.
    if (event.type === 'turn.result' && status === 'done') spent.add(event['usage'])
    if (event.type === 'pod.start') spent.expect(String(event['model']))
    if (address.startsWith('merge-request:')) merged(row)
  }
}

function taskMetrics(registry: Registry, runtime: Pick<Runtime, 'read'>): (row: JournalRow) => void {
  const registers = [registry]
  const ended = new Counter({
    name: 'operator_tasks_ended_total',
    help: 'Tasks that ended, by kind of agent, last stage and reason.',
    labelNames: ['kind', 'stage', 'reason'],
    registers,
  })
  const durations = new Histogram({
    name: 'operator_task_stage_duration_seconds',
    help: 'Time that a Task spent in a stage, counted when it leaves.',
    labelNames: ['stage'],
    buckets: stageSeconds,
    registers,
  })
  /** By address: where the Task was, and until when its visits are counted. */
  const followed = new Map<string, { readonly stage: string; readonly until: number }>()

  async function moved({ address, seq, event, status }: JournalRow, stage: string): Promise<void> {
    const view = await runtime.read(address)
    if (view === undefined || !isOfKind(view, 'task')) return
    const { kind, stage: at } = view.context
    // Of a Task that an earlier process led, this step is the first that is counted.
    const until = followed.get(address)?.until ?? (seq === 1 ? -Infinity : event.at - 1)
    for (const visit of visitsEnded(at.history, until)) durations.observe({ stage: visit.stage }, visit.seconds)
    remember(followed, address, { stage, until: Math.max(until, at.history.at(-1)?.at ?? until) })
    if (status !== 'done') return
    followed.delete(address)
    ended.inc({ kind, stage: at.name, reason: reasonLabel(at.reason) })
  }

  // One after another: an older reading that came last would count a visit twice.
  let reading = Promise.resolve()
  return (row) => {
    const [stage = ''] = row.path.split(' ')
    if (row.status !== 'done' && followed.get(row.address)?.stage === stage) return
    reading = reading.then(() => moved(row, stage)).catch(() => undefined)
  }
}

function visitsEnded(
  history: TaskContext['stage']['history'],
  until: number,
): readonly { readonly stage: string; readonly seconds: number }[] {
  return history.flatMap(({ stage, at }, index) => {
    const next = history[index + 1]
    return next !== undefined && next.at > until ? [{ stage, seconds: Math.max(0, next.at - at) / 1000 }] : []
  })
}

interface SpendingMetrics {
  /** A pod will use this model: its series begin with 0, for `increase` does not see the first count of a series. */
  expect(model: string): void
  /** @param usage of a turn, as its wrapper reported it. */
  add(usage: unknown): void
}

function spendingMetrics(registry: Registry): SpendingMetrics {
  const registers = [registry]
  const tokens = new Counter({
    name: 'operator_model_tokens_total',
    help: 'Tokens of turns that ended, by model and by type of token.',
    labelNames: ['model', 'type'],
    registers,
  })
  const cost = new Counter({
    name: 'operator_model_cost_dollars_total',
    help: 'List price of these tokens in US dollars. 0 for a model without a known price.',
    labelNames: ['model'],
    registers,
  })
  const labelOf = modelLabels()

  function count(name: string, counts: Partial<TokenCounts>): void {
    const model = labelOf(name)
    for (const [type, field] of Object.entries(tokenTypes)) tokens.inc({ model, type }, amount(counts[field]))
    cost.inc({ model }, amount(counts.costUsd))
  }

  return {
    expect: (model) => {
      if (model !== '') count(model, {})
    },
    add: (usage) => {
      const { byModel = {} } = (usage ?? {}) as { readonly byModel?: Readonly<Record<string, Partial<TokenCounts>>> }
      for (const [name, counts] of Object.entries(byModel)) count(name, counts)
    },
  }
}

/** The wrapper's numbers come from a pod: a counter takes no others. */
function amount(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0
}

function mergeMetrics(registry: Registry): (row: JournalRow) => void {
  const changes = new Counter({
    name: 'operator_changes_merged_total',
    help: 'Merge requests of Tasks that were merged.',
    registers: [registry],
  })
  const counted = new Map<string, true>()
  // A later owner learns of the merge again.
  return ({ address, effects }) => {
    if (counted.has(address) || !effects.some(({ params }) => eventType(params['event']) === 'mr.merged')) return
    remember(counted, address, true)
    changes.inc()
  }
}

function eventType(event: unknown): unknown {
  return (event as { readonly type?: unknown } | undefined)?.type
}
