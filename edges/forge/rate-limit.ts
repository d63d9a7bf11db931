/**
 * The request budget of one Project, shared by all its readers and writers (FORGE-BUDGET-1). A token
 * bucket keeps bursts small; what the forge itself says (`Retry-After`, `X-RateLimit-Reset`) closes it until then. By the
 * clock that never jumps: a time of day set back would hold every request up for as long.
 */
import type { Clock } from '../../runtime/clock.ts'
import { RateLimitedError, type LimitType } from './errors.ts'

export interface BudgetOptions {
  readonly clock: Clock
  /** Requests that may go out at once. */
  readonly burst?: number
  readonly perSecond?: number
  /** A request waits this long for its turn; above it is refused and the outbox asks again. */
  readonly longestWaitMs?: number
  readonly onLimited?: (path: string, limitType: LimitType) => void
}

export interface Budget {
  /** Resolves when the request may go out. Throws `RateLimitedError`. */
  take(operation: string): Promise<void>
  /** The forge said to wait. */
  close(operation: string, limitType: LimitType, waitMs: number): RateLimitedError
}

const BURST = 100
/** GitHub's secondary limit is 900 points a minute; its primary one is 5000 requests an hour and closes by header. */
const PER_SECOND = 15
const LONGEST_WAIT_MS = 5_000

export function createBudget(options: BudgetOptions): Budget {
  const { clock, burst = BURST, perSecond = PER_SECOND, longestWaitMs = LONGEST_WAIT_MS } = options
  const state = { tokens: burst, filledAt: clock.elapsed(), closedUntil: -Infinity, closedBy: 'primary' as LimitType }

  function refill(now: number): void {
    state.tokens = Math.min(burst, state.tokens + ((now - state.filledAt) / 1000) * perSecond)
    state.filledAt = now
  }

  function refused(operation: string, limitType: LimitType, waitMs: number): RateLimitedError {
    options.onLimited?.(operation, limitType)
    return new RateLimitedError(operation, limitType, Math.ceil(waitMs))
  }

  return {
    async take(operation) {
      const now = clock.elapsed()
      if (state.closedUntil > now) throw refused(operation, state.closedBy, state.closedUntil - now)
      refill(now)
      const waitMs = state.tokens >= 1 ? 0 : ((1 - state.tokens) / perSecond) * 1000
      if (waitMs > longestWaitMs) throw refused(operation, 'bucket', waitMs)
      state.tokens -= 1
      if (waitMs > 0) await new Promise<void>((resolve) => void clock.setTimer(waitMs, resolve))
    },
    close(operation, limitType, waitMs) {
      state.closedUntil = Math.max(state.closedUntil, clock.elapsed() + waitMs)
      state.closedBy = limitType
      return refused(operation, limitType, waitMs)
    },
  }
}
