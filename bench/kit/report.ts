import type { Machine } from './describe-machine.ts'
import { verdictOf } from './measure/goals.ts'
import type { Goal } from './measure/goals.ts'
import { intervalText, isNarrow, mostWidth } from './measure/interval.ts'
import { markdownTable } from './markdown.ts'
import { numberText } from './number-text.ts'

export interface Report {
  readonly name: string
  /** With the version of what is measured, or of what it runs on. */
  readonly machine: Machine & { readonly postgres?: string; readonly cli?: string }
  readonly startedAt: string
  readonly minutes: number
  readonly quick: boolean
  /** Why the figures must not be believed; empty for a valid run. */
  readonly invalid: readonly string[]
  /** What failed and was measured again. */
  readonly repeated?: readonly string[]
  readonly rows: readonly object[]
  readonly goals: readonly Goal[]
}

export function jsonLine(report: Report): string {
  return JSON.stringify({ ...report, goals: report.goals.map((goal) => ({ ...goal, verdict: verdictOf(goal) })) })
}

export function goalTable(goals: readonly Goal[]): string {
  return markdownTable(
    ['goal', 'value', 'gate', 'goal', 'verdict'],
    goals.map((goal) => {
      const unit = goal.unit === '' ? '' : ` ${goal.unit}`
      const bound = goal.better === 'higher' ? '≥' : '≤'
      return [
        goal.name,
        valueText(goal),
        `${bound} ${goal.gate}${unit}`,
        `${bound} ${goal.goal}${unit}`,
        verdictOf(goal),
      ]
    }),
  )
}

/** Its section of BENCHMARKS.md; `options` repeat it, each with a blank behind. */
export function sectionOf(
  report: Report,
  { heading, about, options, tables }: Readonly<Record<'heading' | 'about' | 'options' | 'tables', string>>,
): string {
  const { name, machine, startedAt, minutes } = report
  const { cores, cpu, memoryGiB, system, node, loadBefore, postgres, cli } = machine
  const versions = [`Node ${node}`, postgres && `PostgreSQL ${postgres}`, cli].filter(Boolean)
  const conditions = `\`npm run bench -- ${name} ${options}--write\`, ${startedAt.slice(0, 10)}, ${minutes.toFixed(0)} minutes. ${cores} cores of ${cpu},
${memoryGiB} GiB, ${system}, ${versions.join(', ')}; load ${loadBefore} before the run.`
  return [`## ${heading}`, conditions, verdictLines(report).join('  \n'), about, tables].filter(Boolean).join('\n\n')
}

function valueText({ value, unit, interval }: Goal): string {
  if (value === undefined) return numberText(value)
  const text = `${numberText(value)}${unit === '' ? '' : ` ${unit}`}`
  return interval === undefined ? text : `${text} (${intervalText(interval, numberText)})`
}

/** 2: the run is invalid and says nothing; 1: a gate was missed. */
export function exitCodeOf(report: Pick<Report, 'invalid' | 'goals'>): 0 | 1 | 2 {
  if (report.invalid.length > 0) return 2
  return report.goals.some((goal) => verdictOf(goal) === 'missed') ? 1 : 0
}

export function verdictLines(report: Report): string[] {
  const missed = report.goals.filter((goal) => verdictOf(goal) === 'missed')
  return [
    ...report.invalid.map((reason) => `INVALID: ${reason}`),
    ...missed.map(
      ({ name, value, unit, gate }) => `GATE MISSED: ${name}: ${numberText(value)} ${unit}, gate ${gate} ${unit}`,
    ),
    ...report.goals.flatMap(wideLine),
    ...(report.repeated ?? []).map((reason) => `measured again: ${reason}`),
    ...(report.invalid.length + missed.length === 0 ? ['valid, and every gate that was measured is met'] : []),
  ]
}

/** A ratio that no interval below 10 % holds. */
function wideLine({ name, interval }: Goal): string[] {
  if (interval === undefined || interval.pairs === 0 || isNarrow(interval)) return []
  const { width } = interval
  const found = width === undefined ? 'unknown' : `${(width * 100).toFixed(0)} % of it`
  const pairs = interval.pairs === 1 ? '1 pair' : `${interval.pairs} pairs`
  return [`NOT SURE: ${name}: the interval is ${found} after ${pairs}, wanted below ${mostWidth * 100} %`]
}
