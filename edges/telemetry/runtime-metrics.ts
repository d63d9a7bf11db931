/**
 * What the runtime tells of itself, as Prometheus series; docs/metrics.md lists them, and a test compares the two. Labels
 * are types of effects, kinds of actors and outcomes: as many as the program has, never as many as there are actors.
 */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { EffectCounts, RuntimeObserver, Standing } from '../../runtime/observer.ts'

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
const counts = [1, 2, 5, 10, 20, 50, 100, 200, 500]

export function runtimeMetrics(registry: Registry): RuntimeObserver {
  return {
    ...commitMetrics(registry),
    ...inboxMetrics(registry),
    ...standingMetrics(registry),
    ...shardMetrics(registry),
    ...effectMetrics(registry),
    ...timerMetrics(registry),
  }
}

type Part<Name extends keyof RuntimeObserver> = Pick<RuntimeObserver, Name>

function commitMetrics(
  registry: Registry,
): Part<
  'batchCommitted' | 'commitFailed' | 'stepFault' | 'snapshotWritten' | 'quarantined' | 'deadLetter' | 'overloaded'
> {
  const to = { registers: [registry] }
  const steps = new Counter({ name: 'statewright_steps_total', help: 'Events stepped and committed.', ...to })
  const decided = new Counter({
    name: 'statewright_effects_decided_total',
    help: 'Effects that steps emitted.',
    ...to,
  })
  const bytes = new Counter({
    name: 'statewright_journal_bytes_total',
    help: 'Bytes of the events and effects written to the journal.',
    ...to,
  })
  const items = new Histogram({
    name: 'statewright_batch_items',
    help: 'Items in one commit: events, settled effects, snapshots.',
    buckets: counts,
    ...to,
  })
  const duration = new Histogram({
    name: 'statewright_commit_duration_seconds',
    help: 'Time that the one SQL statement of a commit takes.',
    buckets: seconds,
    ...to,
  })
  const waited = new Histogram({
    name: 'statewright_commit_wait_seconds',
    help: 'Time that the oldest item of a commit waited before the commit began.',
    buckets: seconds,
    ...to,
  })
  const failed = new Counter({
    name: 'statewright_commit_failures_total',
    help: 'Commits that the runtime retried, split in two or gave up.',
    labelNames: ['reason'],
    ...to,
  })
  const faults = new Counter({
    name: 'statewright_step_faults_total',
    help: 'Steps that threw. The event becomes a dead letter.',
    labelNames: ['kind'],
    ...to,
  })
  const snapshots = new Counter({
    name: 'statewright_snapshots_total',
    help: 'Snapshots written.',
    labelNames: ['kind'],
    ...to,
  })
  const snapshotBytes = new Counter({
    name: 'statewright_snapshot_bytes_total',
    help: 'Bytes of the snapshots written.',
    labelNames: ['kind'],
    ...to,
  })
  const quarantined = new Counter({
    name: 'statewright_actors_quarantined_total',
    help: 'Actors that this version could not load.',
    labelNames: ['kind'],
    ...to,
  })
  const letters = new Counter({
    name: 'statewright_dead_letters_total',
    help: 'Events that changed nothing. An operator should read them.',
    labelNames: ['kind'],
    ...to,
  })
  const overloaded = new Counter({
    name: 'statewright_overloaded_total',
    help: 'Calls that the runtime refused because too many events waited, in total or for one actor.',
    ...to,
  })
  return {
    batchCommitted: (batch) => {
      steps.inc(batch.steps)
      decided.inc(batch.effects)
      bytes.inc(batch.bytes)
      items.observe(batch.items)
      duration.observe(batch.durationMs / 1000)
      waited.observe(batch.waitedMs / 1000)
    },
    commitFailed: (reason) => failed.inc({ reason }),
    stepFault: (kind) => faults.inc({ kind }),
    snapshotWritten: (kind, written) => {
      snapshots.inc({ kind })
      snapshotBytes.inc({ kind }, written)
    },
    quarantined: (kind) => quarantined.inc({ kind }),
    deadLetter: (kind) => letters.inc({ kind }),
    overloaded: () => overloaded.inc(),
  }
}

function inboxMetrics(registry: Registry): Part<'inboxLag'> {
  const lag = new Gauge({
    name: 'statewright_inbox_lag_seconds',
    help: 'Age of the oldest event that the last read of the inbox returned.',
    registers: [registry],
  })
  return { inboxLag: (lagMs) => lag.set(lagMs / 1000) }
}

/** Asked when it is scraped: what is told after a commit stands still while the store does, and queues fill up just then. */
function standingMetrics(registry: Registry): Part<'standing'> {
  let read: (() => Standing) | undefined
  const gauge = (name: string, help: string, of: (standing: Standing) => number): void => {
    const collect = function (this: Gauge): void {
      if (read) this.set(of(read()))
    }
    registry.registerMetric(new Gauge({ name, help, registers: [], collect }))
  }
  gauge('statewright_queued_events', 'Events in memory that wait for a step.', ({ queued }) => queued.size)
  gauge('statewright_queued_bytes', 'Size of the events in memory that wait for a step.', ({ queued }) => queued.bytes)
  gauge(
    'statewright_forwarded_events',
    'Events that wait for another process to step them.',
    ({ forwarded }) => forwarded.size,
  )
  gauge(
    'statewright_forwarded_bytes',
    'Size of the events that wait for another process.',
    ({ forwarded }) => forwarded.bytes,
  )
  gauge(
    'statewright_settlements_resting',
    'Performed effects whose settlement waits for the next step of their actor.',
    ({ resting }) => resting,
  )
  gauge(
    'statewright_effects_parked',
    'Effects that wait because the lease of their shard is in doubt.',
    ({ parked }) => parked,
  )
  return { standing: (reading) => void (read = reading) }
}

