import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createKubeClient } from '../../edges/kubernetes/api/client.ts'
import { podLog } from '../../edges/kubernetes/pods/pod-log.ts'
import { answerJson, withApiServer, type Answering } from '../../edges/kubernetes/testing/api-server.ts'
import { aPodObject, runningStatus } from '../../edges/kubernetes/testing/pod-objects.ts'
import type { LogWish, PodLog } from '../../edges/ports/pods.ts'
import { withPodLogRoute, type PodLogServer } from '../testing/pod-log-server.ts'

interface Scene extends PodLogServer {
  /** By id; any other pod is gone. */
  readonly logs: Record<string, PodLog>
  readonly wished: (readonly [string, LogWish])[]
}

const printed = (...lines: readonly string[]): PodLog => ({
  ...{ state: 'read', container: 'wrapper', isLive: true },
  ...{ lines, isTruncated: true, cursor: 'c1' },
})

async function withRoute(use: (scene: Scene) => Promise<void>): Promise<void> {
  const logs: Scene['logs'] = {}
  const wished: Scene['wished'] = []
  const logOf = async (pod: string, wish: LogWish): Promise<PodLog> => {
    wished.push([pod, wish])
    return logs[pod] ?? { state: 'gone' }
  }
  await withPodLogRoute({ 'default/a': 12, 'team/young': 0 }, logOf, ({ get }) => use({ logs, wished, get }))
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

test('shows no secret that came in two chunks, from a server of Kubernetes (OPERATIONS-10)', async () => {
  const line = Buffer.from('2026-01-01T00:00:00.000000001Z {"n":"é","key":"the-model-key"} the-model-key\n')
  const cuts = ['é', 'model'].map((word) => line.indexOf(word) + 1)
  for (const cut of [...cuts, line.lastIndexOf('model') + 1]) {
    const answering: Answering = (asked, response) => {
      if (!asked.path.includes('/log')) return answerJson(response, 200, aPodObject(runningStatus))
      response.write(line.subarray(0, cut))
      // Apart on the wire.
      void setTimeout(5).then(() => response.end(line.subarray(cut)))
    }
    await withApiServer(answering, async ({ kubeconfig }) => {
      const client = createKubeClient({ kubeconfig })
      try {
        const logOf = (pod: string, wish: LogWish): Promise<PodLog> => podLog(client, pod, wish)
        await withPodLogRoute({ 'default/implement-a-1': 2 }, logOf, async ({ get }) =>
          expect((await get('task=implement-a-1')).body).toMatchObject({ lines: ['{"n":"é","key":"•••"} •••'] }),
        )
      } finally {
        await client.close()
      }
    })
  }
})

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
