/** One Task from its beginning to its end is one trace at a collector: the orchestrator's spans and its pods' nest. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startCollector, type CollectedSpan, type Collector } from '../../http/tracing/testing/collector.ts'
import { rootOf } from '../../edges/telemetry/trace-ids.ts'
import { hookSecret, startOrchestratorFixture, type OrchestratorFixture } from '../testing/fixture.ts'

const name = 'brainstorm-1'
const task = `task:default/${name}` as const
const proposal = { repo: 'duration', title: 'A secret idea', body: 'For nobody else.', kind: 'improvement' }

let collector: Collector
let spans: readonly CollectedSpan[]
let traced: readonly string[]
let secrets: readonly string[]
beforeAll(async () => {
  collector = await startCollector()
  traced = await tracedCalls(async () => {
    secrets = await liveIn({ otlpEndpoint: collector.endpoint })
  })
  spans = collector.spans().filter(({ traceId }) => traceId === rootOf(task)?.traceId)
}, 180_000)
afterAll(() => collector?.close())

/** Whom the process asked meanwhile with the trace that it asks for. */
async function tracedCalls(run: () => Promise<void>): Promise<readonly string[]> {
  const asked = vi.spyOn(globalThis, 'fetch')
  try {
    await run()
    return asked.mock.calls.flatMap(([input, init]) => {
      const { url, headers } = new Request(input, init)
      return headers.has('traceparent') ? [new URL(url).pathname] : []
    })
  } finally {
    asked.mockRestore()
  }
}

async function liveIn(settings: Parameters<typeof startOrchestratorFixture>[0]): Promise<readonly string[]> {
  const fixture = await startOrchestratorFixture(settings)
  try {
    return await live(fixture)
  } finally {
    // Sends what waits.
    await fixture.stop()
  }
}

/** Gives what no span may hold. */
async function live(fixture: OrchestratorFixture): Promise<readonly string[]> {
  const token = await fixture.operatorToken()
  const spec = { projectRef: 'demo', kind: 'brainstorm', goal: 'The goal of nobody else', repositories: ['duration'] }
  const manifest = { apiVersion: 'platform.dev/v1alpha1', kind: 'Task', metadata: { name, namespace: 'default' }, spec }
  expect((await fixture.call('/resources', { method: 'PUT', token, body: manifest })).status).toBe(200)
  const pod = await fixture.podOf(name, 1)
  const payload = { action: 'propose', proposals: [proposal] }
  const answer = await fixture.call(`/tasks/${name}/outcome`, {
    token: pod.token,
    body: { kind: 'brainstorm', payload },
  })
  expect(answer.status).toBe(200)
  await pod.endTurn('I told nobody.')
  await fixture.until('the Task has ended', async () => (await fixture.runtime.read(task))?.status === 'done')
  await fixture.quiet()
  return [token, pod.token, pod.callbackSecret, hookSecret, proposal.title, spec.goal, 'I told nobody']
}

function named(wanted: string): CollectedSpan {
  const span = spans.find((one) => one.name === wanted)
  if (!span) throw new Error(`no span ${wanted} among ${spans.map((one) => one.name).join(', ')}`)
  return span
}

test('every span hangs from one that is there, up to the one root, which is the Task', () => {
  const ids = new Set(spans.map(({ spanId }) => spanId))
  const roots = spans.filter(({ parentSpanId }) => parentSpanId === undefined || parentSpanId === '')
  expect(roots.map((span) => span.name)).toEqual(['task'])
  const orphans = spans.filter(({ parentSpanId }) => parentSpanId && !ids.has(parentSpanId))
  expect(orphans.map((span) => span.name)).toEqual([])
  expect(new Set(spans.map(({ service }) => service))).toEqual(new Set(['orchestrator', 'wrapper']))
})

test('the pod’s boot is below the effect that created it, its turn below the one that sent it, the callback below the turn', () => {
  expect(named('wrapper boot').parentSpanId).toBe(named('effect createPod').spanId)
  expect(named('wrapper turn').parentSpanId).toBe(named('effect submitTurn').spanId)
  expect(named('turn turn.callback').parentSpanId).toBe(named('wrapper turn').spanId)
})

test('a span begins no earlier than what it hangs from, and ends no earlier than it begins', () => {
  const byId = new Map(spans.map((span) => [span.spanId, span]))
  for (const span of spans) {
    expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano))
    const parent = byId.get(span.parentSpanId ?? '')
    if (parent)
      expect([span.name, BigInt(span.startTimeUnixNano) >= BigInt(parent.startTimeUnixNano)]).toEqual([span.name, true])
  }
})

test('no token, no secret and no word of people or agents leaves in a span', () => {
  expect(secrets.every((secret) => secret.length > 0)).toBe(true)
  expect(secrets.filter((secret) => collector.text().includes(secret))).toEqual([])
})

test('without a collector nobody is told of a trace, and nothing is sent', async () => {
  const before = collector.spans().length
  expect(await tracedCalls(async () => void (await liveIn({})))).toEqual([])
  expect(traced).not.toEqual([])
  expect(collector.spans()).toHaveLength(before)
}, 180_000)