function shardMetrics(
  registry: Registry,
): Part<'shardsHeld' | 'shardsGained' | 'shardsLost' | 'leasesRenewed' | 'recovered'> {
  const to = { registers: [registry] }
  const held = new Gauge({ name: 'statewright_shards_held', help: 'Shards that this process serves.', ...to })
  const gained = new Counter({
    name: 'statewright_shards_gained_total',
    help: 'Shards that this process took over.',
    ...to,
  })
  const lost = new Counter({
    name: 'statewright_shards_lost_total',
    help: 'Shards that another process took over.',
    ...to,
  })
  const renewals = new Counter({
    name: 'statewright_lease_renewals_total',
    help: 'Attempts to renew the leases.',
    labelNames: ['result'],
    ...to,
  })
  const renewal = new Histogram({
    name: 'statewright_lease_renewal_duration_seconds',
    help: 'Time that one renewal takes.',
    buckets: seconds,
    ...to,
  })
  const left = new Gauge({
    name: 'statewright_lease_remaining_seconds',
    help: 'Time that the leases had left when the last renewal began. At 0 this process stops writing.',
    ...to,
  })
  const recovery = new Histogram({
    name: 'statewright_recovery_duration_seconds',
    help: 'Time from the lease of new shards to the last of their effects in memory.',
    buckets: seconds,
    ...to,
  })
  const effects = new Counter({
    name: 'statewright_recovered_effects_total',
    help: 'Pending effects that this process loaded with new shards.',
    ...to,
  })
  return {
    shardsHeld: (count) => held.set(count),
    shardsGained: (count) => gained.inc(count),
    shardsLost: (count) => lost.inc(count),
    leasesRenewed: ({ durationMs, ok, expiresInMs }) => {
      renewals.inc({ result: ok ? 'ok' : 'failed' })
      renewal.observe(durationMs / 1000)
      left.set(Math.max(0, expiresInMs) / 1000)
    },
    recovered: (figures) => {
      recovery.observe(figures.durationMs / 1000)
      effects.inc(figures.effects)
    },
  }
}

function effectMetrics(
  registry: Registry,
): Part<'effectStarted' | 'effectSettled' | 'effectsPending' | 'targetPaused'> {
  const to = { registers: [registry] }
  const settled = new Counter({
    name: 'statewright_effects_total',
    help: 'Attempts to perform an effect, by outcome.',
    labelNames: ['type', 'outcome'],
    ...to,
  })
  const duration = new Histogram({
    name: 'statewright_effect_duration_seconds',
    help: 'Time that one attempt takes, without its settlement.',
    labelNames: ['type'],
    buckets: seconds,
    ...to,
  })
  const queued = new Histogram({
    name: 'statewright_effect_wait_seconds',
    help: 'Time that a due effect waited for the limits of its type or target.',
    labelNames: ['type'],
    buckets: seconds,
    ...to,
  })
  const paused = new Counter({
    name: 'statewright_target_pauses_total',
    help: 'Pauses that targets requested.',
    labelNames: ['type'],
    ...to,
  })
  // Written thousands of times between two scrapes: the gauge is set when it is read.
  const latest = new Map<string, EffectCounts>()
  const gauge = new Gauge({
    name: 'statewright_effects_pending',
    help: 'Effects in memory. `ready` ones wait for limits, `performing` ones run.',
    labelNames: ['type', 'state'],
    registers: [],
    collect() {
      for (const [type, { waiting, performing }] of latest) {
        this.set({ type, state: 'ready' }, waiting)
        this.set({ type, state: 'performing' }, performing)
      }
    },
  })
  registry.registerMetric(gauge)
  return {
    effectStarted: ({ type, queuedMs }) => queued.observe({ type }, queuedMs / 1000),
    effectSettled: ({ type, outcome, durationMs }) => {
      settled.inc({ type, outcome })
      duration.observe({ type }, durationMs / 1000)
    },
    effectsPending: (type, count) => void latest.set(type, count),
    targetPaused: (type) => paused.inc({ type }),
  }
}

function timerMetrics(registry: Registry): Part<'timerFired' | 'timersDue'> {
  const to = { registers: [registry] }
  const lateness = new Histogram({
    name: 'statewright_timer_lateness_seconds',
    help: 'Time from the due time of a timer to the commit of its event.',
    buckets: seconds,
    ...to,
  })
  const due = new Gauge({ name: 'statewright_timers_due', help: 'Due timers that have not fired yet.', ...to })
  return { timerFired: (latenessMs) => lateness.observe(latenessMs / 1000), timersDue: (count) => due.set(count) }
}
