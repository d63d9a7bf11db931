import { setImmediate } from 'node:timers/promises'
import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import type { JournalRow } from '../../runtime/runtime.ts'
import { workMetrics } from './work-metrics.ts'

const minute = 60_000

interface Stage {
  readonly name: string
  readonly reason?: string | null
  readonly history: readonly { readonly stage: string; readonly at: number }[]
}

function world() {
  const registry = new Registry()
  let stage: Stage = { name: 'minted', history: [] }
  let reads = 0
  const step = workMetrics(registry, {
    read: async () => {
      reads += 1
      return { kind: 'task', context: { kind: 'implement', stage: { reason: null, ...stage } } } as never
    },
  })
  const series = async (name: string): Promise<readonly string[]> => {
    await setImmediate()
    return (await registry.metrics()).split('\n').filter((line) => line.startsWith(name))
  }
  return {
    step: (row: object) => step({ handled: true, status: 'active', effects: [], ...row } as unknown as JournalRow),
    /** The Task enters stages, one step each, at the minutes that they name. */
    enter(address: string, minutes: readonly (readonly [stage: string, at: number])[], seq = 1, more: object = {}) {
      for (const [index, [name, at]] of minutes.entries()) {
        stage = { name, ...more, history: [...stage.history, { stage: name, at: at * minute }] }
        const path = `stage.${name} pod.none`
        this.step({ address, seq: seq + index, path, event: { type: 'any', at: at * minute }, ...more })
      }
    },
    lead: (history: Stage['history']) => void (stage = { name: history.at(-1)!.stage, history }),
    series,
    reads: () => reads,
  }
}

test('each visit to a stage is counted once, when the Task leaves it, however many steps it takes (ORCHESTRATOR-METRICS-11)', async () => {
  const all = world()
  const { step, series } = all
  all.enter('task:default/t', [
    ['minted', 0],
    ['implementing', 1],
  ])
  await setImmediate()
  step({
    address: 'task:default/t',
    seq: 3,
    path: 'stage.implementing pod.alive',
    event: { type: 'any', at: 2 * minute },
  })
  expect(await series('operator_task_stage_duration_seconds_sum')).toEqual([
    'operator_task_stage_duration_seconds_sum{stage="minted"} 60',
  ])
  // A step within a stage costs no read.
  expect(all.reads()).toBe(2)
  all.enter('task:default/t', [['awaiting-human', 11]], 4)
  await setImmediate()
  all.enter('task:default/t', [['implementing', 31]], 5)
  expect(await series('operator_task_stage_duration_seconds_sum')).toEqual([
    'operator_task_stage_duration_seconds_sum{stage="minted"} 60',
    'operator_task_stage_duration_seconds_sum{stage="implementing"} 600',
    'operator_task_stage_duration_seconds_sum{stage="awaiting-human"} 1200',
  ])
  expect(await series('operator_task_stage_duration_seconds_count')).toHaveLength(3)
})

test('after a restart the visits that an earlier process counted are not counted again (ORCHESTRATOR-METRICS-11)', async () => {
  const { lead, step, series } = world()
  lead([
    { stage: 'minted', at: 0 },
    { stage: 'implementing', at: minute },
    { stage: 'reviewing', at: 4 * minute },
  ])
  step({ address: 'task:default/t', seq: 9, path: 'stage.reviewing pod.none', event: { type: 'any', at: 4 * minute } })
  expect(await series('operator_task_stage_duration_seconds_sum')).toEqual([
    'operator_task_stage_duration_seconds_sum{stage="implementing"} 180',
  ])
})

test.each([
  ['delivered', null, 'none'],
  ['closed', 'cancelled', 'cancelled'],
  ['closed', 'words of somebody', 'other'],
])(
  'a Task that ends at %s with the reason %j is counted once under %s (ORCHESTRATOR-METRICS-9)',
  async (stage, reason, label) => {
    const all = world()
    all.enter('task:default/t', [[stage, 1]], 7, { status: 'done', reason })
    await setImmediate()
    all.step({
      address: 'task:default/t',
      seq: 8,
      path: `stage.${stage} pod.none`,
      status: 'done',
      handled: false,
      event: { type: 'any', at: 0 },
    })
    expect(await all.series('operator_tasks_ended_total')).toEqual([
      `operator_tasks_ended_total{kind="implement",stage="${stage}",reason="${label}"} 1`,
    ])
  },
)

