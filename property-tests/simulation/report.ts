/** What a run of many seeds came to, as data, and as a few lines. */
export interface Report {
  readonly seeds: number
  readonly from: number
  readonly failures: readonly { readonly seed: number; readonly broken: readonly string[] }[]
  readonly hashes: readonly string[]
  /** By kind of fault. */
  readonly struck: Readonly<Record<string, number>>
  readonly seconds: number
  readonly cpuSeconds: number
  readonly points: {
    readonly known: readonly string[]
    readonly passed: readonly string[]
    readonly diedAt: readonly string[]
  }
}

export function merged(reports: readonly Report[]): Report {
  const [first] = reports
  if (!first) throw new Error('nothing was run')
  const sum = (of: (report: Report) => number): number => reports.reduce((total, report) => total + of(report), 0)
  const all = (of: (report: Report) => readonly string[]): readonly string[] => [...new Set(reports.flatMap(of))]
  const kinds = all(({ struck }) => Object.keys(struck))
  return {
    seeds: sum(({ seeds }) => seeds),
    from: first.from,
    failures: reports.flatMap(({ failures }) => failures),
    hashes: reports.flatMap(({ hashes }) => hashes),
    struck: Object.fromEntries(kinds.map((kind) => [kind, sum(({ struck }) => struck[kind] ?? 0)])),
    seconds: Math.max(...reports.map(({ seconds }) => seconds)),
    cpuSeconds: sum(({ cpuSeconds }) => cpuSeconds),
    points: {
      known: first.points.known,
      passed: all(({ points }) => points.passed),
      diedAt: all(({ points }) => points.diedAt),
    },
  }
}

export function told({ seeds, failures, struck, seconds, cpuSeconds, points }: Report): string {
  const missing = points.known.filter((point) => !points.diedAt.includes(point))
  const unreached = missing.filter((point) => !points.passed.includes(point))
  const passedBy = missing.filter((point) => points.passed.includes(point))
  const unknown = points.passed.filter((point) => !points.known.includes(point))
  const reached = points.known.length - missing.length
  const share = Math.floor((100 * reached) / points.known.length)
  return [
    `${seeds} seeds, ${failures.length} failed, in ${Math.round(seconds)} s; ${Math.round((1000 * cpuSeconds) / seeds)} ms of CPU each`,
    ...failures.map(({ seed, broken }) => `seed ${seed} broke: ${broken[0]}`),
    `struck: ${Object.entries(struck)
      .map(([kind, count]) => `${count} ${kind}`)
      .join(', ')}`,
    `died at ${reached} of ${points.known.length} points (${share} %)`,
    ...(passedBy.length > 0 ? [`passed and not died at: ${passedBy.join('; ')}`] : []),
    ...(unreached.length > 0 ? [`never came to: ${unreached.join('; ')}`] : []),
    ...(unknown.length > 0 ? [`in no list of points: ${unknown.join('; ')}`] : []),
  ].join('\n')
}
