import { readFileSync } from 'node:fs'
import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { createWrapperMetrics } from './metrics.ts'
import type { AgentOutcome } from './turns/outcome.ts'

const where = { kind: 'implement', repo: 'lib,app', project: 'demo' }
const model = 'claude-sonnet-4-5'
const counts = { inputTokens: 10, outputTokens: 20, cacheReadTokens: 30, cacheWriteTokens: 40, costUsd: 0.5 }
const outcome: AgentOutcome = {
  state: 'completed',
  stopReason: 'end_turn',
  finalText: '',
  usage: { ...counts, byModel: { [model]: counts } },
}

/** Every series of WRAPPER-METRICS (docs/contract/wrapper.md), with each value of a label that the contract names; then what WRAPPER-RULE-10 and HTTP-RULE-6 add, and our own. */
const table: readonly (readonly [name: string, type: string, series: readonly object[]])[] = [
  ['ccw_turns_total', 'counter', [{ result: 'end_turn', value: 1 }]],
  [
    'ccw_turn_tokens_total',
    'counter',
    [
      { ...where, model, type: 'input', value: 10 },
      { ...where, model, type: 'output', value: 20 },
      { ...where, model, type: 'cache_read', value: 30 },
      { ...where, model, type: 'cache_write', value: 40 },
    ],
  ],
  ['ccw_turn_cost_usd_total', 'counter', [{ ...where, value: 0.5 }]],
  ['ccw_turn_in_flight', 'gauge', [{ value: 1 }]],
  [
    'ccw_tool_calls_total',
    'counter',
    [
      { tool: 'Bash', outcome: 'ok', value: 1 },
      { tool: 'Bash', outcome: 'error', value: 1 },
    ],
  ],
  ['ccw_tool_calls_refused_total', 'counter', [{ reason: 'no-block', value: 1 }]],
  ['ccw_interrupts_total', 'counter', [{ result: 'unconfirmed', value: 1 }]],
  ['ccw_turn_stall_suspected_total', 'counter', [{ value: 1 }]],
  [
    'ccw_safety_push_total',
    'counter',
    [
      { result: 'ok', value: 1 },
      { result: 'failed', value: 1 },
    ],
  ],
  [
    'ccw_bootstrap_reconcile_total',
    'counter',
    ['merged', 'up_to_date', 'conflict', 'base_unresolved', 'fetch_fail'].map((result) => ({ result, value: 1 })),
  ],
  ['ccw_skills_installed_total', 'counter', [{ profile: 'implement', value: 3 }]],
  [
    'ccw_skills_clone_failures_total',
    'counter',
    [
      { source: 'skills_repo', value: 1 },
      { source: 'extra', value: 0 },
    ],
  ],
  ['ccw_agents_installed_total', 'counter', [{ value: 2 }]],
  [
    'ccw_statusline_reports_total',
    'counter',
    [
      { result: 'ok', value: 1 },
      { result: 'bad_payload', value: 1 },
    ],
  ],
  [
    'platform_wrapper_internal_issue_total',
    'counter',
    [{ category: 'auth', severity: 'warn', kind: 'implement', project: 'demo', value: 1 }],
  ],
  ['ccw_hook_failures_total', 'counter', [{ hook: 'preClone', value: 1 }]],
  ['ccw_spontaneous_turns_total', 'counter', [{ value: 1 }]],
  ['ccw_turn_hindered_total', 'counter', [{ kind: 'screen-still', value: 1 }]],
  ['ccw_model_failures_total', 'counter', [{ status: '529', value: 1 }]],
]

