import type { Clock } from '../../runtime/clock.ts'
import { messageOf } from '../../runtime/errors.ts'
import { isLogged } from '../../runtime/outage.ts'
import type { Logger } from '../../runtime/logger.ts'

interface CountOptions<Counts> {
  readonly clock: Clock
  readonly logger: Logger
  readonly what: string
  /** Before the first one succeeds. */
  readonly initial: Counts
  readonly count: () => Promise<Counts>
  /** Such a count reads many rows: probes and scrapes share one for so long. */
  readonly staleMs?: number
}

const minuteMs = 60_000
/** After a failure; it doubles with each more. */
const firstPauseMs = 1_000

/** The last count, or a fresh one when it is old. */
export function cachedCount<Counts>(options: CountOptions<Counts>): () => Promise<Counts> {
  const { clock, logger, what, count, staleMs = minuteMs } = options
  let known = options.initial
  let countAgainAt = -Infinity
  let failures = 0
  let counting: Promise<void> | undefined

  async function refresh(): Promise<void> {
    try {
      known = await count()
      if (failures > 0) logger.info({ failures }, `${what} is counted again`)
      failures = 0
    } catch (error) {
      // The last figure stands: a store that is away has its own signs.
      failures += 1
      if (isLogged(failures)) logger.warn({ failures, error: messageOf(error) }, `${what} could not be counted`)
    }
    // Soon after a first failure, and no oftener than good ones after many.
    countAgainAt = clock.elapsed() + (failures === 0 ? staleMs : Math.min(staleMs, firstPauseMs * 2 ** (failures - 1)))
  }

  return async () => {
    if (clock.elapsed() < countAgainAt) return known
    await (counting ??= refresh().finally(() => (counting = undefined)))
    return known
  }
}
