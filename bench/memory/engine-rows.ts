export interface EngineRow {
  readonly section: 'engine'
  readonly question: string
  readonly p50Ms: number
  readonly p95Ms: number
  readonly count: number
  /** Against plain SQL, or LightRAG itself: the median of the ratios of one turn. */
  readonly toOther?: number | undefined
}

export async function timed(run: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await run()
  return performance.now() - begun
}
