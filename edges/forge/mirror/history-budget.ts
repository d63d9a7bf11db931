/**
 * What reading the past may cost, over all Projects of this process (FORGE-BUDGET-6): it takes requests from the same budget as
 * merges, comments and reviews, and those are waited for.
 */
import type { Clock } from '../../../runtime/clock.ts'

/** A Project's actor asks for a resync so often. */
const RUN_MS = 30 * 60_000
/** Two runs an hour are a quarter of GitHub's 5,000. */
const REQUESTS_A_RUN = 600

/** Whether so many requests may go out. */
export type Spend = (requests: number) => boolean

export interface HistoryBudget {
  /** Of one repository: half of what is left, so that a long past leaves something to the next one. */
  share(): Spend
}

export function createHistoryBudget(clock: Pick<Clock, 'elapsed'>): HistoryBudget {
  let startedAt = -Infinity
  let left = 0
  return {
    share() {
      if (clock.elapsed() - startedAt >= RUN_MS) {
        startedAt = clock.elapsed()
        left = REQUESTS_A_RUN
      }
      let own = Math.ceil(left / 2)
      return (requests) => {
        if (requests > Math.min(own, left)) return false
        own -= requests
        left -= requests
        return true
      }
    },
  }
}
