import { expect, test } from 'vitest'
import { createLogger } from '../../http/operational/logging.ts'
import { createServer } from '../../http/server.ts'
import { guard } from '../../http/auth/authenticate.ts'
import type { HttpApp } from '../../http/app.ts'
import type { Delivery, Runtime } from '../../runtime/runtime.ts'
import { simulatedClock } from '../../runtime/simulated-clock.ts'
import { taskVerbRoutes } from './task-verbs.ts'

interface OrchestratorFixture {
  readonly delivered: Delivery[]
  /** Where the parked Task stands from now on. */
  parkBy(reason: string): void
  post(path: string, body: object): Promise<{ readonly status: number; readonly body: unknown }>
}

async function withRoutes(use: (fixture: OrchestratorFixture) => Promise<void>): Promise<void> {
  const clock = simulatedClock(1000)
  const server = await createServer({
    name: 'verbs',
    version: '0',
    logger: createLogger({ name: 'verbs', level: 'silent' }),
    clock,
    ids: { next: () => 'an-id' },
    openapi: { title: 't', description: 'd' },
  })
  const delivered: Delivery[] = []
  const known: Record<string, object> = {
    'task:default/parked': { status: 'active', context: { stage: { name: 'awaiting-human', reason: 'budget' } } },
    'task:default/over': { status: 'done', context: { stage: { name: 'delivered', reason: null } } },
  }
  const runtime = {
    read: async (address: string) => known[address],
    deliver: async (delivery: Delivery) => {
      delivered.push(delivery)
      return { key: delivery.key, applied: true, seq: 1 }
    },
  } as unknown as Runtime
  await server.app.register(async (scope) => {
    scope.addHook(
      'onRequest',
      guard(async () => ({ subject: 'olga', issuer: 'test', claims: {} })),
    )
    taskVerbRoutes(scope as HttpApp, { runtime, clock })
  })
  await server.app.ready()
  try {
    await use({
      delivered,
      parkBy: (reason) => {
        known['task:default/parked'] = { status: 'active', context: { stage: { name: 'awaiting-human', reason } } }
      },
      post: async (url, payload) => {
        const headers = { 'x-request-id': 'one-request' }
        const answer = await server.app.inject({ method: 'POST', url, payload, headers })
        return { status: answer.statusCode, body: answer.json() }
      },
    })
  } finally {
    await server.close({ graceMs: 100 })
  }
}

test.each([
  ['retry', 'task.retry'],
  ['cancel', 'task.close'],
])(
  'an operator may %s a Task that has no thread to say it on, once a request (OPERATIONS-1, INSPECTOR-RULE-3)',
  (verb, type) =>
    withRoutes(async ({ post, delivered }) => {
      const { status, body } = await post(`/operations/${verb}`, { task: 'parked' })
      expect([status, body]).toEqual([200, { stage: 'awaiting-human', stageReason: 'budget' }])
      expect(delivered).toEqual([
        { to: 'task:default/parked', key: 'operator/one-request', event: { type, at: 1000, by: 'olga' } },
      ])
    }),
)

test('a hold is delivered with its reason; where the Task takes none the answer is a conflict (OPERATIONS-12, ORCHESTRATOR-API-4)', () =>
  withRoutes(async ({ post, delivered, parkBy }) => {
    parkBy('held')
    const held = await post('/operations/hold', { task: 'parked', reason: 'a look' })
    expect([held.status, held.body]).toEqual([200, { stage: 'awaiting-human', stageReason: 'held' }])
    expect(delivered).toEqual([
      {
        to: 'task:default/parked',
        key: 'operator/one-request',
        event: { type: 'task.hold', at: 1000, by: 'olga', reason: 'a look' },
      },
    ])
    parkBy('fold-unanswered')
    const refused = await post('/operations/hold', { task: 'parked', reason: 'a look' })
    expect(refused).toMatchObject({ status: 409, body: { code: 'conflict' } })
  }))

test.each([{}, { reason: '' }, { reason: 'two\nlines' }, { reason: 'x'.repeat(501) }, { reason: 'x', by: 'maya' }])(
  'a hold with %o is refused before anything is delivered',
  (more) =>
    withRoutes(async ({ post, delivered }) => {
      const answer = await post('/operations/hold', { task: 'parked', ...more })
      expect([answer.status, delivered]).toMatchObject([400, []])
    }),
)

test('a Task that is not there, or has ended, takes no word (OPERATIONS-2)', () =>
  withRoutes(async ({ post, delivered }) => {
    expect((await post('/operations/retry', { task: 'unknown' })).status).toBe(404)
    expect((await post('/operations/cancel', { task: 'over' })).status).toBe(409)
    expect(await post('/operations/retry', { task: 'over' })).toMatchObject({
      status: 409,
      body: { detail: "the Task over has ended: on its open issue a maintainer's /retry starts a new one" },
    })
    expect(delivered).toEqual([])
  }))
