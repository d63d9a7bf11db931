import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { simulatedClock } from '../../runtime/simulated-clock.ts'
import { admit } from '../../machines/queue/admission.ts'
import { newQueue, type QueueContext, type WaitingEntry } from '../../machines/queue/context.ts'
import { admissionMetrics } from './admission-metrics.ts'

const open = { ...newQueue('q'), closedReason: null, maxConcurrentAgents: 3, capacity: 5, alertCapacity: 1 }

async function scraped(queues: readonly Partial<QueueContext>[]): Promise<{ lines: readonly string[]; reads: number }> {
  const registry = new Registry()
  let reads = 0
  const list = async () => {
    reads += 1
    return queues.map((queue) => ({ status: 'active', context: { ...open, ...queue } })) as never
  }
  admissionMetrics(registry, { list }, simulatedClock(100_000))
  const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith('operator'))
  return { lines, reads }
}

test('what holds a queue is counted, the stronger hold first, and one scrape reads the queues once (ORCHESTRATOR-METRICS-13)', async () => {
  const hold = { cause: 'no_credit', since: 0, until: 0 } as never
  const { lines, reads } = await scraped([
    {},
    { budget: 'normalHeld' },
    { budget: 'allHeld', hold },
    { maxConcurrentAgents: 0, hold },
    { closedReason: 'SecretMissing', maxConcurrentAgents: 0 },
    { hold },
    { budget: 'allHeld' },
  ])
  expect(lines.filter((line) => line.startsWith('operator_queues'))).toEqual([
    'operator_queues{hold="not-ready"} 1',
    'operator_queues{hold="paused"} 1',
    'operator_queues{hold="model"} 2',
    'operator_queues{hold="budget-all"} 1',
    'operator_queues{hold="budget-normal"} 1',
    'operator_queues{hold="none"} 1',
  ])
  expect(reads).toBe(1)
})

function entry(one: WaitingEntry['class'], admittedAt: number | null, enqueuedAt: number): WaitingEntry {
  const name = `${one}-${enqueuedAt}`
  return { entry: name, class: one, admittedAt, enqueuedAt, sequence: enqueuedAt, priority: 60 } as WaitingEntry
}

const pausedBy = { by: 'ada', reason: 'the forge is down', at: 1 }

test('a queue that an operator paused has no slot, of either class (QUEUE-10, ORCHESTRATOR-METRICS-13)', async () => {
  const { lines } = await scraped([{ pausedBy }, {}])
  expect(lines.filter((line) => line.startsWith('operator_queue_slots'))).toEqual([
    'operator_queue_slots{class="normal"} 3',
    'operator_queue_slots{class="alert"} 1',
  ])
})

test.each([
  ['open', {}],
  ['smaller than the Project asks for', { capacity: 2, alertCapacity: 4 }],
  ['paused by its settings', { maxConcurrentAgents: 0 }],
  ['paused by an operator', { pausedBy }],
  ['not ready', { closedReason: 'SecretMissing' }],
])('a queue that is %s has the slots that admission gives (ORCHESTRATOR-METRICS-13)', async (_name, fields) => {
  const entries = (['normal', 'alert'] as const).flatMap((one) =>
    Array.from({ length: 9 }, (_, index) => entry(one, null, index)),
  )
  const { admitted } = admit({ ...open, ...fields, entries })
  const { lines } = await scraped([fields])
  expect(lines.filter((line) => line.startsWith('operator_queue_slots'))).toEqual(
    ['normal', 'alert'].map(
      (one) => `operator_queue_slots{class="${one}"} ${admitted.filter((waiting) => waiting.class === one).length}`,
    ),
  )
})

test('entries are counted by class and state, with a zero where nobody waits, and the oldest wait is of what waits (ORCHESTRATOR-METRICS-3, ORCHESTRATOR-METRICS-13)', async () => {
  const { lines } = await scraped([
    { entries: [entry('normal', null, 90_000), entry('normal', 2, 1)] },
    { entries: [entry('normal', null, 60_000), entry('alert', 3, 2)] },
  ])
  expect(lines.filter((line) => /^operator_queue_(depth|oldest)/.test(line))).toEqual([
    'operator_queue_depth{class="normal",state="waiting"} 2',
    'operator_queue_depth{class="normal",state="admitted"} 1',
    'operator_queue_depth{class="alert",state="waiting"} 0',
    'operator_queue_depth{class="alert",state="admitted"} 1',
    'operator_queue_oldest_wait_seconds{class="normal"} 40',
    'operator_queue_oldest_wait_seconds{class="alert"} 0',
  ])
})
