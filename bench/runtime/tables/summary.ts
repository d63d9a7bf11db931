/** Medians over the rounds, and ratios of two contenders: taken round by round, so that both met the same machine. */
import type { CellResult } from '../../kit/measure/cell.ts'
import { median } from '../../kit/measure/percentile.ts'
import type { ContenderName } from '../contenders/contenders.ts'
import type { Measured } from '../measured.ts'

export type Metric = Exclude<keyof CellResult, 'operations' | 'seconds'>

export function medianOf(
  measured: readonly Measured[],
  contender: ContenderName,
  clients: number,
  metric: Metric,
): number | undefined {
  return median(valuesOf(measured, contender, clients, metric).map(({ value }) => value))
}

/** Of `over` to `under`, the median of the rounds' ratios. */
export function ratioOf(
  measured: readonly Measured[],
  pair: readonly [ContenderName, ContenderName],
  clients: number,
  metric: Metric,
): number | undefined {
  return median(ratiosOf(measured, pair, clients, metric))
}

/** Of `over` to `under`, one a round in which both were measured. */
export function ratiosOf(
  measured: readonly Measured[],
  [over, under]: readonly [ContenderName, ContenderName],
  clients: number,
  metric: Metric,
): number[] {
  const divisors = new Map(valuesOf(measured, under, clients, metric).map(({ round, value }) => [round, value]))
  return valuesOf(measured, over, clients, metric).flatMap(({ round, value }) => {
    const other = divisors.get(round)
    return other === undefined ? [] : [value / other]
  })
}

function valuesOf(
  measured: readonly Measured[],
  contender: ContenderName,
  clients: number,
  metric: Metric,
): { readonly round: number; readonly value: number }[] {
  return measured
    .filter((one) => one.contender === contender && one.clients === clients)
    .flatMap(({ round, result }) => {
      const value = result[metric]
      return value === undefined ? [] : [{ round, value }]
    })
}
