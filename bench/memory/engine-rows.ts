export interface EngineRow {
  readonly section: 'engine'
  readonly question: string
  readonly p50Ms: number
  readonly p95Ms: number
  readonly count: number
}

export async function timed(run: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await run()
  return performance.now() - begun
}
