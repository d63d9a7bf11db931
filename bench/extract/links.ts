/** `from > to`: ends are paths of files, or `path:line:name` of what can be called. */
export interface Links {
  readonly calls: readonly string[]
  readonly imports: readonly string[]
}

export interface Agreement {
  readonly true: number
  readonly found: number
  readonly right: number
  readonly precision: number
  readonly recall: number
}

export function agreement(truth: readonly string[], found: readonly string[]): Agreement {
  const known = new Set(truth)
  const right = found.filter((each) => known.has(each)).length
  return {
    true: truth.length,
    found: found.length,
    right,
    precision: found.length === 0 ? 1 : right / found.length,
    recall: truth.length === 0 ? 1 : right / truth.length,
  }
}
