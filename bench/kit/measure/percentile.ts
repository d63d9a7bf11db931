/** The value below which `share` (0 to 1) of the values lie; undefined without values. */
export function percentile(values: readonly number[], share: number): number | undefined {
  const sorted = Float64Array.from(values).toSorted()
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}

/** Of an even number of values the mean of the middle two, so that two rounds count alike. */
export function median(values: readonly number[]): number | undefined {
  const sorted = Float64Array.from(values).toSorted()
  const upper = sorted[Math.floor(sorted.length / 2)]
  const lower = sorted[Math.floor((sorted.length - 1) / 2)]
  return upper === undefined || lower === undefined ? undefined : (upper + lower) / 2
}
