/** What becomes of an effect that failed (R6, R7). */
import { backoffMs } from '../backoff.ts'
import { errorText } from '../error-text.ts'
import { EffectNotHeldError, RetryableError, TerminalError, isAway } from '../errors.ts'
import type { Random } from '../random.ts'
import type { SettleOutcome } from '../work.ts'

const defaultMaxAttempts = 50

/**
 * `attempts` before this one, and beside them tries that nobody answered, which bring no end nearer (`isAway`). Nor does a wait
 * that was asked for, or an effect that may be another process's.
 */
export function outcomeOfFailure(
  error: unknown,
  {
    attempts,
    unanswered,
    maxAttempts = defaultMaxAttempts,
  }: { readonly attempts: number; readonly unanswered: number; readonly maxAttempts?: number | undefined },
  { now, random }: { readonly now: number; readonly random: Random },
): SettleOutcome {
  const lastError = errorText(error)
  const postponed = (counted: number, notBefore: number) =>
    ({ kind: 'postponed', attempts: counted, notBefore, lastError }) as const
  const failed = attempts + 1
  if (error instanceof TerminalError) {
    const { reason, words } = error
    return { kind: 'dead', attempts: failed, lastError: words === undefined ? reason : `${reason}: ${words}` }
  }
  if (error instanceof EffectNotHeldError) return postponed(attempts, now)
  const askedMs = error instanceof RetryableError ? error.retryAfterMs : undefined
  if (askedMs !== undefined) return postponed(attempts, Math.ceil(now + askedMs))
  if (isAway(error)) return { ...postponed(attempts, now + backoffMs(failed + unanswered, random)), wasAway: true }
  if (failed >= maxAttempts) return { kind: 'dead', attempts: failed, lastError: `retries-exhausted: ${lastError}` }
  return postponed(failed, now + backoffMs(failed, random))
}
