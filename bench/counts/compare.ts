/** A run's counts against the table's. */
import type { Goal } from '../kit/measure/goals.ts'
import type { Counts } from './count-cell.ts'
import type { Cells } from './table.ts'

/** Counts vary by 0.03 % at most (BENCHMARKS.md, "Counts"): more is a change of the code. */
export const mostChange = 0.02

export const labels: Readonly<Record<keyof Counts, string>> = {
  statements: 'statements',
  roundTrips: 'round trips',
  rowsWritten: 'rows written',
  logBytes: 'bytes of log',
  jsonBytes: 'bytes of JSON',
  sentBytes: 'bytes sent',
  heapBytes: 'bytes allocated',
}
export const countNames = Object.keys(labels) as (keyof Counts)[]

export interface Difference {
  readonly clients: string
  readonly count: keyof Counts
  readonly old: number
  readonly new: number
}

/** Counts that grew or fell by over 2 %. `left`: counts that are not compared. */
export function differences(old: Cells, measured: Cells, left: readonly (keyof Counts)[] = []): Difference[] {
  const compared = countNames.filter((count) => !left.includes(count))
  return Object.entries(measured).flatMap(([clients, counts]) =>
    compared.flatMap((count) => {
      const before = old[clients]?.[count] ?? 0
      const now = counts[count]
      return Math.abs(now - before) > mostChange * before ? [{ clients, count, old: before, new: now }] : []
    }),
  )
}

export function hasGrown(difference: Difference): boolean {
  return difference.new > difference.old
}

/** Names the cell, both counts and the change; what fell asks for a new table. */
export function differenceText(difference: Difference): string {
  const { clients, count, old } = difference
  const change = `${percentText(old, difference.new)} %`
  const counts = `${labels[count]} at ${clients} clients: ${old} before, ${difference.new} now, ${change}`
  if (hasGrown(difference)) return `${counts}; at most +${mostChange * 100} %`
  return `${counts}; write the table anew: npm run bench -- counts --write`
}

function percentText(old: number, now: number): string {
  const percent = ((now - old) / old) * 100
  return `${percent > 0 ? '+' : ''}${percent.toFixed(1)}`
}

export function goalsOf(old: Cells, measured: Cells, left: readonly (keyof Counts)[] = []): Goal[] {
  return Object.entries(measured).flatMap(([clients, counts]) =>
    countNames
      .filter((count) => !left.includes(count))
      .map((count) => {
        const goal = old[clients]?.[count] ?? 0
        const gate = Math.floor(goal * (1 + mostChange))
        return { name: `${labels[count]}, c=${clients}`, value: counts[count], unit: '', better: 'lower', gate, goal }
      }),
  )
}
