import { expect, test } from 'vitest'
import type { FinishedSpan } from '../http/tracing/exporter.ts'
import { readTraceparent, writeTraceparent } from '../http/tracing/traceparent.ts'
import { createPodTrace, type PodTrace } from './pod-trace.ts'

const traceId = 'a'.repeat(32)
const creation = { traceId, spanId: 'b'.repeat(16) }
const message = { traceId, spanId: 'c'.repeat(16) }
const identity = { task: 'default/t', pod: 2 }

function traced(traceparent: string | undefined = writeTraceparent(creation)): {
  readonly spans: FinishedSpan[]
  readonly trace: PodTrace
} {
  const spans: FinishedSpan[] = []
  return { spans, trace: createPodTrace({ record: (span) => void spans.push(span) }, traceparent, identity) }
}

test('a boot hangs from the effect that created the pod, a turn from the one that sent it, the callback from the turn', () => {
  const { spans, trace } = traced()
  trace.booted(1000, 3000)
  trace.accepted('turn-1', writeTraceparent(message))
  trace.turnEnded('turn-1', 4000, 9000, 'end_turn')
  expect(spans.map(({ name, parent, startedAt, endedAt }) => ({ name, parent, startedAt, endedAt }))).toEqual([
    { name: 'wrapper boot', parent: creation, startedAt: 1000, endedAt: 3000 },
    { name: 'wrapper turn', parent: message, startedAt: 4000, endedAt: 9000 },
  ])
  expect(new Set(spans.map((span) => span.traceId))).toEqual(new Set([traceId]))
  expect(readTraceparent(trace.traceparentOf('turn-1'))).toEqual({ traceId, spanId: spans[1]?.spanId })
})

test('a restarted wrapper finds the same place for a turn, and hangs it from the pod when it forgot who sent it', () => {
  const [before, after] = [traced(), traced()]
  before.trace.accepted('turn-1', writeTraceparent(message))
  expect(after.trace.traceparentOf('turn-1')).toBe(before.trace.traceparentOf('turn-1'))
  after.trace.turnEnded('turn-1', 1, 2, 'end_turn')
  expect(after.spans[0]?.parent).toEqual(creation)
})

test('a sender of another trace, or of none, does not move a turn out of its Task’s', () => {
  for (const sender of [`00-${'d'.repeat(32)}-${'c'.repeat(16)}-01`, 'nonsense', undefined]) {
    const { spans, trace } = traced()
    trace.accepted('turn-1', sender)
    trace.turnEnded('turn-1', 1, 2, 'end_turn')
    expect(spans[0]).toMatchObject({ traceId, parent: creation })
  }
})

test('an agent that went away is an error; every other end is not', () => {
  const { spans, trace } = traced()
  for (const reason of ['end_turn', 'timeout', 'agent_exited']) trace.turnEnded(reason, 1, 2, reason)
  expect(spans.map(({ isError }) => isError)).toEqual([false, false, true])
})

test('a pod that was created outside of any trace records nothing and says nothing', () => {
  const { spans, trace } = traced('')
  trace.booted(1, 2)
  trace.turnEnded('turn-1', 1, 2, 'end_turn')
  expect(spans).toEqual([])
  expect(trace.traceparentOf('turn-1')).toBeUndefined()
})

test('only names and figures are said of a pod', () => {
  const { spans, trace } = traced()
  trace.booted(1, 2)
  trace.turnEnded('turn-1', 1, 2, 'end_turn')
  expect(spans.map(({ attributes }) => Object.keys(attributes))).toEqual([
    ['statewright.task', 'statewright.pod'],
    ['statewright.task', 'statewright.pod', 'statewright.turn', 'statewright.stop_reason'],
  ])
})
