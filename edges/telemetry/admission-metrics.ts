/**
 * What waits for a slot, and why, read from the queues when it is scraped: there is one for each Project
 * (ORCHESTRATOR-METRICS-3, ORCHESTRATOR-METRICS-13).
 */
import { Gauge, type Registry } from 'prom-client'
import { isPaused } from '../../machines/queue/admission.ts'
import type { QueueContext } from '../../machines/queue/context.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Runtime } from '../../runtime/runtime.ts'

const classes = ['normal', 'alert'] as const
type QueueClass = (typeof classes)[number]
type ReadQueues = () => Promise<readonly QueueContext[]>

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
  const queues: ReadQueues = () =>
    (reading ??= runtime
      .list('queue')
      .then((views) => views.filter(({ status }) => status === 'active'))
      .then((views) => views.map(({ context }) => context))
      .finally(() => (reading = undefined)))

  depthGauge(registry, queues)
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
  byClass(
    'operator_queue_slots',
    'Pods that all queues may admit at once, by class. A queue that is paused or not ready admits none.',
    (all, one) => all.reduce((sum, queue) => sum + slotsOf(queue, one), 0),
  )
  byClass('operator_queue_oldest_wait_seconds', 'Time that the oldest entry of a class has waited.', (all, one) =>
    Math.max(0, ...all.map((queue) => (clock.now() - oldestOf(queue, one, clock.now())) / 1000)),
  )
}

function depthGauge(registry: Registry, queues: ReadQueues): void {
  const gauge = new Gauge({
    name: 'operator_queue_depth',
    help: 'Entries of all queues by class and state.',
    labelNames: ['class', 'state'],
    registers: [],
    async collect() {
      const entries = (await queues()).flatMap((queue) => queue.entries)
      for (const one of classes) {
        const ofClass = entries.filter((entry) => entry.class === one)
        const waiting = ofClass.filter(({ admittedAt }) => admittedAt === null).length
        this.set({ class: one, state: 'waiting' }, waiting)
        this.set({ class: one, state: 'admitted' }, ofClass.length - waiting)
      }
    },
  })
  registry.registerMetric(gauge)
}

function holdGauge(registry: Registry, queues: ReadQueues): void {
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

/** The rule of `machines/queue/admission.ts`, which does not export it: a word more there would be another version of the machine. */
function slotsOf(queue: QueueContext, one: QueueClass): number {
  if (queue.closedReason !== null || isPaused(queue)) return 0
  return one === 'alert' ? queue.alertCapacity : Math.min(queue.capacity, queue.maxConcurrentAgents)
}

function oldestOf({ entries }: QueueContext, one: QueueClass, now: number): number {
  const waiting = entries.filter((entry) => entry.class === one && entry.admittedAt === null)
  return Math.min(now, ...waiting.map(({ enqueuedAt }) => enqueuedAt))
}
