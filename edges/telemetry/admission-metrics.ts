/** Why work waits for a slot, read from the queues when it is scraped: there is one for each Project (ORCHESTRATOR-METRICS-13). */
import { Gauge, type Registry } from 'prom-client'
import { isPaused } from '../../machines/queue/admission.ts'
import type { QueueContext } from '../../machines/queue/context.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Runtime } from '../../runtime/runtime.ts'

const classes = ['normal', 'alert'] as const
type QueueClass = (typeof classes)[number]

/** In the order in which one hold hides another (QUEUE-7). */
const holds = {
  'not-ready': ({ closedReason }: QueueContext) => closedReason !== null,
  paused: isPaused,
  model: ({ hold }: QueueContext) => hold !== null,
  'budget-all': ({ budget }: QueueContext) => budget === 'allHeld',
  'budget-normal': ({ budget }: QueueContext) => budget === 'normalHeld',
  none: () => true,
} as const

export function admissionMetrics(registry: Registry, runtime: Pick<Runtime, 'list'>, clock: Clock): void {
  let reading: Promise<readonly QueueContext[]> | undefined
  const queues = (): Promise<readonly QueueContext[]> =>
    (reading ??= runtime
      .list('queue')
      .then((views) => views.filter(({ status }) => status === 'active'))
      .then((views) => views.map(({ context }) => context as unknown as QueueContext))
      .finally(() => (reading = undefined)))

  holdGauge(registry, queues)
  const byClass = (
    name: string,
    help: string,
    read: (all: readonly QueueContext[], className: QueueClass) => number,
  ): void => {
    const collect = async function (this: Gauge<'class'>): Promise<void> {
      const all = await queues()
      for (const one of classes) this.set({ class: one }, read(all, one))
    }
    registry.registerMetric(new Gauge({ name, help, labelNames: ['class'], registers: [], collect }))
  }
  byClass('operator_queue_slots', 'Pods that all queues may admit at once, by class.', (all, one) =>
    all.reduce((sum, queue) => sum + slotsOf(queue, one), 0),
  )
  byClass('operator_queue_oldest_wait_seconds', 'Time that the oldest entry of a class has waited.', (all, one) =>
    Math.max(0, ...all.map((queue) => (clock.now() - oldestOf(queue, one, clock.now())) / 1000)),
  )
}

function holdGauge(registry: Registry, queues: () => Promise<readonly QueueContext[]>): void {
  const gauge = new Gauge({
    name: 'operator_queues',
    help: 'Queues by what holds all their entries. `none`: entries wait for slots alone.',
    labelNames: ['hold'],
    registers: [],
    async collect() {
      const counts = new Map(Object.keys(holds).map((hold) => [hold, 0]))
      for (const queue of await queues()) {
        const [hold] = Object.entries(holds).find(([, applies]) => applies(queue))!
        counts.set(hold, counts.get(hold)! + 1)
      }
      for (const [hold, total] of counts) this.set({ hold }, total)
    },
  })
  registry.registerMetric(gauge)
}

function slotsOf({ capacity, alertCapacity, maxConcurrentAgents }: QueueContext, one: QueueClass): number {
  return one === 'alert' ? alertCapacity : Math.min(capacity, maxConcurrentAgents)
}

function oldestOf({ entries }: QueueContext, one: QueueClass, now: number): number {
  const waiting = entries.filter((entry) => entry.class === one && entry.admittedAt === null)
  return Math.min(now, ...waiting.map(({ enqueuedAt }) => enqueuedAt))
}
