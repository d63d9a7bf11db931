import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { podMigrations } from '../../edges/pods/transcripts.ts'
import { withServer } from '../../http/testing/fixture.ts'
import type { ActorView } from '../../runtime/runtime.ts'
import { simulatedClock } from '../../runtime/simulated-clock.ts'
import type { Sql } from '../../runtime/store/sql.ts'
import { openSharedSql } from '../../runtime/store/testing/shared-store.ts'
import { transcriptRoute } from './transcripts.ts'

const dayMs = 86_400_000
const now = 100 * dayMs

let sql: Sql
beforeAll(async () => void (sql = await openSharedSql([podMigrations])))
beforeEach(() => sql.exec('truncate pod_transcript'))
afterAll(() => sql.close())

interface APod {
  readonly path: string
  readonly endedAt?: number
  readonly turns?: number
  readonly reason?: string
  readonly detail?: string
}

/** Asks about the Task `default/a` with these pods, the first of them ordinal 1. */
async function ask(
  query: string,
  pods: readonly APod[],
): Promise<{ readonly status: number; readonly detail: unknown }> {
  const read = async (address: string): Promise<ActorView | undefined> => {
    if (address === 'task:default/a') return { context: { pod: { ordinal: pods.length } } } as unknown as ActorView
    const [, ordinal = '0'] = /^pod:default\/a\/(\d+)$/.exec(address) ?? []
    const pod = pods[Number(ordinal) - 1]
    if (pod === undefined) return undefined
    const { path, endedAt: updatedAt = now, ...context } = pod
    const status = path === 'running' ? 'active' : 'done'
    return { path, status, updatedAt, context: { turns: 1, ...context } } as unknown as ActorView
  }
  let answer = { status: 0, detail: undefined as unknown }
  const policy = { days: 90, events: 0, finalDays: 30 }
  await withServer(
    (app) => transcriptRoute(app, { runtime: { read: read as never }, clock: simulatedClock(now), sql, policy }),
    async ({ url }) => {
      const response = await fetch(`${url}/operations/transcript?${query}`)
      const body = (await response.json()) as { readonly detail?: unknown }
      answer = { status: response.status, detail: body.detail ?? body }
    },
  )
  return answer
}

function handedOver(pod: number, ...lines: readonly string[]): Promise<unknown> {
  return sql.query('insert into pod_transcript (task, pod, at, truncated, lines) values ($1, $2::int, 0, false, $3)', [
    ...['default/a', pod, JSON.stringify(lines)],
  ])
}

test('is answered of the newest pod, or of the one that is asked for (OPERATIONS-14)', async () => {
  await handedOver(1, 'one')
  await handedOver(2, 'two')
  const pods = [{ path: 'gone' }, { path: 'gone' }]
  const answer = { task: 'default/a', truncated: false, at: '1970-01-01T00:00:00.000Z' }
  expect(await ask('task=a', pods)).toEqual({ status: 200, detail: { ...answer, pod: 2, lines: ['two'] } })
  expect(await ask('task=default/a&pod=1', pods)).toMatchObject({ detail: { pod: 1, lines: ['one'] } })
})

test('each lack has its own sentence (OPERATIONS-15)', async () => {
  const lost = { path: 'lost', reason: 'process-ended', detail: 'signal SIGKILL' }
  const details = await Promise.all(
    [
      ask('task=b', []),
      ask('task=a', []),
      ask('task=a&pod=2', [lost]),
      ask('task=a', [{ path: 'running' }]),
      ask('task=a', [lost]),
      ask('task=a', [{ ...lost, turns: 0, detail: '' }]),
      ask('task=a', [{ path: 'gone', reason: 'park' }]),
      ask('task=a', [{ path: 'unbound', turns: 0 }]),
      ask('task=a', [{ path: 'gone', endedAt: now - 31 * dayMs }]),
    ].map(async (asked) => asked.then(({ status, detail }) => `${status} ${String(detail)}`)),
  )
  expect(details).toEqual([
    '404 there is no Task b',
    '404 the Task a has had no pod yet: statewright why a',
    '404 the Task a has no pod 2 yet: its newest is 1',
    '404 pod 1 of a still runs and hands its transcript over at its stop: statewright logs a',
    '404 pod 1 of a was lost before it could hand its transcript over (process-ended: signal SIGKILL)',
    '404 pod 1 of a was lost before it could hand its transcript over (process-ended)',
    '404 pod 1 of a ended without handing its transcript over (park)',
    '404 pod 1 of a ended before a turn of it began, so there is no transcript',
    '404 the transcript of pod 1 of a is gone: it is kept as long as journals of what has ended',
  ])
})

test('a lack names the transcripts that are there (OPERATIONS-15)', async () => {
  await handedOver(1, 'one')
  await handedOver(2, 'two')
  const pods = [{ path: 'gone' }, { path: 'gone' }, { path: 'running' }]
  expect((await ask('task=a', pods)).detail).toBe(
    'pod 3 of a still runs and hands its transcript over at its stop: statewright logs a. There are those of other pods: --pod 2, --pod 1',
  )
})