function result(byModel: object, row: object = {}): object {
  const event = { type: 'turn.result', at: 1, usage: { byModel } }
  return { address: 'turn:default/t/1/0', status: 'done', event, ...row }
}

const counts = { inputTokens: 10, outputTokens: 20, cacheReadTokens: 300, cacheWriteTokens: 40, costUsd: 0.25 }

test('tokens and money are counted by model, at the end of the turn that spent them (ORCHESTRATOR-METRICS-10)', async () => {
  const { step, series } = world()
  step(result({ 'claude-opus-5-5': counts }))
  step(result({ 'claude-opus-5-5': counts, 'claude-haiku-4-5': { ...counts, costUsd: -1, outputTokens: '7' } }))
  // Another turn's result, which a turn reads that waits for it.
  step(result({ 'claude-opus-5-5': counts }, { status: 'active' }))
  step(result({ 'claude-opus-5-5': counts }, { handled: false }))
  const tokens = await series('operator_model_tokens_total')
  expect(tokens).toContain('operator_model_tokens_total{model="claude-opus-5-5",type="input"} 20')
  expect(tokens).toContain('operator_model_tokens_total{model="claude-opus-5-5",type="cache_read"} 600')
  expect(tokens).toContain('operator_model_tokens_total{model="claude-opus-5-5",type="cache_write"} 80')
  expect(tokens).toContain('operator_model_tokens_total{model="claude-haiku-4-5",type="output"} 0')
  expect(await series('operator_model_cost_dollars_total')).toEqual([
    'operator_model_cost_dollars_total{model="claude-opus-5-5"} 0.5',
    'operator_model_cost_dollars_total{model="claude-haiku-4-5"} 0',
  ])
})

test('the series of a model begin with 0 when a pod starts that uses it, and count from there (ORCHESTRATOR-METRICS-10)', async () => {
  const { step, series } = world()
  const start = (model: string): object => ({ address: 'pod:default/t/1', event: { type: 'pod.start', at: 1, model } })
  step(start(''))
  step(start('claude-opus-5-5'))
  expect(await series('operator_model_tokens_total')).toEqual(
    ['input', 'output', 'cache_read', 'cache_write'].map(
      (type) => `operator_model_tokens_total{model="claude-opus-5-5",type="${type}"} 0`,
    ),
  )
  step(result({ 'claude-opus-5-5': counts }))
  step(start('claude-opus-5-5'))
  expect(await series('operator_model_cost_dollars_total')).toEqual([
    'operator_model_cost_dollars_total{model="claude-opus-5-5"} 0.25',
  ])
})

test('a pod that names a thousand models makes 33 of them (ORCHESTRATOR-METRICS-8, ORCHESTRATOR-METRICS-10)', async () => {
  const { step, series } = world()
  step(result({ 'a name with blanks': counts }))
  for (let index = 0; index < 1000; index += 1) step(result({ [`m${index}`]: counts }))
  const models = await series('operator_model_cost_dollars_total')
  expect(models).toHaveLength(33)
  expect(models).toContain('operator_model_cost_dollars_total{model="other"} 242.25')
})

test('a merged change is counted once, also when a later owner learns of it, and one of nobody is not (ORCHESTRATOR-METRICS-11)', async () => {
  const { step, series } = world()
  const merged = { type: 'deliver', params: { to: 'task:default/t', event: { type: 'mr.merged' } } }
  const other = { type: 'deliver', params: { to: 'task:default/t', event: { type: 'mr.closed' } } }
  const row = (number: number, type: string, effects: readonly object[]): object => {
    return { address: `merge-request:default/app-mr-${number}`, event: { type, at: 1 }, effects, path: 'merged' }
  }
  expect(await series('operator_changes_merged_total')).toEqual(['operator_changes_merged_total 0'])
  step(row(1, 'mr.observed', [merged]))
  step(row(1, 'mr.owned', [merged]))
  step(row(2, 'mr.observed', []))
  step(row(3, 'mr.observed', [other]))
  step(row(4, 'mr.observed', [other, merged]))
  expect(await series('operator_changes_merged_total')).toEqual(['operator_changes_merged_total 2'])
})
