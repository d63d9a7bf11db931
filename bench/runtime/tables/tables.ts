/** The figures of a run as text: on the terminal, and in BENCHMARKS.md. */
import { isMeasured } from '../../kit/measure/goals.ts'
import { markdownTable } from '../../kit/markdown.ts'
import { numberText } from '../../kit/number-text.ts'
import { median } from '../../kit/measure/percentile.ts'
import { goalTable } from '../../kit/report.ts'
import type { Report } from '../../kit/report.ts'
import { contenders } from '../contenders/contenders.ts'
import type { Results } from '../results.ts'
import { scaleRows, throughputRows } from './rows.ts'
import type { ThroughputRow } from './rows.ts'
import { checkPeers, foreignCoresOf } from './validity.ts'

export function tablesOf(report: Report, results: Results): string {
  return [
    goalTable(report.goals.filter(isMeasured)),
    throughputTables(results),
    scaleTable(results),
    recoveryText(results),
    forwardingText(results),
    timersText(results),
    peersText(results),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

function throughputTables(results: Results): string {
  const rows = throughputRows(results)
  const clients = [...new Set(rows.map((row) => row.clients))].toSorted((a, b) => a - b)
  return clients
    .map((count) => `### ${count} ${count === 1 ? 'client' : 'clients'}\n\n${throughputTable(rows, count)}`)
    .join('\n\n')
}

function throughputTable(rows: readonly ThroughputRow[], clients: number): string {
  const heads = [
    'contender',
    'per second',
    '(range)',
    'ack p50 ms',
    'p99',
    'effect p50 ms',
    'p99',
    'CPU µs',
    'to ours',
    'log B',
    'stored B',
  ]
  const lines = contenders.flatMap(({ name }) => {
    const row = rows.find((one) => one.contender === name && one.clients === clients)
    return row ? [throughputLine(row)] : []
  })
  return markdownTable(heads, lines)
}

function throughputLine(row: ThroughputRow): string[] {
  const figures = [
    row.ackP50Ms,
    row.ackP99Ms,
    row.effectP50Ms,
    row.effectP99Ms,
    row.cpuUs,
    row.cpuToOwn,
    row.logBytes,
    row.storedBytes,
  ]
  const range = row.perSecondRange.map(numberText).join('–')
  return [row.contender, numberText(row.perSecond), range, ...figures.map(numberText)]
}

function scaleTable(results: Results): string {
  const rows = scaleRows(results)
  if (rows.length === 0) return ''
  const lines = rows.map((row) => [
    `${row.pick === 'hot' ? '4,096 hot ones' : 'any'} of ${row.population.toLocaleString('en-US')}`,
    ...[row.perSecond, row.ackP50Ms, row.ackP99Ms, row.cpuUs, row.logBytes].map(numberText),
  ])
  return `### Actor rows in the store\n\n${markdownTable(['actors', 'per second', 'ack p50 ms', 'p99', 'CPU µs', 'log B'], lines)}`
}

function recoveryText({ recovery }: Results): string {
  if (recovery.length === 0) return ''
  const of = (pick: (one: Results['recovery'][number]) => number): string => numberText(median(recovery.map(pick)))
  const lines = [
    ['`start` returned', of(({ startMs }) => startMs)],
    ['all effects performed', of(({ performedMs }) => performedMs)],
    ['all settled', of(({ settledMs }) => settledMs)],
    ['all settled, from the start of the process', of(({ processMs }) => processMs)],
    ['limit: the same rows read and settled by plain SQL', of(({ limitMs }) => limitMs)],
  ]
  return `### Recovery after SIGKILL, 10,000 actors with a pending effect each\n\n${markdownTable(['until', 'ms'], lines)}`
}

function forwardingText({ forwarding }: Results): string {
  if (forwarding.length === 0) return ''
  const lines = forwarding.map(({ clients, ...figures }) => [
    String(clients),
    ...[figures.perSecond, figures.p50Ms, figures.p99Ms].map(numberText),
  ])
  return `### Deliveries to the actors of another process\n\n${markdownTable(['clients', 'per second', 'ack p50 ms', 'p99'], lines)}`
}

function timersText({ timers }: Results): string {
  if (timers.length === 0) return ''
  const lines = timers.map(({ fired, earliestMs, p50Ms, p99Ms, maxMs, limit }) => [
    String(fired),
    ...[earliestMs, p50Ms, p99Ms, maxMs, limit.p50Ms, limit.p99Ms].map(numberText),
  ])
  return `### Timers\n\n${markdownTable(['fired', 'earliest ms late', 'p50', 'p99', 'latest', 'limit p50', 'p99'], lines)}`
}

function peersText({ throughput }: Results): string {
  const checks = checkPeers(throughput)
  if (checks.length === 0) return ''
  const lines = checks.map((check) => [
    `${check.contender}, ${check.clients}`,
    numberText(check.perSecond),
    String(check.reference),
    `${(check.machine * 100).toFixed(0)} %`,
    check.isFair ? 'yes' : 'NO',
  ])
  const { median: usual, most } = foreignCoresOf(throughput)
  const foreign = `Other programs took ${usual.toFixed(2)} cores during the median cell and ${most.toFixed(2)} at most. At 1,024 clients no peer was studied before: those figures have no reference.`
  return `### Are the peers at their best?\n\n${markdownTable(['peer, clients', 'per second', 'reference', 'machine', 'fair'], lines)}\n\n${foreign}`
}
