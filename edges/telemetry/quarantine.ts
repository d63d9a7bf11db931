/** Actors that wait for code which can load them (R10): a figure for alerts, and a line for who looks whether all is well. */
import { Gauge, type Registry } from 'prom-client'
import type { Clock } from '../../runtime/clock.ts'
import type { Logger } from '../../runtime/logger.ts'
import { countQuarantined } from '../../runtime/store/actors/count-quarantined.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import { cachedCount } from './cached-count.ts'

interface QuarantineOptions {
  readonly sql: Sql
  readonly clock: Clock
  readonly logger: Logger
  readonly registry: Registry
}

interface Quarantine {
  /** What is known now, in words for an operator; empty when there is none. */
  lines(): Promise<readonly string[]>
}

export function watchQuarantine({ sql, clock, logger, registry }: QuarantineOptions): Quarantine {
  const initial: ReadonlyMap<string, number> = new Map()
  const current = cachedCount({
    clock,
    logger,
    what: 'quarantined actors',
    initial,
    count: () => countQuarantined(sql),
  })

  const gauge = new Gauge({
    name: 'statewright_quarantined_actors',
    help: 'Actors that wait for a version that can load them.',
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
