import { expect, test } from 'vitest'
import { judgeQueries } from './testing/judge-queries.ts'
import type { Prometheus, Rule, Sample } from './testing/prometheus.ts'
import { alertQueries, namedIn, panelQueries } from './testing/queries.ts'

/** What a demo has no data of. */
const absent =
  /^(operator_scm_ratelimited_total|operator_tool_calls_refused_total|platform_account_usage_snapshot_age_seconds|statewright_(dead_letters_total|effects_dead|quarantined_actors))$/
const all = [...alertQueries(), ...panelQueries()]
const labels = Object.fromEntries(all.flatMap(({ expr }) => namedIn(expr).labels).map((label) => [label, 'x']))
const sample: Sample = {
  metric: {},
  values: [
    [1, '1'],
    [3, '1'],
  ],
}
const rules: readonly Rule[] = alertQueries().map(({ where }) => ({ name: where, state: 'inactive', health: 'ok' }))

/** A Prometheus that scraped a demo to whose queries nothing is lacking. */
function scraped(changed: Partial<Prometheus> = {}): Prometheus {
  return {
    url: '',
    overTime: async () => [sample],
    labelsOf: async (series) => (absent.test(series) ? [] : [labels]),
    rules: async () => rules,
    stop: async () => undefined,
    ...changed,
  }
}

test('a demo that has all that it should have is without fault, and what it has not is named with the reason', async () => {
  const { faults, notes } = await judgeQueries(scraped(), 0)
  expect(faults).toEqual([])
  expect(notes).toContain('  statewright_effects_dead: no effect dies')
  expect(notes).toHaveLength(7)
})

test.each<[string, Partial<Prometheus>, string]>([
  [
    'a series that is not there',
    { labelsOf: async (series) => (series === 'operator_pods' || absent.test(series) ? [] : [labels]) },
    'operator_pods has no data',
  ],
  [
    'a label that no series has',
    { labelsOf: async (series) => (absent.test(series) ? [] : [withoutPhase(labels)]) },
    'statewright-work, Pods by phase: no series has the label phase',
  ],
  ['a series that should be absent', { labelsOf: async () => [labels] }, 'statewright_effects_dead has data, though'],
  [
    'a panel that shows nothing',
    { overTime: async (expr) => (expr.includes('operator_changes_merged_total[1d]') ? [] : [sample]) },
    'statewright-tasks, Merged changes per day shows nothing',
  ],
  [
    'a query that Prometheus refuses',
    {
      overTime: async (expr) => {
        if (expr === 'operator_tasks_ended_total' || !expr.includes('operator_queue_slots')) return [sample]
        throw new Error('parse error')
      },
    },
    'statewright-work, Slots and their use: Error: parse error',
  ],
  [
    'an alert that is about to fire',
    { rules: async () => rules.map((rule, index) => (index === 0 ? { ...rule, state: 'pending' } : rule)) },
    'StatewrightDown is pending',
  ],
  ['an alert that was not loaded', { rules: async () => rules.slice(1) }, 'StatewrightDown is no rule of Prometheus'],
])('%s is a fault', async (_what, changed, fault) => {
  const { faults } = await judgeQueries(scraped(changed), 0)
  expect(faults.join('\n')).toContain(fault)
})

function withoutPhase({ phase: _phase, ...rest }: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return rest
}
