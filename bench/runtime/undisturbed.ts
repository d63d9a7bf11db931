/**
 * Other programs take from a cell what no median gives back when they stay for a third of a run. So each cell is judged by
 * the cores that others used meanwhile, and a disturbed one is measured again.
 */
import type { CellResult } from '../kit/measure/cell.ts'
import type { ContenderInfo } from './contenders/contenders.ts'

/**
 * In two quiet runs of 2026-11-22 the cells over Postgres and the folder showed up to 0.23 cores of others, those over
 * Restate up to 0.93: what the kernel does for its sockets and files is nobody's time. Whoever else uses a core beside
 * those cells is seen in their neighbours.
 */
export const mostForeignCores: Readonly<Record<ContenderInfo['store'], number>> = {
  postgres: 0.3,
  folder: 0.3,
  restate: 1.1,
}
export const mostAttempts = 3

/** The first result below the limit, or the least disturbed of all that were tried. */
export async function undisturbed(
  limit: number,
  measure: (attempt: number) => Promise<CellResult>,
  say: (result: CellResult) => void,
): Promise<CellResult> {
  let best: CellResult | undefined
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    const result = await measure(attempt)
    if (best === undefined || result.foreignCores < best.foreignCores) best = result
    if (best.foreignCores <= limit) break
    say(result)
  }
  return best!
}
