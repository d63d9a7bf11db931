import { Counter, Gauge, type Registry } from 'prom-client'
import type { Sweep } from '../../runtime/journal/retention.ts'

/** Give it to `startRetention` as `swept`. */
export function retentionMetrics(registry: Registry): (sweep: Sweep) => void {
  const to = { registers: [registry] }
  const events = new Counter({
    name: 'statewright_retention_events_total',
    help: 'Events whose bodies retention removed from journals.',
    ...to,
  })
  const characters = new Counter({
    name: 'statewright_retention_characters_total',
    help: 'Characters of the bodies that retention removed.',
    ...to,
  })
  const actors = new Counter({
    name: 'statewright_retention_actors_total',
    help: 'Journals that retention visited, by outcome.',
    labelNames: ['outcome'],
    ...to,
  })
  const refused = new Gauge({
    name: 'statewright_retention_refused_actors',
    help: 'Journals that the last walk skipped because they do not replay.',
    ...to,
  })
  const duration = new Gauge({
    name: 'statewright_retention_duration_seconds',
    help: 'Time that the last walk over the journals took.',
    ...to,
  })
  const endedAt = new Gauge({
    name: 'statewright_retention_last_end_timestamp_seconds',
    help: 'Unix time when the last walk over the journals ended.',
    ...to,
  })
  return (sweep) => {
    const leftAlone = sweep.refused.length
    events.inc(sweep.events)
    characters.inc(sweep.characters)
    actors.inc({ outcome: 'shortened' }, sweep.compacted)
    actors.inc({ outcome: 'refused' }, leftAlone)
    actors.inc({ outcome: 'kept' }, Math.max(0, sweep.actors - sweep.compacted - leftAlone))
    refused.set(leftAlone)
    duration.set((sweep.endedAt - sweep.startedAt) / 1000)
    endedAt.set(sweep.endedAt / 1000)
  }
}
