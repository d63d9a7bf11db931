/**
 * How sure a median is: the interval between two of its values in order that holds the true median with 95 % at least. It
 * assumes nothing about how the values scatter (D. R. Cox and D. V. Hinkley, "Theoretical Statistics", order statistics).
 */
import { median } from './percentile.ts'

export interface Interval {
  /** Pairs that the ratios come from. */
  readonly pairs: number
  /** Absent: fewer than six values hold no such interval. */
  readonly low?: number
  readonly high?: number
  /** Of the interval, as a share of the median. */
  readonly width?: number
}

const mostDoubt = 0.05
/** A ratio is known when its interval is narrower than this share of it. */
export const mostWidth = 0.1

export function intervalOf(ratios: readonly number[]): Interval {
  const sorted = Float64Array.from(ratios).toSorted()
  const pairs = sorted.length
  const left = valuesLeftOut(pairs)
  if (left === undefined) return { pairs }
  const low = sorted[left]!
  const high = sorted[pairs - 1 - left]!
  return { pairs, low, high, width: (high - low) / median(ratios)! }
}

export function isNarrow({ width }: Interval): boolean {
  return width !== undefined && width < mostWidth
}

/** `3.00–3.40, 12 pairs` */
export function intervalText({ pairs, low, high }: Interval, numberText: (value: number) => string): string {
  const count = `${pairs} ${pairs === 1 ? 'pair' : 'pairs'}`
  return low === undefined || high === undefined ? count : `${numberText(low)}–${numberText(high)}, ${count}`
}

/**
 * At each end. The true median lies below the `left + 1`th value when at most `left` of all lie below it: each does with
 * one half.
 */
function valuesLeftOut(count: number): number | undefined {
  let left: number | undefined
  let chance = 0.5 ** count
  let atMost = chance
  for (let below = 0; 2 * atMost <= mostDoubt && below < count / 2; below++) {
    left = below
    chance *= (count - below) / (below + 1)
    atMost += chance
  }
  return left
}
