import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { simulatedClock } from '../../runtime/simulated-clock.ts'
import { newQueue, type QueueContext } from '../../machines/queue/context.ts'
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

test('slots are those of admission, and the oldest wait is of what waits (ORCHESTRATOR-METRICS-13)', async () => {
  const entry = { class: 'normal', admittedAt: null, enqueuedAt: 90_000 } as never
  const admitted = { class: 'normal', admittedAt: 2, enqueuedAt: 1 } as never
  const older = { class: 'normal', admittedAt: null, enqueuedAt: 60_000 } as never
  const { lines } = await scraped([{ entries: [entry, admitted] }, { capacity: 2, entries: [older] }])
  expect(lines.filter((line) => line.startsWith('operator_queue_'))).toEqual([
    'operator_queue_slots{class="normal"} 5',
    'operator_queue_slots{class="alert"} 2',
    'operator_queue_oldest_wait_seconds{class="normal"} 40',
    'operator_queue_oldest_wait_seconds{class="alert"} 0',
  ])
})
