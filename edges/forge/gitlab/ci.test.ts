import { expect, test } from 'vitest'
import { ciReportOf, currentPipelines } from './ci.ts'
import type { Pipeline } from './schema.ts'

const SHA = 'a'.repeat(40)

function pipeline(id: number, status: string, more: Partial<Pipeline> = {}): Pipeline {
  return { id, sha: SHA, ref: 'feature', source: 'push', status, ...more }
}

test.each([
  ['created', 'pending'],
  ['waiting_for_resource', 'pending'],
  ['preparing', 'pending'],
  ['waiting_for_callback', 'pending'],
  ['pending', 'pending'],
  ['scheduled', 'pending'],
  ['manual', 'pending'],
  ['invented later', 'pending'],
  ['running', 'running'],
  ['canceling', 'running'],
  ['success', 'success'],
  ['skipped', 'success'],
  ['failed', 'failure'],
  ['canceled', 'cancelled'],
])('CI-RULE-1: a pipeline and a job that are %s count as %s (TOOL-CI-11, TOOL-CI-12)', (status, expected) => {
  const report = ciReportOf(SHA, [pipeline(1, status)], [{ jobs: [{ id: 7, name: 'j', status }], bridges: [] }], [])
  expect([report.status, report.checks[0]!.status]).toEqual([expected, expected])
  expect(report.unfinished).toBe(['pending', 'running'].includes(expected))
})

test.each(['manual', 'failed'])('what may fail is in nobody’s way when it is %s (TOOL-CI-11)', (status) => {
  const job = { id: 7, name: 'deploy', status, allow_failure: true }
  const report = ciReportOf(SHA, [pipeline(1, 'success')], [{ jobs: [job], bridges: [] }], [])
  expect(report.checks[0]).toMatchObject({ status: 'success' })
})

test('what may fail is waited for while it runs', () => {
  const job = { id: 7, name: 'lint', status: 'running', allow_failure: true }
  const report = ciReportOf(SHA, [pipeline(1, 'running')], [{ jobs: [job], bridges: [] }], [])
  expect(report.checks[0]).toMatchObject({ status: 'running' })
})

test('a job has its page and its log, a trigger the pipeline that it started, and another system its own page (TOOL-CI-8)', () => {
  const jobs = [
    { id: 7, name: 'unit', status: 'failed', web_url: 'https://lab/7', failure_reason: 'script_failure' },
    { id: 8, name: 'lint', status: 'running', web_url: 'https://lab/8' },
  ]
  const bridges = [
    {
      id: 9,
      name: 'down',
      status: 'success',
      web_url: 'https://lab/9',
      downstream_pipeline: { web_url: 'https://lab/p' },
    },
  ]
  const statuses = [
    { id: 7, name: 'unit', status: 'failed' },
    { id: 9, name: 'down', status: 'success' },
    { id: 10, name: 'scan', status: 'success', target_url: 'https://scan/10' },
  ]
  const { checks } = ciReportOf(SHA, [pipeline(1, 'failed')], [{ jobs, bridges }], statuses)
  expect(checks).toEqual([
    { name: 'unit', status: 'failure', conclusion: 'failure', url: 'https://lab/7', log: 'script_failure', job: '7' },
    { name: 'lint', status: 'running', url: 'https://lab/8' },
    { name: 'down', status: 'success', conclusion: 'success', url: 'https://lab/p' },
    { name: 'scan', status: 'success', conclusion: 'success', url: 'https://scan/10', external: true },
  ])
})

test('a pipeline’s own word counts, not that of its jobs (TOOL-CI-9)', () => {
  const jobs = [{ id: 7, name: 'unit', status: 'success' }]
  const between = ciReportOf(SHA, [pipeline(1, 'running')], [{ jobs, bridges: [] }], [])
  expect([between.status, between.unfinished]).toEqual(['running', true])
})

test('without a pipeline the other systems’ verdict counts, and without those there is none (TOOL-CI-14, TOOL-CI-16)', () => {
  const scan = { id: 10, name: 'scan', status: 'failed' }
  expect(ciReportOf(SHA, [], [], [scan]).status).toBe('failure')
  expect(ciReportOf(SHA, [], [], [{ ...scan, status: 'running' }])).toMatchObject({
    status: 'running',
    unfinished: true,
  })
  const both = [scan, { ...scan, id: 11, status: 'pending' }]
  expect(ciReportOf(SHA, [], [], both)).toMatchObject({ status: 'pending', unfinished: true })
  expect(ciReportOf(SHA, [], [], [])).toEqual({ sha: SHA, status: 'none', unfinished: false, checks: [] })
})

test('one red pipeline of several makes the head red, and it is not done while another runs', () => {
  const report = ciReportOf(SHA, [pipeline(1, 'failed'), pipeline(2, 'running', { ref: 'other' })], [], [])
  expect([report.status, report.unfinished]).toEqual(['failure', true])
})

test('the newest pipeline of a branch replaces the others, and their jobs are told no more', () => {
  const all = [
    pipeline(3, 'success', { source: 'web' }),
    pipeline(1, 'failed'),
    pipeline(2, 'success', { ref: 'refs/merge-requests/4/head', source: 'merge_request_event' }),
    pipeline(4, 'failed', { source: 'external' }),
  ]
  const current = currentPipelines(all)
  expect(current.map(({ id }) => id).toSorted()).toEqual([2, 3, 4])
  const replaced = { id: 20, name: 'unit', status: 'failed', pipeline_id: 1 }
  expect(ciReportOf(SHA, current, [], [replaced, { ...replaced, pipeline_id: 4 }]).checks).toHaveLength(1)
})
