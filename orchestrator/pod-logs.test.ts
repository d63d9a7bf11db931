import { expect, test } from 'vitest'
import type { LogWish, PodLog } from '../edges/ports/pods.ts'
import { createLogger } from '../http/logging.ts'
import { createServer } from '../http/server.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { simulatedClock } from '../runtime/simulated-clock.ts'
import { podLogRoute } from './pod-logs.ts'

interface Scene {
  /** By id; any other pod is gone. */
  readonly logs: Record<string, PodLog>
  readonly wished: (readonly [string, LogWish])[]
  get(query: string): Promise<{ readonly status: number; readonly body: Record<string, unknown> }>
}

const printed = (...lines: readonly string[]): PodLog => ({
  ...{ state: 'read', container: 'wrapper', isLive: true },
  ...{ lines, isTruncated: true, cursor: 'c1' },
})

async function withRoute(use: (scene: Scene) => Promise<void>): Promise<void> {
  const clock = simulatedClock(1000)
  const server = await createServer({
    name: 'logs',
    version: '0',
    logger: createLogger({ name: 'logs', level: 'silent' }),
    clock,
    ids: { next: () => 'an-id' },
    openapi: { title: 't', description: 'd' },
  })
  const ordinals: Readonly<Record<string, number>> = { 'task:default/a': 12, 'task:team/young': 0 }
  const read = async (address: string): Promise<unknown> =>
    address in ordinals ? { status: 'active', context: { pod: { ordinal: ordinals[address] } } } : undefined
  const logs: Scene['logs'] = {}
  const wished: Scene['wished'] = []
  podLogRoute(server.app, {
    runtime: { read } as unknown as Runtime,
    pods: {
      logOf: async (pod, wish) => {
        wished.push([pod, wish])
        return logs[pod] ?? { state: 'gone' }
      },
    },
    secrets: ['', 'the-model-key'],
  })
  await server.app.ready()
  try {
    await use({
      logs,
      wished,
      get: async (query) => {
        const answer = await server.app.inject({ url: `/operations/logs?${query}` })
        return { status: answer.statusCode, body: answer.json() as Record<string, unknown> }
      },
    })
  } finally {
    await server.close({ graceMs: 100 })
  }
}

test('answers the newest lines of the newest pod that has a log (OPERATIONS-9)', () =>
  withRoute(async ({ logs, wished, get }) => {
    logs['default/a/11'] = printed('one', 'two')
    logs['default/a/10'] = printed('earlier')
    const { status, body } = await get('task=a')
    expect([status, body]).toEqual([
      200,
      {
        ...{ task: 'default/a', pod: 11, container: 'wrapper', isLive: true },
        ...{ lines: ['one', 'two'], truncated: true, cursor: 'c1' },
      },
    ])
    expect(wished).toEqual(['default/a/12', 'default/a/11'].map((pod) => [pod, { lines: 200, bytes: 1_048_576 }]))
  }))

test('answers of the pod, the lines and the cursor that are given, and of no other pod (OPERATIONS-9)', () =>
  withRoute(async ({ logs, wished, get }) => {
    logs['default/a/2'] = printed('x')
    expect((await get('task=default/a&pod=2&tail=5000&cursor=c0')).body).toMatchObject({ pod: 2, lines: ['x'] })
    expect(wished).toEqual([['default/a/2', { lines: 5000, bytes: 1_048_576, after: 'c0' }]])
    expect((await get('task=a&pod=3')).status).toBe(404)
  }))

test('shows no secret: by its look, by the name of its field, by its words (OPERATIONS-10)', () =>
  withRoute(async ({ logs, get }) => {
    const token = `eyJ${'a'.repeat(20)}.${'b'.repeat(20)}.${'c'.repeat(20)}`
    logs['default/a/12'] = printed(
      `{"level":40,"msg":"refused ${token}"}`,
      '{"level":40,"entry":{"env":{"DB_PASSWORD":"hunter2"},"headers":{"X-Api-Key":"k1","Authorization":"k2"}},"inputTokens":5}',
      'Error: the-model-key is not valid',
      '{ "level": 30, "msg": "as it was" }',
      '{half of the-model-key',
    )
    const { body } = await get('task=a')
    expect(body['lines']).toEqual([
      '{"level":40,"msg":"refused •••"}',
      '{"level":40,"entry":{"env":{"DB_PASSWORD":"•••"},"headers":{"X-Api-Key":"•••","Authorization":"•••"}},"inputTokens":5}',
      'Error: ••• is not valid',
      '{ "level": 30, "msg": "as it was" }',
      '{half of •••',
    ])
  }))

test('each lack has its own sentence (OPERATIONS-11)', () =>
  withRoute(async ({ logs, get }) => {
    logs['default/a/11'] = { state: 'unreadable', detail: 'pods "a-11" is forbidden' }
    const answers = ['task=b', 'task=team/young', 'task=a&pod=13', 'task=a&pod=12', 'task=a&pod=11'].map(get)
    expect((await Promise.all(answers)).map(({ status, body }) => `${status} ${String(body['detail'])}`)).toEqual([
      '404 there is no Task b',
      '404 the Task team/young has had no pod yet: statewright why team/young',
      '404 the Task a has no pod 13 yet: its newest is 12',
      "404 the log of pod 12 of a is gone: it is kept for a week on one machine, and in a cluster for 15 minutes after the pod's end",
      '502 the log of pod 11 of a cannot be read: pods "a-11" is forbidden',
    ])
  }))

test('wrong input lists every fault', () =>
  withRoute(async ({ wished, get }) => {
    const { status, body } = await get('pod=x&tail=-1&lines=3')
    const faults = (body['errors'] as readonly { readonly path: string }[]).map(({ path }) => path)
    expect([status, faults.toSorted()]).toEqual([400, ['/lines', '/pod', '/tail', '/task']])
    expect((await get('task=a&tail=5001')).status).toBe(400)
    expect((await get('task=a&cursor=c1')).body['errors']).toEqual([
      { in: 'query', path: '/pod', message: 'is needed with a cursor, which is of one pod' },
    ])
    expect(wished).toEqual([])
  }))
