import { expect, test } from 'vitest'
import { newMemoryStack } from '../../machines/memory-stack/context.ts'
import type { StackSight } from '../../machines/memory-stack/events.ts'
import type { Delivery, Runtime } from '../../runtime/runtime.ts'
import { deliverSight } from './memory-actor.ts'

const sight: StackSight = { phase: 'pending', part: 'service', words: 'it ended', endpoint: '', externalEndpoint: '' }

test.each([
  ['as the answer to its newest look', { ...newMemoryStack('default/demo'), looks: 3 }, ['stack/3']],
  ['not at all where there is none', undefined, []],
])('a stack that changed by itself is told %s', async (_what, context, runs) => {
  const told: Delivery[] = []
  const runtime = {
    read: async () => context && { context },
    deliver: async (delivery: Delivery) => void told.push(delivery),
  } as unknown as Runtime
  await deliverSight(runtime, 'default/demo', { key: 'ended/1', at: 7, sight })
  expect(told).toEqual(
    runs.map((run) => ({
      ...{ to: 'memory-stack:default/demo', key: 'ended/1' },
      event: { type: 'stack.seen', at: 7, run, ...sight },
    })),
  )
})