async function afterOneOfEach(): Promise<Registry> {
  const registry = new Registry()
  const identity = { task: 't', project: 'demo', profile: 'implement', pod: 1, contractVersion: 4 }
  const metrics = createWrapperMetrics(identity, 'lib,app')
  metrics.exposeIn(registry)
  metrics.turnEnded(outcome)
  metrics.turnInFlight(1)
  metrics.booted(4.6)
  for (const how of ['ok', 'error'] as const) metrics.toolCall('Bash', how)
  metrics.toolCallRefused('no-block')
  metrics.interrupt('unconfirmed')
  metrics.stallSuspected()
  for (const how of ['ok', 'failed'] as const) metrics.safetyPush(how)
  for (const how of ['merged', 'up_to_date', 'conflict', 'base_unresolved', 'fetch_fail']) metrics.reconciled(how)
  metrics.skillsInstalled(3)
  metrics.skillsCloneFailed('skills_repo')
  metrics.agentsInstalled(2)
  for (const how of ['ok', 'bad_payload'] as const) metrics.statuslineReport(how)
  metrics.internalIssue('auth', 'warn')
  metrics.hookFailed('preClone')
  metrics.spontaneousTurn()
  metrics.hindered('screen-still')
  metrics.modelFailed(529)
  return registry
}

test.each(table)(
  '%s is a %s with the labels of the contract (TOOL-REPORT-8, WRAPPER-METRICS-1, WRAPPER-METRICS-2, WRAPPER-METRICS-3, WRAPPER-METRICS-4, WRAPPER-METRICS-6, WRAPPER-METRICS-9, WRAPPER-METRICS-10, WRAPPER-METRICS-11, WRAPPER-METRICS-12, WRAPPER-RULE-10)',
  async (name, type, series) => {
    const metric = (await (await afterOneOfEach()).getMetricsAsJSON()).find((one) => one.name === name)
    const values = (metric?.values ?? []) as { labels: object; value: number }[]
    expect(metric?.type).toBe(type)
    expect(values.map(({ labels, value }) => ({ ...labels, value }))).toEqual(expect.arrayContaining([...series]))
    expect(values).toHaveLength(series.length)
  },
)

test('ccw_bootstrap_duration_seconds is a histogram without labels that tells the floor of 4 s from a slow boot (WRAPPER-METRICS-5)', async () => {
  const text = await (await afterOneOfEach()).metrics()
  expect(text).toContain('# TYPE ccw_bootstrap_duration_seconds histogram')
  expect(text).toMatch(/_bucket\{le="4"\} 0\n.*_bucket\{le="5"\} 1\n/s)
})

test('the table names every series that there is (WRAPPER-METRICS-17)', async () => {
  const names = (await (await afterOneOfEach()).getMetricsAsJSON()).map(({ name }) => name)
  expect(names.toSorted()).toEqual([...table.map(([name]) => name), 'ccw_bootstrap_duration_seconds'].toSorted())
})

test('the contract names every series that there is (WRAPPER-METRICS-17)', async () => {
  const pages = ['wrapper', 'tools'].map((name) => new URL(`../docs/contract/${name}.md`, import.meta.url))
  const contract = pages.map((page) => readFileSync(page, 'utf8')).join('')
  const names = (await (await afterOneOfEach()).getMetricsAsJSON()).map(({ name }) => name)
  const unnamed = (all: readonly string[]): readonly string[] =>
    all.filter((name) => !new RegExp(`\\b${name}\\b`).test(contract))
  expect(unnamed(names)).toEqual([])
  expect(unnamed(['ccw_turns_total', 'ccw_turns'])).toEqual(['ccw_turns'])
})

test('docs/metrics.md names the counter of internal issues, its labels and who exports it (TOOL-REPORT-10)', async () => {
  const page = readFileSync(new URL('../docs/metrics.md', import.meta.url), 'utf8')
  const { labelNames } = (await afterOneOfEach()).getSingleMetric(
    'platform_wrapper_internal_issue_total',
  ) as unknown as {
    readonly labelNames: readonly string[]
  }
  expect(page).toContain(`\`platform_wrapper_internal_issue_total{${labelNames.join()}}\``)
  expect(page).toMatch(/The wrapper\s+alone exports it/)
})
