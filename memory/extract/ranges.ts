export interface Range {
  readonly start: number
  readonly end: number
}

/** Nested ranges in document order, the outer before the inner. */
export function inOrder<T extends Range>(ranges: readonly T[]): T[] {
  return ranges.toSorted((one, other) => one.start - other.start || other.end - one.end)
}

/** For each of `ranges` (in order) the index of the one right around it, or -1. */
export function parents(ranges: readonly Range[]): number[] {
  const open: number[] = []
  return ranges.map((range, index) => {
    while (open.length > 0 && (ranges[open.at(-1) ?? 0]?.end ?? 0) <= range.start) open.pop()
    const parent = open.at(-1) ?? -1
    open.push(index)
    return parent
  })
}

/** The innermost of nested `ranges` (in order) around a place, or -1; `around` are their parents. */
export function innermost(
  ranges: readonly Range[],
  around: readonly number[],
  start: number,
  end: number = start + 1,
): number {
  let low = 0
  let high = ranges.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ranges[middle]?.start ?? 0) <= start) low = middle + 1
    else high = middle
  }
  let found = low - 1
  while (found >= 0 && (ranges[found]?.end ?? 0) < end) found = around[found] ?? -1
  return found
}
