import { expect, onTestFinished, test } from 'vitest'
import { captureLog } from '../../http/testing/fixture.ts'
import type { ActorView, Delivery, Receipt } from '../../runtime/runtime.ts'
import { simulatedClock } from '../../runtime/simulated-clock.ts'
import type { PodObservation } from '../ports/pods.ts'
import { sweepPods } from './sweep.ts'

const minute = 60_000

function podNamed(id: string, name: string, status: ActorView['status'] = 'active'): ActorView {
  return { kind: 'pod', id, status, context: { name } } as unknown as ActorView
}

function sweeping(shown: Readonly<Record<string, PodObservation | Error>>) {
  const actors = [
    podNamed('default/a/1', 'a-1', 'done'),
    podNamed('default/a/2', 'a-2'),
    podNamed('default/b/1', 'b-1'),
    podNamed('default/c/1', ''),
  ]
  const looked: string[] = []
  const delivered: Delivery[] = []
  const clock = simulatedClock(0)
  const log = captureLog()
  const look = async (pod: string): Promise<PodObservation | undefined> => {
    looked.push(pod)
    const found = shown[pod]
    if (found instanceof Error) throw found
    return found
  }
  const runtime = {
    list: async () => actors as never,
    deliver: async (delivery: Delivery): Promise<Receipt> => {
      delivered.push(delivery)
      return { key: delivery.key, applied: true, seq: 1 }
    },
  }
  const stop = sweepPods({ look }, { runtime, clock, random: () => 0.5, logger: log.logger })
  onTestFinished(stop)
  const passes = async (milliseconds: number): Promise<void> => {
    clock.advance(milliseconds)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { looked, delivered, log, passes, stop }
}

test('a pod that vanished while nobody looked is delivered as such at the start, and asked of every five minutes', async () => {
  const { looked, delivered, passes } = sweeping({
    'default/b/1': { pod: 'default/b/1', state: 'gone', reason: 'deleted' },
  })
  await passes(0)
  expect(looked).toEqual(['default/a/2', 'default/b/1'])
  expect(delivered).toMatchObject([
    { to: 'pod:default/b/1', key: 'vanished', event: { type: 'pod.vanished', reason: 'deleted' } },
  ])
  await passes(5 * minute - 1)
  expect(looked).toHaveLength(2)
  await passes(1)
  expect(looked).toHaveLength(4)
})

test('a pod that the place cannot show keeps no other from being asked of, and is asked of again', async () => {
  const { looked, delivered, log, passes } = sweeping({
    'default/a/2': new Error('the API server does not answer'),
    'default/b/1': { pod: 'default/b/1', state: 'ready', url: 'http://10.0.0.1:8080' },
  })
  await passes(0)
  expect(delivered).toMatchObject([{ key: 'ready/http://10.0.0.1:8080' }])
  expect(log.lines().map(({ msg }) => msg)).toEqual(['not every pod could be asked of; the sweep asks again'])
  await passes(5 * minute)
  expect(looked).toHaveLength(4)
})

test('nothing is asked once it is stopped', async () => {
  const { looked, passes, stop } = sweeping({})
  stop()
  await passes(10 * minute)
  expect(looked).toEqual([])
})
