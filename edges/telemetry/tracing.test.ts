import { expect, test } from 'vitest'
import { RetryableError } from '../../runtime/errors.ts'
import { silentLogger } from '../../runtime/logger.ts'
import type { EffectContext, Runtime } from '../../runtime/runtime.ts'
import { event, harness, task, until } from '../../runtime/contract/harness.ts'
import { openSharedSql } from '../../runtime/store/testing/shared-store.ts'
import { openSpanExporter } from '../../http/tracing/exporter.ts'
import { startCollector, type CollectedSpan, type Collector } from '../../http/tracing/testing/collector.ts'
import { readTraceparent } from '../../http/tracing/traceparent.ts'
import { causeOf, effectPosition, rootOf, stepPosition, traceOf } from './trace-ids.ts'
import { createTracing, type Tracing } from './tracing.ts'

async function withCollector(use: (collector: Collector) => Promise<void>): Promise<void> {
  const collector = await startCollector()
  try {
    await use(collector)
  } finally {
    await collector.close()
  }
}

test('ids follow from addresses and keys: a pod and a turn are of their Task’s trace, a queue’s steps are not', () => {
  const trace = traceOf('task:default/t', 3)
  expect(trace).toMatch(/^[0-9a-f]{32}$/)
  expect(traceOf('pod:default/t/1', 1)).toBe(trace)
  expect(traceOf('turn:default/t/1/2', 9)).toBe(trace)
  expect(traceOf('task:default/other', 3)).not.toBe(trace)
  expect(traceOf('queue:default/p', 1)).not.toBe(traceOf('queue:default/p', 2))
  expect(rootOf('queue:default/p')).toBeUndefined()
  expect(rootOf('turn:default/t/1/2')).toEqual(rootOf('task:default/t'))
})

test.each([
  ['an event of another actor hangs from its step', 'pod:default/t/1/7/0', stepPosition('pod:default/t/1', 7)],
  ['a result hangs from its effect', 'turn:default/t/1/2/4/1/accepted', effectPosition('turn:default/t/1/2/4/1')],
  ['a timer hangs from the step that armed it', 'timer:xstate.after.5:12', stepPosition('task:default/t', 12)],
  ['what comes from outside hangs from nothing of ours', 'callback/1-1-abc/0123', undefined],
])('%s', (_, key, cause) => {
  expect(causeOf('task:default/t', key)).toEqual(cause)
})

test('one Task is one trace: step, effect, the step of its result, a pod’s steps, all below one root', async () => {
  await withCollector(async ({ endpoint, spans, text }) => {
    const sql = await openSharedSql()
    const world = harness(sql)
    const exporter = await openSpanExporter({ service: 'test', version: '1', endpoint })
    let runtime: Runtime | undefined
    const tracing: Tracing = createTracing({
      exporter,
      clock: world.clock,
      logger: silentLogger,
      runtime: () => runtime!,
    })
    const asked: (string | null)[] = []
    const outside = tracing.fetch(async (_, init) => {
      asked.push(new Headers(init?.headers).get('traceparent'))
      return new Response('')
    })
    let isBusy = true
    const handlers = tracing.handlers({
      call: {
        perform: async (_: object, { key, actor }: EffectContext) => {
          await outside('http://forge.example/')
          if (isBusy) throw new RetryableError('the token is s3cret', { retryAfterMs: 1000 })
          return [{ to: actor, key: `${key}/done`, event: event('call.done', { note: 's3cret' }) }]
        },
      },
    })
    try {
      runtime = (await world.start({ observer: tracing.observer, handlers: handlers as never })).runtime
      runtime.subscribe(tracing.stepped)
      await runtime.deliver({ to: task('t'), key: 'k1', event: event('noted', { note: 's3cret' }) })
      await runtime.deliver({ to: task('t'), key: 'k2', event: event('asked') })
      await until(
        () => runtime!.pendingEffects(),
        ([effect]) => effect?.lastError !== undefined && effect.state === 'pending',
      )
      isBusy = false
      world.clock.advance(1000)
      await until(
        () => runtime!.history(task('t')),
        (rows) => rows.length === 3,
      )
      await runtime.deliver({ to: task('t'), key: 'k3', event: event('closed') })
      await until(
        () => runtime!.read(task('t')),
        (view) => view?.status === 'done',
      )
      await tracing.idle()
      await exporter.stop()
    } finally {
      await world.end()
      await sql.close()
    }
    const all = spans()
    const named = (name: string): CollectedSpan => all.find((span) => span.name === name)!
    expect(new Set(all.map(({ traceId }) => traceId))).toEqual(new Set([traceOf(task('t'), 1)]))
    expect(all.map(({ name }) => name).toSorted()).toEqual([
      'attempt call',
      'effect call',
      'task',
      'task asked',
      'task call.done',
      'task closed',
      'task noted',
    ])
    expect(named('task asked').parentSpanId).toBe(named('task').spanId)
    expect(named('effect call').parentSpanId).toBe(named('task asked').spanId)
    expect(named('attempt call').parentSpanId).toBe(named('effect call').spanId)
    expect(named('task call.done').parentSpanId).toBe(named('effect call').spanId)
    expect(named('attempt call').status.code).toBe(2)
    expect(asked.map((traceparent) => readTraceparent(traceparent)?.spanId)).toEqual([
      named('effect call').spanId,
      named('effect call').spanId,
    ])
    expect(text()).not.toContain('s3cret')
  })
})
