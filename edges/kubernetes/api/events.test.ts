import { expect, test } from 'vitest'
import { errorOf } from './answers.ts'
import type { KubeObject } from './api.ts'
import { createEventRecorder } from './events.ts'
import { MemoryServer } from '../testing/memory-server.ts'

const spec = { projectRef: 'demo', kind: 'implement', goal: 'g', repositories: ['a'] }
const at = Date.parse('2026-11-26T01:02:03.456Z')

function recorder() {
  const api = new MemoryServer()
  const warned: object[] = []
  const logger = { warn: (fields: object) => void warned.push(fields) }
  const task = api.create({ kind: 'Task', name: 'one', spec })
  const events = (): readonly (KubeObject & { readonly message?: string })[] => api.all('Event')
  return {
    api,
    task,
    warned,
    events,
    recorder: createEventRecorder({ client: api, clock: { now: () => at }, logger, instance: 'pod-1' }),
  }
}

const refused = { type: 'Warning', reason: 'NotFound', message: 'there is no Project demo' } as const

test('an Event names its object, the words and the component', async () => {
  const { recorder: events, task, events: written } = recorder()
  await events.record(task, refused)
  expect(written()).toMatchObject([
    {
      metadata: { namespace: 'default' },
      involvedObject: { apiVersion: 'platform.dev/v1alpha1', kind: 'Task', name: 'one', uid: task.metadata.uid },
      ...refused,
      firstTimestamp: '2026-11-26T01:02:03Z',
      source: { component: 'statewright' },
      reportingInstance: 'pod-1',
    },
  ])
})

test('the same words of an object are one Event, and another occurrence is another', async () => {
  const { recorder: events, task, warned, events: written } = recorder()
  await events.record(task, refused)
  await events.record(task, refused)
  expect([written().length, warned]).toEqual([1, []])
  await events.record(task, { ...refused, occurrence: '7' })
  await events.record(task, { ...refused, message: 'another' })
  expect(written()).toHaveLength(3)
})

test('a long message is cut at a character, in 1024 bytes', async () => {
  const { recorder: events, task, events: written } = recorder()
  await events.record(task, { ...refused, message: 'ä'.repeat(2000) })
  const message = written()[0]?.message ?? ''
  expect(message).toMatch(/^ä+…$/)
  expect(Buffer.byteLength(message)).toBeGreaterThan(1020)
  expect(Buffer.byteLength(message)).toBeLessThanOrEqual(1024)
})

test('a server that refuses is logged, and whoever records goes on', async () => {
  const { recorder: events, api, task, warned } = recorder()
  api.before = () => {
    throw errorOf(403, { message: 'events is forbidden' })
  }
  await events.record(task, refused)
  expect(warned).toEqual([{ object: 'one', reason: 'NotFound', error: 'events is forbidden' }])
})
