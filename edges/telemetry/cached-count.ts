import type { Clock } from '../../runtime/clock.ts'
import { messageOf } from '../../runtime/errors.ts'
import type { Logger } from '../../runtime/logger.ts'

export interface CountOptions<Counts> {
  readonly clock: Clock
  readonly logger: Logger
  readonly what: string
  /** Before the first one succeeds. */
  readonly initial: Counts
  readonly count: () => Promise<Counts>
}

/** Such a count reads many rows: probes and scrapes share one for so long. */
const staleMs = 60_000

/** The last count, or a fresh one when it is old. */
export function cachedCount<Counts>(options: CountOptions<Counts>): () => Promise<Counts> {
  const { clock, logger, what, count } = options
  let known = options.initial
  let countedAt = -Infinity
  let counting: Promise<void> | undefined

  async function refresh(): Promise<void> {
    try {
      known = await count()
      countedAt = clock.elapsed()
    } catch (error) {
      // The last figure stands: a store that is away has its own signs.
      logger.warn({ error: messageOf(error) }, `${what} could not be counted`)
    }
  }

  return async () => {
    if (clock.elapsed() - countedAt < staleMs) return known
    await (counting ??= refresh().finally(() => (counting = undefined)))
    return known
  }
}
