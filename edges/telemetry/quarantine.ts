/** Actors that wait for code which can load them (R10): a figure for alerts, and a line for who looks whether all is well. */
import { Gauge, type Registry } from 'prom-client'
import type { Clock } from '../../runtime/clock.ts'
import { messageOf } from '../../runtime/errors.ts'
import type { Logger } from '../../runtime/logger.ts'
import { countQuarantined } from '../../runtime/store/count-quarantined.ts'
import type { Sql } from '../../runtime/store/sql.ts'

export interface QuarantineOptions {
  readonly sql: Sql
  readonly clock: Clock
  readonly logger: Logger
  readonly registry: Registry
}

export interface Quarantine {
  /** What is known now, in words for an operator; empty when there is none. */
  lines(): Promise<readonly string[]>
}

/** Counting reads every actor, and the figure changes with a release: probes and scrapes share one for so long. */
const staleMs = 60_000

export function watchQuarantine({ sql, clock, logger, registry }: QuarantineOptions): Quarantine {
  let known: ReadonlyMap<string, number> = new Map()
  let countedAt = -Infinity
  let counting: Promise<void> | undefined

  async function count(): Promise<void> {
    try {
      known = await countQuarantined(sql)
      countedAt = clock.elapsed()
    } catch (error) {
      // The last figure stands: a store that is away has its own signs.
      logger.warn({ error: messageOf(error) }, 'quarantined actors could not be counted')
    }
  }

  async function current(): Promise<ReadonlyMap<string, number>> {
    if (clock.elapsed() - countedAt < staleMs) return known
    await (counting ??= count().finally(() => (counting = undefined)))
    return known
  }

  const gauge = new Gauge({
    name: 'statewright_quarantined_actors',
    help: 'Actors that wait for code which can load them.',
    labelNames: ['kind'],
    registers: [],
    async collect() {
      this.reset()
      for (const [kind, total] of await current()) this.set({ kind }, total)
    },
  })
  registry.registerMetric(gauge)

  return {
    lines: async () =>
      [...(await current())].map(
        ([kind, total]) => `${total} ${kind} ${total === 1 ? 'actor is' : 'actors are'} quarantined`,
      ),
  }
}
