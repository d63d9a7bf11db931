import { withDeadline } from '../deadline.ts'
import type { Clock, LoopSilence } from '../ports.ts'

export interface Readiness {
  readonly ready: boolean
  /** Why not, in words for an operator; no secret, no address of an inner system. */
  readonly reasons: readonly string[]
  /** What somebody should look at, in the same words, though it serves. */
  readonly degraded?: readonly string[]
}

/** Probes ask every few seconds: an answer that is later than this is worth nothing. */
const READINESS_MS = 3_000

/** A check that throws or hangs counts as not ready, and so does a loop that the process cannot serve without. */
export async function checkReadiness(clock: Clock, check: () => Promise<Readiness>): Promise<Readiness> {
  const silent = (clock.silences?.() ?? []).filter(({ isTooLong }) => isTooLong)
  const [vital, others] = [silent.filter(({ isVital }) => isVital), silent.filter(({ isVital }) => !isVital)]
  if (vital.length > 0) return { ready: false, reasons: vital.map(lineOf) }
  try {
    const readiness = await withDeadline(clock, READINESS_MS, check)
    return { ...readiness, degraded: [...(readiness.degraded ?? []), ...others.map(lineOf)] }
  } catch {
    return { ready: false, reasons: ['the readiness check itself failed'] }
  }
}

function lineOf({ name, silentMs }: LoopSilence): string {
  return `the loop ${name} has ended no turn for ${Math.floor(silentMs / 1000)} s`
}
