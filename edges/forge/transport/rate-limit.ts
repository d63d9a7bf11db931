/**
 * The request budget of one token, shared by all who use it, in every process on the store (FORGE-BUDGET-1, decisions/0030).
 * A token bucket keeps bursts small; what the forge itself says (`Retry-After`, `X-RateLimit-Reset`) closes it until then.
 * Processes share the time of day; a wait that this process knows of goes by the clock that never jumps.
 */
import type { Clock } from '../../../runtime/clock.ts'
import type { Queryable } from '../../../runtime/store/sql.ts'
import { RateLimitedError, type LimitType } from '../errors.ts'
import { closeBudget, loadBudget, takeToken, type ClosedBy } from '../mirror/store/budgets.ts'

export interface BudgetOptions {
  readonly sql: Queryable
  readonly clock: Clock
  /** Names the token without telling it. */
  readonly account: string
  /** Requests that may go out at once. */
  readonly burst: number
  readonly perSecond: number
  /** A request waits this long for its turn; above it is refused and the outbox asks again. */
  readonly longestWaitMs?: number
  readonly onLimited?: (path: string, limitType: LimitType) => void
}

export interface Budget {
  /** Resolves when the request may go out. Throws `RateLimitedError`. */
  take(operation: string): Promise<void>
  /** The forge said to wait. */
  close(operation: string, limitType: ClosedBy, waitMs: number): Promise<RateLimitedError>
}

const LONGEST_WAIT_MS = 5_000

export function createBudget(options: BudgetOptions): Budget {
  const { sql, clock, account, burst, perSecond, longestWaitMs = LONGEST_WAIT_MS } = options
  const rates = { burst, perSecond, least: (-longestWaitMs / 1000) * perSecond }
  const closed = { until: -Infinity, by: 'primary' as ClosedBy }

  function refused(operation: string, limitType: LimitType, waitMs: number): RateLimitedError {
    options.onLimited?.(operation, limitType)
    return new RateLimitedError(operation, limitType, Math.ceil(waitMs))
  }

  function closeHere(limitType: ClosedBy, waitMs: number): void {
    closed.until = Math.max(closed.until, clock.elapsed() + waitMs)
    closed.by = limitType
  }

  async function whyNot(operation: string): Promise<RateLimitedError> {
    const now = clock.now()
    const { tokens, isClosed, closedUntil, closedBy } = await loadBudget(sql, account, now, rates)
    if (!isClosed) return refused(operation, 'bucket', Math.max(0, ((1 - tokens) / perSecond) * 1000))
    closeHere(closedBy, closedUntil - now)
    return refused(operation, closedBy, closedUntil - now)
  }

  return {
    async take(operation) {
      const leftMs = closed.until - clock.elapsed()
      if (leftMs > 0) throw refused(operation, closed.by, leftMs)
      const left = await takeToken(sql, account, clock.now(), rates)
      if (left === undefined) throw await whyNot(operation)
      if (left < 0) await new Promise<void>((resolve) => void clock.setTimer((-left / perSecond) * 1000, resolve))
    },
    async close(operation, limitType, waitMs) {
      closeHere(limitType, waitMs)
      const now = clock.now()
      await closeBudget(sql, account, now, Math.ceil(now + waitMs), limitType)
      return refused(operation, limitType, waitMs)
    },
  }
}
