import { expect, test } from 'vitest'
import type { HttpApp } from '../../http/app.ts'
import { withServer } from '../../http/testing/fixture.ts'
import { newQueue, type Pause, type QueueContext } from '../../machines/queue/context.ts'
import type { Delivery, Runtime } from '../../runtime/runtime.ts'
import { projectVerbRoutes } from './project-verbs.ts'

interface Fixture {
  readonly delivered: Delivery[]
  post(path: string, body: object): Promise<{ readonly status: number; readonly body: Record<string, unknown> }>
}

async function withRoutes(use: (fixture: Fixture) => Promise<void>): Promise<void> {
  const delivered: Delivery[] = []
  let queue: QueueContext = { ...newQueue('default/demo'), maxConcurrentAgents: 2 }
  const runtime = {
    read: async (address: string) =>
      ({
        'project:default/demo': { status: 'active', context: {} },
        'queue:default/demo': { status: 'active', context: queue },
      })[address],
    deliver: async (delivery: Delivery) => {
      delivered.push(delivery)
      const { type, by, reason, at } = delivery.event as unknown as Pause & { type: string }
      queue = { ...queue, pausedBy: type === 'queue.paused' ? { by, reason, at } : null }
      return { key: delivery.key, applied: true, seq: 1 }
    },
  } as unknown as Runtime
  await withServer(
    (app) => projectVerbRoutes(app as HttpApp, { runtime, clock: { now: () => 7 } }),
    async ({ url }) => {
      await use({
        delivered,
        post: async (path, body) => {
          const headers = { 'content-type': 'application/json', 'x-request-id': 'one-request' }
          const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
          return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
        },
      })
    },
    { authenticate: async () => ({ subject: 'olga', issuer: 'test', claims: {} }) },
  )
}

test('pause and resume reach the queue of the Project, with who and why (ORCHESTRATOR-API-8, QUEUE-10)', async () => {
  await withRoutes(async ({ post, delivered }) => {
    const paused = await post('/operations/pause', { project: 'demo', reason: 'the forge is down' })
    expect(paused).toEqual({
      status: 200,
      body: {
        project: 'default/demo',
        pausedBy: { by: 'olga', reason: 'the forge is down', at: 7 },
        maxConcurrentAgents: 2,
        waiting: 0,
        running: 0,
      },
    })
    const resumed = await post('/operations/resume', { project: 'default/demo', reason: 'it is back' })
    expect(resumed.body).toMatchObject({ pausedBy: null })
    expect(delivered).toEqual([
      {
        to: 'queue:default/demo',
        key: 'operator/one-request',
        event: { type: 'queue.paused', at: 7, by: 'olga', reason: 'the forge is down' },
      },
      {
        to: 'queue:default/demo',
        key: 'operator/one-request',
        event: { type: 'queue.resumed', at: 7, by: 'olga', reason: 'it is back' },
      },
    ])
  })
})

test('a Project that nobody knows, no reason and more than one line are refused, and nothing is delivered', async () => {
  await withRoutes(async ({ post, delivered }) => {
    expect(await post('/operations/pause', { project: 'nobody', reason: 'x' })).toMatchObject({
      status: 404,
      body: { detail: 'there is no Project nobody' },
    })
    for (const body of [{ project: 'demo' }, { project: 'demo', reason: '' }, { project: 'demo', reason: 'a\nb' }])
      expect(await post('/operations/pause', body)).toMatchObject({ status: 400, body: { code: 'invalid-input' } })
    expect(delivered).toEqual([])
  })
})
