/** What waits in the store and not in the memory of a process: events that nobody took up yet, effects that were given up. */
import { Gauge, type Registry } from 'prom-client'
import type { Clock } from '../../runtime/clock.ts'
import type { Logger } from '../../runtime/logger.ts'
import { countBacklog } from '../../runtime/store/effects/count-backlog.ts'
import type { StoredBacklog } from '../../runtime/store/effects/count-backlog.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import { cachedCount } from './cached-count.ts'

interface StoredBacklogOptions {
  readonly sql: Sql
  readonly clock: Clock
  readonly logger: Logger
  readonly registry: Registry
}

export function watchStoredBacklog({ sql, clock, logger, registry }: StoredBacklogOptions): void {
  const initial: StoredBacklog = { inbox: 0, dead: new Map() }
  const current = cachedCount({ clock, logger, what: 'the backlog', initial, count: () => countBacklog(sql) })
  const inbox = new Gauge({
    name: 'statewright_inbox_events',
    help: 'Events in the store that wait for the owner of their shard.',
    registers: [],
    async collect() {
      this.set((await current()).inbox)
    },
  })
  const dead = new Gauge({
    name: 'statewright_effects_dead',
    help: 'Dead effects in the store. An operator can redeliver them.',
    labelNames: ['type'],
    registers: [],
    async collect() {
      const counts = (await current()).dead
      this.reset()
      for (const [type, total] of counts) this.set({ type }, total)
    },
  })
  registry.registerMetric(inbox)
  registry.registerMetric(dead)
}
