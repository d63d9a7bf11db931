import { withDeadline } from './deadline.ts'
import type { Clock } from './ports.ts'

export interface Readiness {
  readonly ready: boolean
  /** Why not, in words for an operator; no secret, no address of an inner system. */
  readonly reasons: readonly string[]
  /** What somebody should look at, in the same words, though it serves. */
  readonly degraded?: readonly string[]
}

/** Probes ask every few seconds: an answer that is later than this is worth nothing. */
const READINESS_MS = 3_000

/** A check that throws or hangs counts as not ready. */
export async function checkReadiness(clock: Clock, check: () => Promise<Readiness>): Promise<Readiness> {
  try {
    return await withDeadline(clock, READINESS_MS, check)
  } catch {
    return { ready: false, reasons: ['the readiness check itself failed'] }
  }
}
